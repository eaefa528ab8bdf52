"""Which model is better, by votes on pairs: the model of Bradley & Terry (1952), by maximum likelihood.

Each model has a strength, and the log odds that it is held to be better than another are the difference of both
strengths. Only differences count, so that the strengths have mean 0. A tie is half a win for each, which comes close to
models that have ties of their own (Turner & Firth, 2012, section 7.1): what is foretold are shares of points, half a
point for a tie. There are finite strengths only where, however the models are parted in two groups, each group has won
a point against the other (Ford, 1957); where that is not so, nothing is added to make them finite.

Intervals come from leaving out scenes, and ranks from drawing them anew, as on the leaderboard: votes on one scene
depend on each other. Those of one rater may, too, and are taken as independent.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from annotations.errors import RatingError, Undefined, UndefinedStatistic
from annotations.i18n.messages import Message, listed
from annotations.leaderboard.standings import ranks_in
from annotations.resampling.draws import MOST_UNDEFINED_DRAWS, USUAL_DRAWS, Draws, scene_counts
from annotations.resampling.estimates import enough_cases, errors, interval_of
from annotations.resampling.jackknife import FEWEST_CLUSTERS, PLAIN, USUAL, Floats, Interval

COLUMNS = ("scene", "one", "other", "better")
_STEPS = 500
_CLOSE = 1e-10
"""A step of no more than this, in log odds, is the last."""


@dataclass(frozen=True)
class Tally:
    """How often each model was held to be better than each other one."""

    models: tuple[str, ...]
    won: NDArray[np.int64]
    """Row over column."""
    tied: NDArray[np.int64]
    """Symmetric."""
    scenes: int
    votes: int

    @property
    def points(self) -> Floats:
        """Wins, and half of the ties: row over column."""
        return np.asarray(self.won + self.tied / 2, dtype=float)


@dataclass(frozen=True)
class Strength:
    """How one model stands among those that it was compared with."""

    model: str
    strength: float
    """Log odds of being held better than a model of the mean strength."""
    interval: Interval | Undefined
    """95 % of the strength, by the jackknife over scenes."""
    rank: int
    """1 is the best; models with equal strengths share the better rank."""
    best_rank: int | None
    worst_rank: int | None
    """Between which ranks the model lies in 95 % of the draws; None where draws don't determine it."""
    first: float | None
    """The share of draws in which no other model is stronger."""
    won: int
    lost: int
    tied: int
    scenes: int

    @property
    def votes(self) -> int:
        """On this model."""
        return self.won + self.lost + self.tied

    @property
    def win_rate(self) -> float:
        """The share of points to be expected against a model of the mean strength, from 0 to 1."""
        return float(expit(self.strength))

    @property
    def win_rate_interval(self) -> Interval | Undefined:
        """95 % of the win rate."""
        if isinstance(self.interval, Undefined):
            return self.interval
        low, high = map(float, expit([self.interval.low, self.interval.high]))
        return replace(self.interval, low=low, high=high)


def tally(votes: pd.DataFrame) -> Tally:
    """The votes by pairs of models.

    `votes` has the columns `COLUMNS`: the scene, the two models, and which of them is better, None for a tie.
    Raises UndefinedStatistic where there is no vote, RatingError for a vote that is not on two models.
    """
    places, counted = _counted(votes)
    won, tied = counted.sum(axis=1)
    return Tally(places.models, won, tied, places.scenes, len(votes))


def bradley_terry(votes: pd.DataFrame, draws: Draws = USUAL_DRAWS) -> list[Strength]:
    """How the models stand, the strongest first; `votes` as `tally` takes them, and of `draws` draws and seed count.

    Raises UndefinedStatistic where the votes do not determine all strengths, with the reason: then those of each of the
    groups of `comparable` are determined. Raises RatingError as `tally` does.
    """
    places, counted = _counted(votes)
    whole = tally(votes)
    if (reason := _apart(whole)) is not None:
        raise UndefinedStatistic(reason)
    by_scene = (counted[0] + counted[1] / 2).reshape(places.scenes, -1)
    [strengths] = _strengths(whole.points[None])
    drawn = _drawn(by_scene, strengths, draws)
    seen = counted.sum(axis=0)
    scenes = ((seen + seen.swapaxes(1, 2)).sum(axis=2) > 0).sum(axis=0)
    votes_on = (whole.points + whole.points.T).sum(axis=0)
    found = [
        Strength(
            model=model,
            strength=float(strengths[place]),
            interval=enough_cases(drawn.intervals[place], int(votes_on[place])),
            rank=1 + int((strengths > strengths[place] + _CLOSE).sum()),
            best_rank=drawn.ranks[place][0] if drawn.ranks else None,
            worst_rank=drawn.ranks[place][1] if drawn.ranks else None,
            first=drawn.first[place] if drawn.ranks else None,
            won=int(whole.won[place].sum()),
            lost=int(whole.won[:, place].sum()),
            tied=int(whole.tied[place].sum()),
            scenes=int(scenes[place]),
        )
        for place, model in enumerate(whole.models)
    ]
    return sorted(found, key=lambda one: (one.rank, one.model))


def comparable(found: Tally) -> list[tuple[str, ...]]:
    """The models in groups within which the votes determine all strengths, the larger groups first.

    What a group has won and lost against others takes nothing from that: the strengths between them only move apart.
    """
    _, group = connected_components(found.points > 0, connection="strong")
    members = [tuple(np.array(found.models, dtype=object)[group == one]) for one in np.unique(group)]
    return sorted(members, key=lambda models: (-len(models), models))


@dataclass(frozen=True)
class _Places:
    models: tuple[str, ...]
    scenes: int


def _counted(votes: pd.DataFrame) -> tuple[_Places, NDArray[np.int64]]:
    """How often each model won against each other one, and how often they tied: 2 x scenes x models x models."""
    if votes.empty:
        raise UndefinedStatistic("there are no votes")
    models = np.unique(votes[["one", "other"]].to_numpy(dtype=str))
    one, other = (np.searchsorted(models, votes[column].to_numpy(dtype=str)) for column in ("one", "other"))
    tie = votes["better"].isna().to_numpy()
    first, second = (((votes["better"] == votes[column]) & ~tie).to_numpy() for column in ("one", "other"))
    if (one == other).any() or not (tie | first | second).all():
        raise RatingError("votes: each vote must compare two different models, and better must be one of them or empty")
    scene, names = pd.factorize(votes["scene"], sort=True)
    counted = np.zeros((2, len(names), len(models), len(models)), dtype=np.int64)
    better, worse = np.where(second, other, one), np.where(second, one, other)
    np.add.at(counted[0], (scene[~tie], better[~tie], worse[~tie]), 1)
    for row, column in ((one, other), (other, one)):
        np.add.at(counted[1], (scene[tie], row[tie], column[tie]), 1)
    return _Places(tuple(map(str, models)), len(names)), counted


def _apart(found: Tally) -> Message | None:
    """Why the votes do not determine how all the models stand to each other; None where they do."""
    linked, points = found.points > 0, found.points
    parts, part = connected_components(linked, connection="weak")
    if parts > 1:
        mine = part == part[0]
        return Message(
            "{models} were never compared with {others}, neither directly nor through other models",
            models=_named(found.models, mine),
            others=_named(found.models, ~mine),
        )
    groups, group = connected_components(linked, connection="strong")
    if groups == 1:
        return None
    above = next(group == one for one in range(groups) if not points[np.ix_(group != one, group == one)].any())
    return Message(
        "{models} won every vote against {others}, so the difference in strength has no finite estimate",
        models=_named(found.models, above),
        others=_named(found.models, ~above),
    )


def _named(models: tuple[str, ...], which: NDArray[np.bool_]) -> Message:
    return listed(model for model, there in zip(models, which, strict=True) if there)


@dataclass(frozen=True)
class _Drawn:
    intervals: list[Interval | Undefined]
    ranks: list[tuple[int, int]]
    """The best and the worst of each model in 95 % of the draws; empty where too few draws determine the strengths."""
    first: list[float]


def _drawn(by_scene: Floats, strengths: Floats, draws: Draws) -> _Drawn:
    """What leaving out scenes, and drawing them anew, says of these strengths; `by_scene` are the points (scenes x
    pairs)."""
    scenes, models = len(by_scene), len(strengths)

    def figures(counts: Floats) -> Floats:
        return _strengths((counts @ by_scene).reshape(-1, models, models)).T

    places, votes = pd.DataFrame({"scene": range(scenes)}), int(by_scene.sum())
    of_strengths = errors(places, figures, USUAL, [PLAIN] * models, items=votes)
    ranges = [interval_of(error) for error in of_strengths]
    if scenes < FEWEST_CLUSTERS:
        return _Drawn(ranges, [], [])
    values = figures(scene_counts(scenes, draws).T).T
    known = values[np.isfinite(values).all(axis=1)]
    if len(known) < len(values) * (1 - MOST_UNDEFINED_DRAWS):
        return _Drawn(ranges, [], [])
    ranks = ranks_in(known)
    return _Drawn(
        ranges,
        [(int(best), int(worst)) for best, worst in zip(ranks.best, ranks.worst, strict=True)],
        [float(share) for share in ranks.first],
    )


def _strengths(points: Floats) -> Floats:
    """The strengths of the models in each draw (draws x models), by points (draws x models x models).

    NaN where no finite ones make the draw most likely.
    """
    found = np.full(points.shape[:2], np.nan)
    solvable = _all_linked(points)
    found[solvable] = _most_likely(points[solvable])
    return found


def _all_linked(points: Floats) -> NDArray[np.bool_]:
    """Whether in a draw every model has points against every other one, directly or through others."""
    models = points.shape[1]
    reached = (points > 0) | np.eye(models, dtype=bool)
    for _ in range(max(models - 1, 1).bit_length()):  # each time ways of twice the length
        steps = reached.astype(np.float32)
        reached = steps @ steps > 0
    return np.asarray(reached.all(axis=(1, 2)), dtype=bool)


def _most_likely(points: Floats) -> Floats:
    """Newton's steps, shortened so that they lead to the maximum from anywhere (Sun & Tran-Dinh, 2019, section 3)."""
    draws, models = points.shape[:2]
    met, own = points + points.swapaxes(1, 2), points.sum(axis=2)
    at, there, diagonal = np.zeros((draws, models)), np.zeros(draws, dtype=bool), np.arange(models)
    for _ in range(_STEPS):
        rate = expit(at[:, :, None] - at[:, None, :])
        weight = met * rate * (1 - rate)
        curve = 1 / models - weight
        curve[:, diagonal, diagonal] += weight.sum(axis=2)
        step = np.linalg.solve(curve, (own - (met * rate).sum(axis=2))[:, :, None])[:, :, 0]
        width = np.ptp(step, axis=1)
        if (there := width < _CLOSE).all():
            break
        at += step * np.divide(np.log1p(width), width, out=np.ones(draws), where=width > 0)[:, None]
    return np.where(there[:, None], at, np.nan)
