"""Validity: does a judge order the items as the experts do?

Per judge and metric, Pearson's r between the judge's score of an item and the mean of the experts' scores of that item
(paper, section 6.3, table 3), with every item counting once.

The interval takes scenes as drawn (see `annotations.resampling.jackknife`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, to_say
from annotations.marking.rating import Dropped, improvised_judges, judge_called, places_of
from annotations.reliability.pingouin_check import confirmed_pearson
from annotations.resampling.estimates import Estimate, errors, interval_of, without_each
from annotations.resampling.jackknife import CORRELATION, USUAL, Drawn, Error, Figures, Floats, Scale
from annotations.validity.pearson import fisher_error, pearson_figures

RATED_OVERALL = to_say("overall: the overall score given directly by raters and judge, treated as another metric")
ROW_MEAN_OVERALL = to_say("overall: each item's mean over the metrics, both for the judge and for the experts' mean")

OVERALL = "overall"
TOO_FEW = to_say("r needs at least {fewest} items scored by the experts and {judge}; found {n}")


@dataclass(frozen=True)
class Correlation(Estimate):
    """Pearson's r; n counts the items with a score from both sides.

    Fisher's interval takes the items as independent.
    """

    scenes: int
    models: int
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, eq=False)
class Sides:
    """What the experts and one judge gave, as tables of item x metric; NaN where a side has no score."""

    judge: str
    items: pd.DataFrame
    """The scene and model of each item; also its language, and the length of its text, where the ratings tell."""
    experts: pd.DataFrame
    """The means of their scores."""
    judged: pd.DataFrame
    improvised: bool = False
    """Whether the rehearsal gave some of the judge's scores."""
    name: Readable | None = None
    """What sentences call it instead, where it is no judge (see `annotations.validity.baselines`)."""
    ratings: pd.DataFrame | None = field(default=None, repr=False)
    """The experts' own ratings, where they are at hand."""
    _known: dict[tuple[str, ...], pd.DataFrame] = field(init=False, default_factory=dict, repr=False)
    """Means that were asked for before."""
    _paired: dict[tuple[str, ...], pd.DataFrame] = field(init=False, default_factory=dict, repr=False)

    @property
    def called(self) -> Readable:
        """The judge as sentences name it."""
        return judge_called(self.judge, self.improvised) if self.name is None else self.name

    def without_each(self) -> list["Sides"]:
        """The judge beside the others of the experts, once without each of them; nothing where only their means are
        known."""
        return self._without_each

    @cached_property
    def _without_each(self) -> list["Sides"]:
        if self.ratings is None:
            return []
        raters = sorted(self.ratings["rater"].unique())
        return [self._beside(self.ratings[self.ratings["rater"] != rater]) for rater in raters]

    def _beside(self, ratings: pd.DataFrame) -> "Sides":
        return replace(self, experts=_table(ratings, self.items), ratings=ratings)

    def means(self, metrics: Sequence[str]) -> pd.DataFrame:
        """Per item its mean over `metrics` on both sides: item, the columns of `items`, expert, judge; NaN where one is
        missing. It is shared: nobody may change it.

        Sorted by item, so that the order of the ratings never matters.
        """
        if (known := self._known.get(tuple(metrics))) is not None:
            return known
        expert, judged = (scores_on(side, metrics) for side in (self.experts, self.judged))
        given = [np.isfinite(side).any(axis=1) for side in (expert, judged)]
        means = {"expert": expert.mean(axis=1), "judge": judged.mean(axis=1)}
        self._known[tuple(metrics)] = found = self.items.assign(**means)[given[0] | given[1]].reset_index()
        return found

    def pairs(self, metrics: Sequence[str]) -> pd.DataFrame:
        """Those of the means that both sides have. It is shared: nobody may change it."""
        if (known := self._paired.get(tuple(metrics))) is not None:
            return known
        self._paired[tuple(metrics)] = found = _both_sides(self.means(metrics))
        return found


def scores_on(side: pd.DataFrame, metrics: Sequence[str]) -> Floats:
    """The scores of a side on these metrics (items x metrics); NaN where there is no such column."""
    blank = np.full(len(side), np.nan)
    return np.stack([side[name].to_numpy(dtype=float) if name in side else blank for name in metrics], axis=1)


def sides_of(frame: pd.DataFrame, judges: Sequence[str]) -> dict[str, Sides]:
    """The experts beside each of these judges."""
    scored = frame[frame["score"].notna()]
    items = places_of(scored)
    ratings = scored[scored["kind"] == "expert"]
    experts = _table(ratings, items)
    judged, improvised = scored[scored["kind"] == "judge"], improvised_judges(frame)
    return {
        judge: Sides(
            judge,
            items,
            experts,
            _table(judged[judged["rater"] == judge], items),
            judge in improvised,
            ratings=ratings,
        )
        for judge in judges
    }


def paired_means(frame: pd.DataFrame, judge: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Each item's mean over `metrics`, of items that both sides scored on all: item, scene, model, expert, judge.

    This is the data of a scatter plot.
    """
    pairs = sides_of(frame, [judge])[judge].pairs(metrics)
    return pairs.astype(dict.fromkeys(("item", "scene", "model"), "str"))


def correlate(sides: Sides, metric: str, drawn: Drawn = USUAL) -> Correlation:
    """How the judge's scores for `metric` go with the experts'. Raises UndefinedStatistic with the reason.

    Items that only one side scored are left out and listed as dropped.
    """
    return _correlation(sides, [metric], metric, drawn)


def correlate_overall(sides: Sides, metrics: Sequence[str], drawn: Drawn = USUAL) -> Correlation:
    """The same for each item's mean over `metrics` (`ROW_MEAN_OVERALL`), of items that both sides scored on all."""
    return _correlation(sides, metrics, OVERALL, drawn)


def both_scores(pairs: pd.DataFrame) -> tuple[Floats, Floats]:
    """The experts' and the judge's scores of some pairs."""
    return pairs["expert"].to_numpy(dtype=float), pairs["judge"].to_numpy(dtype=float)


def paired_scores(sides: Sides, metrics: Sequence[str], fewest: int, few: str) -> pd.DataFrame:
    """Each item's mean over `metrics`, of items that both sides scored on all: item, scene, model, expert, judge.

    Raises UndefinedStatistic with the message `few` for fewer than `fewest`.
    """
    return _enough(sides.pairs(metrics), sides, fewest, few)


def varying_scores(sides: Sides, metrics: Sequence[str], fewest: int, few: str) -> pd.DataFrame:
    """The same; raises UndefinedStatistic also where a side does not vary."""
    return varying(sides.pairs(metrics), sides, fewest, few)


def varying(pairs: pd.DataFrame, sides: Sides, fewest: int, few: str) -> pd.DataFrame:
    """The same of some of the pairs."""
    _enough(pairs, sides, fewest, few)
    expert, judged = both_scores(pairs)
    check_varies(expert, Message("the experts"))
    check_varies(judged, sides.called)
    return pairs


def _enough(pairs: pd.DataFrame, sides: Sides, fewest: int, few: str) -> pd.DataFrame:
    if len(pairs) < fewest:
        raise UndefinedStatistic(few, fewest=fewest, judge=sides.called, n=len(pairs))
    return pairs


def check_varies(scores: Floats, rater: Readable) -> None:
    """Raises UndefinedStatistic where a rater, or the mean of several, gave all items the same score."""
    if np.isclose(np.ptp(scores), 0):
        raise UndefinedStatistic(
            "{rater} gave all {n:,} items the same score, {score:g}", rater=rater, n=len(scores), score=scores[0]
        )


@dataclass(frozen=True, eq=False)
class Paired:
    """A judge's and the experts' pairs of scores, and how they are found beside other experts."""

    sides: Sides
    pairs_of: Callable[[Sides], pd.DataFrame]
    """It may raise UndefinedStatistic where there are too few; else there may be none."""

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Beside all experts."""
        return self.pairs_of(self.sides)


def errors_of_pairs(
    paired: Paired, figures: Callable[[pd.DataFrame], Figures], drawn: Drawn, scales: Sequence[Scale]
) -> list[Error | Undefined]:
    """The error of each of the `figures` of a judge's and the experts' pairs of scores, or why it has none."""

    def beside(others: Sides) -> tuple[Figures, int]:
        kept = paired.pairs_of(others)
        return figures(kept), len(kept)

    by_expert = without_each(paired.sides.without_each, beside, len(scales))
    return errors(paired.pairs, figures(paired.pairs), drawn, scales, by_expert)


def error_of_r(
    paired: Paired,
    figure: Callable[[pd.DataFrame], Figures],
    drawn: Drawn,
    independent: tuple[float, int] | None = None,
) -> Error | Undefined:
    """The error of the only `figure`, a correlation (see `errors_of_pairs`).

    Where items are taken as independent it is Fisher's, of `independent`: r, and as how many pairs it is as good.
    """
    if drawn == "independent items" and independent is not None:
        return or_undefined(fisher_error, *independent)
    [error] = errors_of_pairs(paired, figure, drawn, [CORRELATION])
    return error


def r_of_pairs(pairs: pd.DataFrame) -> Figures:
    """Pearson's r of the experts and the judge as the only figure."""
    return pearson_figures(*both_scores(pairs))


def confirmed_r(expert: Floats, judged: Floats) -> float:
    """Pearson's r of scores that vary, as pingouin finds it, too."""
    return confirmed_pearson(float(np.clip(np.corrcoef(expert, judged)[0, 1], -1, 1)), expert, judged)


def r_with_error(paired: Paired, drawn: Drawn) -> tuple[float, Error]:
    """Pearson's r of pairs that vary, and its error. Raises UndefinedStatistic where it has none."""
    pairs = paired.pairs
    r = confirmed_r(*both_scores(pairs))
    error = error_of_r(paired, r_of_pairs, drawn, (r, len(pairs)))
    if isinstance(error, Undefined):
        raise UndefinedStatistic(error.reason)
    return r, error


def unpaired(sides: Sides, metrics: Sequence[str], name: str) -> tuple[Dropped, ...]:
    """The items left out of the correlation over `metrics`, which is called `name`: those one side did not score."""
    means = sides.means(metrics)
    gaps = means[means[["expert", "judge"]].isna().any(axis=1)]
    lines = zip(gaps["item"], gaps["expert"].isna(), gaps["judge"].isna(), strict=True)
    reason = Message("not paired")
    from_whom = {
        (True, True): Message("no score from the experts and the judge"),
        (True, False): Message("no score from the experts"),
        (False, True): Message("no score from the judge"),
    }
    return tuple(
        Dropped(str(item), name, sides.judge, reason, from_whom[expert, judged]) for item, expert, judged in lines
    )


def _table(ratings: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """The mean score by item and metric; without a column where nobody of this side scored anything."""
    if ratings.empty:  # pandas 3.1 can't look up more than 126 categories among none of them
        return pd.DataFrame(index=items.index, dtype=float)
    return ratings.groupby(["item", "metric"])["score"].mean().unstack().reindex(items.index)


def _both_sides(sides: pd.DataFrame) -> pd.DataFrame:
    both = sides[["expert", "judge"]].notna().all(axis=1)
    return sides if both.all() else sides[both].reset_index(drop=True)


def _correlation(sides: Sides, metrics: Sequence[str], name: str, drawn: Drawn) -> Correlation:
    paired = Paired(sides, lambda beside: beside.pairs(metrics))
    pairs = paired.pairs
    n = len(pairs)
    if n < 3:
        raise UndefinedStatistic(
            "a correlation needs at least 3 items scored by the experts and {judge}; found {n}",
            judge=sides.called,
            n=n,
        )
    expert, judged = both_scores(pairs)
    for rater, scores in ((Message("the experts"), expert), (sides.called, judged)):
        if np.isclose(np.ptp(scores), 0):
            raise UndefinedStatistic(
                "{rater} gave all {n:,} items the same score, {score:g}, on {metric}",
                rater=rater,
                n=n,
                score=scores[0],
                metric=Message(OVERALL) if name == OVERALL else name,
            )
    pearson = confirmed_r(expert, judged)
    return Correlation(
        pearson,
        interval_of(error_of_r(paired, r_of_pairs, drawn, (pearson, n))),
        n,
        scenes=pairs["scene"].nunique(),
        models=pairs["model"].nunique(),
        dropped=unpaired(sides, metrics, name),
    )
