"""The replies of a character in a story: how each is read, what a rewriting of it has to keep, and what it then tells.

A rewriting takes the place of a reply without anything else being played anew. So it has the form of the original, and
keeps what others perceive of it besides the wording: whether there are words, for whom, whispered or not, and whether
the act is meant to be noticed.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import BaseModel

from characterbox.errors import ReplyError
from characterbox.llm.journal import Reply
from characterbox.llm.replies.reading import read_prose
from characterbox.llm.request import AGAIN, Form
from characterbox.pause_reasons import Reason
from characterbox.play.events import Action, Dialogue, EnvironmentBelief, Event, Reaction, SelfBelief
from characterbox.play.paths import parse_path, reply_path
from characterbox.play.replies.asked_forms import called_by, in_form
from characterbox.play.replies.form_reading import is_form, read_form
from characterbox.play.replies.forms import (
    ENVIRONMENT_BELIEF,
    SELF_BELIEF,
    ActionReply,
    EnvironmentBeliefReply,
    SelfBeliefReply,
    form_among,
)
from characterbox.play.replies.readers import PROSE_LABELS, read_action, read_speech
from characterbox.play.world import Script, World, moments
from characterbox.prompts import words
from characterbox.scenes.name_words import words_for, words_in
from characterbox.scenes.scene import Scene

Own = Action | Dialogue | Reaction | SelfBelief | EnvironmentBelief
"""The events that a character's replies make."""
Told = ActionReply | SelfBeliefReply | EnvironmentBeliefReply | str
"""What a reply tells; prose is its text, empty for silence."""
_OF_WORDS = ("dialogue", "to", "whispered")
"""The fields of an action that an original without words in it does not have."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """How the replies at one place are read."""

    step: str
    name: str
    called: Mapping[str, str]
    """The true name of each other whom the character can speak to, by what it calls it."""
    silence: str
    """How the character says that it says nothing."""
    structured: bool
    """Whether an action is a form; otherwise it is prose."""

    def read(self, text: str, *, last: bool = False) -> Told:
        """What a reply tells. Raises ReplyError if it can't be read; the `last` one is read with indulgence."""
        match self.step:
            case "self-belief":
                return read_form(text, SelfBeliefReply)
            case "environment-belief":
                return read_form(text, EnvironmentBeliefReply)
            case "dialogue":
                return read_speech(text, speaker=self.name)
            case "action" if self.structured:
                return read_action(text, speaker=self.name, names=self.called, last=last)
            case task:
                return read_prose(text, speaker=self.name, labels=PROSE_LABELS[task])

    def written(self, told: Told) -> str:
        """What is told, as a model writes it: without what stands around it in a reply."""
        if isinstance(told, str):
            return told or self.silence
        if isinstance(told, ActionReply) and told.to is not None:
            to = next((known for known, name in self.called.items() if name == told.to), told.to)
            told = told.model_copy(update={"to": to})
        return in_form(told, self.form(told))

    def form(self, told: ActionReply | SelfBeliefReply | EnvironmentBeliefReply) -> Form:
        """The JSON form of what is told."""
        match told:
            case ActionReply():
                return form_among("action", tuple(self.called), () if _has_words(told) else _OF_WORDS)
            case SelfBeliefReply():
                return SELF_BELIEF
            case EnvironmentBeliefReply():
                return ENVIRONMENT_BELIEF


def _has_words(told: ActionReply) -> bool:
    """Whether a reply tells of words, be it that there are none; otherwise they are asked for by themselves."""
    return "dialogue" in told.model_fields_set


@dataclass(frozen=True, slots=True)
class OwnReply:
    """A reply that a model has given for a character, and that could be read."""

    number: int
    """From 1, in the order of the story."""
    asked: Reply
    """The reply to the question as it was put first: its prompt is what a rewriting answers."""
    told: Told
    events: tuple[Own, ...]
    """What it made: an action with the words said along with it, or one event."""
    strangers: frozenset[str]
    """Those of the cast whom neither the prompt nor the reply names."""
    reader: _Reader

    @property
    def path(self) -> str:
        """Its place in the story."""
        return self.asked.path

    @property
    def text(self) -> str:
        """What it tells, as a model writes it."""
        return self.reader.written(self.told)

    @property
    def form(self) -> Form | None:
        """The JSON form of it; None for prose."""
        return None if isinstance(self.told, str) else self.reader.form(self.told)

    def rewritten(self, text: str, scene: Scene) -> Told:
        """What a rewriting tells.

        Raises ReplyError if it can't be read in the form of the original, does not keep what it has to keep, or names
        somebody whom the character does not know there.
        """
        told = self.reader.read(text)
        for problem in self._problems(told, scene):
            raise ReplyError(problem, reply=text)
        return told

    def _problems(self, told: Told, scene: Scene) -> Iterator[Reason]:
        before = self.told
        if isinstance(before, ActionReply) and isinstance(told, ActionReply):
            if _has_words(before) and not _has_words(told):
                yield Reason("field_missing", field="dialogue")
            yield from _words_kept(before.dialogue, told.dialogue)
            if before.to != told.to:
                yield Reason("rewriting_changes", field="to", kept=_json(before.to), now=_json(told.to))
            for field in ("whispered", "unseen"):
                kept, now = getattr(before, field), getattr(told, field)
                if kept != now:
                    yield Reason("rewriting_changes", field=field, kept=_json(kept), now=_json(now))
        elif isinstance(before, str) and isinstance(told, str):
            yield from _words_kept(before, told)
        text = "\n".join(_texts(told))
        for name in sorted(_named(text, scene, self.strangers)):
            yield Reason("rewriting_names", name=name)

    def retold(self, told: Told) -> tuple[Own, ...]:
        """Its events as a rewriting tells them: all but the wording is as it was."""
        return tuple(_retold(event, told) for event in self.events)


def own_replies(script: Script, events: Sequence[Event], replies: Mapping[str, Reply], name: str) -> list[OwnReply]:
    """The replies that models have given for a character of a story, in its order; `replies` are the last takes.

    Left out are neutral outcomes, what people wrote, and what has no record or can't be read any more.
    """
    scene, found = script.scene, dict[str, tuple[_Reader, list[Own]]]()
    called = called_by(name, World.opening(scene))
    for event, then, _ in moments(events, scene):
        if isinstance(event, Own) and event.character == name and not event.degraded:
            place = reply_path(event.path, replies)
            if place not in found:
                step = parse_path(place)[0].step
                silence = words(scene.language).silence
                found[place] = _Reader(step, name, called, silence, script.settings.prompts > 1), []
            found[place][1].append(event)
        called = called_by(name, then)
    own: list[OwnReply] = []
    for place, (reader, made) in found.items():
        given = [reply for path in (place, f"{place}{AGAIN}") if (reply := replies.get(path)) is not None]
        if (one := _own(len(own) + 1, reader, made, given, scene)) is not None:
            own.append(one)
    return own


def _own(number: int, reader: _Reader, made: Sequence[Own], given: Sequence[Reply], scene: Scene) -> OwnReply | None:
    """The reply of which some events were made; None where it is nobody's to rewrite, or can't be read."""
    for place, reply in enumerate(given):
        with suppress(ReplyError):
            text = reply.whole()
            if reader.step == "action" and reader.structured and not is_form(text, ActionReply, "action"):
                reader = replace(reader, structured=False)
            told = reader.read(text, last=place > 0)
            if reply.author != "model":
                return None
            known = "\n".join([text, *(message.content for message in given[0].messages)])
            others = frozenset(scene.names) - {reader.name}
            return OwnReply(number, given[0], told, tuple(made), others - _named(known, scene, others), reader)
    return None


def _words_kept(before: str | None, now: str | None) -> Iterator[Reason]:
    if before and not now:
        yield Reason("rewriting_silent")
    if now and not before:
        yield Reason("rewriting_speaks")


def _texts(told: Told) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    else:
        texts = told.model_dump(exclude={"to"}).values()
        yield from (text for text in texts if isinstance(text, str))


def _named(text: str, scene: Scene, names: Collection[str]) -> set[str]:
    """Those of the cast, among these, whom a text names."""
    found = set()
    for name in names:
        profile = scene.profile(name)
        if words_in(text, words_for(profile, scene), (name, *profile.other_names)):
            found.add(name)
    return found


def _retold(event: Own, told: Told) -> Own:
    match event, told:
        case Action(), ActionReply():
            return event.model_copy(update={"text": told.action})
        case Dialogue(), ActionReply():
            return event.model_copy(update={"text": told.dialogue or ""})
        case ((SelfBelief() | EnvironmentBelief()), BaseModel()):
            return event.model_copy(update=told.model_dump())
        case _:
            return event.model_copy(update={"text": told})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
