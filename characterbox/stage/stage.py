"""The stage: plays the app's stories on an event loop of its own, whoever watches, comes or goes."""

import asyncio
import logging
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from typing import Any

from characterbox.errors import CharacterBoxError
from characterbox.judging.judge import Judge, judge_story
from characterbox.llm.asking import OnMismatch
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Casting
from characterbox.llm.request import Request
from characterbox.play.events import Event
from characterbox.play.script import Script
from characterbox.settings import settings
from characterbox.stage.hub import Hub, Notice
from characterbox.stage.perform import perform
from characterbox.stage.view import asking_notice, status_notice, token_notice
from characterbox.store import Store
from characterbox.store.ratings import Rating
from characterbox.store.stories import Story

log = logging.getLogger(__name__)

PATIENCE = 20.0
"""Seconds after which the stage's event loop counts as stuck."""


@dataclass(frozen=True, slots=True)
class Judging:
    """A judge at work on a story."""

    judge: Judge
    names: Sequence[str]
    """The characters to be judged."""
    done: Sequence[str]
    """Those that are; it grows as the judge goes on."""
    future: "Future[Sequence[Rating]]"

    def stop(self) -> None:
        """Stop it; replies that came are kept, and are not asked for again."""
        self.future.cancel()


class Stage:
    """Starts, stops and resumes stories. All its methods may be called from any thread."""

    def __init__(self, store: Store, client: Client) -> None:
        self.store = store
        self.hub = Hub()
        self._client = client
        self._playing: dict[str, asyncio.Task[None]] = {}
        """Changed on the event loop only."""
        self._judging: dict[tuple[str, str], Judging] = {}
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stage", daemon=True)
        self._thread.start()

    def launch(self, script: Script, casting: Casting) -> Story:
        """Store a new story and start to play it."""
        story = self.store.stories.create(script, casting, "app")
        self._do(self._start(story.id, self._play(story)))
        return story

    def resume(self, id: str, on_mismatch: OnMismatch = "stop") -> None:
        """Play a story on from where it stopped; does nothing if it is being played or has ended."""
        story = self.store.stories.story(id)
        if story.status != "ended":
            self._do(self._start(id, self._play(story, on_mismatch)))

    def resume_all(self) -> None:
        """Play on what this app was playing when it was last stopped or killed."""
        for story in self.store.stories.stories("running"):
            if story.launched_from == "app":
                self.resume(story.id)

    def pause(self, id: str) -> None:
        """Stop playing a story, and come back when it rests. It can be resumed; replies under way are asked again."""
        self._do(self._stop(id))

    def playing(self, id: str) -> bool:
        """Whether the story is being played at this moment."""
        return id in self._playing

    def judge(self, story: Story, judge: Judge, *, anew: bool = False) -> "Judging":
        """Have every character of an ended story judged, once at a time; what was judged before is in the journal."""
        key = (story.id, judge.name)
        with self._lock:
            judging = self._judging.get(key)
            if judging is None or judging.future.done():
                done: list[str] = []
                coroutine = judge_story(self.store, self._client, story, judge, anew=anew, on_verdict=done.append)
                future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
                judging = self._judging[key] = Judging(judge, story.script.scene.names, done, future)
        return judging

    def judgings(self, story: str) -> "list[Judging]":
        """What this process has judged, or is judging, of a story."""
        with self._lock:
            return [judging for (id, _), judging in self._judging.items() if id == story]

    def close(self) -> None:
        """Stop playing. What was being played is marked as running again, and is played on at the next start."""
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=PATIENCE)
        self._loop.close()
        self.store.close()

    def _do(self, what: Coroutine[Any, Any, None]) -> None:
        """Do it on the event loop, and come back when it is done. Not to be called there."""
        asyncio.run_coroutine_threadsafe(what, self._loop).result(timeout=PATIENCE)

    async def _end(self) -> None:
        interrupted = list(self._playing)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for id in interrupted:
            if self.store.stories.story(id).status == "paused":
                self.store.stories.move(id, "running")
        await self._client.close()
        await asyncio.get_running_loop().shutdown_default_executor()

    async def _start(self, id: str, play: Coroutine[Any, Any, None]) -> None:
        if id in self._playing:
            play.close()
            return
        task = self._playing[id] = asyncio.create_task(play)
        task.add_done_callback(lambda _: self._ended(id))

    async def _stop(self, id: str) -> None:
        if task := self._playing.get(id):
            await asyncio.sleep(0)  # it begins, if it has not: only what has begun can say that it was paused
            task.cancel()
            await asyncio.wait([task])

    def _ended(self, id: str) -> None:
        del self._playing[id]
        self.hub.tell(id, status_notice(self.store.stories, id))

    async def _play(self, story: Story, on_mismatch: OnMismatch = "stop") -> None:
        def on_event(seq: int, event: Event) -> None:
            self.hub.tell(story.id, Notice("event", event.model_dump(mode="json"), seq))

        def on_token(request: Request, piece: str) -> None:
            scene = story.script.scene
            notice = token_notice(scene, request, piece) if piece else asking_notice(scene, request)
            self.hub.tell(story.id, notice)

        try:
            await perform(
                self.store.stories,
                self._client,
                story,
                on_event=on_event,
                on_token=on_token,
                on_mismatch=on_mismatch,
            )
        except CharacterBoxError as error:
            log.warning("story %s stopped: %s", story.id, error)
        except Exception:
            log.exception("story %s stopped", story.id)


@cache
def open_stage() -> Stage:
    """The stage of this process, on the database and with the key that the settings name."""
    chosen = settings()
    return Stage(Store(chosen.db), Client(chosen.api_key, chosen.rehearsal_latency))
