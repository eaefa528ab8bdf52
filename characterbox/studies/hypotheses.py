"""What the ratings say of each hypothesis: the figure that was named beforehand, its interval, p, and the outcome.

A hypothesis is supported where its p, adjusted as the analysis says, is below the level and the figure lies on the side
that was expected; contradicted where it lies on the other one. In all other cases the ratings do not decide, which
is no evidence that there is nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message
from annotations.marking.rating import any_improvised
from annotations.reliability.item_analysis import alpha_error, resampled_alpha
from annotations.resampling.estimates import errors, interval_of, without_each
from annotations.resampling.jackknife import MEAN, Drawn, Error, Figures, Floats, Interval
from annotations.rubrics.rubric import RESERVED
from annotations.validity.compare_judges import compare
from annotations.validity.holm import FEWEST_ITEMS, holm
from annotations.validity.judge_expert_correlation import (
    TOO_FEW,
    Paired,
    correlate,
    correlate_overall,
    r_with_error,
    sides_of,
    varying_scores,
)
from characterbox.studies.design import EXPERTS, Comparison, Hypothesis
from characterbox.studies.folder import Study
from characterbox.studies.ratings import Analysed

NO_TEST = Message("it names no test; people decide on it by other evidence")
Verdict = Literal["supported", "contradicted", "undecided", "not tested"]


@dataclass(frozen=True)
class Evidence:
    """The figure that decides, as the ratings have it."""

    estimate: float
    interval: Interval | Undefined
    """95 %."""
    n: int
    counts: str
    """What n counts."""
    p: float | Undefined
    """Two-sided, against the value that was named."""


@dataclass(frozen=True)
class Outcome:
    """What became of a hypothesis."""

    hypothesis: Hypothesis
    verdict: Verdict
    figure: str
    """What decides on it, in words."""
    evidence: Evidence | Undefined
    adjusted: float | None
    """p adjusted for the number of tests; None where there is no p."""
    why: str
    """Why it is undecided, or not tested."""
    improvised: bool
    """Whether no language model made a part of what it rests on."""


def outcomes(study: Study, found: Analysed) -> list[Outcome]:
    """What became of each hypothesis of a study, in their order."""
    tested = {
        number: or_undefined(_evidence, study, found, one.test)
        for number, one in enumerate(study.file.hypotheses)
        if one.test is not None
    }
    p = {
        number: evidence.p
        for number, evidence in tested.items()
        if isinstance(evidence, Evidence) and not isinstance(evidence.p, Undefined)
    }
    adjusted = holm(p) if study.analysis.multiplicity == "Holm" else p
    return [
        _outcome(study, found, one, tested.get(number), adjusted.get(number))
        for number, one in enumerate(study.file.hypotheses)
    ]


def _outcome(
    study: Study, found: Analysed, one: Hypothesis, evidence: Evidence | Undefined | None, adjusted: float | None
) -> Outcome:
    nothing = Outcome(one, "not tested", "", Undefined(NO_TEST), None, str(NO_TEST), improvised=False)
    if one.test is None or evidence is None:
        return nothing
    told = replace(
        nothing,
        verdict="undecided",
        figure=in_words(one.test, study),
        evidence=evidence,
        adjusted=adjusted,
        improvised=_improvised(found, one.test),
    )
    if isinstance(evidence, Undefined):
        return replace(told, why=str(evidence.reason))
    if isinstance(evidence.p, Undefined):
        return replace(told, why=f"no p: {evidence.p.reason}")
    if adjusted is None or adjusted >= study.analysis.level:
        return replace(told, why=f"p is not below {study.analysis.level:g}")
    above, wanted = evidence.estimate > one.test.beyond, one.test.direction
    as_expected = wanted == "different" or above == (wanted == "greater")
    return replace(told, verdict="supported" if as_expected else "contradicted", why="")


def in_words(test: Comparison, study: Study) -> str:
    """What a test is of, such as `mean score of strong minus weak on overall, by the experts, above 0`."""
    side = {"greater": "above", "less": "below", "different": "different from"}[test.direction]
    whose = "by the experts" if test.by == EXPERTS else f"by {test.by}"
    where = "" if test.language is None else f", scenes in {test.language} only"
    match test.kind:
        case "models":
            first, second = (_with_name(name, study) for name in test.models or ())
            what = f"mean score of {first} minus that of {second} on {test.metric}, {whose}"
        case "agreement":
            what = f"Pearson's r of {test.judge} with the experts' mean on {test.metric}"
        case "judges":
            first, second = test.judges or ("", "")
            what = f"Pearson's r with the experts' mean of {first} minus that of {second} on {test.metric}"
        case "reliability":
            what = f"Cronbach's alpha of {test.dimension}, {whose}"
    return f"{what}{where}, {side} {test.beyond:g}"


def _with_name(name: str, study: Study) -> str:
    called = study.model(name)
    return name if called == name else f"{name} ({called})"


def _improvised(found: Analysed, test: Comparison) -> bool:
    names = (test.judge, test.by, *(test.judges or ()))
    return any_improvised(found.part, [found.judges[name] for name in names if name in found.judges])


def _evidence(study: Study, found: Analysed, test: Comparison) -> Evidence:
    frame = found.usable
    if test.language is not None:
        frame = frame[frame["language"] == test.language]
    metrics = found.design.overall if test.metric == RESERVED else (test.metric,)
    match test.kind:
        case "models":
            first, second = (study.model(name) for name in test.models or ())
            return _of_models(
                _side(frame, found, test.by), (first, second), metrics, found.selection.drawn, test.beyond
            )
        case "agreement":
            return _of_judge(frame, _rater(found, test.judge), metrics, found.selection.drawn, test)
        case "judges":
            raters = [_rater(found, name) for name in test.judges or ()]
            sides = sides_of(frame, raters)
            both = compare((sides[raters[0]], sides[raters[1]]), metrics, found.selection.drawn)
            return Evidence(both.difference.estimate, both.difference.interval, both.n, "items", both.p)
        case "reliability":
            own, of = _side(frame, found, test.by), found.selection
            dimension = found.design.dimensions.get(str(test.dimension))
            if dimension is None:
                raise UndefinedStatistic("not all metrics of the rubric are analysed, so it has no dimensions")
            alpha = resampled_alpha(own, dimension, of.drawn, of.gaps).chosen
            error = or_undefined(alpha_error, own, dimension, of.drawn, of.gaps)
            return Evidence(alpha.estimate, alpha.interval, alpha.n, "rows", _p(error, test.beyond))


def _p(error: Error | Undefined, beyond: float) -> float | Undefined:
    return error if isinstance(error, Undefined) else or_undefined(error.p_against, beyond)


def _rater(found: Analysed, judge: str | None) -> str:
    if (rater := found.judges.get(str(judge))) is None:
        raise UndefinedStatistic("{judge} has no scores here", judge=str(judge))
    return rater


def _side(frame: pd.DataFrame, found: Analysed, by: str) -> pd.DataFrame:
    """The ratings of the experts, or of a judge. Raises UndefinedStatistic if there are none."""
    own = frame[frame["kind"] == "expert"] if by == EXPERTS else frame[frame["rater"] == _rater(found, by)]
    if own.empty:
        raise UndefinedStatistic("there are no scores")
    return own


def _of_judge(frame: pd.DataFrame, rater: str, metrics: Sequence[str], drawn: Drawn, test: Comparison) -> Evidence:
    sides = sides_of(frame, [rater])[rater]
    whole = test.metric == RESERVED
    r = correlate_overall(sides, metrics, drawn) if whole else correlate(sides, test.metric, drawn)
    paired = Paired(sides, lambda beside: varying_scores(beside, metrics, FEWEST_ITEMS, TOO_FEW))
    error = or_undefined(r_with_error, paired, drawn)
    p = error if isinstance(error, Undefined) else or_undefined(error[1].p_against, test.beyond)
    return Evidence(r.estimate, r.interval, r.n, "items", p)


def _of_models(
    ratings: pd.DataFrame, models: tuple[str, str], metrics: Sequence[str], drawn: Drawn, beyond: float
) -> Evidence:
    """The mean over scenes of the difference of two models in each. The models are those of the hypothesis, and never
    taken as drawn; each scene is one draw."""

    def beside(some: pd.DataFrame) -> tuple[Figures, int]:
        apart = _apart(some, models, metrics)
        values = apart.to_numpy(dtype=float)

        def figures(counts: Floats) -> Floats:
            return np.asarray((counts @ values / counts.sum(axis=1))[None], dtype=float)

        return figures, len(values)

    figures, scenes = beside(ratings)
    raters = sorted(ratings["rater"].unique())
    by_expert = without_each(lambda: (ratings[ratings["rater"] != one] for one in raters), beside, 1)
    of_experts = drawn == "scenes and experts" and bool((ratings["kind"] == "expert").all())
    places = pd.DataFrame({"scene": range(scenes)})
    [error] = errors(places, figures, "scenes and experts" if of_experts else "scenes", [MEAN], by_expert)
    mean = float(_apart(ratings, models, metrics).mean())
    return Evidence(mean, interval_of(error), scenes, "scenes", _p(error, beyond))


def _apart(ratings: pd.DataFrame, models: tuple[str, str], metrics: Sequence[str]) -> "pd.Series[float]":
    """By scene, how far the first model is above the second: of items with a score on all metrics, each the mean of
    its raters."""
    own = ratings[ratings["model"].isin(models) & ratings["metric"].isin(metrics)]
    keys = ["item", "scene", "model"]
    items = own.groupby([*keys, "metric"], observed=True)["score"].mean().unstack().reindex(columns=[*metrics])
    scenes = items.dropna().mean(axis=1).groupby(["scene", "model"], observed=True).mean().unstack()
    both = scenes.reindex(columns=[*models]).dropna()
    if both.empty:
        raise UndefinedStatistic("the two models share no scene in which both have scores on all metrics")
    return both[models[0]] - both[models[1]]
