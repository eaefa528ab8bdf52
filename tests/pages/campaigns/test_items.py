"""What can be picked for a campaign: scenes are looked for by who made them, stories by their models."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns import lifecycle
from pages.campaigns.editing import edit_draft
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story


def script(edit, rubric):
    from pages.campaigns.items import story_picker  # noqa: PLC0415 - the script is run by itself

    story_picker(edit, rubric, None)


@pytest.mark.parametrize(("subject", "label"), [("scene", "Creator"), ("character", "Models")])
def test_the_filter_is_called_by_what_it_lists(tmp_path, subject, label):
    store = store_in(tmp_path / "pick.db")
    store.stories.move(a_story(store, a_scene("Ann")).id, "ended")
    edit = edit_draft(SimpleNamespace(store=store), lifecycle.make(store, LOCAL, "Pilot"))
    app = AppTest.from_function(script, args=(edit, load_rubric(subject)), default_timeout=60).run()
    assert not app.exception
    assert [one.label for one in app.multiselect] == ["Scenes", label, "Languages"]
    store.close()
