"""The stage: plays the app's stories on an event loop of its own, whoever watches, comes or goes."""

import asyncio
import logging
import threading
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from characterbox.errors import CharacterBoxError, PlayedElsewhere, StoryError
from characterbox.judging.judge import Judge
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Casting
from characterbox.llm.journal import Reply
from characterbox.llm.record import OnMismatch
from characterbox.llm.request import Request
from characterbox.play.events import Event
from characterbox.play.script import Script
from characterbox.settings import settings
from characterbox.stage import branching, players
from characterbox.stage.branching import Reuse
from characterbox.stage.caretaker import take_care
from characterbox.stage.client import open_client
from characterbox.stage.hub import Hub, Notice
from characterbox.stage.judgings import Judging, Judgings
from characterbox.stage.pace import Pace, Stride
from characterbox.stage.perform import OVER, perform
from characterbox.stage.trials import Trials
from characterbox.stage.view import asking_notice, status_notice, token_notice
from characterbox.store import Store
from characterbox.store.held import held
from characterbox.store.stories import Branch, Story

log = logging.getLogger(__name__)

PATIENCE = 20.0
"""Seconds after which the stage's event loop counts as stuck."""
GRACE = 5.0
"""Seconds that replies under way get to arrive when the app ends, or when a story is paused."""


@dataclass(frozen=True, slots=True)
class _Playing:
    task: asyncio.Task[None]
    pace: Pace


class Stage:
    """Starts, stops and resumes stories. All its methods may be called from any thread, but not on an event loop."""

    def __init__(self, store: Store, client: Client) -> None:
        self.store = store
        self.hub = Hub()
        self.client = client
        self._playing: dict[str, _Playing] = {}
        """Changed on the event loop only."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stage", daemon=True)
        self._thread.start()
        self._judgings = Judgings(store, client, self._loop)
        self.trials = Trials(client, self._loop)
        asyncio.run_coroutine_threadsafe(take_care(store.stories, client, self._play_on), self._loop)

    def launch(self, script: Script, casting: Casting, people: Iterable[str | None] = ()) -> Story:
        """Store a new story and start to play it; a person plays each of the `people`, None being the narrator."""
        story = self.store.stories.create(script, casting, "app", people=tuple(people))
        self._do(self._start(story))
        return story

    def resume(self, id: str, on_mismatch: OnMismatch = "stop") -> None:
        """Play a story on from where it rests; does nothing if it is being played, or is over.

        Addresses that count as down are tried at once: a person wants it. Raises StoryError if replies would be asked
        again that other stories took over.
        """
        if on_mismatch == "ask":
            branching.check_unbranched(self.store.stories, id)
        self._do(self._start(self._awake(id), on_mismatch))

    def step(self, id: str, stride: Stride) -> None:
        """Play a story on for one call, turn or round; then it rests. Does nothing if it is being played."""
        self._do(self._start(self._awake(id), stride=stride))

    def resume_all(self) -> None:
        """Play on what this app was playing when it was last stopped or killed; what went one step only is paused."""
        for story in self.store.stories.stories("running"):
            if story.launched_from == "app" and story.reason is None:
                self._do(self._start(story))
            elif story.launched_from == "app":
                with suppress(PlayedElsewhere):
                    self.store.stories.move(story.id, "paused")

    def rest(self, id: str) -> None:
        """Let no more calls of a story leave: it rests as soon as the replies under way have come.

        A story that waits for an endpoint does not go on by itself any more. Raises PlayedElsewhere if another process
        plays it.
        """
        if playing := self._playing.get(id):
            playing.pace.rest()
        elif self.store.stories.story(id).status in ("running", "waiting"):
            self.store.stories.move(id, "paused")

    def pause(self, id: str) -> None:
        """Let a story rest, and wait a while for that."""
        self.rest(id)
        if playing := self._playing.get(id):
            self._do(_wait(playing.task))

    def stop(self, id: str) -> None:
        """End a story here, for good. Replies that are under way are lost."""
        if playing := self._playing.get(id):
            playing.pace.rest("stopped")
            self._do(_cancel(playing.task))
        if self.store.stories.story(id).status not in OVER:
            self.store.stories.move(id, "stopped")

    def playing(self, id: str) -> bool:
        """Whether the story is being played at this moment."""
        return id in self._playing

    def resting(self, id: str) -> bool:
        """Whether a story that is being played is about to rest, as soon as the replies under way have come."""
        playing = self._playing.get(id)
        return playing is not None and playing.pace.resting

    def take_over(self, id: str, agent: str | None) -> None:
        """Have a person play an agent from its next call on; None is the narrator."""
        self._set_people(id, {*self.store.stories.story(id).people, agent})

    def give_back(self, id: str, agent: str | None) -> None:
        """Have the model that is cast play an agent again; a story that waits for the person goes on."""
        self._set_people(id, set(self.store.stories.story(id).people) - {agent})
        if self.store.stories.story(id).status == "cued":
            self.resume(id)

    def questions(self, id: str) -> Sequence[Request]:
        """What people who play in the story are asked now: with all that the agent knows, and nothing more."""
        return players.questions(self.store.stories, self.store.stories.story(id))

    def answer(self, id: str, path: str, text: str) -> None:
        """Record what a person answers, and play on if nobody else has to answer.

        Raises ReplyError, saying what is wrong, if it can't be read, and StoryError if it is not asked now, or other
        replies are still under way.
        """
        if playing := self._playing.get(id):
            self._do(_wait(playing.task))
        if id in self._playing:
            raise StoryError(f"story {id}: other replies are still under way; send the answer again in a moment")
        story = self.store.stories.story(id)
        reply = players.answered(self.store.stories, story, path, text)
        self._do(self._record(id, reply))
        self.resume(id)

    def branch(self, branch: Branch, casting: Casting | None = None, text: str | None = None) -> Story:
        """Start a story that branches off another one; `text` takes the place of the reply at the branch.

        Raises StoryError if there is nothing to branch off, and ReplyError if the text can't be read.
        """
        parent = self.store.stories.story(branch.parent)
        plan = branching.plan(self.store.stories, parent, branch, casting or parent.casting, text)
        if plan.edited is not None:
            players.check(parent, branching.record_of(self.store.stories, parent, plan), plan.edited)
        story = self.store.stories.create(
            parent.script, plan.casting, "app", people=parent.people, branch=branch, reply=plan.edited
        )
        self._do(self._start(story))
        return story

    def reuse(self, branch: Branch, casting: Casting | None = None, text: str | None = None) -> Reuse:
        """How many calls a branch would take over, without starting it."""
        parent = self.store.stories.story(branch.parent)
        plan = branching.plan(self.store.stories, parent, branch, casting or parent.casting, text)
        return branching.reuse(self.store.stories, parent, plan)

    def judge(self, story: Story, judge: Judge, *, anew: bool = False) -> Judging:
        """Have every character of an ended story judged, once at a time; what was judged before is in the journal."""
        return self._judgings.start(story, judge, anew=anew)

    def judgings(self, story: str) -> list[Judging]:
        """What this process has judged, or is judging, of a story."""
        return self._judgings.of(story)

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
        for playing in self._playing.values():
            playing.pace.rest("running")
        if waited := [playing.task for playing in self._playing.values()]:
            await asyncio.wait(waited, timeout=GRACE)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.client.close()
        await asyncio.get_running_loop().shutdown_default_executor()

    async def _start(self, story: Story, on_mismatch: OnMismatch = "stop", stride: Stride | None = None) -> None:
        """Begin to play, and come back once the story is marked as running."""
        if (last := self._playing.get(story.id)) and last.pace.over:
            await asyncio.wait([last.task])
        playing = self._begin(story, on_mismatch, stride)
        if playing is not None:
            begun = asyncio.ensure_future(playing.pace.begun.wait())
            await asyncio.wait([playing.task, begun], return_when=asyncio.FIRST_COMPLETED)
            begun.cancel()

    def _play_on(self, story: Story) -> None:
        self._begin(story, "stop", None)

    def _begin(self, story: Story, on_mismatch: OnMismatch, stride: Stride | None) -> _Playing | None:
        if playing := self._playing.get(story.id):
            if stride is None:
                playing.pace.go_on()
            return None
        if story.status in OVER:
            return None
        pace = Pace(
            stride=stride,
            people=story.people,
            show=lambda request, piece: self._show(story, request, piece),
            watched=lambda: self.hub.watched(story.id),
        )
        playing = _Playing(asyncio.create_task(self._play(story, pace, on_mismatch)), pace)
        self._playing[story.id] = playing
        playing.task.add_done_callback(lambda _: self._ended(story.id))
        return playing

    def _awake(self, id: str) -> Story:
        """A story that a person wants to go on: addresses that count as down are tried at once."""
        story = self.store.stories.story(id)
        for url in story.casting.urls:
            self.client.try_again(url)
        return story

    def _show(self, story: Story, request: Request, piece: str) -> None:
        scene = story.script.scene
        self.hub.tell(story.id, token_notice(scene, request, piece) if piece else asking_notice(scene, request))

    def _ended(self, id: str) -> None:
        del self._playing[id]
        self.hub.tell(id, status_notice(self.store.stories, id))

    def _set_people(self, id: str, people: set[str | None]) -> None:
        story = self.store.stories.story(id)
        if unknown := people - {None, *story.script.scene.names}:
            raise StoryError(f"story {id}: {', '.join(map(str, unknown))} is not in its cast")
        self.store.stories.set_people(id, tuple(sorted(people, key=str)))
        if playing := self._playing.get(id):
            playing.pace.seat(people)

    async def _record(self, id: str, reply: Reply) -> None:
        async with held(self.store.stories.claimed(id)) as claimed:
            await claimed.answered(reply)

    async def _play(self, story: Story, pace: Pace, on_mismatch: OnMismatch) -> None:
        def on_event(seq: int, event: Event) -> None:
            self.hub.tell(story.id, Notice("event", event.model_dump(mode="json"), seq))

        try:
            await perform(self.store.stories, self.client, story, pace, on_event=on_event, on_mismatch=on_mismatch)
        except PlayedElsewhere:
            return  # it goes on there
        except CharacterBoxError as error:
            log.warning("story %s stopped: %s", story.id, error)
        except Exception:
            log.exception("story %s stopped", story.id)


async def _wait(task: asyncio.Task[None]) -> None:
    await asyncio.wait([task], timeout=GRACE)


async def _cancel(task: asyncio.Task[None]) -> None:
    await asyncio.sleep(0)  # it begins, if it has not: only what has begun can say that it was stopped
    task.cancel()
    await asyncio.wait([task])


@cache
def open_stage() -> Stage:
    """The stage of this process, on the database that the settings name."""
    chosen = settings()
    store = Store(chosen.db)
    return Stage(store, open_client(store, chosen.rehearsal_latency))
