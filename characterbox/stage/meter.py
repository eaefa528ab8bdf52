"""The meter: what stories have cost so far, told to those who watch, no oftener than they can read it."""

import asyncio
import logging
from concurrent.futures import Executor

from characterbox.stage.hub import Hub
from characterbox.stage.view import costs_notice
from characterbox.store.stories import StoryStore

EVERY = 1.0
"""Seconds between something that costs and its being told."""

log = logging.getLogger(__name__)


class Meter:
    """Tells the costs of stories. To be ticked on its event loop; the teller does the reading."""

    def __init__(self, stories: StoryStore, hub: Hub, loop: asyncio.AbstractEventLoop, teller: Executor) -> None:
        self._stories = stories
        self._hub = hub
        self._loop = loop
        self._teller = teller
        self._due: set[str] = set()

    def tick(self, story: str) -> None:
        """Say that the costs of a story have changed."""
        if story not in self._due and self._hub.watched(story):
            self._due.add(story)
            self._loop.call_later(EVERY, self._read, story)

    def _read(self, story: str) -> None:
        self._due.discard(story)
        self._teller.submit(self._tell, story)

    def _tell(self, story: str) -> None:
        try:
            self._hub.tell(story, costs_notice(self._stories, story))
        except Exception:
            log.exception("story %s: what it has cost can't be read", story)
