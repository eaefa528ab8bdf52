"""Experiments on a judge: the same stories judged with one thing changed, and what that has shown.

The judge itself is the baseline: its own protocol, its own replies, its own ratings, which count. Each variation
changes one setting of the protocol, or nothing but the seed (a repeat, which shows what chance alone does). It has
replies of its own in the journal, so that it is asked, and paid for, only once, and ratings of its own that count
nowhere else.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, Readable, listed, to_say
from annotations.marking.rating import judge_called, places_of
from annotations.reliability.intraclass import IntraclassCorrelation
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from annotations.validity.compare_judges import Comparison, compare
from annotations.validity.halo import Contrast
from annotations.validity.judge_expert_correlation import OVERALL, Sides
from annotations.validity.judge_variations import (
    Change,
    HaloContrast,
    Steadiness,
    changes,
    halo_contrast,
    steadiness,
    table_of,
)
from annotations.validity.repeats import TIMES
from characterbox.errors import AddressError, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.protocol import Protocol
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.judging.verdict import all_of, filed_as, place_of_judge, places_of_replies
from characterbox.llm.calls.client import Client
from characterbox.pause_reasons import Reason
from characterbox.play.paths import JUDGES, judge_and_work
from characterbox.store import Store
from characterbox.store.stories.stories import Story

CHANGES: Mapping[str, Mapping[str, str]] = {
    "each": {"replies": "each"},
    "one": {"replies": "one"},
    "direct": {"manner": "direct"},
    "critique": {"manner": "critique"},
    "shuffled": {"order": "shuffled"},
    "english": {"language": "en"},
}
"""What each variation changes in a protocol."""
REPEATS = "repeats"
TOLD: Mapping[str, str] = {
    "each": to_say("one reply per metric"),
    "one": to_say("one reply for all metrics"),
    "direct": to_say("scores only, without a critique"),
    "critique": to_say("critique first, then scores"),
    "shuffled": to_say("metrics in random order"),
    "english": to_say("English prompts for Chinese scenes"),
    REPEATS: to_say("repeat with another seed"),
}
MOST_REPEATS = 20
_APART = 1000
"""Between the seeds of two repeats: further than a reply is ever asked for again."""

OnTrial = Callable[[int], None]
"""Takes how many trials are done."""


@dataclass(frozen=True)
class Trial:
    """A story to be judged by the judge itself, or by a variation of it."""

    story: Story
    judge: Judge
    calls: int
    """Replies that are not in the journal; one that can't be read is asked for once more."""


def usual_variations(protocol: Protocol) -> list[str]:
    """What can be tried with a judge that judges by this protocol."""
    return [name for name, changed in CHANGES.items() if protocol.model_copy(update=changed) != protocol] + [REPEATS]


def variations(judge: Judge, tried: Sequence[str], repeats: int) -> list[Judge]:
    """The variations of a judge that are to be tried.

    Raises AddressError for one that changes nothing, or that there is not.
    """
    found = []
    for name in dict.fromkeys(tried):
        if name == REPEATS:
            found += [
                judge.model_copy(update={"variation": f"repeat {time}", "reseeded": _APART * time})
                for time in range(1, repeats + 1)
            ]
            continue
        if name not in TOLD:
            raise AddressError(
                "judge experiment: there is no {name}; available: {known}", name=name, known=listed(TOLD)
            )
        protocol = judge.protocol.model_copy(update=CHANGES[name])
        if protocol == judge.protocol:
            raise AddressError("judge experiment: {judge} already judges with {name}", name=name, judge=judge.rater)
        found.append(judge.model_copy(update={"variation": name, "protocol": protocol}))
    return found


def planned(store: Store, stories: Sequence[Story], judge: Judge, tried: Sequence[Judge]) -> list[Trial]:
    """What an experiment takes: on each story the judge itself, and each variation that differs there.

    Raises StoryError for a story that has not ended.
    """
    if unended := [story.id for story in stories if story.status != "ended"]:
        raise StoryError(Reason("not_ended_to_judge", id=unended[0]))
    prefix = place_of_judge(judge.rater).rstrip("/")
    known = store.stories.reply_paths([story.id for story in stories], prefix)
    rubric = load_rubric()

    def trial(story: Story, one: Judge) -> Trial:
        names, place = story.script.rated, place_of_judge(one.rater, one.variation)
        paths = [path for name in names for path in places_of_replies(place, one.protocol, name, rubric)]
        return Trial(story, one, sum((story.id, path) not in known for path in paths))

    return [trial(story, one) for story in stories for one in (judge, *tried) if _differs(story, judge, one)]


async def experiment(
    store: Store, client: Client, trials: Sequence[Trial], *, anew: bool = False, on_trial: OnTrial = lambda _: None
) -> None:
    """Have the trials made, those of one story side by side.

    What the journal has is not asked again; `anew` is as in `judge_story`. Where a trial fails, those of its story
    still come to their end, and no other story is begun. Raises as `judge_story` does.
    """
    done = 0

    async def made(trial: Trial) -> None:
        nonlocal done
        await judge_story(store, client, trial.story, trial.judge, anew=anew)
        done += 1
        on_trial(done)

    for story in dict.fromkeys(trial.story.id for trial in trials):
        await all_of(made(trial) for trial in trials if trial.story.id == story)


def _differs(story: Story, judge: Judge, one: Judge) -> bool:
    """Whether a variation asks something else on this story: English prompts do on a Chinese scene only."""
    language = story.script.scene.language
    same = one.protocol.model_copy(update={"language": judge.protocol.language}) == judge.protocol
    spoken = one.protocol.spoken(language) != judge.protocol.spoken(language)
    return one.variation is None or bool(one.reseeded) or not same or spoken


_REPEAT = "repeat "


def _varies_judge(variation: str) -> bool:
    """Whether it is the judge that was varied: it may also have judged other words of the same part."""
    return variation in TOLD or variation.startswith(_REPEAT)


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
    def called(self) -> Readable:
        """The judge as people read of it."""
        return judge_called(self.judge, self.judged_by_rehearsal)


def tried_judges(store: Store) -> list[str]:
    """The judges on which there are experiments."""
    return list(dict.fromkeys(judge for judge, tried in store.ratings.tried() if _varies_judge(tried)))


def findings(store: Store, judge: str, stories: Sequence[str] | None = None) -> Findings:
    """What is found of a judge (named as a rater) on all stories, or on some.

    Raises UndefinedStatistic where nothing was tried.
    """
    frame = store.ratings.trials(judge)
    frame = frame[frame["rater"].map(_varies_judge).astype(bool)]
    if stories is not None:
        frame = frame[frame["owner"].isin(stories)]
    if frame.empty:
        raise UndefinedStatistic("there is no judge experiment for {judge}", judge=judge)
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
    return {"note": DEMO_NOTE if found.improvised else None, "judged_by": str(found.called), **as_plain(found)}


def as_text(found: Findings) -> str:
    """Aligned tables for a terminal."""
    heading = f"Experiments on {found.called}: {found.items:,} items, {found.scenes:,} scenes"
    parts = [heading, *([DEMO_NOTE] if found.improvised else [])]
    parts += [_figures(variation, _CHANGE, by_metric) for variation, by_metric in found.changes.items()]
    if found.steadiness:
        parts += [_figures("repeats", _STEADINESS, found.steadiness), _repeats(found.steadiness)]
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
            yield str(undefined.reason)
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


def _repeats(found: Mapping[str, Steadiness | Undefined]) -> str:
    """The reliability of means of repeats, by metric."""
    rows = [
        (metric, _cell(one.repeats))
        if isinstance(one.repeats, Undefined)
        else (metric, *map(_cell, one.repeats.means), str(one.repeats.worth))
        for metric, one in found.items()
        if isinstance(one, Steadiness)
    ]
    return _table([("mean of repeats", *(f"of {times}" for times in TIMES), "worth their price"), *rows])


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


def as_plain(value: object) -> Any:
    """Figures and what holds them, ready for `json.dumps`; what is undefined is `{"undefined": reason}`."""
    if isinstance(value, Undefined):
        return {"undefined": str(value.reason)}
    if isinstance(value, Message):
        return str(value)
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_plain(one) for key, one in value.items()}
    return [as_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _judged_by_rehearsal(store: Store, judge: str, tried: Sequence[str], stories: Sequence[str]) -> bool:
    own = {filed_as(judge, variation) for variation in (None, *tried)}
    said = store.stories.reply_paths(stories, JUDGES, rehearsed=True)
    return any(judge_and_work(path)[0] in own for _, path in said)
