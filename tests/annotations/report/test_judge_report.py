"""All of one judge in one report: the parts are those of their own modules, whatever the order of the ratings."""

from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined, or_undefined
from annotations.report.judge_report import judges_beside
from annotations.report.per_metric import between_experts, consistencies
from annotations.report.report import design_of
from annotations.resampling.clustered import ClusteredEstimate
from annotations.validity.alternative_annotator import alternative_annotator_of_baselines
from annotations.validity.baselines import baselines
from annotations.validity.ceiling import Ceiling, ceiling, expert_tables, panel
from annotations.validity.concordance import Concordance, concordance
from annotations.validity.holm import CorrelationTest, holm
from annotations.validity.judge_expert_correlation import OVERALL, sides_of
from annotations.validity.levels import Level, metric_levels, row_mean_levels
from annotations.validity.parts import validity_by_part
from annotations.validity.selective_rating import selective_rating
from tests.annotations.report_of_judge import report_of
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

METRICS = ("BA", "KA")
RATERS = (("ann", "expert"), ("bob", "expert"), ("cai", "expert"), ("gpt", "judge"), ("glm", "judge"))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Three experts and two judges on 36 items of six models in six scenes."""
    random = np.random.default_rng(3)
    truth = random.normal(3, 1, (36, 2))
    rows = []
    for name, kind in RATERS:
        scores = np.clip(np.round(truth + random.normal(0, 0.7, truth.shape)), 1, 5)
        for item, of_item in enumerate(scores):
            place = {"item": f"i{item:02}", "scene": f"s{item % 6}", "model": f"m{item // 6}", "rater": name}
            rows += [rating(**place, kind=kind, metric=m, score=s) for m, s in zip(METRICS, of_item, strict=True)]
    return frame_of(rows)


def test_the_parts_are_those_of_their_own_modules(frame: pd.DataFrame) -> None:
    design = design_of(frame, scale=(1, 5))
    report = report_of(frame, "gpt", design)
    assert list(report.by_metric) == [*METRICS, OVERALL]
    pairs = sides_of(frame, ["gpt"])["gpt"].means(METRICS)
    overall = report.by_metric[OVERALL]
    assert isinstance(overall.concordance, Concordance)
    assert overall.concordance.bias.estimate == pytest.approx((pairs["judge"] - pairs["expert"]).mean())
    assert isinstance(overall.ceiling, Ceiling)
    assert overall.ceiling.pearson.estimate == pytest.approx(np.corrcoef(pairs["judge"], pairs["expert"])[0, 1])
    reports = {"gpt": report, "glm": report_of(frame, "glm", design)}
    raw = {
        (judge, metric): cast("CorrelationTest", reports[judge].by_metric[metric].test).p
        for judge in reports
        for metric in METRICS
    }
    assert {of: reports[of[0]].by_metric[of[1]].adjusted_p for of in raw} == pytest.approx(holm(raw), abs=1e-12)
    assert overall.adjusted_p is None
    assert report.overall is not None
    assert report.overall.row_mean == overall.levels
    assert not isinstance(report.leaderboard, Undefined)
    first = report.leaderboard["m0"].experts
    assert isinstance(first, ClusteredEstimate)
    assert first.estimate == pytest.approx(pairs.loc[pairs["model"] == "m0", "expert"].mean())


@pytest.mark.slow
def test_baselines_and_parts_and_what_was_chosen_are_those_of_their_own_modules(frame: pd.DataFrame) -> None:
    bilingual = frame.assign(language=np.where(frame["scene"] < "s3", "en", "zh"))
    bilingual = bilingual[(bilingual["kind"] == "judge") | (bilingual["item"] < "i30")]
    report = report_of(bilingual, "gpt", design_of(bilingual, scale=(1, 5)))
    sides, tables = sides_of(bilingual, ["gpt"])["gpt"], expert_tables(bilingual)
    blind, each = baselines(sides), (["BA"], ["KA"], METRICS)
    assert list(report.baselines) == list(blind) == list(report.alternative_of_baselines)
    for name, one in blind.items():
        assert list(report.baselines[name]) == [*METRICS, OVERALL]
        for metrics, validity in zip(each, report.baselines[name].values(), strict=True):
            expected = metric_levels(one, metrics[0]) if len(metrics) == 1 else row_mean_levels(one, metrics)
            if name == "scene mean":
                assert "it differs only by the item that is left out" in in_english(
                    validity.levels.within_scenes.reason
                )
                assert "is lower the higher the model's own mean is" in in_english(validity.levels.models.reason)
                left = validity.levels
                expected = replace(expected, within_scenes=left.within_scenes, models=left.models)
            assert in_english(validity.levels) == in_english(expected)
            assert in_english(validity.concordance) == in_english(or_undefined(concordance, one, metrics))
            assert in_english(validity.ceiling) == in_english(or_undefined(ceiling, panel(one, tables, metrics)))
        alone = alternative_annotator_of_baselines({name: panel(one, tables, METRICS)})[name]
        assert in_english(report.alternative_of_baselines[name]) == in_english(alone)
    assert report.parts == dict(zip([*METRICS, OVERALL], [validity_by_part(sides, of) for of in each], strict=True))
    assert list(report.parts["KA"].by_language) == ["en", "zh"]
    assert report.selective == selective_rating(sides, METRICS)
    assert isinstance(report.selective.by_judge, Undefined), "no model has items of both kinds"


@pytest.mark.slow
def test_of_one_metric_there_is_a_report_too(frame: pd.DataFrame) -> None:
    own = frame[frame["metric"] == "KA"]
    report = report_of(own, "gpt", design_of(own, scale=(1, 5)))
    [r] = {
        one.levels.items.pearson.estimate for one in report.by_metric.values() if isinstance(one.levels.items, Level)
    }
    pairs = sides_of(own, ["gpt"])["gpt"].means(["KA"])
    assert r == pytest.approx(np.corrcoef(pairs["judge"], pairs["expert"])[0, 1], abs=1e-12)


@pytest.mark.slow
def test_the_order_of_the_ratings_changes_nothing(frame: pd.DataFrame) -> None:
    design = design_of(frame, scale=(1, 5))
    shuffled = frame.sample(frac=1, random_state=1)
    assert report_of(shuffled, "gpt", design) == report_of(frame, "gpt", design)
    pair = ("gpt", "glm")
    assert judges_beside(shuffled, pair, design) == judges_beside(frame, pair, design)
    assert between_experts(shuffled, design) == between_experts(frame, design)
    assert consistencies(shuffled, design) == consistencies(frame, design)


def test_what_the_ratings_do_not_determine_says_why(frame: pd.DataFrame) -> None:
    design = design_of(frame, scale=(1, 5))
    alone = frame[(frame["rater"] != "bob") & (frame["rater"] != "cai")]
    report = report_of(alone, "gpt", design)
    assert isinstance(report.alternative, Undefined)
    assert "at least 3 experts; found 1" in in_english(report.alternative.reason)
    assert isinstance(report.by_metric["KA"].ceiling, Undefined)
    assert isinstance(report.by_metric["KA"].single, Undefined)
    drawn = replace(design, drawn="scenes and experts")
    within = report_of(alone, "gpt", drawn).by_metric["KA"].levels.within_scenes
    assert isinstance(within, Level)
    assert isinstance(within.pearson.interval, Undefined)
    assert "needs at least 3 experts; found 1" in in_english(within.pearson.interval.reason)
    one_model = report_of(frame[frame["model"] == "m0"], "gpt", design).baselines["scene mean"]["KA"].levels.models
    assert in_english(one_model) == Undefined("r needs at least 3 models; found 1")
    silent = frame.assign(score=frame["score"].where(frame["rater"] != "gpt"), length=frame["item"].str.len())
    silent["length"] += frame["scene"].str[1:].astype(int)
    assert isinstance(report_of(silent, "gpt", design).by_metric["KA"].levels.items, Undefined)
    nobody = between_experts(frame[frame["kind"] == "judge"], design)["KA"]
    assert in_english(nobody.single) == in_english(nobody.agreement) == Undefined("no expert scored KA")
