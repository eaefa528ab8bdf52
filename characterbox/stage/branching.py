"""Branches: a story that takes over the replies of another one, and differs from some event on.

Regenerating a reply, editing it, giving a character another model and simply trying once more are all branches: the
story that was there stays as it was, with its ratings. How far a record reaches is found by playing over it alone.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from characterbox.errors import Interlude, StoreError, StoryError
from characterbox.llm.embeddings import EMBEDDINGS, EmbeddingRecord, embedding_request
from characterbox.llm.endpoint import Casting
from characterbox.llm.journal import Inheritance, Record, Reply
from characterbox.llm.request import Request
from characterbox.llm.vectors import Vector
from characterbox.play.algorithm import play
from characterbox.play.events import Event, StoryEnded
from characterbox.play.paths import reply_path, reply_paths, step_path
from characterbox.play.world import Script
from characterbox.store.stories.stories import Branch, Story, StoryStore


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a story would be if it were played on now."""

    known: int
    """How many replies of the record are used beyond what was played."""
    next: Sequence[Request]
    """What would be asked next, side by side; empty when the story is complete."""


async def outlook(script: Script, record: Record, played: Sequence[Event]) -> Outlook:
    """Play the story on from the events that were played, over its record alone.

    Raises RecordMismatch where a record belongs to another prompt.
    """
    wanted: list[Request] = []
    known = 0
    known_vectors = None if record.embeddings is None else _KnownVectors(record.embeddings, script, wanted)
    behind = {path for event in played if not isinstance(event, StoryEnded) for path in reply_paths(event.path)}

    async def ask(request: Request) -> str:
        nonlocal known
        found = record.find(request)
        if found.reply is None:
            wanted.append(found.request)
            raise Interlude(f"there is no reply at {request.path} yet")
        known += request.step not in behind  # one that tells of several events is read again where the last is missing
        return found.reply.whole()

    async def emit(event: Event) -> None:
        pass

    with suppress(Interlude):
        await play(script, ask, emit, played, known_vectors)
    return Outlook(known, wanted)


@dataclass(frozen=True, slots=True)
class _KnownVectors:
    """Gives vectors of a record alone: where one is not in it, that is what is asked next."""

    record: EmbeddingRecord
    script: Script
    wanted: list[Request]

    @property
    def model(self) -> str:
        return self.record.endpoint.model

    async def __call__(self, texts: Sequence[str], path: str) -> Mapping[str, Vector]:
        if missing := [text for text in texts if not self.record.knows(text)]:
            self.wanted.append(embedding_request(missing, path, self.script.scene.language))
            raise Interlude(f"there are no vectors for {path} yet")
        return self.record.known(texts)


def embedding_record(
    stories: StoryStore, casting: Casting, replies: Mapping[str, Reply], parent: str | None
) -> EmbeddingRecord | None:
    """What the `replies` of a story and of the one that it branches off hold of the embedding model of a casting; None
    where it has none. Raises StoreError if that can't be read."""
    if casting.memory is None:
        return None
    own = [reply for path, reply in replies.items() if path.startswith(EMBEDDINGS)]
    try:
        return EmbeddingRecord.of(
            casting.memory, own, [] if parent is None else stories.journal(parent, under=EMBEDDINGS)
        )
    except ValueError as error:
        raise StoreError(
            "embeddings in the journal of the story cannot be read ({error}); branch it with another embedding model",
            error=error,
        ) from None


@dataclass(frozen=True, slots=True)
class Plan:
    """A branch before it starts."""

    casting: Casting
    inheritance: Inheritance
    played: Sequence[Event]
    """The events before the branch, which are those of the story that it branches off."""
    edited: Reply | None = None
    """The reply at the branch as a person wrote it; None when it is not edited."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """What a branch will take over."""

    known: int
    """How many replies are taken over for sure; later ones may be, where nothing before them changes."""
    recorded: int
    """How many replies the story has that it branches off."""


def plan(
    stories: StoryStore,
    story: Story,
    branch: Branch,
    casting: Casting,
    text: str | None = None,
    *,
    person: str | None = None,
) -> Plan:
    """The branch of a story, with `text`, which the account `person` wrote, in the place of the reply at it, if given.

    Raises StoryError if there is no such event, or no reply behind it.
    """
    told = told_at(stories, branch)
    inheritance = _inheritance(stories, branch, told)
    reply = inheritance.replies.get(inheritance.at)
    if reply is None:
        raise StoryError("story {id}: step {at} has no reply; branch at another step", id=story.id, at=branch.at)
    if set(casting.characters) != set(story.script.scene.names):
        raise StoryError(
            "story {id}: the cast of the branch does not match its scene; assign a model to every character",
            id=story.id,
        )
    edited = None if text is None else reply.edited(text, person)
    return Plan(casting, inheritance, told.before, edited)


def record_of(stories: StoryStore, story: Story, plan: Plan) -> Record:
    """The record that the branch of a story begins with."""
    own = {} if plan.edited is None else {plan.edited.path: plan.edited}
    embeddings = embedding_record(stories, plan.casting, {}, story.id)
    return Record(own, plan.casting.endpoint, story.script.seed, "keep", plan.inheritance, embeddings)


def reuse(stories: StoryStore, branch: Branch, casting: Casting, text: str | None = None) -> Reuse:
    """How much of the story its branch takes over. Not to be called where an event loop runs. Raises as `plan` does."""
    return _reuse(stories, branch, casting.model_dump_json(), text, stories.extent(branch.parent))


@lru_cache(maxsize=64)
def _reuse(stories: StoryStore, branch: Branch, casting: str, text: str | None, _: object) -> Reuse:
    """Kept as long as the story does not grow: without, it takes 0.8 s at each drawing of a dialog for a story of 900
    events."""
    story = stories.story(branch.parent)
    planned = plan(stories, story, branch, Casting.model_validate_json(casting), text)
    record, inheritance = record_of(stories, story, planned), planned.inheritance
    kept = sum(1 for path in inheritance.replies if step_path(path) in inheritance.before)
    seen = asyncio.run(outlook(story.script, record, planned.played))
    return Reuse(kept + seen.known - len(record.replies), len(inheritance.replies))


def check_unbranched(stories: StoryStore, id: str) -> None:
    """Raises StoryError if other stories took replies of this one over, so that they are not to be asked again."""
    if branches := stories.branches(id):
        raise StoryError(
            "story {id}: its replies cannot change, as other stories branch off it ({count}); branch the story to"
            " regenerate",
            id=id,
            count=len(branches),
        )


def inherited(stories: StoryStore, branch: Branch) -> Inheritance:
    """What a branch takes over. Raises StoryError if the story that it branches off has no such event."""
    return _inheritance(stories, branch, told_at(stories, branch))


def parting(stories: StoryStore, branch: Branch) -> Branch:
    """The branch from the first event of its reply on. Raises as `inherited` does."""
    return branch.model_copy(update={"at": len(told_at(stories, branch).before) + 1})


@dataclass(frozen=True, slots=True)
class Told:
    """What one reply tells, which can be more than one event."""

    path: str
    """Where the reply stands; the end of the story, where there is none."""
    events: Sequence[Event]
    before: Sequence[Event]
    """The events before them."""
    replies_before: frozenset[str]
    """Where the replies behind those stand."""


def told_at(stories: StoryStore, branch: Branch) -> Told:
    """What the reply at a branch tells. Raises as `inherited` does."""
    events = stories.events(branch.parent)
    if not 1 <= branch.at <= len(events):
        raise StoryError(
            "story {id}: there is no step {at}; the story has {count}",
            id=branch.parent,
            at=branch.at,
            count=len(events),
        )
    replies = {path for _, path in stories.reply_paths([branch.parent], "r")}
    behind = [event.path if isinstance(event, StoryEnded) else reply_path(event.path, replies) for event in events]
    path = behind[branch.at - 1]
    first = behind.index(path)
    told = [event for event, place in zip(events, behind, strict=True) if place == path]
    return Told(path, told, events[:first], frozenset(behind[:first]))


def _inheritance(stories: StoryStore, branch: Branch, told: Told) -> Inheritance:
    return Inheritance(
        story=branch.parent,
        replies=stories.replies(branch.parent, under="r"),
        before=told.replies_before,
        at=told.path,
        anew=branch.anew,
    )
