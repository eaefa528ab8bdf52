"""What the experiments on a judge have shown, by the ratings that are stored; as text for a terminal and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import pandas as pd

from annotations.comparing import Comparison, compare
from annotations.errors import UndefinedStatistic
from annotations.estimates import Estimate
from annotations.halo import Contrast
from annotations.improvised import judge_called
from annotations.intraclass import IntraclassCorrelation
from annotations.messages import Message
from annotations.rating import places_of
from annotations.resampling import Interval
from annotations.rubric import load_rubric
from annotations.undefined import Undefined, or_undefined
from annotations.validity import OVERALL, Sides
from annotations.variations import Change, HaloContrast, Steadiness, changes, halo_contrast, steadiness, table_of
from characterbox.judging.provenance import DEMO_NOTE
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


_CHANGE = {"difference": "difference", "equal": "exact", "apart": "apart", "r": "pearson", "ICC(A,1)": "icc", "n": "n"}
_STEADINESS = {"SD": "sd", "identical": "identical", "ICC(1,1)": "icc", "times": "times", "n": "n"}
_VALIDITY = {"r, varied": "first_r", "r, as it is": "second_r", "difference": "difference", "n": "n"}
"""The columns of the tables, with the names of their figures."""


def as_json(found: Findings) -> dict[str, Any]:
    """All figures, ready for `json.dumps`; what is undefined is `{"undefined": reason}`."""
    return {"note": DEMO_NOTE if found.improvised else None, "judged_by": found.called, **_json(found)}


def as_text(found: Findings) -> str:
    """Aligned tables for a terminal."""
    heading = f"Experiments on {found.called}: {found.items:,} items, {found.scenes:,} scenes"
    parts = [heading, *([DEMO_NOTE] if found.improvised else [])]
    parts += [_figures(variation, _CHANGE, by_metric) for variation, by_metric in found.changes.items()]
    if found.steadiness:
        parts.append(_figures("repeats", _STEADINESS, found.steadiness))
    if isinstance(found.halo, Undefined):
        parts.append(f"halo: {_cell(found.halo)}")
    elif found.halo is not None:
        rows = (
            ("halo", "one reply", "a reply for each", "difference", "n"),
            ("mean r between metrics", *_contrast(found.halo.correlation)),
            ("Cronbach's alpha", *_contrast(found.halo.alpha)),
        )
        parts.append(f"{_table(rows)}\n{found.halo.verdict}")
    if found.validity:
        parts.append(_figures("validity", _VALIDITY, found.validity))
    return "\n\n".join([*parts, *(f"no interval: {reason}" for reason in dict.fromkeys(_missing(found)))])


def _missing(value: object) -> Iterator[str]:
    """Why there is no interval where there is none."""
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        if isinstance(undefined := value.get("interval"), Undefined):
            yield undefined.reason
        for one in value.values():
            yield from _missing(one)


def _figures(heading: str, columns: Mapping[str, str], found: Mapping[str, Any]) -> str:
    """A table with a row for each of what is found; of what is undefined, the reason goes over all columns."""
    rows = [
        (name, _cell(one))
        if isinstance(one, Undefined)
        else (name, *(_cell(getattr(one, of)) for of in columns.values()))
        for name, one in found.items()
    ]
    return _table([(heading, *columns), *rows])


def _contrast(found: Contrast) -> Sequence[str]:
    return (f"{found.first:z.2f}", f"{found.second:z.2f}", _figure(found.difference, found.interval), str(found.n))


def _cell(found: Estimate | IntraclassCorrelation | Undefined | int) -> str:
    if isinstance(found, Undefined):
        return f"undefined: {found.reason}"
    return str(found) if isinstance(found, int) else _figure(found.estimate, found.interval)


def _figure(estimate: float, interval: Interval | Undefined) -> str:
    limits = "[no interval]" if isinstance(interval, Undefined) else f"[{interval.low:z.2f}, {interval.high:z.2f}]"
    return f"{estimate:z.2f} {limits}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """In columns; a reason goes over all that follow."""
    whole = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[at]) for row in whole) for at in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _json(value: object) -> Any:
    if isinstance(value, Undefined):
        return {"undefined": value.reason}
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _json(one) for key, one in value.items()}
    return [_json(one) for one in value] if isinstance(value, (list, tuple)) else value


def _judged_by_rehearsal(store: Store, judge: str, tried: Sequence[str], stories: Sequence[str]) -> bool:
    own = {filed_as(judge, variation) for variation in (None, *tried)}
    said = store.stories.reply_paths(stories, JUDGES, rehearsed=True)
    return any(judge_and_work(path)[0] in own for _, path in said)
