"""Crafting over a journal: begun, and gone on with after any end."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from characterbox.crafting.journaled import Resuming, go_on
from characterbox.crafting.progress import Wished, by_hand, record, so_far, steps_of, undecided, wish_of
from characterbox.crafting.request import Wish
from characterbox.crafting.sources.source import Source
from characterbox.crafting.stages import Step, accepted
from characterbox.llm.asking import Asker, JournaledAsk, RecordedAsk
from characterbox.llm.journal import Record, Reply
from characterbox.llm.replies.reading import storable
from characterbox.llm.request import AGAIN
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.sweeps import Launched


def begin(store: Store, wish: Wished, source: Source | None = None, launched_from: Launched = "command line") -> str:
    """Store a wish with its source, and give the id of its crafting."""
    text = None if source is None else (source.name, storable(source.text))
    return store.craftings.create(wish.model_dump(mode="json"), launched_from, text)


@dataclass(frozen=True)
class How(Resuming):
    """How a crafting is gone on with."""

    on_step: Callable[[int, Step], None] = lambda *_: None
    """Takes each step as it is made, with the number of its scene."""
    unread_anew: bool = False
    """Whether evaluators whose replies could not be read are asked anew, and paid: a person has to want it."""


USUALLY = How()


async def run(store: Store, client: Asker, id: str, how: How = USUALLY) -> None:
    """Go on with a crafting to its end, and store each scene that is accepted; translations only come with `keep`.

    What the journal has is not asked again, unless evaluations that could not be read are wanted anew. Where one scene
    fails, the others still come to their end. Raises StoryError if there is no such crafting or another process is at
    it, and what a scene failed with: EndpointError, RecordMismatch, or Interlude where the door lets no more calls
    leave. The crafting is then paused.
    """
    wish = await asyncio.to_thread(wish_of, store, id)

    async def known(replies: list[Reply]) -> Record:
        found = record(wish, replies, how.on_mismatch)
        if how.unread_anew:
            found.anew = await asyncio.to_thread(_unread, wish, id, replies)
        return found

    async def work(ask: JournaledAsk) -> list[BaseException]:
        async def one(number: int) -> None:
            steps: list[Step] = []
            async for step in steps_of(ask, wish, id, number):
                steps.append(step)
                how.on_step(number, step)
            scene = accepted(wish, steps) if isinstance(wish, Wish) else None
            if scene is not None:
                await asyncio.to_thread(store_accepted, store, by_hand(scene, ask.record.replies.values(), number))

        outcomes = await asyncio.gather(*map(one, range(1, wish.count + 1)), return_exceptions=True)
        return [outcome for outcome in outcomes if isinstance(outcome, BaseException)]

    await go_on(store, client, id, how, known=known, work=work)


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
