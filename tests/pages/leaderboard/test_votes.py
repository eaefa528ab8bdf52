"""Models by votes: the table is what was computed, what is undefined is told, and names are data."""

import pandas as pd
from streamlit.testing.v1 import AppTest

from annotations.leaderboard.bradley_terry import COLUMNS, bradley_terry, tally
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.votes import strengths_table, tally_table
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.world import Script
from characterbox.store import Store
from pages.leaderboard import votes
from tests.components.figures.tables.table_rows import Rows
from tests.fakes.scenes import a_scene

BADGE = "Demo"
HOSTILE = "<img src=x onerror=alert(1)>"


def test_the_tables_tell_what_was_computed_and_hostile_names_stay_text():
    said = [(f"s{at // 8}", "a", HOSTILE, "a" if at % 4 else (HOSTILE, None)[at % 24 == 4]) for at in range(64)]
    frame = pd.DataFrame(said, columns=list(COLUMNS))
    [first, second] = bradley_terry(frame)
    rows = Rows(html_of(strengths_table([first, second], frozenset({HOSTILE}))))
    assert "img" not in rows.tags
    limits = first.win_rate_interval
    assert rows.rows[1][:3] == [
        "a", f"{first.win_rate:.2f} [{limits.low:.2f}, {limits.high:.2f}]",
        f"{first.strength:.2f} [{first.interval.low:.2f}, {first.interval.high:.2f}]",
    ]  # fmt: skip
    assert rows.rows[1][3:] == ["1 [1, 1]", "64 48 won, 13 lost, 3 tied; 8 scenes"]
    assert rows.rows[2][0] == f"{HOSTILE}{BADGE}"
    matrix = Rows(html_of(tally_table(tally(frame), ["a", HOSTILE], frozenset({HOSTILE}))))
    assert matrix.rows[1:] == [["a", "", "48 3 ties"], [f"{HOSTILE}{BADGE}", "13 3 ties", ""]]


def draw(url):
    from characterbox.store import Store  # noqa: PLC0415
    from pages.leaderboard.votes import show_votes  # noqa: PLC0415

    show_votes(Store(url), None, None)


def texts(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def shown(url):
    app = AppTest.from_function(draw, args=(url,), default_timeout=60).run()
    assert not app.exception
    return app


def vote(store, first, second, *, better, scene):
    scene = a_scene("Ann").model_copy(update={"id": scene})
    ids = []
    for model in (first, second):
        endpoint = Endpoint.parse(model) if model == "rehearsal" else Endpoint(url="http://h/v1", model=model)
        casting = Casting(narrator=Endpoint(url="http://h/v1", model="w"), characters={"Ann": endpoint})
        ids.append(store.stories.create(Script(scene=scene), casting, "command line").id)
    best = {first: ids[0], second: ids[1], None: None}[better]
    store.votes.cast(ids, best, rater="Ann", account=None, blind=False, reason="")


def test_without_votes_the_page_says_how_to_get_some(url, monkeypatch):
    monkeypatch.setattr(votes, "allowed", lambda _: False)  # there is no other page to lead to
    assert "There are no votes between two models yet. Open a story in Playback" in texts(shown(url))


def test_what_the_votes_do_not_determine_is_told_and_the_rest_is_shown(url):
    store = Store(url)
    for scene in "123456":
        vote(store, "a", "b", better="a", scene=scene)
        vote(store, "b", "rehearsal", better="b" if scene < "4" else None, scene=scene)
        vote(store, "a", "a", better=None, scene=scene)
    store.close()
    told = texts(shown(url))
    assert "The models cannot all be ranked together: a won every vote against b, rehearsal" in told
    assert "Among b, rehearsal" in told
    assert "6 of the 12 votes are on demo output (no language model); do not report." in told
    assert "6: both stories are played by the same model" in told
    assert Rows(told).starting(f"rehearsal{BADGE}")
