"""How well models narrate: Grice's maxims by kind of step (paper, section 6.5 and figure 3).

A narrator's score on a maxim is the mean over its stories. Stories of one scene resemble each other, so that its
interval takes scenes as drawn (see `annotations.resampling.jackknife`), and those who play the characters as they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotations.errors import Undefined
from annotations.resampling.clustered import clustered_mean
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import Metric, NarratorStep


@dataclass(frozen=True)
class NarratorScore:
    """A narrator on one maxim, in one kind of step or all of them."""

    narrator: str
    step: NarratorStep | None
    """None for all that it decided: the mean over the kinds of a story where they were scored by themselves."""
    maxim: str
    """A key of the rubric `narrator`."""
    mean: float
    interval: Interval | Undefined
    stories: int
    scenes: int
    players: int
    """How many different models, or casts of them, play the characters."""


def narrator_scores(stories: pd.DataFrame, metrics: Iterable[Metric]) -> list[NarratorScore]:
    """The scores of all narrators, all steps first, then kind by kind; the narrators in the order of the alphabet.

    `stories` has one row a story: `narrator`, `scene`, `players` and a column for each of the metrics, NaN where none
    was given. A story counts for what it has a score of.
    """
    columns = _columns(metrics)
    return [
        score
        for (step, maxim), keys in columns.items()
        for narrator, rows in stories.groupby("narrator", observed=True, sort=True)
        for score in _scores((str(narrator), step, maxim), rows, keys)
    ]


def _columns(metrics: Iterable[Metric]) -> dict[tuple[NarratorStep | None, str], list[str]]:
    """The metrics that make each figure: all kinds of step together, then each by itself."""
    whole: dict[tuple[NarratorStep | None, str], list[str]] = {}
    by_step: dict[tuple[NarratorStep | None, str], list[str]] = {}
    for metric in metrics:
        if metric.of is None:
            whole[None, metric.key] = [metric.key]
        else:
            whole.setdefault((None, metric.of.metric), []).append(metric.key)
            by_step[metric.of.step, metric.of.metric] = [metric.key]
    return whole | by_step


def _scores(
    of: tuple[str, NarratorStep | None, str], rows: pd.DataFrame, keys: Sequence[str]
) -> Iterator[NarratorScore]:
    """The score, where any story has one."""
    values = rows[[*keys]].mean(axis=1)
    given = rows.assign(value=values).dropna(subset=["value"])
    if given.empty:
        return
    scene, scenes = pd.factorize(given["scene"])
    found = clustered_mean(given["value"].to_numpy(float), scene)
    players = given["players"].nunique()
    yield NarratorScore(*of, found.estimate, found.interval, len(given), len(scenes), players)


def steps_of(scores: Iterable[NarratorScore]) -> list[NarratorStep | None]:
    """The kinds of step that there are scores of, in their order."""
    return list(dict.fromkeys(score.step for score in scores))


def by_narrator(
    scores: Iterable[NarratorScore], step: NarratorStep | None
) -> Mapping[str, Mapping[str, NarratorScore]]:
    """The scores of one kind of step, by narrator and maxim."""
    found: dict[str, dict[str, NarratorScore]] = {}
    for score in scores:
        if score.step == step:
            found.setdefault(score.narrator, {})[score.maxim] = score
    return found
