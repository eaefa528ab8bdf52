"""The view of costs: nothing of an expert is made up, and all that is entered is in the address."""

from streamlit.testing.v1 import AppTest

from annotations.marking.marks import Time
from annotations.report.published import TABLE_6
from characterbox.judging.provenance import NOT_A_RESULT
from tests.fakes.campaigns import mark, rate, started
from tests.fakes.scenes import a_scene
from tests.fakes.spending import DEAR, NARRATOR, REHEARSAL, as_sweep, by_hand, launched, told


def script(store, sweep):
    from pages.leaderboard.costs import show_costs  # noqa: PLC0415 - the script is run by itself

    show_costs(store, sweep, None)


def page(store, sweep=None, **address):
    shown = AppTest.from_function(script, args=(store, sweep), default_timeout=60)
    for name, value in address.items():
        shown.query_params[name] = value
    shown.run()
    assert not shown.exception
    return shown


def text(shown):
    return "\n".join(element.proto.body for element in shown.get("html"))


async def a_judged_story(store, *, judge="max"):
    replies = [
        by_hand("r1/ann/environment", price=0.25),
        by_hand("r1/ann/action", endpoint=DEAR, price=0.5),
        by_hand(f"judge/{judge}/ann/scores", endpoint=DEAR, price=0.125),
    ]
    return await told(store, launched(store, a_scene(), NARRATOR, DEAR), *replies)


def test_on_a_new_database_the_costs_of_the_paper_are_there(store, monkeypatch):
    monkeypatch.setattr("streamlit.page_link", lambda *_, **__: None)  # there are no other pages beside the script
    shown = text(page(store))
    assert "There are no stories yet" in shown
    assert all(row.narrator in shown and row.characters in shown for row in TABLE_6)


async def test_an_expert_has_no_price_as_long_as_no_wage_is_given(store):
    await a_judged_story(store)
    shown = page(store)
    assert [field.value for field in shown.number_input] == [None, None]
    assert "Enter the missing numbers" in text(shown)


async def test_wage_and_minutes_are_taken_from_the_address(store):
    await a_judged_story(store)
    shown = page(store, wage="30", minutes="7.5")
    assert [field.value for field in shown.number_input] == [30.0, 7.5]
    assert "Enter the missing numbers" not in text(shown)
    for figure in ("3.75", "375.00", "12 h 30 min", "240", "8.0"):
        assert f"<td>{figure}</td>" in text(shown)


async def test_what_was_measured_needs_no_entering(store):
    story = await a_judged_story(store)
    _, _, given = started(store, story, "Ann")
    for assignment in given["Ann"]:
        await mark(store, assignment, Time(reading=120_000, idle=0))
        await rate(store, assignment, *[3] * 7)
    shown = page(store, wage="30")
    assert len(shown.number_input) == 1
    assert "2 submitted ratings" in text(shown)
    assert "<td>1.00</td>" in text(shown), "two minutes at 30 dollars an hour"


async def test_a_sweep_has_its_own_costs_and_the_rehearsal_is_marked(store):
    await a_judged_story(store)
    story = launched(store, a_scene(), REHEARSAL, REHEARSAL)
    await told(store, story, by_hand("r1/ann/action", endpoint=REHEARSAL, price=0.0))
    as_sweep(store, "mine", story)
    assert "gpt-4" not in text(page(store, "mine"))
    assert NOT_A_RESULT in text(page(store, "mine"))
    assert "No judge has judged any of these stories" in text(page(store, "mine"))


async def test_names_are_data(store):
    story = launched(store, a_scene(), NARRATOR, DEAR.model_copy(update={"model": "<b>&"}))
    await told(store, story, by_hand("r1/ann/action", endpoint=story.casting.characters["Ann"]))
    assert "&lt;b&gt;&amp;" in text(page(store))
    assert "<b>&" not in text(page(store))
