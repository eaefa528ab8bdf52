"""The caretaker: stories that were left alone go on by themselves as soon as they can."""

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta

from characterbox.llm.client import Client
from characterbox.store.stories import Story, StoryStore
from characterbox.store.tables import now

log = logging.getLogger(__name__)

INTERVAL = 5.0
"""Seconds between two rounds of the caretaker."""
AGE = timedelta(seconds=10)
"""How old a story must be to count as left alone: who has just launched it is about to play it."""


async def take_care(stories: StoryStore, client: Client, play: Callable[[Story], None]) -> None:
    """Again and again, play on what is to go on: until cancelled."""
    while True:
        await asyncio.sleep(INTERVAL)
        try:
            for story in await left_alone(stories, client):
                play(story)
        except Exception:
            log.exception("the caretaker could not look after the stories; it tries again")


async def left_alone(stories: StoryStore, client: Client) -> list[Story]:
    """The stories of apps that nobody may be playing, or whose endpoints are back."""
    found = await asyncio.to_thread(stories.stories, "running", "waiting")
    ours = [story for story in found if story.launched_from == "app" and now() - story.created_at > AGE]
    ours = [story for story in ours if story.status == "waiting" or story.reason is None]  # no step only
    waiting = {url for story in ours if story.status == "waiting" for url in story.casting.urls}
    looked = await asyncio.gather(*map(client.reachable, waiting))
    back = {url for url, answers in zip(waiting, looked, strict=True) if answers}
    return [story for story in ours if story.status == "running" or story.casting.urls <= back]
