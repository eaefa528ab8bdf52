"""The calls of a story as examples: the messages that a model was sent, and its reply as the story has read it.

Only what was read at the first try is an example: what a model had to be asked again for is nothing to learn from.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from pydantic import BaseModel

from characterbox.llm.journal import Reply
from characterbox.llm.request import AGAIN, ChatMessage, Form
from characterbox.play.events import (
    Action,
    ActionInfluence,
    Dialogue,
    Event,
    InteractionResult,
    Reaction,
    StoryEnded,
)
from characterbox.play.paths import KINDS, NARRATED, parse_path, reply_path
from characterbox.play.replies import forms
from characterbox.play.replies.asked_forms import UnknownForm, called_by, form_asked, forms_of, in_form
from characterbox.play.replies.readers import read_result, read_updates
from characterbox.play.world import World
from characterbox.prompts import words
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.stories.replies import ReplyMark
from characterbox.store.stories.stories import Story
from characterbox.training.datasets.example import Example, LeftOut, Provenance
from characterbox.values import Language

CHARACTERS = tuple(step for step in KINDS if step not in NARRATED)
"""The steps of characters."""


@dataclass(frozen=True)
class ReadingRules:
    """How the stories of a dataset are read."""

    lenders: frozenset[str] = frozenset()
    """The accounts of people who have agreed to training with what they write."""
    samples: frozenset[str] = frozenset()
    """The stories that were made as samples."""
    improvised: frozenset[str] = frozenset()
    """The stories of which no language model wrote some."""
    chosen: Collection[str] = field(default_factory=frozenset)
    """The stories of the dataset: what one of them has taken over from another is told there."""


@dataclass(frozen=True)
class Source:
    """A story with what tells whose writing is in it."""

    story: Story
    events: Sequence[Event]
    marks: Mapping[str, ReplyMark]
    """The last take at each path."""
    reading: ReadingRules

    @classmethod
    def of(cls, store: Store, story: Story, reading: ReadingRules) -> "Source":
        """That of a story as it is stored."""
        marks = store.stories.reply_marks(story.id, "r")
        return cls(story, store.stories.events(story.id), {mark.path: mark for mark in marks}, reading)

    @property
    def improvised(self) -> bool:
        """Whether no language model wrote some of the story."""
        return self.story.id in self.reading.improvised

    @cached_property
    def not_lent_since(self) -> datetime | None:
        """When the first reply came that somebody wrote who has not agreed to training; None where there is none.

        What came before can tell nothing of it: whatever was asked after it may.
        """
        return min((mark.came_at for mark in self.marks.values() if not self.may_use(mark)), default=None)

    def may_use(self, mark: ReplyMark) -> bool:
        """Whether a model wrote a reply, a sample has it, or a person who has agreed to training."""
        of_sample = (mark.origin or self.story.id) in self.reading.samples
        return mark.author == "model" or of_sample or mark.person in self.reading.lenders


def narrator_calls(store: Store, source: Source, models: Collection[str] = ()) -> Iterator[Example | LeftOut]:
    """What the narrator of a story was asked about influences, results and updates, and what it answered.

    Of these models' replies only, where there are any: a branch takes over replies of another narrator.
    """
    places = [place for place in _places(source, {}) if place.step in NARRATED]
    yield from _calls(store, source, places, models)


def character_calls(
    store: Store, source: Source, names: Collection[str], models: Collection[str] = ()
) -> Iterator[Example | LeftOut]:
    """What these characters of a story were asked, and what these models answered for them."""
    slugs = {slug_of(name) for name in names}
    places = [
        place for place in _places(source, dict(_called(source))) if place.step in CHARACTERS and place.who in slugs
    ]
    yield from _calls(store, source, places, models)


def _calls(
    store: Store, source: Source, wanted: Sequence["_Place"], models: Collection[str]
) -> Iterator[Example | LeftOut]:
    """The calls at these places, by these models; by all where none is named."""
    why_not = {place.path: _why_not(source, place, models) for place in wanted}
    replies = store.stories.replies_at(source.story.id, [path for path, why in why_not.items() if why is None])
    for place in wanted:
        why = why_not[place.path]
        yield _example(source, place, replies[place.path]) if why is None else why


@dataclass(frozen=True, slots=True)
class _Place:
    """A reply that made an event, or several."""

    path: str
    """Of the reply."""
    step: str
    who: str
    """The slug of the one whom the event tells of."""
    event: Event
    """What is read from it: the action, where words stand in it too; the environment, where other updates do."""
    said: Dialogue | None
    """The words that stand in the reply besides an action."""
    called: Mapping[str, str]
    """For an action, those to whom the one who acts can speak, by what it calls them."""
    affects: bool
    """Whether somebody is affected on the turn."""


def _places(source: Source, called: Mapping[str, Mapping[str, str]]) -> Iterator[_Place]:
    """The recorded replies behind the events of a story, each once, in the order of the story; `called` is by path."""
    made: dict[str, list[Event]] = {}
    affected = set[tuple[int, str | None]]()
    for event in source.events:
        if isinstance(event, ActionInfluence) and event.affected is not None:
            affected.add((event.round, event.turn))
        if not isinstance(event, StoryEnded):
            made.setdefault(reply_path(event.path, source.marks), []).append(event)
    for path, told in made.items():
        if path in source.marks:
            event = told[0] if isinstance(told[0], Action) else told[-1]
            said = told[-1] if len(told) > 1 and isinstance(told[-1], Dialogue) else None
            place, _ = parse_path(path)
            affects = (event.round, event.turn) in affected
            yield _Place(path, place.step, place.character, event, said, called.get(path, {}), affects)


def _called(source: Source) -> Iterator[tuple[str, Mapping[str, str]]]:
    """For the path of each action, those to whom the one who acts can speak then."""
    world = World.opening(source.story.script.scene)
    for event in source.events:
        if isinstance(event, Action):
            yield event.path, called_by(event.character, world)
        world = world.after(event)


def _why_not(source: Source, place: _Place, models: Collection[str]) -> LeftOut | None:
    """Why a reply is no example, as far as that is known without reading it."""
    mark = source.marks[place.path]
    if models and mark.model not in models:
        return "other_model"
    if (unread := _unread_at_first(source, place)) is not None:
        return unread
    if not source.may_use(mark):
        return "written"
    if source.not_lent_since is not None and source.not_lent_since <= mark.came_at:
        return "after_written"
    return "taken_over" if mark.origin in source.reading.chosen else None


def _unread_at_first(source: Source, place: _Place) -> LeftOut | None:
    """Why a reply was not read at the first try; None where it was."""
    mark, again = source.marks[place.path], source.marks.get(f"{place.path}{AGAIN}")
    if place.event.degraded:
        return "degraded"
    if again is not None and again.came_at >= mark.came_at:  # else the reply was asked for anew since
        return "asked_again"
    return None


def read_at_first(source: Source) -> list[bool]:
    """Of each reply that the narrator of a story was asked for, whether it was read at the first try."""
    places = _places(source, {})
    return [_unread_at_first(source, place) is None for place in places if place.step in NARRATED]


def _example(source: Source, place: _Place, reply: Reply) -> Example | LeftOut:
    script, casting = source.story.script, source.story.casting
    asked = forms_of(place.event, script.scene, place.called, affects=place.affects)
    try:
        told = _answer(place, reply, form_asked(reply, script, asked), script.scene.names, script.scene.language)
    except UnknownForm:
        return "other_prompt"
    if told is None:
        return "incomplete"
    by_narrator = place.step in NARRATED
    models = {"narrator": casting.narrator.model, "narrator" if by_narrator else "character": reply.endpoint.model}
    provenance = Provenance(
        story=source.story.id,
        path=reply.path,
        take=reply.take,
        models=models,
        prompt=reply.digest,
        scene=script.scene.id,
        language=script.scene.language,
        improvised=source.improvised,
        by_person=reply.person is not None,
    )
    return Example((*reply.messages, ChatMessage("assistant", told)), provenance)


def _answer(place: _Place, reply: Reply, form: Form | None, names: Sequence[str], language: Language) -> str | None:
    """The reply as it was read, in the form that was asked for; None where it lacks a field of it."""
    if form is None:
        return _prose(place.event, language)
    value = _value(place, reply, names, form)
    return None if value is None else in_form(value, form)


def _value(place: _Place, reply: Reply, names: Sequence[str], form: Form) -> BaseModel | None:
    """The same as a value; where an event holds all that was read, the reply is not read again."""
    match event := place.event:
        case Action():
            return None if place.said is None else _performed(event, place.said, place.called)
        case ActionInfluence():
            told = {name: getattr(event, name) for name in ("affected", "importance", "seen_by", "heard_by")}
            return forms.InfluenceReply(effect=event.text, **told)
        case InteractionResult() if "recognised" in form.schema["properties"]:
            # who is meant by everybody depends on who was there: the event tells it
            return read_result(reply.text, names=names).model_copy(update={"seen_by": event.seen_by})
        case InteractionResult():
            told = {name: getattr(event, name) for name in ("importance", "seen_by")}
            return forms.ResultReply(result=event.text, felt=event.felt or None, **told)
        case _ if form.name == "updates":
            return read_updates(reply.text, names=names)
        case _:
            return event


def _performed(action: Action, said: Dialogue, called: Mapping[str, str]) -> forms.ActionReply:
    """What a character does and says, by the names that it has for others."""
    to = next((name for name, who in called.items() if who == said.to), None)
    return forms.ActionReply(
        action=action.text, dialogue=said.text or None, to=to, whispered=said.whispered, unseen=action.unseen
    )


def _prose(event: Event, language: Language) -> str | None:
    """What an event tells that was asked for in prose; words that are not spoken are the agreed sign of silence."""
    match event:
        case Dialogue():
            return event.text or words(language).silence
        case Action() | Reaction():
            return event.text
        case _:
            return None
