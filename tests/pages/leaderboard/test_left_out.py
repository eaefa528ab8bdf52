"""The leaderboard tells how many trajectories are left out, and why, and how many lack scores."""

from streamlit.testing.v1 import AppTest

from characterbox.judging.leaderboard import BY_PEOPLE, OF_BRANCHES
from characterbox.store import Store
from pages.leaderboard.views import left_out_told, unscored_told
from tests.fakes.leaderboards import judge, played


def draw(url):
    from characterbox.judging.leaderboard import Wanted, board_of, scores_of  # noqa: PLC0415
    from characterbox.store import Store  # noqa: PLC0415
    from pages.leaderboard.views import show_ours  # noqa: PLC0415

    store = Store(url)
    show_ours(store, board_of(scores_of(store), Wanted("judge", "en", "GPT-4")), "overall")


def test_it_is_told_above_the_table(url):
    store = Store(url)
    stories = played(store, ["alpha", "beta"], 6)
    judge(store, stories, "GPT-4", 1)
    store.stories.set_people(stories[0].id, ("Ann",))
    store.close()
    app = AppTest.from_function(draw, args=(url,), default_timeout=60).run()
    assert not app.exception
    texts = "\n".join(element.proto.body for element in app.get("html"))
    assert "Trajectories left out: 2 from stories in which a person plays or wrote a reply." in texts
    assert "lack a score on some metric and are not counted in the means of that metric (alpha: " in texts


def test_each_reason_has_its_count_and_without_one_nothing_is_told():
    told = left_out_told({BY_PEOPLE: 1200, OF_BRANCHES: 1})
    assert "1,200 from stories in which a person plays or wrote a reply; 1 from branches, whose" in told
    assert left_out_told({}) == ""


def test_what_has_no_score_is_told_with_the_models():
    told = unscored_told({"a<b": 1200, "beta": 1})
    assert (
        "1,201 trajectories lack a score on some metric and are not counted in the means of that metric"
        " (a&lt;b: 1,200, beta: 1)." in told
    )
    assert unscored_told({}) == ""
