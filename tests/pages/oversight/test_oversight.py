"""Who may see and do what on the oversight of a campaign, asked anew each time, and how its figures are worded."""

import re
from datetime import UTC, date, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from annotations.blinding.blinding_index import IndexEstimate
from annotations.design.practice import Qualification
from annotations.errors import Undefined
from annotations.marking.pace import Late, Pace, TimeLeft
from annotations.reliability.agreement import Repeats, Stability
from annotations.reliability.raters import FlatItems, MostUsed, Spread, WithinMetrics
from annotations.resampling.clustered import ClusteredEstimate
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.accounts.session_user import Visitor
from characterbox.campaigns.assignments import Training, practice_assignments, practice_items
from characterbox.campaigns.rater_statistics import Checks
from characterbox.components.figures.tables.html import Notes
from pages.oversight import text as oversight_text
from tests.fakes.campaigns import rate, running
from tests.fakes.scenes import a_scene

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
REASON = Undefined("too few <b>")


def outcome(close):
    return Qualification(42, close, 0.2, 1.1, ("KA", "BA") if close == 1 else (), ("BC",) if close == 1 else (), 0.8)


def repeated(left_out, drift=REASON):
    return Repeats(Stability(2 / 3, 1.0, 1 / 3, 0.0, 1200, left_out), drift, {})


def script(stage, campaign):
    from pages.oversight.view import oversight  # noqa: PLC0415 - the script is run by itself

    oversight(stage, campaign)


@pytest.fixture
def visitor(store, monkeypatch):
    """Who comes; a test can change the role."""
    account = store.accounts.add(LOCAL, "Rae", "researcher")
    visitor = SimpleNamespace(role="researcher")

    def find(cookies):
        return Visitor(account.model_copy(update={"role": visitor.role}))

    monkeypatch.setattr("pages.shared.current_user.find_visitor", find)
    return visitor


async def opened(store):
    """The progress of a campaign in which Dee has failed the practice set."""
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Dee", practice=True, attempts=1)
    rubric = load_rubric()
    attempt = practice_assignments(campaign.id, assigned["Dee"][0].rater, practice_items(rubric, ["en"]), 1)
    store.campaigns.add(attempt, LOCAL)
    for one in attempt:
        await rate(store, one, *[3 for _ in rubric.keys])
    return campaign, AppTest.from_function(
        script, args=(SimpleNamespace(store=store), campaign), default_timeout=60
    ).run()


def attempts(store, campaign):
    return {one.take for one in store.campaigns.assignments(campaign=campaign.id) if one.purpose == "practice"}


def html_of(app):
    return " ".join(element.proto.body for element in app.get("html"))


@pytest.mark.parametrize("role", ["viewer", "expert"])
async def test_who_does_not_direct_sees_nothing(store, visitor, role):
    visitor.role = role
    _, app = await opened(store)
    assert not app.exception
    assert "Only researchers can see this page" in html_of(app)
    assert "Dee" not in html_of(app)
    assert not app.button


async def test_another_attempt_is_allowed_by_a_researcher(store, visitor):
    campaign, app = await opened(store)
    assert "not qualified" in html_of(app)
    app.button[0].click().run()
    assert attempts(store, campaign) == {1, 2}
    assert store.audit.read(1)[0].actor_name == "Rae"
    assert not app.button, "there is nothing more to allow"


@pytest.mark.slow
async def test_who_loses_the_role_allows_nothing_more(store, visitor):
    campaign, app = await opened(store)
    assert "Dee" in html_of(app)
    visitor.role = "viewer"
    app.button[0].click().run()
    assert attempts(store, campaign) == {1}
    assert "Only researchers can see this page" in html_of(app)
    assert "Dee" not in html_of(app)


async def test_what_is_refused_is_said(store, visitor):
    campaign, app = await opened(store)
    store.campaigns.move(campaign.id, "paused", LOCAL)
    app.button[0].click().run()
    assert "is paused; resume it before you allow another attempt" in html_of(app)
    assert attempts(store, campaign) == {1}


async def test_the_address_says_what_is_looked_at_in_the_same_words_for_all(store, visitor, monkeypatch):
    monkeypatch.setattr("pages.oversight.links.say", str.upper)
    _, app = await opened(store)
    assert app.button_group[0].options[0] == "PROGRESS"
    app.button_group[0].set_value("Disagreements").run()
    assert app.query_params["oversight"] == "Disagreements"
    app.query_params["oversight"] = "Experts"
    app.run()
    assert app.button_group[0].value == "Experts"
    app.button_group[0].set_value("Progress").run()
    assert "oversight" not in app.query_params


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (60, "1 min"),
        (3_570, "1 h"),
        (3_660, "1 h 1 min"),
        (3_600_000, "1,000 h"),
    ],
)
def test_a_time_in_words(seconds, said):
    assert oversight_text.duration(seconds) == said


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (None, ("no practice", "")),
        (Training("open", 1, 2, None), ("practicing", "attempt 1 of 2")),
        (
            Training("failed", 3, 2, outcome(0.5)),
            ("not qualified", "attempt 3; 50% within one point of the gold score; 80% required"),
        ),
        (
            Training("passed", 2, 2, outcome(0.9)),
            ("qualified", "attempt 2 of 2; 90% within one point of the gold score; 80% required"),
        ),
        (
            Training("failed", 1, 1, outcome(1.0)),
            (
                "not qualified",
                "attempt 1 of 1; 100% within one point of the gold score; 80% required; misread KA, BA; same score "
                "throughout on BC",
            ),
        ),
    ],
)
def test_training_in_words(known, said):
    assert oversight_text.training(known) == said


@pytest.mark.parametrize(
    ("late", "said"),
    [
        (Late("a", ("not started",), 2, None, REASON), "has not started; 2 items left"),
        (Late("a", ("away",), 1, NOON, REASON), "last active on 01 Mar 2026, 13:00; 1 item left"),
        (
            Late("a", ("behind",), 5, NOON, date(2026, 3, 9)),
            "at this pace done on 09 Mar 2026; the deadline is 01 Mar 2026, 13:00; 5 items left",
        ),
        (Late("a", ("behind",), 5, NOON, REASON), "the deadline is 01 Mar 2026, 13:00; 5 items left"),
    ],
)
def test_why_somebody_is_late(late, said):
    assert oversight_text.why_late(late, BERLIN, NOON) == said


MILDER = ClusteredEstimate(0.5, Interval(0.3, 0.7, "t"), 21, 7)
STRICTER = ClusteredEstimate(-0.5, Interval(-0.7, -0.3, "t"), 21, 7)
UNSURE = ClusteredEstimate(0.5, Interval(-0.1, 0.8, "z"), 21, 1)
OF_FEW_SCENES = ClusteredEstimate(0.5, REASON, 21, 3)


@pytest.mark.parametrize(
    ("figure", "parts"),
    [
        (oversight_text.severity(MILDER, Notes()), ["+0.50", "[0.30, 0.70]"]),
        (oversight_text.severity(STRICTER, Notes()), ["-0.50", "n = 21 in 7 scenes"]),
        (
            oversight_text.spread(Spread(0.8, 9, 0.5, 2), Notes()),
            ["0.80", "0.50 times that of 2 other experts", "n = 9"],
        ),
        (oversight_text.correlation(UNSURE, Notes()), ["0.50", "[-0.10, 0.80]", "n = 21 in 1 scene<"]),
        (oversight_text.checks(Checks(1, 2), Notes()), ["1", "n = 2"]),
        (oversight_text.reading_time(Pace(90, 60, 120, 4, 0, 0), Notes()), ["2 min", "[1 min, 2 min]", "n = 4 items<"]),
        (oversight_text.reading_time(Pace(90, 60, 120, 4, 2, 0), Notes()), ["n = 4 items, 2 left out"]),
        (oversight_text.stability(repeated(0), Notes()), ["67%", "one point 100%", "n = 1,200 pairs<", "first <span"]),
        (oversight_text.stability(repeated(7), Notes()), ["n = 1,200 pairs, 7 left out"]),
        (oversight_text.stability(repeated(0, STRICTER), Notes()), ["first -0.50", "-0.30]"]),
        (
            oversight_text.within_metrics(WithinMetrics(0.4, 2, dict.fromkeys("ABC")), Notes()),
            ["0.40, 2 metrics, 1 left out"],
        ),
        (oversight_text.flat_items(FlatItems(0.25, 12, 3), Notes()), ["throughout on 25% of 12 items, 3 left out"]),
        (oversight_text.time_to_go(TimeLeft(600, 300, 900, 5), Notes()), ["10 min", "[5 min, 15 min]"]),
        (oversight_text.time_to_go(TimeLeft(0, 0, 0, 0), Notes()), ["nothing left"]),
        (oversight_text.most_used(MostUsed((2, 3), 0.4, 10)), ["40%", "2 and 3", "n = 10"]),
    ],
)  # fmt: skip
def test_a_figure_says_what_it_rests_on(figure, parts):
    assert all(part in figure for part in parts)


@pytest.mark.parametrize(
    "said",
    [
        oversight_text.severity,
        oversight_text.spread,
        oversight_text.correlation,
        oversight_text.agreement,
        oversight_text.stability,
        oversight_text.checks,
        oversight_text.reading_time,
        oversight_text.time_to_go,
        oversight_text.estimated,
    ],
)
def test_what_is_undefined_gives_its_reason(said):
    notes = Notes()
    shown = said(REASON, notes)
    assert re.sub("<[^>]*>", "", shown) == "–a"
    assert 'title="too few &lt;b&gt;"' in shown
    assert 'aria-label="too few &lt;b&gt;"' in shown
    assert "too few &lt;b&gt;" in notes.as_html()


@pytest.mark.parametrize("said", [oversight_text.severity, oversight_text.correlation])
def test_a_figure_without_an_interval_stands_with_the_reason_among_the_notes(said):
    notes = Notes()
    shown = re.sub("<[^>]*>", "", said(OF_FEW_SCENES, notes))
    assert re.fullmatch(r"\+?0\.50 no intervalan = 21 in 3 scenes", shown)
    assert "no interval: too few &lt;b&gt;" in notes.as_html()


def test_so_does_the_change_from_the_first_score_to_the_second():
    notes = Notes()
    shown = re.sub("<[^>]*>", "", oversight_text.stability(repeated(0, OF_FEW_SCENES), notes))
    assert "first +0.50 no intervala" in shown
    assert "no interval: too few &lt;b&gt;" in notes.as_html()


def test_scores_that_nobody_shares_are_noted():
    notes = Notes()
    assert oversight_text.alone(0, notes) == notes.as_html() == ""
    assert oversight_text.alone(14, notes) == "<sup>a</sup>"
    assert "14 scores left out of severity" in notes.as_html()


def test_a_spread_without_others_and_an_index_with_its_interval():
    notes = Notes()
    assert "ratio <span" in oversight_text.spread(Spread(0.8, 9, REASON, 0), notes)
    assert "0.25</b>" in oversight_text.estimated(IndexEstimate(0.25, Interval(0, 0.5, "exact"), 12), notes)
    assert "Clopper" in notes.as_html()


def test_an_address_is_data():
    assert (
        oversight_text.item_address({"item": '"><script>', "metric": "KA"}) == "?item=%22%3E%3Cscript%3E&amp;metric=KA"
    )


async def test_each_two_experts_are_held_against_each_other(store, visitor):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Dee", "Eve <b>", "Fay")
    for name, scores in {"Dee": [3] * 7, "Eve <b>": [3] * 6 + [4], "Fay": [5] * 7}.items():
        await rate(store, assigned[name][0], *scores)

    def raters(store, campaign):
        from pages.oversight.raters import show_raters  # noqa: PLC0415 - the script is run by itself

        show_raters(store, campaign)

    app = AppTest.from_function(raters, args=(store, campaign), default_timeout=60).run()
    assert not app.exception
    html = html_of(app)
    pairs = [html.index(f">{pair}<") for pair in ("Dee and Fay", "Eve &lt;b&gt; and Fay", "Dee and Eve &lt;b&gt;")]
    assert pairs == sorted(pairs), "who agree least come first"
    assert "<b>86%</b>, within one point 100%<small>n = 7 pairs" in html
    assert "same score throughout on 100% of 1 item<" in html
