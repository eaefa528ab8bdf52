"""What a story's page says of why it waits."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.reasons import a_reason


def waiting(story, language):
    from annotations.i18n.translation import speaking  # noqa: PLC0415 - the script is run by itself
    from pages.story.header import why_it_rests  # noqa: PLC0415

    with speaking(language):
        why_it_rests(None, story)


def shown(app):
    assert not app.exception
    return "".join(one.proto.body for one in (*app.get("html"), *app.caption, *app.markdown))


@pytest.mark.parametrize(
    ("language", "launched_from", "told"),
    [
        ("en", "app", "Endpoint http://x/v1#m: connection refused. The story continues automatically"),
        ("en", "command line", "Endpoint http://x/v1#m: connection refused. Play from the command line stopped here"),
        ("en", "sweep", "Endpoint http://x/v1#m: connection refused. Continue the story when"),
        ("en", "file", "Endpoint http://x/v1#m: connection refused. Continue the story when"),
        ("zh", "app", "模型接口 http://x/v1#m：连接被拒绝。模型接口恢复后，故事会自动继续。"),
    ],
)
def test_why_a_story_waits_is_a_sentence_of_its_own(language, launched_from, told):
    reason = a_reason("endpoint http://x/v1#m: connection refused")
    story = SimpleNamespace(id="ab12", status="waiting", launched_from=launched_from, reason=reason)
    assert told in shown(AppTest.from_function(waiting, args=(story, language), default_timeout=60).run())
