"""Crafting over a journal: begun, and gone on with after any end."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from characterbox.crafting.progress import Wished, by_hand, record, so_far, steps_of, undecided, wish_of
from characterbox.crafting.request import Wish
from characterbox.crafting.sources.source import Source
from characterbox.crafting.stages import Step, accepted
from characterbox.errors import CharacterBoxError, Interlude
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, OpenDoor, RecordedAsk
from characterbox.llm.journal import OnMismatch, Reply
from characterbox.llm.replies.reading import storable
from characterbox.llm.request import AGAIN
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import held
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.craftings import CraftingStatus
from characterbox.store.sweeps import Launched


def begin(store: Store, wish: Wished, source: Source | None = None, launched_from: Launched = "command line") -> str:
    """Store a wish with its source, and give the id of its crafting."""
    text = None if source is None else (source.name, storable(source.text))
    return store.craftings.create(wish.model_dump(mode="json"), launched_from, text)


@dataclass(frozen=True)
class How:
    """How a crafting is gone on with."""

    on_step: Callable[[int, Step], None] = lambda *_: None
    """Takes each step as it is made, with the number of its scene."""
    on_mismatch: OnMismatch = "stop"
    """What to do with recorded replies that belong to other prompts than are asked now."""
    door: Doorkeeper = field(default_factory=OpenDoor)
    unread_anew: bool = False
    """Whether evaluators whose replies could not be read are asked anew, and paid: a person has to want it."""
    rests_as: Callable[[], CraftingStatus] = lambda: "paused"
    """The status in which it rests where no more calls may leave."""


USUALLY = How()


async def run(store: Store, client: Asker, id: str, how: How = USUALLY) -> None:
    """Go on with a crafting to its end, and store each scene that is accepted; translations only come with `keep`.

    What the journal has is not asked again, unless evaluations that could not be read are wanted anew. Where one scene
    fails, the others still come to their end. Raises StoryError if there is no such crafting or another process is at
    it, and what a scene failed with: EndpointError, RecordMismatch, or Interlude where the door lets no more calls
    leave. The crafting is then paused.
    """
    wish = await asyncio.to_thread(wish_of, store, id)
    async with held(store.craftings.claimed(id)) as journal:
        replies = await asyncio.to_thread(store.craftings.journal, id)
        await journal.move("running")
        known = record(wish, replies, how.on_mismatch)
        if how.unread_anew:
            known.anew = await asyncio.to_thread(_unread, wish, id, replies)
        ask = JournaledAsk(journal, known, client, how.door)

        async def one(number: int) -> None:
            steps: list[Step] = []
            async for step in steps_of(ask, wish, id, number):
                steps.append(step)
                how.on_step(number, step)
            scene = accepted(wish, steps) if isinstance(wish, Wish) else None
            if scene is not None:
                await asyncio.to_thread(store_accepted, store, by_hand(scene, known.replies.values(), number))

        try:
            outcomes = await asyncio.gather(*map(one, range(1, wish.count + 1)), return_exceptions=True)
        except asyncio.CancelledError:
            await asyncio.shield(journal.move(how.rests_as()))
            raise
        failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        faults = [one for one in failures if not isinstance(one, Interlude)]
        resting: CraftingStatus = "paused" if faults else how.rests_as()
        await journal.move(resting if failures else "ended", Reason.of(faults[0]) if faults else None)
    if failures:
        raise next((one for one in faults if not isinstance(one, CharacterBoxError)), (faults or failures)[0])


def store_accepted(store: Store, scene: Scene, made_by: str | None = None) -> None:
    """Put an accepted scene into the library: as the next version of the one that was accepted before it, if any.

    What is there already stays as it is, also where it was put away.
    """
    if store.scenes.known([scene]):
        return
    if (before := store.scenes.with_id(scene.id)) is None:
        store.scenes.add([scene], made_by)
    else:
        store.scenes.save(before.chain, scene, after=before.version, made_by=made_by)


def _unread(wish: Wished, id: str, replies: Sequence[Reply]) -> set[str]:
    """The paths at which evaluators were asked in vain. Not on an event loop: many scenes take a while."""
    recorded = RecordedAsk(record(wish, replies, "keep"))

    async def all_scenes() -> list[Sequence[Step]]:
        return [(await so_far(recorded, wish, id, number)).steps for number in range(1, wish.count + 1)]

    paths = {path for steps in asyncio.run(all_scenes()) if (path := undecided(steps)) is not None}
    return paths | {f"{path}{AGAIN}" for path in paths}
