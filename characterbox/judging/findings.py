"""What the experiments on a judge have shown, by the ratings that are stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotations.comparing import Comparison, compare
from annotations.errors import UndefinedStatistic
from annotations.improvised import judge_called
from annotations.messages import Message
from annotations.rating import places_of
from annotations.rubric import load_rubric
from annotations.undefined import Undefined, or_undefined
from annotations.validity import OVERALL, Sides
from annotations.variations import Change, HaloContrast, Steadiness, changes, halo_contrast, steadiness, table_of
from characterbox.judging.verdict import filed_as
from characterbox.play.paths import JUDGES, judge_and_work
from characterbox.store import Store

_REPEAT = "repeat "


@dataclass(frozen=True)
class Findings:
    """The variations of a judge beside the judge itself."""

    judge: str
    items: int
    """Trajectories that the judge scored, and a variation too."""
    scenes: int
    changes: Mapping[str, Mapping[str, Change | Undefined]]
    """By variation, then by metric; that of a repeat is what chance alone does."""
    halo: HaloContrast | Undefined | None
    """None where replies were not varied."""
    steadiness: Mapping[str, Steadiness | Undefined]
    """By metric; empty without repeats."""
    validity: Mapping[str, Comparison | Undefined]
    """By variation, r with the experts' means, the variation first and the judge itself second; empty without experts.
    """
    improvised: bool
    """Whether any of it was made without a language model, and is no result."""
    judged_by_rehearsal: bool
    """Whether that is so of what the judge said."""

    @property
    def called(self) -> str:
        """The judge as people read of it."""
        return judge_called(self.judge, self.judged_by_rehearsal)


def tried_judges(store: Store) -> list[str]:
    """The judges on which there are experiments."""
    return list(dict.fromkeys(judge for judge, _ in store.ratings.tried()))


def findings(store: Store, judge: str, stories: Sequence[str] | None = None) -> Findings:
    """What is found of a judge (named as a rater) on all stories, or on some.

    Raises UndefinedStatistic where nothing was tried.
    """
    frame = store.ratings.trials(judge)
    if stories is not None:
        frame = frame[frame["owner"].isin(stories)]
    if frame.empty:
        raise UndefinedStatistic(Message("there is no experiment on {judge}", judge=judge))
    counted = store.ratings.frame(sorted(frame["item"].unique()))
    own = counted[(counted["kind"] == "judge") & (counted["rater"] == judge)]
    metrics = list(load_rubric().keys)
    before = table_of(own, metrics)
    tried = {str(name): table_of(part, metrics) for name, part in frame.groupby("rater", sort=True)}
    places = places_of(frame)
    repeats = [table for name, table in tried.items() if name.startswith(_REPEAT)]
    of_stories = sorted(frame["owner"].unique())
    judged_by_rehearsal = _judged_by_rehearsal(store, judge, [*tried], of_stories)
    played_by_rehearsal = any(casting.improvised for casting in store.stories.castings(of_stories).values())
    return Findings(
        judge,
        items=len(places),
        scenes=places["scene"].nunique(),
        changes={name: changes(before.reindex(table.index), table, places) for name, table in tried.items()},
        halo=_halo(before, tried, places),
        steadiness=steadiness([before, *repeats], places) if repeats else {},
        validity=_validity(counted, before, tried, metrics),
        improvised=judged_by_rehearsal or played_by_rehearsal,
        judged_by_rehearsal=judged_by_rehearsal,
    )


def _halo(
    before: pd.DataFrame, tried: Mapping[str, pd.DataFrame], places: pd.DataFrame
) -> HaloContrast | Undefined | None:
    if "each" in tried:
        return or_undefined(halo_contrast, before, tried["each"], places)
    return or_undefined(halo_contrast, tried["one"], before, places) if "one" in tried else None


def _validity(
    counted: pd.DataFrame, before: pd.DataFrame, tried: Mapping[str, pd.DataFrame], metrics: Sequence[str]
) -> dict[str, Comparison | Undefined]:
    experts = counted[(counted["kind"] == "expert") & counted["score"].notna()]
    if experts.empty:
        return {}
    means = experts.pivot_table(index="item", columns="metric", values="score", aggfunc="mean")
    expected, places = means.reindex(columns=list(metrics)), places_of(counted)
    sides = {name: Sides(name, places, expected, table) for name, table in ((OVERALL, before), *tried.items())}
    own = sides.pop(OVERALL)
    return {name: or_undefined(compare, (one, own), metrics) for name, one in sides.items()}


def _judged_by_rehearsal(store: Store, judge: str, tried: Sequence[str], stories: Sequence[str]) -> bool:
    own = {filed_as(judge, variation) for variation in (None, *tried)}
    said = store.stories.reply_paths(stories, JUDGES, rehearsed=True)
    return any(judge_and_work(path)[0] in own for _, path in said)
