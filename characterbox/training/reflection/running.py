"""Rewriting a character's part over the journal of its story: begun, looked at, edited, and gone on with after any end.

Its replies are filed beside those of judges: they are none of the story's own, and the story stays as it was.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import AddressError, StoryError
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, NotAsked, OpenDoor, RecordedAsk
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Found as FoundReply
from characterbox.llm.journal import OnMismatch, Record, Reply
from characterbox.llm.request import Ask, Request
from characterbox.pause_reasons import Reason
from characterbox.play.events import Event
from characterbox.play.paths import REFLECTIONS
from characterbox.processes.concurrency import held
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.own_replies import own_replies
from characterbox.training.reflection.questions import (
    CHECK,
    FOUND,
    REWRITE,
    Questions,
    read_check,
    read_inconsistencies,
)
from characterbox.training.reflection.rewriting import Found, Reflection, before, reflect

OnStep = Callable[[int, int], object]
"""Takes how many replies are done, and how many the part has."""


class RewrittenReply(NamedTuple):
    """A reply of a character, and what the model that looked back on it would have it be."""

    character: str
    model: Endpoint
    """Who has rewritten it."""
    original: Reply
    """With the prompt that both answer."""
    text: str
    by_people: tuple[Reply, ...]
    """What people wrote in the places of the model's replies, up to this one: its words can tell of it."""


def place_of_reflection(model: Endpoint, name: str) -> str:
    """Where the replies of a model that rewrites a character's part are filed in the journal of a story.

    Raises AddressError for a model whose name has no letter or digit.
    """
    return f"{REFLECTIONS}{model.filed_as}/{slug_of(name)}/"


async def reflect_on(
    store: Store,
    client: Asker,
    story: Story,
    name: str,
    model: Endpoint | None = None,
    *,
    on_mismatch: OnMismatch = "stop",
    on_step: OnStep = lambda *_: None,
    door: Doorkeeper | None = None,
) -> Reflection:
    """Have a character's part in a story that has ended rewritten, by the model that played it, or by another one.

    What is recorded is not asked again, but for what rests on a reply that was edited, or asked anew, since. Raises
    StoryError if the story has not ended, has no such character or no reply of a model for it, or somebody is at it;
    AddressError for a model that can't be filed, EndpointError if its endpoint fails, RecordMismatch where a record
    belongs to another prompt or model, and Interlude where the door lets no more calls leave.
    """
    part = await asyncio.to_thread(_part, store, story, name, model)
    filed = part.place.removeprefix(REFLECTIONS).rstrip("/")
    async with held(store.stories.writing_replies(story.id, filed, under=REFLECTIONS)) as journal:
        replies = await asyncio.to_thread(store.stories.replies, story.id, part.place)
        ask = JournaledAsk(journal, part.record(replies, on_mismatch), client, door or OpenDoor())
        return await part.reflection(ask, on_step)


def reflection_of(store: Store, story: Story, name: str, model: Endpoint | None = None) -> Reflection:
    """A part as it is rewritten so far; nobody is asked.

    What was recorded with other prompts than today's is shown all the same. Not to be called where an event loop runs.
    Raises StoryError and AddressError as `reflect_on` does.
    """
    return _part(store, story, name, model).recorded(store)[0]


def reflections_of(store: Store, story: Story) -> list[Reflection]:
    """All that is recorded of rewritten parts of a story, by model and character. As `reflection_of`.

    What is filed there that belongs to no part, as in a story from elsewhere, is passed over.
    """
    return [part.recorded(store)[0] for part in _parts(store, story)]


def answers_to(store: Store, story: Story, shown: Reflection) -> dict[str, Reply]:
    """The replies that a part as it is shown rests on, by their place within it, in the order in which they are asked
    for: `inconsistencies`, and `rewrite/` or `check/` before the path of a reply. As `reflection_of`."""
    part = _part(store, story, shown.character, shown.model)
    return {path.removeprefix(part.place): reply for path, (_, reply) in part.recorded(store)[1].items()}


def rewritten(store: Store, story: Story) -> Iterator[RewrittenReply]:
    """The replies of a story that were rewritten, or left as they are good already: what a model can learn from.

    What is refused, or not checked yet, is not among them. Not to be called where an event loop runs.
    """
    for part in _parts(store, story):
        reflection, asked = part.recorded(store)
        by_people = [(path, reply) for path, (_, reply) in asked.items() if reply.author != "model"]
        order = [*asked]
        for own, step in zip(part.questions.own, reflection.steps, strict=True):
            if step.state in ("accepted", "unchanged") and step.after is not None:
                known = order[: order.index(f"{part.place}{REWRITE}{step.path}") + 1]
                people = tuple(reply for path, reply in by_people if path in known)
                yield RewrittenReply(reflection.character, reflection.model, own.asked, step.after, people)


def edit(store: Store, actor: Account, shown: Reflection, path: str, text: str, *, seen: int) -> None:
    """Put what a person wrote in the place of a reply; what rests on it is asked anew as the rewriting goes on.

    `shown` is what the person looked at, and `path` a place within it: `inconsistencies`, or `rewrite/` or `check/`
    before the path of a reply; `seen` is the number of the take that the person saw there. Not to be called where an
    event loop runs. Raises NotAllowed unless the actor may direct, StoryError if nothing was asked there, there is
    another take by now, or somebody is at it, and ReplyError if it can't take that place.
    """
    require(actor, "direct")
    story = store.stories.story(shown.story)
    part = _part(store, story, shown.character, shown.model)
    filed = part.place.removeprefix(REFLECTIONS).rstrip("/")
    with store.stories.writing_replies(story.id, filed, under=REFLECTIONS) as journal:
        _, asked = part.recorded(store)
        if (read := part.readers.get(path)) is None or (found := asked.get(f"{part.place}{path}")) is None:
            raise StoryError("there is no reply at {path}; let it be asked first", path=path)
        request, reply = found
        if reply.take != seen:
            raise StoryError("the reply has changed in the meantime; review it, then edit it again")
        read(text)
        written = replace(reply, digest=request.digest(story.script.seed), messages=request.messages, dropped=())
        journal.answered(written.edited(text, actor.id)).check()
    store.audit.add(actor, "rewriting.edited", story.id, {"character": shown.character, "path": path})


@dataclass
class _Record(Record):
    """A record of questions that are put one after the other, each of which rests on those before it.

    What a person wrote stands, whatever came before. What was asked before something that it rests on, as that was
    edited or asked anew since, is asked anew where its prompt has changed by that.
    """

    _latest: datetime | None = field(default=None, init=False)
    """When the latest of the replies so far came."""
    _asks: bool = field(default=False, init=False)
    """Whether one of them is being asked now."""

    def find(self, request: Request) -> FoundReply:
        """What is known of a request. Raises RecordMismatch where a record belongs to another prompt or model."""
        found = Record(self.replies, self.endpoint_of, self.seed, self._on_mismatch(request)).find(request)
        if found.reply is None:
            self._asks = True
        elif found.reply.came_at is not None:
            self._latest = max(found.reply.came_at, self._latest or found.reply.came_at)
        return found

    def _on_mismatch(self, request: Request) -> OnMismatch:
        own = self.replies.get(request.path)
        if own is not None and own.author == "edit":
            return "keep"
        late = own is not None and own.came_at is not None and self._latest is not None and own.came_at < self._latest
        return "ask" if late or self._asks else self.on_mismatch


@dataclass(frozen=True)
class _Part:
    """A character's part in a story, and who rewrites it."""

    story: Story
    model: Endpoint
    questions: Questions

    @property
    def place(self) -> str:
        return self.questions.place

    def record(self, replies: Mapping[str, Reply], on_mismatch: OnMismatch) -> Record:
        return _Record(dict(replies), lambda _: self.model, self.story.script.seed, on_mismatch)

    def recorded(self, store: Store) -> tuple[Reflection, Mapping[str, tuple[Request, Reply]]]:
        """How far it has come by the record alone; and what was asked by that, with the replies, by path."""
        ask = RecordedAsk(self.record(store.stories.replies(self.story.id, self.place), "keep"))
        return asyncio.run(self.reflection(ask)), ask.found

    async def reflection(self, ask: Ask, on_step: OnStep = lambda *_: None) -> Reflection:
        """The part rewritten as far as there are answers."""
        own = self.questions.own
        steps = {one.path: before(one) for one in own}
        events: list[Event] = []
        found, done = Found(), 0
        on_step(0, len(own))
        try:
            async for step in reflect(ask, self.questions):
                if isinstance(step, Found):
                    found = step
                    continue
                rewriting, told = step
                steps[rewriting.path] = rewriting
                if told is not None:
                    events += own[rewriting.number - 1].retold(told)
                if rewriting.state != "not checked":
                    done += 1
                    on_step(done, len(own))
        except NotAsked:
            pass
        return Reflection(self.story.id, self.questions.name, self.model, found, tuple(steps.values()), tuple(events))

    @property
    def readers(self) -> Mapping[str, Callable[[str], object]]:
        """How a reply is read, by its path within the place; each raises ReplyError for what can't stand there."""
        own, scene = self.questions.own, self.story.script.scene
        return {
            FOUND: partial(read_inconsistencies, most=len(own)),
            **{f"{REWRITE}{one.path}": partial(one.rewritten, scene=scene) for one in own},
            **{f"{CHECK}{one.path}": read_check for one in own},
        }


def _part(store: Store, story: Story, name: str, model: Endpoint | None = None) -> _Part:
    _check_ended(story)
    cast = story.script.scene.names
    if name not in cast:
        raise StoryError(
            "story {id}: there is no character {name!r}; choose one of {cast}",
            id=story.id,
            name=name,
            cast=", ".join(cast),
        )
    chosen = story.casting.characters[name] if model is None else model
    if chosen.is_handwritten:
        raise StoryError(
            "story {id}: {name} was written by hand; choose a model to rewrite the part", id=story.id, name=name
        )
    events = store.stories.events(story.id)
    own = own_replies(story.script, events, store.stories.replies(story.id, "r"), name)
    if not own:
        raise StoryError("story {id}: {name} has no reply of a model to rewrite", id=story.id, name=name)
    place = place_of_reflection(chosen, name)
    return _Part(story, chosen, Questions(story.script, events, name, own, place))


def _check_ended(story: Story) -> None:
    if story.status != "ended":
        raise StoryError(Reason("not_ended_to_reflect", id=story.id))


def _parts(store: Store, story: Story) -> list[_Part]:
    """The parts of which something is recorded: what is filed as `place_of_reflection` would not file it is none."""
    _check_ended(story)
    names = {slug_of(name): name for name in story.script.scene.names}
    models: dict[tuple[str, str], Endpoint] = {}
    for reply in store.stories.journal(story.id, under=REFLECTIONS):
        match reply.path.split("/", 3):
            case [_, filed, slug, within] if slug in names and within.startswith((FOUND, REWRITE, CHECK)):
                if _is_filed(reply.endpoint, filed):
                    models[filed, slug] = reply.endpoint
    parts = []
    for filed, slug in sorted(models):
        with suppress(StoryError):  # there is nothing to rewrite in it
            parts.append(_part(store, story, names[slug], models[filed, slug]))
    return parts


def _is_filed(model: Endpoint, filed: str) -> bool:
    with suppress(AddressError):
        return model.filed_as == filed
    return False
