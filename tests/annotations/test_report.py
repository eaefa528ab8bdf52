"""The report: its contract as JSON, its dimensions and languages, what was dropped, and its text."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import RatingError
from annotations.rating import read_ratings
from annotations.reliability import Alpha, feldt_interval
from annotations.report import Report, statistics
from annotations.resampling import Drawing
from annotations.rubric import load_rubric

RUBRIC = load_rubric()
UNDEFINED_OR_ALPHA = {"alpha", "low", "high", "n", "items", "interval", "definition", "warning"}


def campaign(languages: tuple[str, ...] = ("en", "zh")) -> pd.DataFrame:
    """Three experts and the judge gpt score 6 scenes x 2 models per language on the rubric's seven metrics."""
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
    report = statistics(campaign(), RUBRIC)
    found = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert set(found) == {"reliability", "validity", "dropped"}
    assert list(found["validity"]) == ["gpt"]
    assert list(found["validity"]["gpt"]) == [*RUBRIC.keys, "overall"]
    assert all(set(entry) == {"pearson", "low", "high", "n"} for entry in found["validity"]["gpt"].values())
    assert all(set(entry) == UNDEFINED_OR_ALPHA for entry in found["reliability"].values())
    assert found["dropped"] == []


def test_dimensions_are_the_rubric_s_for_experts_languages_and_judges() -> None:
    reliability = statistics(campaign(), RUBRIC).reliability
    dimensions = ["Character Fidelity", "Human-Likeness", "Consistency"]
    experts = [name + suffix for suffix in ("", " (en)", " (zh)") for name in [*dimensions, *RUBRIC.keys]]
    judge = [f"{name}{suffix}, judge gpt" for suffix in ("", " (en)", " (zh)") for name in dimensions]
    assert list(reliability) == experts + judge
    as_json = statistics(campaign(), RUBRIC).as_json()["reliability"]
    assert (as_json["Consistency"]["n"], as_json["Consistency"]["items"]) == (72, 3)
    assert (as_json["Consistency (zh)"]["n"], as_json["Character Fidelity (en)"]["items"]) == (36, 2)
    assert (as_json["Consistency, judge gpt"]["n"], as_json["KA"]["n"], as_json["KA"]["items"]) == (24, 24, 3)


def test_a_language_s_alpha_is_that_of_its_ratings_alone() -> None:
    frame = campaign()
    alone = statistics(frame[frame["language"] == "zh"], RUBRIC).reliability
    assert statistics(frame, RUBRIC).reliability["Consistency (zh)"] == alone["Consistency"]


def test_an_alpha_has_the_chosen_interval_and_feldt_s_where_nothing_can_be_drawn() -> None:
    frame = campaign(("en",))
    drawn = statistics(frame, RUBRIC, drawing=Drawing("scenes", draws=200, seed=4))
    for of in ("Consistency", "AD"):
        alpha = drawn.alpha(of)
        assert isinstance(alpha, Alpha)
        assert (alpha.interval, alpha.seed) == ("one-way cluster bootstrap by scenes", 4)
        assert alpha.draws > 190
        assert (alpha.scenes, alpha.models) == (frame["scene"].nunique(), frame["model"].nunique())
        assert (alpha.low, alpha.high) != feldt_interval(alpha.estimate, alpha.n, alpha.items)
    few = statistics(frame, RUBRIC, drawing=Drawing("models", draws=200))  # fewer than five
    independent = statistics(frame, RUBRIC, drawing=Drawing("independent items"))
    for of in ("Consistency", "AD"):
        alpha = few.alpha(of)
        assert isinstance(alpha, Alpha)
        assert (alpha.interval, alpha.draws) == ("feldt", 0)
        assert (alpha.low, alpha.high) == feldt_interval(alpha.estimate, alpha.n, alpha.items)
        assert alpha == independent.alpha(of)


def test_an_alpha_is_found_by_what_it_is_of() -> None:
    report = statistics(campaign(), RUBRIC)
    assert report.alpha("Consistency", "zh", "gpt") is report.reliability["Consistency (zh), judge gpt"]
    assert report.alpha("AD") is report.reliability["AD"]
    assert report.design.languages == ("en", "zh")


def test_ratings_that_lack_a_metric_of_the_rubric_form_one_dimension() -> None:
    frame = campaign(("en",)).drop(columns="language").query("metric != 'BC'")
    report = statistics(frame, RUBRIC)
    assert list(report.reliability) == ["all metrics", "AD", "BA", "EE", "IM", "KA", "PT", "all metrics, judge gpt"]
    assert "all metrics: AD, BA, EE, IM, KA, PT" in report.definitions
    assert statistics(frame).as_json() == report.as_json()


def test_a_rated_overall_is_a_metric_of_its_own_and_no_part_of_the_dimension(topical_chat: pd.DataFrame) -> None:
    report = statistics(topical_chat, RUBRIC)
    found = report.as_json()
    assert found["validity"]["unieval"]["overall"]["pearson"] == pytest.approx(0.632796, abs=5e-7)
    assert found["reliability"]["all metrics"]["items"] == 5
    assert found["reliability"]["coherence"] == {
        "undefined": "only one rater, expert-mean, scored coherence; agreement needs two"
    }
    assert any("as raters and judge gave it" in definition for definition in report.definitions)


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
    found = [(line.item, line.metric, line.rater, line.reason, line.detail) for line in report.dropped]
    assert found == [
        ("en-0-m0", "AD", "bo", "no score", "none was given"),
        ("en-0-m0", "AD", None, "incomplete row of an alpha", "no score by bo"),
        ("en-0-m0", "Consistency", "bo", "incomplete row of an alpha", "no score for AD"),
        ("en-1-m1", None, "gpt", "not paired", "no score from the judge"),
    ]
    numbers = report.as_json()
    assert (numbers["reliability"]["Consistency"]["n"], numbers["reliability"]["AD"]["n"]) == (35, 11)
    assert (numbers["validity"]["gpt"]["AD"]["n"], numbers["validity"]["gpt"]["overall"]["n"]) == (11, 11)


def test_without_experts_or_judges_the_statistics_are_undefined_and_say_why() -> None:
    frame = campaign(("en",))
    judged = statistics(frame[frame["kind"] == "judge"], RUBRIC).as_json()
    assert judged["validity"]["gpt"]["KA"] == {
        "undefined": "a correlation needs at least 3 items scored by the experts and gpt; there are 0"
    }
    assert judged["reliability"]["KA"] == {"undefined": "nobody scored KA"}
    assert "there are 0" in judged["reliability"]["Consistency"]["undefined"]
    rated = statistics(frame[frame["kind"] == "expert"], RUBRIC)
    assert rated.as_json()["validity"] == {}
    assert "no judge has scored anything" in rated.as_text()


def test_ratings_without_a_single_score_still_make_a_report() -> None:
    frame = campaign(("en",)).assign(score=math.nan)
    found = statistics(frame, RUBRIC).as_json()
    assert all(set(entry) == {"undefined"} for entry in found["reliability"].values())
    assert all(set(entry) == {"undefined"} for entry in found["validity"]["gpt"].values())
    assert len(found["dropped"]) == len(frame)


def test_duplicates_never_reach_a_statistic() -> None:
    frame = campaign(("en",))
    with pytest.raises(RatingError, match="are rated twice"):
        statistics(pd.concat([frame, frame.iloc[:1]]), RUBRIC)


def test_the_text_is_aligned_and_complete() -> None:
    report = statistics(campaign(), RUBRIC)
    text = report.as_text()
    lines = [line for line in text.splitlines() if "n=" in line]
    assert len(lines) == len(report.reliability) + 8
    assert len({line.index("[") for line in lines[: len(report.reliability)]}) == 1
    consistency = report.as_json()["reliability"]["Consistency"]
    figures = f"{consistency['alpha']:5.2f} [{consistency['low']:5.2f}, {consistency['high']:5.2f}]  n=72"
    assert any(line.startswith("  Consistency  ") and figures in line for line in lines)
    assert "one-way cluster bootstrap by scenes, 2000 draws, seed 0" in text
    assert "feldt" in text
    assert all(definition in text for definition in report.definitions)
    assert "Left out\n  nothing\n" in text


def test_names_from_a_file_cannot_steer_the_terminal_and_wide_ones_stay_aligned() -> None:
    frame = campaign(("en",)).query("metric == 'KA'").assign(metric="知识")
    frame["rater"] = frame["rater"].replace({"gpt": "bad\x1b[2J"})
    lines = statistics(frame).as_text().splitlines()
    assert not any("\x1b" in line for line in lines)
    assert any("bad\ufffd[2J" in line for line in lines)
    metric = next(line for line in lines if line.startswith("  知识"))
    dimension = next(line for line in lines if line.startswith("  all metrics, judge"))
    assert metric.index("0.") + 2 == dimension.index("undefined") + 1


def comparable(report: Report) -> dict[str, float]:
    entries = report.as_json()
    return {
        f"{group}/{name}/{figure}": value
        for group, named in (("alpha", entries["reliability"]), ("gpt", entries["validity"]["gpt"]))
        for name, entry in named.items()
        for figure, value in entry.items()
        if isinstance(value, int | float)
    }


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_ratings_changes_nothing(seed: int) -> None:
    frame = campaign()
    shuffled = frame.sample(frac=1, random_state=seed)
    assert comparable(statistics(shuffled, RUBRIC)) == pytest.approx(comparable(statistics(frame, RUBRIC)), abs=1e-9)
