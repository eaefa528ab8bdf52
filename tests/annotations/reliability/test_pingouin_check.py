"""What is shown is what pingouin gives, unless our own formula gives something else."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from annotations.design.planning import correlation_precision
from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.reliability import pingouin_check
from annotations.reliability.agreement import RatedItems
from annotations.reliability.cronbach_alpha import cronbach_alpha
from annotations.reliability.intraclass import NAMES, intraclass
from annotations.report.report import statistics
from annotations.rubrics.rubric import load_rubric
from annotations.validity.ceiling import ceiling, expert_tables, panel, single_expert
from annotations.validity.compare_judges import compare
from annotations.validity.halo import halo
from annotations.validity.holm import correlation_test
from annotations.validity.judge_expert_correlation import correlate, sides_of
from annotations.validity.judge_variations import changes, halo_contrast, table_of
from annotations.validity.levels import metric_levels
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english
from tests.fakes.pingouin_estimates import take_from_pingouin_in

REPOSITORY = Path(__file__).parents[3]
NOT_IMPORTED = ("__main__", "env", "page", "navigation")
"""Scripts, which run when they are imported."""
WITH_TORCH = Path("characterbox/training/worker")
"""Runs in an environment of its own, which the app's has not."""


@pytest.fixture(autouse=True)
def loaded(monkeypatch):
    take_from_pingouin_in(monkeypatch)


def tables(columns):
    shape = st.tuples(st.integers(3, 30), columns)
    return shape.flatmap(lambda shape: arrays(float, shape, elements=st.integers(1, 5).map(float)))


@settings(max_examples=examples(15, 60))
@given(tables(st.integers(2, 7)))
def test_every_alpha_that_has_a_value_is_that_of_pingouin(scores):
    found = or_undefined(cronbach_alpha, pd.DataFrame(scores).rename(columns=str))
    if isinstance(found, Undefined):
        assert "pingouin" not in in_english(found.reason)
    else:
        assert found.estimate == pingouin.cronbach_alpha(pd.DataFrame(scores))[0]


@settings(max_examples=examples(8, 25))
@given(tables(st.integers(2, 4)), st.sampled_from(NAMES))
def test_every_intraclass_correlation_that_has_a_value_is_that_of_pingouin(scores, name):
    items = pd.Index([f"i{n}" for n in range(len(scores))], name="item")
    places = pd.DataFrame({"scene": "s", "model": "m"}, index=items)
    rated = RatedItems("wit", pd.DataFrame(scores, index=items).rename(columns=str), places)
    found = or_undefined(intraclass, rated, name, "independent items")
    if isinstance(found, Undefined):
        assert "pingouin" not in in_english(found.reason)
    else:
        assert found.estimate == pytest.approx(theirs(scores, name), abs=1e-9)


@pytest.mark.filterwarnings("error")
def test_three_pairs_have_their_r_without_a_warning():
    first, second = np.array([1.0, 2, 4]), np.array([2.0, 1, 5])
    own = float(np.corrcoef(first, second)[0, 1])
    assert pingouin_check.confirmed_pearson(own, first, second) == pytest.approx(own)


def theirs(scores, name):
    table = pd.DataFrame(
        [(i, j, score) for (i, j), score in np.ndenumerate(scores)], columns=["item", "rater", "score"]
    )
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore")
        found = pingouin.intraclass_corr(table, targets="item", raters="rater", ratings="score")
    return found.set_index("Type").at[name, "ICC"]


@pytest.mark.parametrize("theirs", [0.5 + 2e-9, float("nan"), -0.5, float("inf")])
def test_a_figure_whose_two_values_differ_is_not_shown_but_reported_with_both(theirs):
    with pytest.raises(UndefinedStatistic, match="please report this") as caught:
        pingouin_check.confirmed("alpha", 0.5, theirs)
    assert "0.5" in str(caught.value)
    assert repr(theirs) in str(caught.value)


def test_two_that_are_near_are_one():
    assert pingouin_check.confirmed("alpha", -40.0, -40.0 - 1e-10) == -40.0 - 1e-10


@pytest.mark.slow
def test_a_report_shows_no_figure_that_pingouin_contradicts(monkeypatch, ratings):
    """Each alpha and each r of its tables says why it is not shown."""
    sound = statistics(ratings, load_rubric(), None, "independent items")
    wrong = statistics_where_pingouin_errs(monkeypatch, ratings)
    of_judge = [(sound.validity[judge], wrong.validity[judge]) for judge in sound.validity]
    assert of_judge
    for before, after in ((sound.reliability, wrong.reliability), *of_judge):
        defined = [of for of, figure in before.items() if not isinstance(figure, Undefined)]
        assert defined
        for of in defined:
            assert isinstance(after[of], Undefined)
            assert "please report this" in in_english(after[of].reason)


def statistics_where_pingouin_errs(monkeypatch, ratings):
    pingouin_errs(monkeypatch)
    return statistics(ratings, load_rubric(), None, "independent items")


def pingouin_errs(monkeypatch):
    monkeypatch.setattr(pingouin, "cronbach_alpha", lambda table: (0.123, None))
    monkeypatch.setattr(
        pingouin_check, "_correlations", pingouin_check._correlations.__wrapped__
    )  # without what it knows
    monkeypatch.setattr(pingouin, "rcorr", lambda table, **options: table.corr() * 0 + 0.123)


def test_no_correlation_of_a_judge_is_shown_that_pingouin_contradicts(monkeypatch, ratings):
    before = correlations_of_judges(ratings)
    assert [name for name, found in before.items() if isinstance(found, Undefined)] == []
    pingouin_errs(monkeypatch)
    for name, found in correlations_of_judges(ratings).items():
        assert isinstance(found, Undefined), name
        assert "please report this" in in_english(found.reason), name


def correlations_of_judges(ratings):
    """By name, whatever a page shows with r or alpha in it, apart from the tables of a report."""
    metrics = list(ratings["metric"].unique()[:2])
    ratings = ratings[ratings["metric"].isin(metrics)]
    gpt = ratings[ratings["rater"] == "gpt"]
    other = gpt.assign(rater="other", score=1 + (gpt["score"] + np.arange(len(gpt)) // 5) % 5)
    ratings = pd.concat([ratings, other])
    sides = sides_of(ratings, ["gpt", "other"])
    first, second = table_of(gpt, metrics), table_of(other, metrics)
    places = ratings.drop_duplicates("item").set_index("item")[["scene", "model"]]
    of_experts = panel(sides["gpt"], expert_tables(ratings), metrics)
    levels = metric_levels(sides["gpt"], metrics[0])
    change = changes(first, second, places)[metrics[0]]
    return {
        "items": levels.items,
        "within scenes": levels.within_scenes,
        "models": levels.models,
        "matrix": or_undefined(halo, sides["gpt"], metrics),
        "ceiling": or_undefined(ceiling, of_experts),
        "two judges": or_undefined(compare, (sides["gpt"], sides["other"]), metrics),
        "test": or_undefined(correlation_test, sides["gpt"], metrics),
        "precision": or_undefined(correlation_precision, sides["gpt"], metrics),
        "change": change.pearson,
        "halo of one reply": or_undefined(halo_contrast, first, second, places),
        "a single expert": or_undefined(single_expert, of_experts),
    }


def test_scores_near_a_million_have_their_r(ratings):
    far = ratings.assign(score=999_000 + ratings["score"] / 1000)
    for metric in ratings["metric"].unique():
        near, moved = (
            correlate(sides_of(each, ["gpt"])["gpt"], metric, "independent items") for each in (ratings, far)
        )
        assert moved.estimate == pytest.approx(near.estimate, abs=1e-5)


def test_scores_near_a_million_have_their_alpha():
    """Their squares are rounded by more than they differ by."""
    scores = np.random.default_rng(5).normal(1e6, 0.01, (40, 4)) + np.linspace(0, 0.1, 40)[:, None]
    found = cronbach_alpha(pd.DataFrame(scores).rename(columns=str))
    assert found.estimate == pytest.approx(cronbach_alpha(pd.DataFrame(scores - 1e6).rename(columns=str)).estimate)


@pytest.fixture
def ratings():
    random, rubric = np.random.default_rng(7), load_rubric()
    rows = [
        (f"i{item}", f"s{item % 6}", f"m{item % 5}", metric, rater, "judge" if rater == "gpt" else "expert", score)
        for item in range(30)
        for metric in rubric.keys
        for rater in ("ann", "bob", "gpt")
        for score in [float(np.clip(item % 7 + random.integers(-1, 2), 1, 5))]
    ]
    return pd.DataFrame(rows, columns=["item", "scene", "model", "metric", "rater", "kind", "score"])


@pytest.mark.process
def test_the_app_does_not_import_pingouin():
    """It takes seconds, and a hundred megabytes."""
    folders = ("characterbox", "annotations", "pages")
    files = [file.relative_to(REPOSITORY) for folder in folders for file in (REPOSITORY / folder).rglob("*.py")]
    modules = [
        ".".join(file.with_suffix("").parts)
        for file in files
        if file.stem not in NOT_IMPORTED and WITH_TORCH not in file.parents
    ]
    pages = (REPOSITORY / "pages").rglob("*.py")
    assert [page for page in pages if "pingouin" in page.read_text(encoding="utf-8")] == []
    importing = "import sys, importlib\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    script = f"{importing}sys.exit('pingouin' in sys.modules)"
    subprocess.run([sys.executable, "-c", script, *modules, "app"], cwd=REPOSITORY, check=True, timeout=300)
