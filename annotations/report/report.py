"""All statistics of a table of ratings in one report: reliability, validity, and what had to be left out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import Any

import pandas as pd

from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message, Readable, listed, to_say
from annotations.marking.rating import (
    Dropped,
    check_frame,
    improvised_judges,
    judge_called,
    leave_out_missing,
    leave_out_of_scale,
)
from annotations.reliability.cronbach_alpha import (
    ACROSS_METRICS,
    BETWEEN_RATERS,
    Alpha,
    IncompleteRow,
    rater_table,
    rows_left_out,
    trajectory_table,
)
from annotations.reliability.item_analysis import resampled_alpha, resampled_alpha_between
from annotations.reliability.pairwise import ALPHA_RESTS_ON, USUAL_GAPS, Gaps
from annotations.report.text import text_of
from annotations.resampling.jackknife import (
    FEWEST_CLUSTERS,
    FEWEST_EXPERTS,
    FEWEST_ITEMS,
    FEWEST_MODELS,
    USUAL,
    Drawn,
    Interval,
)
from annotations.rubrics.rubric import Rubric, load_rubric
from annotations.validity.judge_expert_correlation import (
    OVERALL,
    RATED_OVERALL,
    ROW_MEAN_OVERALL,
    Correlation,
    correlate,
    correlate_overall,
    sides_of,
    unpaired,
)

MOSTLY = 0.8
"""The share of scores that has to lie on the rubric's scale where only some of its metrics were rated: if fewer do,
another scale is more likely."""
INTERVALS: Mapping[Drawn, str] = {
    "scenes": to_say(
        "jackknife by scenes: 95 % interval of alpha or r (Student's t), for conclusions about other scenes,"
        " with models and raters fixed; none for fewer than {fewest} scenes or {items} items"
    ),
    "scenes and models": to_say(
        "jackknife by scenes and by models: 95 % interval of alpha or r (Student's t), for conclusions about"
        " other scenes and other models, with raters fixed; none for fewer than {fewest} scenes, {models}"
        " models or {items} items"
    ),
    "scenes and experts": to_say(
        "jackknife by scenes and by experts: 95 % interval of alpha or r (Student's t), for conclusions about"
        " other scenes and other experts, with models fixed; none for fewer than {fewest} scenes, {experts}"
        " experts or {items} items"
    ),
    "independent items": to_say(
        "feldt, fisher: 95 % intervals of alpha and of r; they assume independent rows or items and are too"
        " narrow if those of the same scene or model resemble each other"
    ),
}
ALL_METRICS = to_say("all metrics")
"""The one dimension of ratings that do not follow a rubric."""


@dataclass(frozen=True)
class Design:
    """What a report is computed from."""

    metrics: tuple[str, ...]
    """In the rubric's order, then by name; a rated `overall` comes last."""
    dimensions: Mapping[str, tuple[str, ...]]
    """Their metrics, by name."""
    overall: tuple[str, ...]
    """The metrics whose mean is `overall`; empty when `overall` was rated itself."""
    judges: tuple[str, ...]
    improvised: frozenset[str]
    """The judges of whose ratings the rehearsal gave some."""
    languages: tuple[str, ...]
    scale: tuple[float, float] | None
    """Its lowest and highest point; None where scores are taken as they stand."""
    drawn: Drawn
    """What intervals take as drawn."""
    gaps: Gaps
    """What Cronbach's alphas rest on."""

    def called(self, rater: str) -> Readable:
        """A judge, or an expert, as people read of it."""
        return judge_called(rater, rater in self.improvised)


@dataclass(frozen=True)
class AlphaOf:
    """Whose scores of what an alpha is of: the metrics of a dimension together, or the raters of one metric."""

    dimension: str | None = None
    metric: str | None = None
    """Either of the two."""
    language: str | None = None
    """One alone; None for the ratings of all languages."""
    judge: str | None = None
    """None for the experts. A judge's metrics are never compared with a second rater's: it has dimensions only."""


@dataclass(frozen=True)
class Report:
    """The statistics of a table of ratings. `validity` goes by judge, then metric, with `overall` last."""

    reliability: Mapping[AlphaOf, Alpha | Undefined]
    validity: Mapping[str, Mapping[str, Correlation | Undefined]]
    dropped: tuple[Dropped, ...]
    definitions: tuple[Message, ...]
    """What the names in this report stand for, in sentences."""
    design: Design

    def as_json(self) -> dict[str, Any]:
        """`{"judged_by": {judge: ...}, "reliability": [...], "validity": {judge: {metric: ...}}, "dropped": [...]}`,
        ready for `json.dumps`. `judged_by` says what each judge was: its name, or that it was the rehearsal.

        A correlation is `{"pearson", "low", "high", "n"}`, an alpha `{"dimension", "metric", "language", "judge",
        "alpha", "low", "high", "n", "items", "interval", "definition", "warning"}`; what is undefined has
        `{"undefined": reason}` in place of its figures.
        """
        return {
            "judged_by": {judge: str(self.design.called(judge)) for judge in self.design.judges},
            "reliability": [asdict(of) | _alpha_json(alpha) for of, alpha in self.reliability.items()],
            "validity": {
                judge: {metric: _correlation_json(r) for metric, r in metrics.items()}
                for judge, metrics in self.validity.items()
            },
            "dropped": [{name: value and str(value) for name, value in vars(line).items()} for line in self.dropped],
        }

    def as_text(self, cautions: Sequence[Readable] = ()) -> str:
        """Aligned tables for a terminal: estimate, interval and n, `cautions`, what was left out, the definitions."""
        dimensions, metrics = (
            [
                ((name, of.language or "", str(self.design.called(of.judge or ""))), alpha)
                for of, alpha in self.reliability.items()
                if (name := named(of)) is not None
            ]
            for named in (attrgetter("dimension"), attrgetter("metric"))
        )
        correlations = [
            ((str(self.design.called(judge)), metric), r)
            for judge, metrics in self.validity.items()
            for metric, r in metrics.items()
        ]
        return text_of(dimensions, metrics, correlations, (cautions, self.left_out()), self.definitions)

    def left_out(self) -> list[Dropped]:
        """What was dropped, with raters as people read of them."""
        called = self.design.called
        return [line if line.rater is None else replace(line, rater=called(str(line.rater))) for line in self.dropped]


def scale_of(frame: pd.DataFrame) -> tuple[int, int] | None:
    """The scale that scores must be on: the rubric's where all of its metrics were rated, or some of them and no others
    with scores that mostly lie on it; else any."""
    rubric = load_rubric()
    low, high = rubric.scale.low, rubric.scale.high
    metrics, keys, scores = set(frame["metric"]) - {OVERALL}, set(rubric.keys), frame["score"].dropna()
    some = bool(metrics) and metrics <= keys and bool(scores.between(low, high).mean() >= MOSTLY)
    return (low, high) if some or metrics >= keys else None


def design_of(
    frame: pd.DataFrame,
    rubric: Rubric | None = None,
    scale: tuple[float, float] | None = None,
    drawn: Drawn = USUAL,
    gaps: Gaps = USUAL_GAPS,
) -> Design:
    """What the statistics of these ratings are computed from; see `statistics`."""
    present = set(frame["metric"].unique())
    keys = rubric.keys if rubric is not None and present >= set(rubric.keys) else ()
    metrics = (*keys, *sorted(present - {*keys, OVERALL}))
    rated_overall = (OVERALL,) if OVERALL in present else ()
    dimensions = {ALL_METRICS: metrics or rated_overall}
    if rubric is not None and keys:
        dimensions = {dimension.name.en: dimension.metrics for dimension in rubric.dimensions}
    return Design(
        metrics=metrics + rated_overall,
        dimensions=dimensions,
        overall=() if rated_overall else keys or metrics,
        judges=tuple(sorted(frame.loc[frame["kind"] == "judge", "rater"].unique())),
        improvised=improvised_judges(frame),
        languages=tuple(sorted(frame["language"].dropna().unique())) if "language" in frame else (),
        scale=scale,
        drawn=drawn,
        gaps=gaps,
    )


def statistics(
    frame: pd.DataFrame,
    rubric: Rubric | None = None,
    scale: tuple[float, float] | None = None,
    drawn: Drawn = USUAL,
    gaps: Gaps = USUAL_GAPS,
) -> Report:
    """The reliability and validity of the ratings in `frame` (see `annotations.marking.rating` for its columns).

    Dimensions are the rubric's when the ratings cover all its metrics, else all metrics form a single one. Scores are
    taken as they stand, unless `scale` gives the lowest and highest score that count. A statistic that the ratings do
    not determine is `Undefined` in the report. Raises RatingError when `frame` is no table of ratings.
    """
    check_frame(frame)
    design = design_of(frame, rubric, scale, drawn, gaps)
    frame, dropped = leave_out_missing(frame)
    if scale is not None:
        frame, outside = leave_out_of_scale(frame, *scale)
        dropped += outside
    reliability, incomplete = _reliability(frame, design)
    validity, unmatched = _validity(frame, design)
    dropped = tuple(sorted(dropped, key=_place)) + incomplete + unmatched
    return Report(reliability, validity, dropped, _definitions(design), design)


def _reliability(frame: pd.DataFrame, design: Design) -> tuple[dict[AlphaOf, Alpha | Undefined], tuple[Dropped, ...]]:
    experts = frame[frame["kind"] == "expert"]
    alphas: dict[AlphaOf, Alpha | Undefined] = {}
    dropped: list[Dropped] = []
    for language, part in _by_language(experts, design):
        for name, metrics in design.dimensions.items():
            alphas[AlphaOf(name, language=language)] = or_undefined(_across, part, metrics, design)
        for metric in design.metrics:
            of = AlphaOf(metric=metric, language=language)
            alphas[of] = or_undefined(_between, part, metric, design)
    for metric in design.metrics:
        left_out = rows_left_out(rater_table(experts, metric), design.gaps)
        dropped += [_dropped_row(row, metric=metric) for row in left_out]
    for judge in design.judges:
        judged = frame[(frame["kind"] == "judge") & (frame["rater"] == judge)]
        for language, part in _by_language(judged, design):
            for name, metrics in design.dimensions.items():
                of = AlphaOf(name, language=language, judge=judge)
                alphas[of] = or_undefined(_across, part, metrics, design)
    for name, metrics in design.dimensions.items():
        for side in (experts, frame[frame["kind"] == "judge"]):
            left_out = rows_left_out(trajectory_table(side, metrics), design.gaps)
            dropped += [_dropped_row(row, dimension=name) for row in left_out]
    return alphas, tuple(dropped)


def _across(frame: pd.DataFrame, metrics: Sequence[str], design: Design) -> Alpha:
    return resampled_alpha(frame, metrics, design.drawn, design.gaps).chosen


def _between(frame: pd.DataFrame, metric: str, design: Design) -> Alpha:
    return resampled_alpha_between(frame, metric, design.drawn, design.gaps).chosen


def _by_language(frame: pd.DataFrame, design: Design) -> list[tuple[str | None, pd.DataFrame]]:
    """All ratings, then those of each language."""
    return [(None, frame), *((language, frame[frame["language"] == language]) for language in design.languages)]


def _validity(
    frame: pd.DataFrame, design: Design
) -> tuple[dict[str, dict[str, Correlation | Undefined]], tuple[Dropped, ...]]:
    validity: dict[str, dict[str, Correlation | Undefined]] = {}
    dropped: list[Dropped] = []
    for judge, sides in sides_of(frame, design.judges).items():
        validity[judge] = {metric: or_undefined(correlate, sides, metric, design.drawn) for metric in design.metrics}
        sources: dict[str, Sequence[str]] = {metric: (metric,) for metric in design.metrics}
        if design.overall:
            validity[judge][OVERALL] = or_undefined(correlate_overall, sides, design.overall, design.drawn)
            sources[OVERALL] = design.overall
        left_out: list[Dropped] = []
        for name, r in validity[judge].items():
            left_out += r.dropped if isinstance(r, Correlation) else unpaired(sides, sources[name], name)
        dropped += _without_repetition(left_out, len(sources))
    return validity, tuple(dropped)


def _without_repetition(dropped: Sequence[Dropped], statistics_in_all: int) -> list[Dropped]:
    """One line for an item that all statistics left out for the same reason."""
    metrics: dict[Dropped, list[str]] = {}
    for line in dropped:
        metrics.setdefault(replace(line, metric=None), []).append(str(line.metric))
    shortened: list[Dropped] = []
    for line, names in metrics.items():
        if len(names) == statistics_in_all:
            shortened.append(line)
        else:
            shortened += [replace(line, metric=name) for name in names]
    return shortened


def _dropped_row(row: IncompleteRow, *, metric: str | None = None, dimension: str | None = None) -> Dropped:
    item, rater = row.label if len(row.label) == 2 else (row.label[0], None)
    missing = listed(row.missing)
    detail = (
        Message("no score on {metrics}", metrics=missing) if rater else Message("no score by {raters}", raters=missing)
    )
    return Dropped(item, metric, rater, Message("incomplete row for alpha"), detail, dimension)


def _place(dropped: Dropped) -> tuple[str, str, str]:
    return dropped.item, str(dropped.metric), str(dropped.rater)


def _definitions(design: Design) -> tuple[Message, ...]:
    dimensions = tuple(
        Message("{name}: {metrics}", name=dimension_name(name), metrics=listed(metrics))
        for name, metrics in design.dimensions.items()
    )
    if ALL_METRICS in design.dimensions and not design.overall:
        dimensions += (Message("all metrics: without the directly rated overall score, which summarizes the others"),)
    return (
        *dimensions,
        Message("alpha of a dimension: {definition}", definition=Message(ACROSS_METRICS)),
        Message("alpha of a metric: {definition}", definition=Message(BETWEEN_RATERS)),
        Message(ALPHA_RESTS_ON[design.gaps]),
        Message(
            "pearson: Pearson's r between the judge's score of an item and the mean of the experts' scores of that item"
        ),
        Message(ROW_MEAN_OVERALL if design.overall else RATED_OVERALL),
        Message(
            INTERVALS[design.drawn],
            fewest=FEWEST_CLUSTERS,
            models=FEWEST_MODELS,
            experts=FEWEST_EXPERTS,
            items=FEWEST_ITEMS,
        ),
    )


def dimension_name(name: str) -> Message:
    """What a dimension is called."""
    if name == ALL_METRICS:
        return Message(ALL_METRICS)
    known = (dimension.name for dimension in load_rubric().dimensions if dimension.name.en == name)
    return Message("{name}", name=next(known, name))


def _alpha_json(alpha: Alpha | Undefined) -> dict[str, Any]:
    if isinstance(alpha, Undefined):
        return {"undefined": str(alpha.reason)}
    return {
        "alpha": alpha.estimate,
        **_interval_json(alpha.interval),
        "n": alpha.n,
        "items": alpha.items,
        "definition": alpha.definition,
        "warning": alpha.warning and str(alpha.warning),
    }


def _correlation_json(r: Correlation | Undefined) -> dict[str, Any]:
    if isinstance(r, Undefined):
        return {"undefined": str(r.reason)}
    return {"pearson": r.estimate, **_interval_json(r.interval), "n": r.n}


def _interval_json(interval: Interval | Undefined) -> dict[str, Any]:
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "interval": f"none: {interval.reason}"}
    return {"low": interval.low, "high": interval.high, "interval": interval.way}
