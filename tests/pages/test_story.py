"""What a story's page says of why it waits, and of scores that are missing."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest


def waiting(story, language):
    from annotations.wording import speaking  # noqa: PLC0415 - the script is run by itself
    from pages.parts.story import _told  # noqa: PLC0415

    with speaking(language):
        _told(None, story)


def unscored(given):
    from pages.parts.verdicts import _scores  # noqa: PLC0415 - the script is run by itself

    _scores("character", given)


def shown(app):
    assert not app.exception
    return "".join(one.proto.body for one in (*app.get("html"), *app.caption, *app.markdown))


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Endpoint http://x/v1#m: connection refused. The story goes on by itself"),
        ("zh", "端点 http://x/v1#m：连接被拒绝。端点恢复后，故事会自动继续。"),
    ],
)
def test_why_a_story_waits_is_a_sentence_of_its_own(language, told):
    reason = "endpoint http://x/v1#m: connection refused"
    story = SimpleNamespace(status="waiting", launched_from="app", reason=reason)
    assert told in shown(AppTest.from_function(waiting, args=(story, language), default_timeout=60).run())


def test_why_a_score_is_missing_stands_in_its_sentence():
    rating = SimpleNamespace(metric="KA", score=None, reason="the reply was cut off; be briefer")
    given = [SimpleNamespace(name="Ann", ratings=[rating], improvised=False)]
    app = AppTest.from_function(unscored, args=(given,), default_timeout=60).run()
    assert "Ann, KA: no score (the reply was cut off; be briefer)" in shown(app)
