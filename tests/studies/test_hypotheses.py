"""Outcomes of hypotheses: hand-made ratings, whose figures and p are found by other ways, too."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annotations.errors import Undefined
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.selection import Selection
from characterbox.studies.design import AnalysisFile, Comparison, Hypothesis, StudyFile
from characterbox.studies.folder import read_study
from characterbox.studies.hypotheses import Evidence, outcomes
from characterbox.studies.ratings import Analysed

KEYS = load_rubric().keys
MODELS = ("rehearsal", "rehearsal-wooden")
"""As the cast of a new study calls strong and weak."""


def table(experts, judge, scenes):
    """Ratings of two characters in each scene by each model: `experts` and `judge` take generator, scene and model."""
    chance, rows = np.random.default_rng(7), []
    for scene in range(scenes):
        for model in MODELS:
            for character in ("ann", "ben"):
                item = f"{scene}-{model}:{character}"
                place = (item, f"W: {scene}", model, "en" if scene % 2 else "zh")
                for metric in KEYS:
                    rows += [
                        (*place, metric, f"rater-{one}", "expert", experts(chance, scene, model)) for one in (1, 2)
                    ]
                    rows.append((*place, metric, "GPT-4", "judge", judge(chance, scene, model)))
                    rows.append((*place, metric, "Other", "judge", float(chance.integers(1, 6))))
    columns = ["item", "scene", "model", "language", "metric", "rater", "kind", "score"]
    return pd.DataFrame(rows, columns=columns).astype({"score": float})


def better(chance, scene, model):
    """About two points more for the strong model."""
    return float(np.clip((4 if model == "rehearsal" else 2) + chance.integers(-1, 2), 1, 5))


def alike(chance, _scene, _model):
    """Nothing of model or scene."""
    return float(chance.integers(1, 6))


@pytest.fixture
def tested(folder):
    """What becomes of tests, of ratings, by an analysis."""

    def run(frame, *tests, drawn="scenes", **analysis):
        known = read_study(folder)
        hypotheses = tuple(Hypothesis(says="So it is.", test=Comparison(**test)) for test in tests)
        file = StudyFile(title="T", hypotheses=hypotheses)
        study = replace(known, file=file, analysis=AnalysisFile(**analysis))
        found = Analysed(frame, Selection(drawn=drawn), (), {"GPT-4": "GPT-4", "Other": "Other"})
        return outcomes(study, found)

    return run


BETTER = {"kind": "models", "models": ("strong", "weak")}


def apart(frame, kind):
    own = frame[frame["kind"] == kind] if kind == "expert" else frame[frame["rater"] == kind]
    items = own.groupby(["item", "scene", "model"])["score"].mean()
    scenes = items.groupby(["scene", "model"]).mean().unstack()
    return scenes["rehearsal"] - scenes["rehearsal-wooden"]


def test_the_difference_of_two_models_is_that_of_a_paired_t_test_over_scenes(tested):
    frame = table(better, better, 8)
    [one, other] = tested(frame, BETTER, {**BETTER, "by": "GPT-4", "beyond": 1.5})
    for outcome, kind, beyond in ((one, "expert", 0), (other, "GPT-4", 1.5)):
        expected = stats.ttest_1samp(apart(frame, kind), beyond)
        low, high = stats.ttest_1samp(apart(frame, kind), 0).confidence_interval(0.95)
        evidence = outcome.evidence
        assert evidence.estimate == pytest.approx(apart(frame, kind).mean())
        assert (evidence.interval.low, evidence.interval.high) == pytest.approx((low, high))
        assert evidence.p == pytest.approx(expected.pvalue)
        assert (evidence.n, evidence.counts) == (8, "scenes")
    assert (
        one.figure
        == "mean score of strong (rehearsal) minus that of weak (rehearsal-wooden) on overall, by the experts, above 0"
    )


def test_the_direction_decides_between_supported_and_contradicted(tested):
    frame = table(better, better, 8)
    directions = [{**BETTER, "direction": direction} for direction in ("greater", "less", "different")]
    turned = {"kind": "models", "models": ("weak", "strong"), "direction": "greater"}
    found = tested(frame, *directions, turned)
    assert [one.verdict for one in found] == ["supported", "contradicted", "supported", "contradicted"]
    assert [one.why for one in found] == [""] * 4


def test_what_is_not_below_the_level_is_undecided_and_never_no_effect(tested):
    [outcome] = tested(table(alike, alike, 8), BETTER)
    assert (outcome.verdict, outcome.why) == ("undecided", "p is not below 0.05")
    assert outcome.evidence.p > 0.05


def test_p_is_adjusted_after_holm_for_all_tests_that_have_one(tested):
    frame = table(better, better, 8)
    agreement = {"kind": "agreement", "judge": "GPT-4", "beyond": 0.5}
    broken = {"kind": "agreement", "judge": "Other", "metric": "KA", "beyond": 0.9}
    found = tested(frame, BETTER, agreement, broken)
    raw = [one.evidence.p for one in found]
    for one, p in zip(found, raw, strict=True):
        assert one.adjusted >= p
    assert found[int(np.argmin(raw))].adjusted == pytest.approx(min(1, 3 * min(raw)))
    alone = tested(frame, BETTER, agreement, broken, multiplicity="none")
    assert [one.adjusted for one in alone] == raw


def test_the_level_is_the_one_that_was_named(tested):
    frame = table(better, better, 8)
    [outcome] = tested(frame, {**BETTER, "beyond": 1.5})
    p = outcome.evidence.p
    assert 1e-6 < p < 0.4
    for level, verdict in ((p * 1.01, "supported"), (p * 0.99, "undecided")):
        assert tested(frame, {**BETTER, "beyond": 1.5}, level=level)[0].verdict == verdict


def test_agreement_is_tested_against_the_value_that_was_named(tested):
    frame = table(better, better, 8)
    at_zero, lower, at_itself = tested(
        frame,
        {"kind": "agreement", "judge": "GPT-4"},
        {"kind": "agreement", "judge": "GPT-4", "beyond": 0.99, "direction": "greater"},
        {"kind": "agreement", "judge": "GPT-4", "metric": "KA"},
    )
    assert at_zero.verdict == "supported"
    assert lower.verdict == "contradicted", "all of its interval lies below"
    assert lower.evidence.interval.high < 0.99
    assert at_zero.evidence.estimate == lower.evidence.estimate != at_itself.evidence.estimate


def test_two_judges_are_compared_on_the_same_items(tested):
    [outcome] = tested(table(better, better, 8), {"kind": "judges", "judges": ("GPT-4", "Other")})
    assert outcome.verdict == "supported"
    assert (outcome.evidence.n, outcome.evidence.counts) == (32, "items")


def test_reliability_is_tested_against_the_value_that_was_named(tested):
    frame = table(better, better, 8)
    of = {"kind": "reliability", "dimension": "Consistency"}
    above, below, judge = tested(frame, {**of, "beyond": 0.2}, {**of, "beyond": 0.99}, {**of, "by": "GPT-4"})
    assert (above.verdict, below.verdict, judge.verdict) == ("supported", "contradicted", "supported")
    assert above.evidence.p != below.evidence.p
    assert (above.evidence.counts, judge.evidence.n) == ("rows", 32)


@pytest.mark.parametrize("drawn", ["scenes", "scenes and models", "scenes and experts"])
def test_models_that_a_hypothesis_names_are_never_taken_as_drawn(tested, drawn):
    frame = table(better, better, 8)
    [outcome] = tested(frame, BETTER, drawn=drawn)
    if drawn == "scenes and experts":  # two experts tell next to nothing of others
        assert isinstance(outcome.evidence.p, Undefined)
        assert (outcome.verdict, "at least 3 experts" in outcome.why) == ("undecided", True)
    else:
        assert outcome.evidence.interval.way == "jackknife by scenes"


def test_too_few_scenes_decide_nothing_and_say_so(tested):
    few, none = tested(table(better, better, 4), BETTER, {**BETTER, "language": "en", "metric": "KA"})
    assert isinstance(few.evidence, Evidence)
    assert few.evidence.estimate > 1
    assert (few.verdict, few.adjusted) == ("undecided", None)
    assert few.why == "no p: an interval needs at least 5 scenes; found 4"
    assert none.evidence.n == 2


def test_a_judge_without_scores_is_undecided_with_the_reason(tested):
    frame = table(better, better, 8)
    [outcome] = tested(frame[frame["rater"] != "GPT-4"], {"kind": "agreement", "judge": "GPT-4"})
    assert outcome.verdict == "undecided"
    assert isinstance(outcome.evidence, Undefined)
    assert "GPT-4" in outcome.why


def test_a_sentence_without_a_test_is_not_tested(folder):
    study = replace(read_study(folder), file=StudyFile(title="T", hypotheses=(Hypothesis(says="All will be well."),)))
    found = Analysed(table(better, better, 5), Selection(), (), {})
    [outcome] = outcomes(study, found)
    assert (outcome.verdict, outcome.adjusted) == ("not tested", None)


def test_what_the_rehearsal_made_is_marked(tested):
    frame = table(better, better, 6).assign(improvised="")
    assert not tested(frame, BETTER)[0].improvised
    judge = frame.assign(improvised=["judge" if rater == "GPT-4" else "" for rater in frame["rater"]])
    assert [one.improvised for one in tested(judge, BETTER, {**BETTER, "by": "GPT-4"})] == [False, True]
    assert tested(frame.assign(improvised="story"), BETTER)[0].improvised
