"""How a crafting stands: what has become of each of its scenes, whoever is at work on it, and which replies still hold.

A crafting has no state but its wish and its replies: how far it has come is found by crafting once more over the
journal, which asks nothing.
"""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from characterbox.crafting.journaled import price_of
from characterbox.crafting.request import Wish, place_of
from characterbox.crafting.stages import Draft, Step, Undecided, accepted, craft_scene
from characterbox.crafting.translation import Translation, translate_scene
from characterbox.errors import RecordMismatch, StoryError
from characterbox.llm.asking import NotAsked, RecordedAsk
from characterbox.llm.journal import Found, OnMismatch, Record, Reply
from characterbox.llm.request import AGAIN, Ask, Request
from characterbox.llm.sampling import UNSENT
from characterbox.pause_reasons import Reason
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.craftings import CraftingStatus

Wished = Annotated[Wish | Translation, Field(discriminator="way")]
"""What a crafting is to come to."""
_WISHED: TypeAdapter[Wish | Translation] = TypeAdapter(Wished)
WAYS = ("extract", "generate", "translate")
"""By which of what models write over a journal craftings are told."""
_KEPT = 12
"""Craftings that a process keeps as they stood: those on a page of the list, and a few more."""
_ORDER = ("screenwriter", "director", "evaluator", "translator")


@dataclass(frozen=True, slots=True)
class Crafted:
    """What has become of one scene so far."""

    number: int
    steps: tuple[Step, ...]
    scene: Scene | None
    """The scene, once it is accepted."""
    open: bool
    """Whether there is something left to ask."""
    changed: bool
    """Whether what was recorded belongs to other prompts than would be asked now; it is shown all the same."""

    @property
    def undecided(self) -> bool:
        """Whether the evaluator was asked in vain, so that nobody knows whether the scene is good enough."""
        return undecided(self.steps) is not None

    @property
    def rejected(self) -> bool:
        """Whether it went back as often as it may, and is not good enough."""
        return self.scene is None and not (self.open or self.undecided)


@dataclass(frozen=True, slots=True)
class Crafting:
    """A crafting as it stands."""

    id: str
    wish: Wished
    status: CraftingStatus
    reason: Reason | None
    source: str | None
    """The digest of the text that it is crafted from."""
    scenes: tuple[Crafted, ...]
    replies: tuple[Reply, ...]
    """All that were paid, and those that people wrote, in the order in which they came; without their prompts."""

    @property
    def price(self) -> float | None:
        """US dollars of all replies; None where the price of one is not known."""
        return price_of(self.replies)

    @property
    def refused(self) -> dict[str, tuple[str, ...]]:
        """The options that models do not take, by model."""
        found: dict[str, dict[str, None]] = {}
        for reply in self.replies:
            if reply.usage.refused:
                found.setdefault(reply.endpoint.model, {}).update(dict.fromkeys(reply.usage.refused))
        return {model: tuple(options) for model, options in sorted(found.items())}

    def take(self, path: str) -> int:
        """The number of the last reply at a path; -1 where there is none."""
        return max((reply.take for reply in self.replies if reply.path == path), default=-1)


def look(store: Store, id: str, before: Crafting | None = None) -> Crafting:
    """A crafting as it stands, whoever is at work on it. Raises StoryError if there is none.

    `before` is how it stood when it was looked at last: what has got no reply since is not read again.
    """
    standing = store.craftings.standing(id)
    wish = _read(id, standing.content)
    if before is not None and before.wish != wish:
        before = None
    replies = tuple(store.craftings.journal(id, () if before is None else before.replies))
    known, now = _by_scene(() if before is None else before.replies), _by_scene(replies)

    async def scenes() -> list[Crafted]:
        return [
            before.scenes[number - 1]
            if before is not None and now[place_of(number)] == known[place_of(number)]
            else await _stands(wish, id, number, now[place_of(number)])
            for number in range(1, wish.count + 1)
        ]

    return Crafting(id, wish, standing.status, standing.reason, standing.source, tuple(asyncio.run(scenes())), replies)


def _by_scene(replies: Iterable[Reply]) -> defaultdict[str, list[Reply]]:
    found: defaultdict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        found[scene_in(reply.path)].append(reply)
    return found


class Looks:
    """Craftings as they stood when they were looked at last, so that looking again takes no longer than what is new."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._last: OrderedDict[str, Crafting] = OrderedDict()

    def look(self, id: str) -> Crafting:
        """A crafting as it stands. Raises StoryError if there is none."""
        with self._lock:
            before = self._last.pop(id, None)
        crafting = look(self._store, id, before)
        with self._lock:
            self._last[id] = crafting
            while len(self._last) > _KEPT:
                self._last.popitem(last=False)
        return crafting


async def so_far(ask: RecordedAsk, wish: Wished, id: str, number: int) -> Crafted:
    """How far a scene has come by the record alone, as it is asked now. Raises RecordMismatch."""
    steps: list[Step] = []
    unfinished = False
    try:
        async for step in steps_of(ask, wish, id, number):
            steps.append(step)
    except NotAsked:
        unfinished = True
    scene = None
    if not unfinished and isinstance(wish, Wish):
        scene = accepted(wish, steps)
    elif not unfinished and steps and isinstance(steps[-1], Draft):
        scene = steps[-1].scene
    return Crafted(number, tuple(steps), scene, unfinished, changed=False)


async def _stands(wish: Wished, id: str, number: int, replies: Sequence[Reply]) -> Crafted:
    """How far a scene has come, as it was recorded; and whether it would be asked in other words now."""
    try:
        found = await so_far(RecordedAsk(record(wish, replies)), wish, id, number)
    except RecordMismatch:
        found = replace(await so_far(RecordedAsk(record(wish, replies, "keep")), wish, id, number), changed=True)
    if found.scene is None:
        return found
    return replace(found, scene=by_hand(found.scene, replies, number))


def wish_of(store: Store, id: str) -> Wished:
    """What was wished for. Raises StoryError if there is no such crafting, or it can't be read."""
    return _read(id, store.craftings.standing(id).content)


def _read(id: str, content: Mapping[str, Any]) -> Wished:
    try:
        return _WISHED.validate_python({"sampling": UNSENT, **content})  # as what began before it could be set
    except ValidationError as error:
        raise StoryError(
            "scene generation {id}: its request can no longer be read; start a new scene generation", id=id
        ) from error


def steps_of(ask: Ask, wish: Wished, id: str, number: int) -> AsyncIterator[Step]:
    """The steps of one scene, as they are asked for. Raises what `ask` raises."""
    return translate_scene(ask, wish, id) if isinstance(wish, Translation) else craft_scene(ask, wish, id, number)


def by_hand(scene: Scene, replies: Iterable[Reply], number: int) -> Scene:
    """The scene, which says so if a person wrote or changed a draft of it."""
    place = place_of(number)
    edited = any(reply.author == "edit" and scene_in(reply.path) == place for reply in replies)
    return scene.changed_by_hand() if edited else scene


@dataclass
class CraftingRecord(Record):
    """A record that asks anew what rests on a draft that a person has changed since.

    Any other reply whose prompt is not the one that is asked now raises RecordMismatch, unless it is to be kept.
    """

    stale: frozenset[str] = frozenset()
    """Paths whose replies were given before one that they rest on: a draft that was changed, a reply asked anew."""

    def find(self, request: Request) -> Found:
        """What is known of a request. Raises RecordMismatch where a record belongs to another prompt or model."""
        if request.path in self.stale and request.path not in self.anew:
            return Record(self.replies, self.endpoint_of, self.seed, "ask").find(request)
        return super().find(request)


def record(wish: Wished, replies: Sequence[Reply], on_mismatch: OnMismatch = "stop") -> CraftingRecord:
    """The record of the replies of a crafting, or of one of its scenes, in the order in which they came."""
    endpoints = {str(role): one for role, one in wish.endpoints.items()}
    last = {reply.path: reply for reply in replies}
    return CraftingRecord(last, lambda role: endpoints[str(role)], wish.seed, on_mismatch, stale=_stale(replies))


def undecided(steps: Sequence[object]) -> str | None:
    """The path at which an evaluator was asked in vain, if that is where a scene has come to."""
    return steps[-1].path if steps and isinstance(steps[-1], Undecided) else None


def scene_in(path: str) -> str:
    """The scene that a reply is about, as its path names it."""
    return path.partition("/")[0]


def _stale(replies: Sequence[Reply]) -> frozenset[str]:
    """Of each scene, what comes after a draft in the order of the stages, and came before its last edit in time; and
    what was asked once more after a reply that was itself asked anew since."""
    last = {reply.path: number for number, reply in enumerate(replies)}
    found = {path for path, since in last.items() if since < last.get(path.removesuffix(AGAIN), since)}
    for number, edit in enumerate(replies):
        if edit.author == "edit":
            found |= {
                path
                for path, since in last.items()
                if since < number and scene_in(path) == scene_in(edit.path) and _place(path) > _place(edit.path)
            }
    return frozenset(found)


def _place(path: str) -> tuple[int, int]:
    """When a path comes in the crafting of its scene; judges come last."""
    parts = path.split("/")
    if len(parts) < 3 or not parts[1].isdigit():
        return 1_000, 0
    return int(parts[1]), _ORDER.index(parts[2]) if parts[2] in _ORDER else len(_ORDER)
