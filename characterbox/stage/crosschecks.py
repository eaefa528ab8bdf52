"""The second narrators that this process is asking: one at a time for each story and model."""

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field

from characterbox.judging.crosscheck import check_story, place_of_check
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.store import Store
from characterbox.store.stories import Story


@dataclass(slots=True)
class Crosscheck:
    """A second narrator that is asked about a story, or was."""

    narrator: Endpoint
    decided: int = 0
    """How many decisions it has made."""
    wanted: int | None = None
    """How many it is to make; None until that is known."""
    future: "Future[None]" = field(default_factory=Future)

    def stop(self) -> None:
        """Stop it; replies that came are kept, and are not asked for again."""
        self.future.cancel()

    def tell(self, decided: int, wanted: int) -> None:
        """Take how far it is."""
        self.decided, self.wanted = decided, wanted


class Crosschecks:
    """What is being cross-checked, and what was last. Its methods may be called from any thread."""

    def __init__(self, store: Store, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._client = client
        self._loop = loop
        self._lock = threading.Lock()
        self._all: dict[tuple[str, str], Crosscheck] = {}

    def start(self, story: Story, narrator: Endpoint) -> Crosscheck:
        """Ask a second narrator about a story, unless one that is filed under the same name is being asked.

        Raises AddressError for a model whose name has no letter or digit.
        """
        key = story.id, place_of_check(narrator)
        with self._lock:
            found = self._all.get(key)
            if found is None or found.future.done():
                found = self._all[key] = Crosscheck(narrator)
                found.future = asyncio.run_coroutine_threadsafe(self._check(story, found), self._loop)
        return found

    def of(self, story: str) -> list[Crosscheck]:
        """Who is being asked about a story, or was last."""
        with self._lock:
            return [found for (id, _), found in self._all.items() if id == story]

    async def _check(self, story: Story, found: Crosscheck) -> None:
        await check_story(self._store, self._client, story, found.narrator, on_decision=found.tell)
