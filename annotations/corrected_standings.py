"""A leaderboard of a judge that experts correct: the prediction-powered mean of each model on each metric.

Unlike the plain leaderboard (see `leaderboard`) it takes the mean over items, not over scenes: it is in items that
experts and judge meet. Its interval tells what is known of one model, and nothing of the difference between two, so
that its ranks stand without their uncertainty.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotations.corrected import CorrectedMean, corrected_leaderboard
from annotations.errors import UndefinedStatistic
from annotations.leaderboard import Standing
from annotations.rubric import RESERVED
from annotations.undefined import Undefined
from annotations.validity import Sides


@dataclass(frozen=True)
class CorrectedStandings:
    """What could be corrected, and why the rest could not."""

    standings: list[Standing]
    undefined: Mapping[tuple[str, str], Undefined]
    """By model and metric."""


def sides_of_tables(judge: str, experts: pd.DataFrame, judged: pd.DataFrame, metrics: Sequence[str]) -> Sides:
    """The two sides of tables with one row an item: `item`, `scene`, `model`, and a column for each metric."""
    of_experts, of_judge = (side.set_index("item") for side in (experts, judged))
    places = pd.concat([of_judge[["scene", "model"]], of_experts[["scene", "model"]]])
    items = places[~places.index.duplicated()].sort_index()
    expert, judged_by = (side[[*metrics]].reindex(items.index) for side in (of_experts, of_judge))
    return Sides(judge, items, expert, judged_by)


def corrected_standings(sides: Sides, metrics: Sequence[str]) -> CorrectedStandings:
    """All models on each of the metrics, and overall, the best first.

    Raises UndefinedStatistic, with the reasons, where no mean can be corrected.
    """
    standings: list[Standing] = []
    undefined: dict[tuple[str, str], Undefined] = {}
    for name, of in (*((metric, (metric,)) for metric in metrics), (RESERVED, tuple(metrics))):
        found, missing = _means(sides, of)
        standings += _ranked(name, found, sides, of)
        undefined |= {(model, name): reason for model, reason in missing.items()}
    if not standings:
        raise UndefinedStatistic("; ".join(dict.fromkeys(one.reason for one in undefined.values())))
    return CorrectedStandings(standings, undefined)


def _means(sides: Sides, metrics: Sequence[str]) -> tuple[dict[str, CorrectedMean], dict[str, Undefined]]:
    try:
        board = corrected_leaderboard(sides, metrics)
    except UndefinedStatistic as error:
        return {}, {model: Undefined(str(error)) for model in map(str, sides.items["model"].unique())}
    means = {model: of.corrected for model, of in board.items()}
    return (
        {model: mean for model, mean in means.items() if isinstance(mean, CorrectedMean)},
        {model: mean for model, mean in means.items() if isinstance(mean, Undefined)},
    )


def _ranked(name: str, means: Mapping[str, CorrectedMean], sides: Sides, of: Sequence[str]) -> Iterator[Standing]:
    judged = sides.means(of).dropna(subset=["judge"])
    scenes = judged.groupby("model", observed=True)["scene"].nunique()
    for model, mean in sorted(means.items(), key=lambda one: (-one[1].estimate, one[0])):
        yield Standing(
            model=model,
            metric=name,
            mean=mean.estimate,
            sd=None,
            low=mean.low,
            high=mean.high,
            rank=1 + sum(other.estimate > mean.estimate for other in means.values()),
            best_rank=None,
            worst_rank=None,
            first=None,
            scenes=int(scenes[model]),
            items=mean.labelled + mean.unlabelled,
        )
