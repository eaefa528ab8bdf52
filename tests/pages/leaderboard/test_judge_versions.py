"""A judge whose prompts are worded anew is another rater: pages keep its versions apart, and say what they are."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.store import Store
from tests.fakes.databases import database_in
from tests.fakes.leaderboards import judge, played
from tests.pages.leaderboard.test_narrator_choice import draw, texts

pytestmark = pytest.mark.slow


def test_versions_of_a_judge_are_chosen_apart_and_each_keeps_its_scores(tmp_path):
    store = Store(url := database_in(tmp_path / "versions.db"))
    stories = played(store, ["alpha", "beta"], 3)
    judge(store, stories, "GPT-4", 1)
    judge(store, stories[:2], "GPT-4 v2", 2)
    store.close()
    app = AppTest.from_function(draw, args=(url,), default_timeout=60).run()
    assert not app.exception
    [box] = [one for one in app.selectbox if one.label == "Judge"]
    assert box.options == ["GPT-4", "GPT-4 v2"]
    assert "prompt wording makes a new version" in box.help
    before = texts(app)
    box.set_value("GPT-4 v2").run()
    assert app.session_state["wanted"].judge == "GPT-4 v2"
    assert texts(app) != before
