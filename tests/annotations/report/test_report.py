"""The report: its contract as JSON, its dimensions and languages, what was dropped, and its text."""

import json
import math
import re
from dataclasses import astuple
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import RatingError, Undefined
from annotations.marking.rating import read_ratings
from annotations.reliability.cronbach_alpha import Alpha, cronbach_alpha, feldt_interval, trajectory_table
from annotations.report.report import AlphaOf, Report, scale_of, statistics
from annotations.resampling.jackknife import Drawn, Interval
from annotations.rubrics.rubric import load_rubric
from tests.annotations.jackknifed import ALPHA, jackknifed
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

pytestmark = pytest.mark.slow

RUBRIC = load_rubric()
UNDEFINED_OR_ALPHA = {"alpha", "low", "high", "n", "items", "interval", "definition", "warning"}


def campaign(languages: tuple[str, ...] = ("en", "zh")) -> pd.DataFrame:
    """Three experts and the judge gpt score 6 scenes x 2 models per language on the rubric's seven metrics."""
    return _campaign(languages).copy()


@cache
def reported(languages: tuple[str, ...] = ("en", "zh")) -> Report:
    """Its report."""
    return statistics(campaign(languages), RUBRIC)


@cache
def _campaign(languages: tuple[str, ...]) -> pd.DataFrame:
    random = np.random.default_rng(7)
    rows = []
    for language in languages:
        for scene in range(6):
            for model in ("m0", "m1"):
                truth = random.normal(3, 1)
                for rater, kind in (("ann", "expert"), ("bo", "expert"), ("cy", "expert"), ("gpt", "judge")):
                    scores = np.clip(np.round(truth + random.normal(0, 0.7, 7)), 1, 5)
                    place = f"{language}-{scene}-{model},{language}-{scene},{model}"
                    rows += [
                        f"{place},{key},{rater},{kind},{score:g},{language}"
                        for key, score in zip(RUBRIC.keys, scores, strict=True)
                    ]
    return read_ratings("\n".join(["item,scene,model,metric,rater,kind,score,language", *rows]))


def test_the_json_keeps_its_contract() -> None:
    report = reported()
    found = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert set(found) == {"judged_by", "reliability", "validity", "dropped"}
    assert found["judged_by"] == {"gpt": "gpt"}
    assert list(found["validity"]) == ["gpt"]
    assert list(found["validity"]["gpt"]) == [*RUBRIC.keys, "overall"]
    assert all(set(entry) == {"pearson", "low", "high", "interval", "n"} for entry in found["validity"]["gpt"].values())
    of = {"dimension", "metric", "language", "judge"}
    assert all(set(entry) == UNDEFINED_OR_ALPHA | of for entry in found["reliability"])
    assert found["dropped"] == []


def test_dimensions_are_the_rubric_s_for_experts_languages_and_judges() -> None:
    reliability = reported().reliability
    dimensions = ["Character Fidelity", "Human-Likeness", "Consistency"]
    experts = [
        of
        for language in (None, "en", "zh")
        for of in (
            *(AlphaOf(name, language=language) for name in dimensions),
            *(AlphaOf(metric=key, language=language) for key in RUBRIC.keys),
        )
    ]
    judge = [AlphaOf(name, language=language, judge="gpt") for language in (None, "en", "zh") for name in dimensions]
    assert list(reliability) == experts + judge
    sizes = {
        (one["dimension"], one["metric"], one["language"], one["judge"]): (one["n"], one["items"])
        for one in reported().as_json()["reliability"]
    }
    assert sizes["Consistency", None, None, None] == (72, 3)
    assert sizes["Consistency", None, "zh", None] == (36, 3)
    assert sizes["Character Fidelity", None, "en", None] == (36, 2)
    assert sizes["Consistency", None, None, "gpt"] == (24, 3)
    assert sizes[None, "KA", None, None] == (24, 3)


def test_a_language_s_alpha_is_that_of_its_ratings_alone() -> None:
    frame = campaign()
    alone = statistics(frame[frame["language"] == "zh"], RUBRIC).reliability
    together = reported().reliability
    assert together[AlphaOf("Consistency", language="zh")] == alone[AlphaOf("Consistency")]


def test_names_that_read_like_a_language_or_like_all_metrics_are_metrics_of_their_own() -> None:
    rng = np.random.default_rng(5)
    truth = {metric: rng.integers(1, 6, 40) for metric in ("fluency", "fluency (en)", "all metrics")}
    frame = pd.DataFrame(
        [
            (f"i{n}", f"s{n}", "m", metric, rater, "expert", min(5, max(1, scores[n] + rng.integers(-1, 2))), language)
            for metric, scores in truth.items()
            for n, language in enumerate(["en", "zh"] * 20)
            for rater in ("Ann", "Bo")
        ],
        columns=["item", "scene", "model", "metric", "rater", "kind", "score", "language"],
    ).astype({"score": float})
    report = statistics(frame)
    for metric in truth:
        alone = statistics(frame[frame["metric"] == metric])
        for language in (None, "en", "zh"):
            of = AlphaOf(metric=metric, language=language)
            assert report.reliability[of] == alone.reliability[of]
    whole = report.reliability[AlphaOf("all metrics")]
    assert isinstance(whole, Alpha)
    assert (whole.n, whole.items) == (80, 3)
    text = report.as_text()
    for of, alpha in report.reliability.items():
        assert isinstance(alpha, Alpha)
        name = re.escape(of.dimension or str(of.metric))
        line = rf"^  {name} +{of.language or ''} +{alpha.estimate:5.2f} \[.*n={alpha.n}\b"
        assert re.search(line, text, re.MULTILINE), line


def test_an_alpha_has_the_interval_of_what_is_drawn() -> None:
    frame = campaign(("en",))
    by_scenes = statistics(frame, RUBRIC)
    independent = statistics(frame, RUBRIC, drawn="independent items")
    table = trajectory_table(frame[frame["kind"] == "expert"], RUBRIC.dimensions[-1].metrics)
    without = [
        cronbach_alpha(table[table.index.get_level_values("item").str.rsplit("-", n=1).str[0] != scene]).estimate
        for scene in sorted(set(frame["scene"]))
    ]
    consistency = by_scenes.reliability[AlphaOf("Consistency")]
    assert isinstance(consistency, Alpha)
    assert isinstance(consistency.interval, Interval)
    assert (consistency.interval.low, consistency.interval.high) == pytest.approx(
        jackknifed(consistency.estimate, without, ALPHA), abs=1e-9
    )
    for of in (AlphaOf("Consistency"), AlphaOf(metric="AD")):
        alpha, other = by_scenes.reliability[of], independent.reliability[of]
        assert isinstance(alpha, Alpha)
        assert isinstance(alpha.interval, Interval)
        assert alpha.interval.way == "jackknife by scenes"
        assert (alpha.scenes, alpha.models) == (frame["scene"].nunique(), frame["model"].nunique())
        assert isinstance(other, Alpha)
        assert other.interval == feldt_interval(alpha.estimate, alpha.n, alpha.items)


def test_of_four_scenes_or_of_few_drawn_models_there_is_no_interval_in_json_and_text() -> None:
    frame = campaign(("en",))
    four = statistics(frame[frame["scene"] < "en-4"], RUBRIC)
    few = statistics(frame, RUBRIC, drawn="scenes and models")
    for report, reason in ((four, "an interval needs at least 5 scenes"), (few, "an interval needs at least 8 models")):
        found = report.as_json()
        entries = [*found["reliability"], *found["validity"]["gpt"].values()]
        assert {(one["low"], one["high"]) for one in entries} == {(None, None)}
        assert all(one["interval"].startswith(f"none: {reason}") for one in entries)
        lines = [line for line in report.as_text().splitlines() if "n=" in line]
        assert len(lines) == len(entries)
        assert all(f"no interval: {reason}" in line and "[" not in line for line in lines)


@pytest.mark.parametrize(
    ("drawn", "told"),
    [
        ("scenes", "jackknife by scenes: 95 % interval of alpha or r ("),
        ("scenes and models", "none for fewer than 5 scenes, 8 models or 12 items"),
        ("independent items", "feldt, fisher: 95 % intervals of alpha and of r;"),
    ],
)
def test_the_definitions_tell_how_intervals_are_made(drawn: Drawn, told: str) -> None:
    *_, last = statistics(campaign(("en",)), RUBRIC, drawn=drawn).definitions
    assert told in in_english(str(last))


def test_ratings_that_lack_a_metric_of_the_rubric_form_one_dimension() -> None:
    frame = campaign(("en",)).drop(columns="language").query("metric != 'BC'")
    report = statistics(frame, RUBRIC)
    assert list(report.reliability) == [
        AlphaOf("all metrics"),
        *(AlphaOf(metric=key) for key in ("AD", "BA", "EE", "IM", "KA", "PT")),
        AlphaOf("all metrics", judge="gpt"),
    ]
    assert "all metrics: AD, BA, EE, IM, KA, PT" in in_english(report.definitions)
    assert statistics(frame).as_json() == report.as_json()


def test_a_rated_overall_is_a_metric_of_its_own_and_no_part_of_the_dimension(topical_chat: pd.DataFrame) -> None:
    report = statistics(topical_chat, RUBRIC)
    assert report.as_json()["validity"]["unieval"]["overall"]["pearson"] == pytest.approx(0.632796, abs=5e-7)
    whole = report.reliability[AlphaOf("all metrics")]
    assert isinstance(whole, Alpha)
    assert whole.items == 5
    assert in_english(report.reliability[AlphaOf(metric="coherence")]) == Undefined(
        "only one rater, expert-mean, scored coherence; agreement needs at least two"
    )
    assert any(
        "overall: the overall score given directly by raters and judge" in in_english(definition)
        for definition in report.definitions
    )


def test_dirty_scores_stand_until_a_scale_is_given_and_are_then_listed_one_by_one(hanna: pd.DataFrame) -> None:
    frame = hanna
    as_they_stand = statistics(frame).as_json()
    assert as_they_stand["dropped"] == []
    assert as_they_stand["validity"]["chatgpt"]["empathy"]["n"] == 1056
    on_scale = statistics(frame, scale=(1, 5)).as_json()
    assert on_scale["validity"]["chatgpt"]["empathy"]["n"] == 1053
    off = [line for line in on_scale["dropped"] if line["reason"] == "outside the scale 1 to 5"]
    assert len(off) == int(((frame["score"] < 1) | (frame["score"] > 5)).sum())
    assert {"item": "983", "metric": "empathy", "rater": "chatgpt", "reason": "outside the scale 1 to 5"}.items() <= [
        line for line in off if line["rater"] == "chatgpt"
    ][-1].items()


def test_each_gap_is_listed_with_what_it_cost() -> None:
    frame = campaign(("en",))
    gap = (frame["item"] == "en-0-m0") & (frame["rater"] == "bo") & (frame["metric"] == "AD")
    frame.loc[gap, "score"] = math.nan
    silent = (frame["item"] == "en-1-m1") & (frame["rater"] == "gpt")
    report = statistics(frame[~silent], RUBRIC)
    found = [astuple(line) for line in report.dropped]
    assert in_english(found) == [
        ("en-0-m0", "AD", "bo", "no score", "no reason given", None),
        ("en-0-m0", "AD", None, "incomplete row for alpha", "no score by bo", None),
        ("en-0-m0", None, "bo", "incomplete row for alpha", "no score on AD", "Consistency"),
        ("en-1-m1", None, "gpt", "not paired", "no score from the judge", None),
    ]
    numbers = report.as_json()
    sizes = {one["dimension"] or one["metric"]: one["n"] for one in numbers["reliability"] if one["judge"] is None}
    assert (sizes["Consistency"], sizes["AD"]) == (35, 11)
    assert (numbers["validity"]["gpt"]["AD"]["n"], numbers["validity"]["gpt"]["overall"]["n"]) == (11, 11)


def test_without_experts_or_judges_the_statistics_are_undefined_and_say_why() -> None:
    frame = campaign(("en",))
    report = statistics(frame[frame["kind"] == "judge"], RUBRIC)
    assert report.as_json()["validity"]["gpt"]["KA"] == {
        "undefined": "a correlation needs at least 3 items scored by the experts and gpt; found 0"
    }
    assert in_english(report.reliability[AlphaOf(metric="KA")]) == Undefined("none of these raters scored KA")
    consistency = report.reliability[AlphaOf("Consistency")]
    assert isinstance(consistency, Undefined)
    assert "found 0" in in_english(consistency.reason)
    rated = statistics(frame[frame["kind"] == "expert"], RUBRIC)
    assert rated.as_json()["validity"] == {}
    assert "no judge has scored anything" in rated.as_text()


def test_ratings_without_a_single_score_still_make_a_report() -> None:
    frame = campaign(("en",)).assign(score=math.nan)
    found = statistics(frame, RUBRIC).as_json()
    assert all("undefined" in entry for entry in found["reliability"])
    assert not any("alpha" in entry for entry in found["reliability"])
    assert all(set(entry) == {"undefined"} for entry in found["validity"]["gpt"].values())
    assert len(found["dropped"]) == len(frame)


def test_duplicates_never_reach_a_statistic() -> None:
    frame = campaign(("en",))
    with pytest.raises(RatingError, match="is rated twice"):
        statistics(pd.concat([frame, frame.iloc[:1]]), RUBRIC)


def test_the_text_is_aligned_and_complete() -> None:
    report = reported()
    text = report.as_text()
    lines = [line for line in text.splitlines() if "n=" in line]
    assert len(lines) == len(report.reliability) + 8
    dimensions = [of for of in report.reliability if of.dimension]
    assert len({line.index("[") for line in lines[: len(dimensions)]}) == 1
    assert len({line.index("[") for line in lines[len(dimensions) : len(report.reliability)]}) == 1
    [consistency] = [
        one
        for one in report.as_json()["reliability"]
        if (one["dimension"], one["language"], one["judge"]) == ("Consistency", None, None)
    ]
    figures = f"{consistency['alpha']:5.2f} [{consistency['low']:5.2f}, {consistency['high']:5.2f}]  n=72"
    assert any(line.startswith("  Consistency  ") and figures in line for line in lines)
    assert all("  jackknife by scenes" in line for line in lines)
    assert all(str(definition) in text for definition in report.definitions)
    assert "Left out\n  nothing\n" in text


def test_names_from_a_file_cannot_steer_the_terminal_and_wide_ones_stay_aligned() -> None:
    frame = campaign(("en",)).query("metric in ['KA', 'BA']").replace({"metric": {"KA": "知识"}})
    frame["rater"] = frame["rater"].replace({"gpt": "bad\x1b[2J"})
    lines = statistics(frame).as_text().splitlines()
    assert not any("\x1b" in line for line in lines)
    assert any("bad\ufffd[2J" in line for line in lines)
    metric, plain = (next(line for line in lines if line.startswith(f"  {name} ")) for name in ("知识", "BA"))
    judge = next(line for line in lines if line.startswith("  bad") and " 知识 " in line)
    overall = next(line for line in lines if line.startswith("  bad") and " overall " in line)
    assert judge.index("[ ") + 2 == overall.index("[ ")
    assert metric.index("[") + 2 == plain.index("[")


def comparable(report: Report) -> dict[str, float]:
    entries = report.as_json()
    return {
        f"{group}/{name}/{figure}": value
        for group, named in (
            ("alpha", {str([*one.values()][:4]): one for one in entries["reliability"]}),
            ("gpt", entries["validity"]["gpt"]),
        )
        for name, entry in named.items()
        for figure, value in entry.items()
        if isinstance(value, int | float)
    }


@settings(max_examples=examples(1, 5))
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_ratings_changes_nothing(seed: int) -> None:
    shuffled = campaign().sample(frac=1, random_state=seed)
    assert comparable(statistics(shuffled, RUBRIC)) == pytest.approx(comparable(reported()), abs=1e-9)


@pytest.mark.parametrize(
    ("metrics", "off", "scale"),
    [
        (("KA", "BA"), 1, (1, 5)),
        (("KA", "BA", "overall"), 1, (1, 5)),
        (("KA", "BA"), 3, None),  # of ten scores: another scale is more likely
        (("KA", "plot"), 0, None),
        (("overall",), 0, None),
        ((*load_rubric().keys, "plot"), 9, (1, 5)),
    ],
)
def test_the_rubric_s_scale_is_that_of_its_metrics(
    metrics: tuple[str, ...], off: int, scale: tuple[int, int] | None
) -> None:
    scores = [9.0] * off + [3.0] * (10 - off)
    frame = pd.DataFrame({"metric": [metrics[at % len(metrics)] for at in range(10)], "score": scores})
    assert scale_of(frame) == scale
