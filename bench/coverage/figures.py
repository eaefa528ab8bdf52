"""All that has a default interval, or a p, of one study, by name."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message
from annotations.leaderboard.bradley_terry import bradley_terry
from annotations.leaderboard.differences import Difference, model_differences
from annotations.leaderboard.prediction_powered import prediction_powered_mean
from annotations.leaderboard.standings import standings
from annotations.reliability.agreement import RatedItems, agreement
from annotations.reliability.intraclass import intraclass
from annotations.reliability.item_analysis import (
    Consistency,
    metric_consistency,
    resampled_alpha,
    resampled_alpha_between,
)
from annotations.reliability.krippendorff import krippendorff_alpha
from annotations.report.warnings_on_figures import (
    halo_caveats,
    pair_caveats,
    part_caveats,
    selection_caveats,
    side_caveats,
)
from annotations.resampling.clustered import clustered_mean, clustered_pearson
from annotations.resampling.draws import Draws
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.alternative_annotator import advantages
from annotations.validity.ceiling import Panel, ceiling, single_expert
from annotations.validity.compare_judges import compare
from annotations.validity.concordance import concordance
from annotations.validity.halo import Contrast, Halo, halo
from annotations.validity.holm import correlation_test
from annotations.validity.judge_variations import changes, steadiness
from annotations.validity.levels import Level, metric_levels, overall_levels, row_mean_levels
from annotations.validity.parts import validity_by_part, within_languages
from annotations.validity.selective_rating import selective_rating
from annotations.validity.shared_teacher import judge_pair, shared_beyond_experts
from bench.coverage.ratings import METRICS, Study

Found = Estimate | Undefined
FIRST = METRICS[0]
ENDS = (1, 5)
"""Of the scale."""


def figures(study: Study) -> Iterator[tuple[str, Found]]:
    """Each figure that takes the models and the raters as they are, or why it is undefined."""
    sides = study.sides()
    first = sides[0]
    panel, whole = study.panel(first, (FIRST,)), [study.panel(each, METRICS) for each in sides]
    rated, long = RatedItems(FIRST, panel.experts, first.items), study.long()
    for name, level in _levels(study):
        yield name, level
    yield from _of("", or_undefined(concordance, first, [FIRST]), ("spearman", "bias", "mae", "lin"))
    found = or_undefined(concordance, first, [FIRST])
    limits = found if isinstance(found, Undefined) else found.limits
    yield from _of("limit of agreement, ", limits, ("low", "high"))
    yield from _of("experts: ", or_undefined(ceiling, panel), ("reliability",))
    yield from _of("single expert: ", or_undefined(single_expert, panel), ("pearson", "judge"))
    yield "r within languages", or_undefined(within_languages, first, [FIRST])
    yield "advantage of an expert over the judge", or_undefined(_advantage, panel)
    yield from _of("judges: ", or_undefined(compare, (sides[0], sides[1]), [FIRST]), ("difference",))
    yield from _of("judges: ", or_undefined(shared_beyond_experts, (whole[0], whole[1])), ("between", "excess"))
    told = or_undefined(halo, first, METRICS)
    for name in ("discrimination", "convergence"):
        yield name, told if isinstance(told, Undefined) else _bare(getattr(told, name))
    shares = or_undefined(agreement, rated)
    for name in ("exact", "within_one"):
        share = shares if isinstance(shares, Undefined) else getattr(shares, name)
        yield f"share {name}", share if isinstance(share, Undefined) else Estimate(share.observed, share.interval, 0)
    yield "Krippendorff's alpha", or_undefined(krippendorff_alpha, rated)
    yield "ICC(A,1)", or_undefined(intraclass, rated, "ICC(A,1)")
    yield "ICC(A,k)", or_undefined(intraclass, rated, "ICC(A,k)")
    alpha, two = (or_undefined(metric_consistency, long, metrics) for metrics in (METRICS, METRICS[:2]))
    yield "alpha across metrics", alpha if isinstance(alpha, Undefined) else alpha.chosen
    yield "Spearman-Brown", _two(two)
    between = or_undefined(resampled_alpha_between, long, FIRST)
    yield "alpha between raters", between if isinstance(between, Undefined) else between.chosen
    pairs = or_undefined(resampled_alpha, long, METRICS, gaps="pairs of scores")
    yield "alpha across metrics, pairs of scores", pairs if isinstance(pairs, Undefined) else pairs.chosen
    pairs = or_undefined(resampled_alpha_between, long, FIRST, gaps="pairs of scores")
    yield "alpha between raters, pairs of scores", pairs if isinstance(pairs, Undefined) else pairs.chosen
    yield from _rater(study)
    yield from _variation(study, sides[0].judged, sides[1].judged)
    yield "mean of a model", _mean(sides[0].judged, first.items)


def _levels(study: Study) -> Iterator[tuple[str, Found]]:
    first = study.sides()[0]
    one, overall = metric_levels(first, FIRST), overall_levels(first, METRICS)
    named = {
        "r, items": one.items,
        "r, within scenes": one.within_scenes,
        "r overall, items": overall.row_mean.items,
        "r overall, within scenes": overall.row_mean.within_scenes,
        "r overall, pooled": overall.pooled.items,
    }
    for name, level in named.items():
        yield name, level.pearson if isinstance(level, Level) else level


def _advantage(panel: Panel) -> Estimate:
    """On which the alternative annotator test rests."""
    scene = panel.sides.items["scene"].to_numpy()
    judge, expert, used = advantages(panel.experts.to_numpy(dtype=float), panel.judged.to_numpy(dtype=float), 0)
    return clustered_mean(expert.astype(float) - judge, scene[used])


def apart(study: Study) -> tuple[Mapping[tuple[str, str], Difference], Undefined | None]:
    """The differences of all pairs of models, by the judge's scores on the first metric."""
    first = study.sides()[0]
    found = or_undefined(model_differences, first.judged.join(first.items), [FIRST])
    if isinstance(found, Undefined):
        return {}, found
    return {(one.better, one.other): one for one in found.pairs}, None


def cautions(study: Study) -> Iterator[str]:
    """The kinds of caution that a judge's report would tell of a study."""
    sides = study.sides()
    first, second = sides
    told = or_undefined(halo, first, METRICS)
    found = [
        *side_caveats(first, METRICS, ENDS),
        *part_caveats("", row_mean_levels(first, METRICS), validity_by_part(first, METRICS)),
        *selection_caveats("", selective_rating(first, METRICS)),
        *(halo_caveats(told) if isinstance(told, Halo) else ()),
        *pair_caveats(judge_pair((study.panel(first, METRICS), study.panel(second, METRICS)))),
    ]
    return (one.kind for one in found)


def between_models(study: Study) -> Found:
    """r of the models' means, which takes models as drawn."""
    level = metric_levels(study.sides()[0], FIRST).models
    return level.pearson if isinstance(level, Level) else level


def p_values(study: Study, unrelated: Study) -> Iterator[tuple[str, float | Undefined]]:
    """p of what is truly 0: of the difference of two judges with the same effects, of r of an unrelated one."""
    sides = study.sides()
    found = or_undefined(compare, (sides[0], sides[1]), [FIRST])
    yield "p of the difference of r", found if isinstance(found, Undefined) else found.p
    test = or_undefined(correlation_test, unrelated.sides()[0], [FIRST])
    yield "p of r", test if isinstance(test, Undefined) else test.p


def corrected_mean(labelled: Study, judged: Study) -> Found:
    """Of the first model, whose scenes in `judged` no expert has scored."""
    experts, judge = np.nanmean(labelled.experts[:, 0, :, 0], axis=1), labelled.judges[0][:, 0, 0]
    both = np.isfinite(experts) & np.isfinite(judge)
    others = judged.judges[0][:, 0, 0]
    alone = np.isfinite(others)
    scenes = np.arange(len(experts) + len(others))
    of = (experts[both], judge[both], scenes[: len(experts)][both], others[alone], scenes[len(experts) :][alone])
    return or_undefined(prediction_powered_mean, *of)


def strength(random: np.random.Generator, models: int, scenes: int) -> Found:
    """The strength of the first of so many models, by a vote on each pair in each scene; scenes favour some models."""
    strengths = np.linspace(-0.5, 0.5, models) + random.normal(0, 0.5, (scenes, models))
    one, other = np.triu_indices(models, 1)
    wins = random.random((scenes, len(one))) < 1 / (1 + np.exp(strengths[:, other] - strengths[:, one]))
    names = np.array([f"model {number:02}" for number in range(models)])
    votes = {"scene": np.repeat(np.arange(scenes), len(one)), "one": np.tile(names[one], scenes)}
    votes |= {"other": np.tile(names[other], scenes)}
    better = np.where(wins.ravel(), votes["one"], votes["other"])
    found = or_undefined(bradley_terry, pd.DataFrame({**votes, "better": better}), Draws(1))
    if isinstance(found, Undefined):
        return found
    first = next(one for one in found if one.model == names[0])
    return Estimate(first.strength, first.interval, first.votes)


def _rater(study: Study) -> Iterator[tuple[str, Found]]:
    """Severity of the first rater, and r with the others."""
    scores = study.experts[..., 0]
    others = np.nanmean(scores[:, :, 1:], axis=2)
    both = np.isfinite(scores[:, :, 0]) & np.isfinite(others)
    scene = np.nonzero(both)[0]
    own, theirs = scores[:, :, 0][both], others[both]
    yield "severity", or_undefined(clustered_mean, own - theirs, scene)
    yield "r of a rater", or_undefined(clustered_pearson, own, theirs, scene)


def _variation(study: Study, before: pd.DataFrame, after: pd.DataFrame) -> Iterator[tuple[str, Found]]:
    """The second judge as a variation of the first, and as its repeat."""
    names = [FIRST]
    changed = changes(before[names], after[names], study.places)[FIRST]
    yield from _of("variation: ", changed, ("difference", "exact", "apart", "pearson", "icc"))
    yield from _of(
        "repeat: ", steadiness([before[names], after[names]], study.places)[FIRST], ("sd", "identical", "icc")
    )


def _mean(judged: pd.DataFrame, places: pd.DataFrame) -> Found:
    first = judged.join(places).query("model == 0")
    for one in standings(first, list(METRICS), Draws(1)):
        if one.metric == FIRST:
            none = Undefined(Message("no interval"))
            return Estimate(one.mean, none if one.low is None else Interval(one.low, one.high or 0, ""), one.items)
    raise AssertionError("the first model has a score")


def _two(found: Consistency | Undefined) -> Found:
    return found if isinstance(found, Undefined) else found.spearman_brown or Undefined(Message("not of two metrics"))


def _bare(contrast: Contrast) -> Found:
    return Estimate(contrast.difference, contrast.interval, contrast.n)


def _of(before: str, found: object, names: tuple[str, ...]) -> Iterator[tuple[str, Found]]:
    for name in names:
        yield f"{before}{name}", found if isinstance(found, Undefined) else getattr(found, name)
