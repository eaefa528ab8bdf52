"""The deeper figures are those of their own modules, of the selected ratings that can be used."""

from collections.abc import Callable
from itertools import combinations

import pandas as pd
import pytest

from annotations.design.planning import LeastDesign, least_design
from annotations.errors import RatingError, Undefined, or_undefined
from annotations.exchange.intake import dry_run
from annotations.reliability.item_analysis import inter_metric_correlations
from annotations.reliability.raters import rater_figures
from annotations.reliability.variance_components import variance_components
from annotations.report.all_figures import usable_ratings
from annotations.report.judge_report import judges_beside
from annotations.report.per_metric import between_experts, consistencies, rater_caveats, reliability_by_part
from annotations.report.report import Design, design_of
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.oversight import repeats_by_rater
from characterbox.components.figures.background import judge_details
from characterbox.components.figures.background.compute import Gone, Imported, Source, Stored, Uploaded, overview
from characterbox.components.figures.background.judge_details import judge_of, judges_of, plan_of, raters_of, side_of
from characterbox.components.figures.background.selection import Selection
from characterbox.store import Store
from characterbox.store.campaigns.campaign import new_assignment
from characterbox.store.ratings.ratings import Newest
from tests.annotations.report_of_judge import report_of
from tests.components.figures.ratings_sample import EVERYTHING, KEYS, campaign, sent
from tests.fakes.campaigns import rate, running
from tests.fakes.in_english import in_english
from tests.fakes.scenes import a_scene

pytestmark = pytest.mark.slow

ENGLISH = Selection("en", ("m0", "m1"), "independent items")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """One score is off the scale, and one is missing."""
    frame = campaign()
    frame.loc[frame.index[0], "score"] = 9
    frame.loc[frame.index[-1], "score"] = float("nan")
    return frame


@pytest.fixture(scope="module")
def usable(frame: pd.DataFrame) -> pd.DataFrame:
    """What is left of the English ratings."""
    return usable_ratings(frame[frame["language"] == "en"], (1, 5))


@pytest.fixture(scope="module")
def design(usable: pd.DataFrame) -> Design:
    return design_of(usable, load_rubric(), (1, 5), ENGLISH.drawn)


def test_the_raters(frame: pd.DataFrame, usable: pd.DataFrame, design: Design) -> None:
    found = raters_of(sent(frame), ENGLISH)
    assert found.between == between_experts(usable, design)
    assert found.together == consistencies(usable, design)
    assert found.each == rater_figures(usable).figures
    assert found.caveats == rater_caveats(usable, design, found.together)
    assert found.repeats == {}
    assert not isinstance(found.each, Undefined)
    assert {name: one.n for name, one in found.each.items()} == {"ann": 83, "bo": 84, "cy": 84}


def test_without_experts_there_is_the_reason(frame: pd.DataFrame) -> None:
    found = raters_of(sent(frame[frame["kind"] == "judge"]), ENGLISH)
    assert in_english(found.each) == Undefined("no expert gave a score")
    assert in_english(found.between["KA"].single) == Undefined("no expert scored KA")


@pytest.mark.parametrize("side", [None, "GPT-4"])
def test_a_side_in_more_detail(frame: pd.DataFrame, usable: pd.DataFrame, design: Design, side: str | None) -> None:
    found = side_of(sent(frame), ENGLISH, side, "EE")
    assert found.by_part == reliability_by_part(usable, design, side, "EE")
    own = usable[usable["kind"] == "expert"] if side is None else usable[usable["rater"] == side]
    assert found.correlations == inter_metric_correlations(own, KEYS)


def test_a_rated_overall_is_no_metric_among_others(frame: pd.DataFrame) -> None:
    two = frame[frame["metric"].isin(["KA", "BA", "EE"])].replace({"metric": {"EE": "overall"}})
    found = side_of(sent(two), ENGLISH, "GPT-4", "overall").correlations
    assert not isinstance(found, Undefined)
    assert found.metrics == ("BA", "KA")
    one = side_of(sent(two[two["metric"] != "BA"]), ENGLISH, "GPT-4", "KA").correlations
    assert in_english(one) == Undefined("correlations between metrics need two metrics; found 1")


def test_a_judge(frame: pd.DataFrame, usable: pd.DataFrame, design: Design) -> None:
    assert judge_of(sent(frame), ENGLISH, "GPT-4") == report_of(usable, "GPT-4", design)


def test_judges_two_by_two(frame: pd.DataFrame, usable: pd.DataFrame, design: Design) -> None:
    pair = ("GPT-4", "Same <b>")
    assert judges_of(sent(frame), ENGLISH) == {pair: judges_beside(usable, pair, design)}
    assert judges_of(sent(frame[frame["rater"] != "Same <b>"]), ENGLISH) == {}


def test_of_many_judges_the_first_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_details, "MOST_JUDGES", 3)  # as many take long
    frame = campaign(("en",), scenes=5)
    frame = frame[frame["metric"] == "KA"]
    names = [f"judge {number}" for number in range(5)]
    own = frame[frame["rater"] == "GPT-4"]
    many = [frame[frame["kind"] == "expert"], *(own.assign(rater=name) for name in reversed(names))]
    found = judges_of(sent(pd.concat(many)), ENGLISH)
    assert list(found) == list(combinations(names[:3], 2))


def test_the_plan(frame: pd.DataFrame, usable: pd.DataFrame) -> None:
    source = sent(frame)
    found = plan_of(source, ENGLISH, 0.5)
    assert list(found.components) == list(found.designs) == list(KEYS)
    for metric, components in found.components.items():
        assert components == variance_components(usable, metric)
        assert found.designs[metric] == or_undefined(least_design, components, 0.5)
    reached = [one for one in found.designs.values() if isinstance(one, LeastDesign)]
    assert reached
    assert all(one.best.generalizability >= 0.5 for one in reached)
    refused = plan_of(source, ENGLISH, 1.0)
    assert refused.components == found.components
    assert in_english(set(refused.designs.values())) == in_english(
        {Undefined("the target reliability must lie between 0 and 1, not at 1")}
    )


def test_without_components_there_is_no_plan_and_the_same_reason(frame: pd.DataFrame) -> None:
    found = plan_of(sent(frame), Selection("en", ("m0",)), 0.8)
    assert found.components == found.designs
    told = "variance components of KA need at least two models, two scenes and two raters; found only 1 model"
    assert in_english(found.designs["KA"]) == Undefined(told)


CALLS: tuple[Callable[[Source, Selection], object], ...] = (
    raters_of,
    judges_of,
    lambda source, selection: side_of(source, selection, None, "KA"),
    lambda source, selection: judge_of(source, selection, "GPT-4"),
    lambda source, selection: plan_of(source, selection, 0.8),
)


@pytest.mark.parametrize("call", CALLS)
def test_what_is_gone_and_what_gives_no_statistics_is_told(frame: pd.DataFrame, call: Callable[..., object]) -> None:
    with pytest.raises(Gone):
        call(Uploaded("never sent"), EVERYTHING)
    with pytest.raises(RatingError, match=("there are no ratings for this language and these models; choose others")):
        call(sent(frame), Selection("fr"))


async def test_hidden_repeats_are_those_in_the_app(store: Store, url: str) -> None:
    started, _, given = running(store, a_scene("Ann", "Bob", "Cleo"), "Dee", "Eve")
    first = given["Dee"][0]
    again = new_assignment(started.id, first.rater, first.item, place=8, take=1)
    store.campaigns.add([again], LOCAL)
    await rate(store, first, 1, 2, 3, 4, 5, 1, 1)
    await rate(store, again, 1, 2, 3, 4, 4, 3, 1)
    for assignment in given["Eve"]:
        await rate(store, assignment, 1, 2, 3, 4, 5, 1, 2)
    source = Stored(url, Newest(40, 0))
    assert overview(source).count == 28
    found = raters_of(source, EVERYTHING)
    assert found.repeats == repeats_by_rater(store, load_rubric().name)
    (dee,) = found.repeats.values()
    assert not isinstance(dee, Undefined)
    assert dee.overall.exact == pytest.approx(5 / 7)
    assert not isinstance(found.each, Undefined)
    assert set(found.repeats) < set(found.each) == {"Dee", "Eve"}, "both go by the experts' names"
    trial = dry_run(store.ratings.frame().to_csv(index=False).encode(), load_rubric())
    store.datasets.add("The same people elsewhere", trial, LOCAL, "dataset")
    assert raters_of(Imported(url, "dataset"), EVERYTHING).repeats == {}
