"""A cross-check of the narrator: a second one is asked the very prompts by which the first decided.

Whom does each action touch, and what comes of action and reaction? The second narrator changes nothing in the story;
what it replies is journaled beside it, so that it is asked once.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from annotations.errors import Undefined
from annotations.i18n.messages import Message, to_say
from annotations.reliability.intraclass import IntraclassCorrelation
from annotations.reliability.narrator_agreement import (
    AFFECTED,
    COLUMNS,
    KAPPA,
    WORDING,
    CrossCheck,
    Nominal,
    Somebody,
    Wording,
    cross_check,
)
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from characterbox.errors import ReplyError, StoryError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.judging.verdict import all_of
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, OpenDoor
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Record, Reply
from characterbox.llm.request import AGAIN, NARRATOR, Request, answer
from characterbox.pause_reasons import Reason
from characterbox.play.events import ActionInfluence, Event, InteractionResult
from characterbox.play.paths import CHECKS
from characterbox.play.replies.asked_forms import influence_forms, result_forms
from characterbox.play.replies.forms import InfluenceReply, ResultReply
from characterbox.play.replies.readers import read_influence, read_result
from characterbox.play.world import Script
from characterbox.processes.concurrency import held
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.ratings.ratings import scene_name
from characterbox.store.stories.stories import Story

Decision = ActionInfluence | InteractionResult
Row = tuple[str | int | None, ...]
"""A decision that both narrators made, in the columns of `annotations.reliability.narrator_agreement`."""
OnDecision = Callable[[int, int], object]
"""Takes how many decisions the second narrator has made, and how many it is to make."""

UNREAD_BY_FIRST = to_say("the first narrator's reply could not be read")
UNRECORDED = to_say("the first narrator's prompt is not recorded")
BY_PERSON = to_say("decided by a person")
UNREAD = to_say("the second narrator's reply could not be read")
UNASKED = to_say("the second narrator has not been asked yet")
"""Why a decision is not compared."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One decision of the first narrator, and that of the second, or why there is none to compare."""

    first: Decision
    second: InfluenceReply | ResultReply | None
    left_out: str | None = None


def place_of_check(narrator: Endpoint) -> str:
    """Where the replies of a second narrator are filed in the journal of a story: by its model.

    Raises AddressError for a model whose name has no letter or digit.
    """
    return f"{CHECKS}{narrator.filed_as}/"


async def check_story(
    store: Store,
    client: Asker,
    story: Story,
    narrator: Endpoint,
    on_decision: OnDecision = lambda *_: None,
    *,
    door: Doorkeeper | None = None,
) -> list[Checked]:
    """Ask a second narrator all that the first was asked about influences and results, and what is recorded not again.

    Raises StoryError if the story has not ended, or this narrator is asked about it already; EndpointError if its
    endpoint fails, RecordMismatch if another model of too like a name was asked, and Interlude where the door lets no
    more calls leave.
    """
    if story.status != "ended":
        raise StoryError(Reason("not_ended_to_check", id=story.id))
    if story.script.conversation is not None:
        raise StoryError("story {id} is a dialogue with a role, which nobody narrates", id=story.id)
    place, scene = place_of_check(narrator), story.script.scene
    events = await asyncio.to_thread(store.stories.events, story.id)
    first = await asyncio.to_thread(store.stories.replies, story.id, "r")
    async with held(store.stories.writing_replies(story.id, place.removeprefix(CHECKS), under=CHECKS)) as journal:
        known = await asyncio.to_thread(store.stories.replies, story.id, place)
        record = Record(known, lambda _: narrator, story.script.seed)
        ask = JournaledAsk(journal, record, client, door or OpenDoor())
        wanted = [event for event in _decisions(events) if _why_not(event, first) is None]
        made: list[Decision] = []
        on_decision(0, len(wanted))

        async def decide(event: Decision) -> None:
            read, request = _reader(event, scene), _request(event, story.script, place, first[event.path])
            with suppress(ReplyError):  # what can't be read either is told when the replies are read below
                await answer(ask, request, read, partial(read, last=True))
            made.append(event)
            on_decision(len(made), len(wanted))

        await all_of(decide(event) for event in wanted)
        return list(
            _checked(events, scene, first, {path.removeprefix(place): one for path, one in record.replies.items()})
        )


def decisions_to_check(store: Store, story: Story) -> dict[str, Reply]:
    """The first narrator's replies of which a second one can be asked, by path."""
    first = store.stories.replies(story.id, "r")
    return {
        event.path: first[event.path]
        for event in _decisions(store.stories.events(story.id))
        if _why_not(event, first) is None
    }


def checks_of(store: Store, story: Story) -> dict[Endpoint, list[Checked]]:
    """The cross-checks of a story that are recorded, by the second narrator; nobody is asked."""
    found: dict[str, dict[str, Reply]] = {}
    for reply in store.stories.journal(story.id, under=CHECKS):
        _, name, path = reply.path.split("/", 2)
        found.setdefault(name, {})[path] = reply
    if not found:
        return {}
    events = store.stories.events(story.id)
    first = store.stories.replies(story.id, "r")
    return {
        next(iter(told.values())).endpoint: list(_checked(events, story.script.scene, first, told))
        for told in found.values()
    }


def table_of(checks: Iterable[tuple[Story, Sequence[Checked]]]) -> pd.DataFrame:
    """The decisions that both narrators made, as a table for `annotations.reliability.narrator_agreement`."""
    return _table(row for story, checked in checks for row in rows_of(story, checked))


def rows_of(story: Story, checked: Iterable[Checked]) -> tuple[Row, ...]:
    """The decisions of a story that both narrators made."""
    return tuple(_row(story, one.first, one.second) for one in checked if one.second is not None)


def agreement(rows: tuple[Row, ...]) -> CrossCheck:
    """How far both narrators agree. Unlike a table, the rows can be told from others, so that it is worked out once."""
    return cross_check(_table(rows))


def left_out(checks: Iterable[Sequence[Checked]]) -> Counter[str]:
    """How many decisions are not compared, by reason."""
    return Counter(one.left_out for checked in checks for one in checked if one.left_out is not None)


def _decisions(events: Iterable[Event]) -> Iterator[Decision]:
    return (event for event in events if isinstance(event, Decision))


def _why_not(event: Decision, first: Mapping[str, Reply]) -> str | None:
    """Why a decision of the first narrator can't be compared; None where it can."""
    if event.degraded:
        return UNREAD_BY_FIRST
    reply = first.get(event.path)
    if reply is None:
        return UNRECORDED
    return None if reply.author == "model" else BY_PERSON


def _request(event: Decision, script: Script, place: str, asked: Reply) -> Request:
    """What the first narrator was asked, word for word, in the same form, to be answered as freely.

    Which form that was the digest of its reply tells: a story of before may have been played on with other prompts.
    """
    first, now = (
        influence_forms(script.scene, event.character)
        if isinstance(event, ActionInfluence)
        else result_forms(script.scene)
    )
    likeliest, other = (first, now) if script.settings.prompts == 1 else (now, first)
    request = Request(
        f"{place}{event.path}",
        NARRATOR,
        script.scene.language,
        asked.messages,
        likeliest,
        sampling=script.settings.narrator,
    )
    before = replace(request, form=other)
    return before if before.digest(script.seed) == asked.digest else request


def _reader(event: Decision, scene: Scene) -> Callable[..., InfluenceReply | ResultReply]:
    if isinstance(event, ActionInfluence):
        return partial(read_influence, actor=event.character, names=scene.names)
    return partial(read_result, names=scene.names)


def _checked(
    events: Iterable[Event], scene: Scene, first: Mapping[str, Reply], second: Mapping[str, Reply]
) -> Iterator[Checked]:
    """The decisions of both; `second` is by the first one's paths."""
    for event in _decisions(events):
        if (reason := _why_not(event, first)) is not None:
            yield Checked(event, None, reason)
            continue
        replies = [second[path] for path in (event.path, f"{event.path}{AGAIN}") if path in second]
        yield _read(event, _reader(event, scene), replies)


def _read(event: Decision, read: Callable[..., InfluenceReply | ResultReply], replies: Sequence[Reply]) -> Checked:
    """What the second narrator decided, in its first reply that can be read; its second is read with indulgence."""
    for number, reply in enumerate(replies):
        with suppress(ReplyError):
            return Checked(event, read(reply.whole(), last=number > 0))
    return Checked(event, None, UNREAD if len(replies) == 2 else UNASKED)


def _table(rows: Iterable[Row]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS))


def _row(story: Story, first: Decision, second: InfluenceReply | ResultReply) -> Row:
    if isinstance(second, InfluenceReply):
        step, affected, told = "influence", second.affected, second.effect
    else:
        step, affected, told = "result", first.affected, second.result
    return (
        *(story.id, scene_name(story.script.scene), story.script.scene.language, first.path, step),
        *(first.affected, affected, first.importance, second.importance, first.text, told),
    )


def as_json(found: CrossCheck, left_out: Mapping[str, int], *, improvised: bool) -> dict[str, Any]:
    """All figures with their evidence; what is undefined has a `reason` in its place.

    `improvised` says that the rehearsal made the story, or is the second narrator.
    """
    figures = asdict(found, dict_factory=_in_english)
    for step in figures["importance"].values():
        step.pop("dropped", None)  # it is counted in n
    return {"note": DEMO_NOTE if improvised else None, **figures, "left_out": dict(left_out)}


def _in_english(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Message) else value for name, value in fields}


def as_text(found: CrossCheck, left_out: Mapping[str, int], *, improvised: bool) -> str:
    """The same to be read, a line each."""
    return "\n".join(_lines(found, left_out, improvised))


def _lines(found: CrossCheck, left_out: Mapping[str, int], improvised: bool) -> Iterator[str]:
    if improvised:
        yield DEMO_NOTE
    yield f"Stories: {found.stories}, scenes: {found.scenes}"
    yield from _agreed("Who is affected, or nobody", found.affected)
    if isinstance(found.somebody, Somebody):
        yield from _agreed("Whether anybody is", found.somebody.agreement)
        yield (
            f"  somebody by both {found.somebody.both}, by the first alone {found.somebody.first_only}, by the second"
            f" alone {found.somebody.second_only}; nobody by both {found.somebody.neither}"
        )
    for step, icc in found.importance.items():
        yield f"Importance of {step}s: {_icc(icc)}"
    for step, near in found.wording.items():
        yield f"Wording of {step}s: {_near(near)}"
    for reason, times in sorted(left_out.items()):
        yield f"Left out: {times}, as {reason}"
    if isinstance(found.affected, Nominal) and isinstance(found.affected.share.interval, Undefined):
        yield f"No interval: {found.affected.share.interval.reason}"
    yield f"Kappa: {KAPPA}; {AFFECTED}"
    yield f"Wording: {WORDING}"


def _agreed(label: str, found: Nominal | Undefined) -> Iterator[str]:
    if isinstance(found, Undefined):
        yield f"{label}: {found.reason}"
        return
    yield f"{label}: equal {_estimate(found.share)} of {found.n}; {found.by_chance:.3f} by chance"
    kappa = found.kappa.reason if isinstance(found.kappa, Undefined) else _estimate(found.kappa)
    yield f"  kappa {kappa}"


def _icc(found: IntraclassCorrelation | Undefined) -> str:
    if isinstance(found, Undefined):
        return str(found.reason)
    return f"{found.name} {found.estimate:.3f} {_interval(found.interval)}, n = {found.n}"


def _near(found: Wording | Undefined) -> str:
    if isinstance(found, Undefined):
        return str(found.reason)
    others = "" if found.of_others is None else f"; of the next action {found.of_others:.3f}"
    return f"{_estimate(found.similarity)}, n = {found.n}{others}"


def _estimate(found: Estimate) -> str:
    return f"{found.estimate:.3f} {_interval(found.interval)}"


def _interval(found: Interval | Undefined) -> str:
    return "[no interval]" if isinstance(found, Undefined) else f"[{found.low:.3f}, {found.high:.3f}]"
