"""The scores of stories side by side: where there is none, the table says why."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from annotations.rubrics.rubric import load_rubric
from characterbox.store.ratings.ratings import rating_of
from tests.fakes.databases import store_in
from tests.fakes.stories import a_story

KEYS = load_rubric().keys


def script(stage, story):
    from pages.playback.compare import _scores  # noqa: PLC0415 - the script is run by itself

    _scores(stage, [story], ["first"])


@pytest.mark.parametrize(("metrics", "told"), [(KEYS, False), (KEYS[1:], True)])
def test_a_metric_that_nobody_scored_is_explained(tmp_path, metrics, told):
    store = store_in(tmp_path / "compare.db")
    try:
        story = a_story(store)
        store.ratings.add([rating_of(story, "Ann", rater="J", metric=key, score=3) for key in metrics])
        shown = AppTest.from_function(script, args=(SimpleNamespace(store=store), story), default_timeout=60).run()
        assert not shown.exception
        assert len(shown.dataframe[0].value) == len(KEYS)
        text = "\n".join(element.proto.body for element in shown.get("html"))
        assert ("–: no scores for this metric." in text) == told
    finally:
        store.close()
