"""Auto-resume: stories that were left alone go on by themselves as soon as they can."""

import asyncio
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta

from characterbox.errors import CharacterBoxError
from characterbox.llm.calls.client import Client
from characterbox.store.stories.stories import Status, Story, StoryStore
from characterbox.store.tables.columns import now

log = logging.getLogger(__name__)

TAKEN_UP: Collection[Status] = ("running", "waiting")
"""The statuses of stories that go on by themselves."""


@dataclass(frozen=True, slots=True)
class Care:
    """When stories that were left alone are looked for."""

    every: float = 5.0
    """Seconds between two rounds."""
    age: timedelta = timedelta(seconds=10)
    """How old a story must be to count as left alone: who has just launched it is about to play it."""


USUAL_CARE = Care()
"""That of the app."""


@dataclass(slots=True)
class AutoResume:
    """Looks after the stories of apps, on the event loop of the client."""

    stories: StoryStore
    client: Client
    playing: Collection[str]
    """The ids of the stories that this process plays, at any time."""
    play: Callable[[Story], None]
    """Plays another one on."""
    care: Care = USUAL_CARE
    _faults: dict[str, str] = field(default_factory=dict, init=False)
    """Why an address can't be looked at, as the log was told."""

    async def work(self) -> None:
        """Again and again, play on what is to go on: until cancelled."""
        while True:
            await asyncio.sleep(self.care.every)
            try:
                for story in await self.left_alone():
                    self.play(story)
            except Exception:
                log.exception("the stories that were left alone could not be looked for; it is tried again")

    async def left_alone(self) -> list[Story]:
        """The stories of apps that nobody may be playing, or whose endpoints are back."""
        found = await asyncio.to_thread(self.stories.stories, *TAKEN_UP, but=tuple(self.playing))
        ours = [story for story in found if story.launched_from == "app" and now() - story.created_at > self.care.age]
        ours = [story for story in ours if story.status == "waiting" or story.reason is None]  # no step only
        waiting = {url for story in ours if story.status == "waiting" for url in story.casting.urls}
        looked = await asyncio.gather(*map(self._is_back, waiting))
        back = {url for url, answers in zip(waiting, looked, strict=True) if answers}
        return [story for story in ours if story.status == "running" or story.casting.urls <= back]

    async def _is_back(self, url: str) -> bool:
        try:
            back = await self.client.reachable(url)
        except CharacterBoxError as error:
            if self._faults.get(url) != str(error):
                self._faults[url] = str(error)
                log.warning("stories that wait for %s go on waiting: %s", url, error)
            return False
        self._faults.pop(url, None)
        return back
