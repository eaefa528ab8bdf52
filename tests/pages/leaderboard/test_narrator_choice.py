"""The leaderboard of the stories of one narrator: the choice is in the address, and offered where there is one."""

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.store import Store
from tests.fakes.databases import database_in
from tests.fakes.leaderboards import judge, played

pytestmark = pytest.mark.slow


@pytest.fixture
def url(tmp_path):
    """Two narrators of English scenes, of which one alone has the second model; one of Chinese scenes."""
    store = Store(url := database_in(tmp_path / "narrators.db"))
    english = [*played(store, ["alpha", "beta"], 6, narrator="gpt-4"), *played(store, ["beta"], 2, narrator="<b>glm")]
    judge(store, [*english, *played(store, ["alpha"], 2, language="zh", narrator="gpt-4")], "GPT-4", 1)
    store.close()
    return url


def draw(url):
    import streamlit as st  # noqa: PLC0415

    from characterbox.judging.leaderboard import board_of, scores_of  # noqa: PLC0415
    from characterbox.store import Store  # noqa: PLC0415
    from pages.leaderboard.choice import chosen_wanted  # noqa: PLC0415
    from pages.leaderboard.views import show_ours  # noqa: PLC0415

    store = Store(url)
    scores = scores_of(store)
    wanted = chosen_wanted(scores, st.container())
    st.session_state["wanted"] = wanted
    show_ours(store, board_of(scores, wanted), "overall")
    store.close()


def opened(url, **address):
    app = AppTest.from_function(draw, args=(url,), default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def texts(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def narrator_box(app):
    return [box for box in app.selectbox if box.label == "Narrator"]


def test_all_narrators_are_shown_with_a_word_of_caution_until_one_is_chosen(url):
    app = opened(url)
    told = "Models had different narrators: alpha (gpt-4); beta (25 % &lt;b&gt;glm, 75 % gpt-4)."
    assert told in texts(app)
    [box] = narrator_box(app)
    assert box.options == ["All narrators", "<b>glm", "gpt-4"]
    assert app.session_state["wanted"].narrator is None
    box.set_value("gpt-4").run()
    assert app.query_params["narrator"] == "gpt-4"
    assert app.session_state["wanted"].narrator == "gpt-4"
    assert "Models had different narrators" not in texts(app)
    assert "30 trajectories" in texts(app)


def test_the_address_names_the_narrator_and_what_it_asks_for_in_vain_is_told(url):
    app = opened(url, narrator="<b>glm")
    assert "5 trajectories" in texts(app)
    app = opened(url, narrator="nobody")
    assert "The link asks for the narrator nobody, which is not available here." in texts(app)
    assert "narrator" not in app.query_params


def test_where_there_is_one_narrator_there_is_no_choice(url):
    assert narrator_box(opened(url, language="Chinese")) == []
