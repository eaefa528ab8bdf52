"""The stage: plays the app's stories on an event loop of its own, whoever watches, comes or goes."""

import asyncio
import logging
import threading
from collections.abc import Collection, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import cache, partial
from typing import Any

import characterbox.llm.calls.http  # noqa: F401 - with the app, so that its first call does not wait for openai
from characterbox.errors import CharacterBoxError, PlayedElsewhere, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint
from characterbox.llm.journal import OnMismatch
from characterbox.llm.request import Request
from characterbox.pause_reasons import Reason
from characterbox.play.events import Event
from characterbox.play.world import Script
from characterbox.processes.concurrency import held
from characterbox.settings import settings
from characterbox.stage import branching, playback_control
from characterbox.stage.auto_resume import TAKEN_UP, USUAL_CARE, AutoResume, Care
from characterbox.stage.branching import Reuse
from characterbox.stage.client import check_addresses, missing, open_client
from characterbox.stage.forecast import Forecast, forecast
from characterbox.stage.jobs.generation_jobs import Generations
from characterbox.stage.jobs.jobs import Jobs
from characterbox.stage.jobs.model_jobs import Craftings, Sweepings
from characterbox.stage.jobs.training_jobs import Evaluations
from characterbox.stage.live.hub import Hub, LiveCosts, Notice
from characterbox.stage.live.notices import asking_notice, costs_notice, status_notice, token_notice
from characterbox.stage.playback_control import GRACE, PlaybackControl, Playing, StepSize
from characterbox.stage.runner import OPEN, perform
from characterbox.store import Store
from characterbox.store.stories.call_costs import Usual
from characterbox.store.stories.stories import Branch, Status, Story
from characterbox.store.stories.story import OVER
from characterbox.training.runs import Runs

log = logging.getLogger(__name__)

PATIENCE = 20.0
"""Seconds after which the stage's event loop counts as stuck."""


class Stage:
    """Starts, stops and resumes stories. All its methods may be called from any thread, but not on an event loop."""

    def __init__(self, store: Store, client: Client, care: Care = USUAL_CARE) -> None:
        """`care` tells when it looks after stories that were left alone."""
        self.store = store
        self.hub = Hub()
        self.client = client
        self._playing: dict[str, Playing] = {}
        """Changed on the event loop only."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stage", daemon=True)
        self._thread.start()
        self.jobs = Jobs(store, client, self._loop)
        self.sweepings = Sweepings(store, client, self._loop, self.jobs)
        self.craftings = Craftings(store, client, self._loop, self.jobs)
        self.generations = Generations(store, client, self._loop, self.jobs)
        runs = Runs.of_user(store.audit)
        self.evaluations = Evaluations(store, client, self._loop, self.jobs, runs.folders)
        self._teller = ThreadPoolExecutor(1, "teller")
        """Reads what watchers are told, one thing after the other: nothing older is told after something newer."""
        self._costs = LiveCosts(partial(costs_notice, store.stories), self.hub, self._loop, self._teller)
        auto_resume = AutoResume(store.stories, client, self._playing.keys(), self._play_on, care)
        asyncio.run_coroutine_threadsafe(auto_resume.work(), self._loop)

    def launch(self, script: Script, casting: Casting, people: Iterable[str | None] = ()) -> Story:
        """Store a new story and start to play it; a person plays each of the `people`, None being the narrator."""
        story = self.store.stories.create(script, casting, "app", people=tuple(people))
        self._do(self._start(story))
        return story

    def forecast(self, script: Script, casting: Casting, people: Iterable[str | None] = ()) -> Forecast:
        """What a story would take."""
        return forecast(script, casting, people, usual=self._usual, price=self.client.price)

    def _usual(self, endpoint: Endpoint) -> Usual | None:
        """What the replies of an endpoint took lately; of the rehearsal it is known before it has given any."""
        known = self.store.stories.usual(endpoint)
        rehearsed = Usual(self.client.rehearsal_latency, None) if endpoint.url == REHEARSAL else None
        return rehearsed if known is None else known

    def missing(self, casting: Casting) -> list[Reason]:
        """Which endpoints of a casting can't be asked now, for each the reason."""
        looking = asyncio.run_coroutine_threadsafe(missing(self.client, casting), self._loop)
        return looking.result(timeout=PATIENCE)

    def resume(self, id: str, on_mismatch: OnMismatch = "stop") -> None:
        """Play a story on from where it rests; does nothing if it is being played, or is over.

        Addresses that count as down are tried at once: a person wants it. Raises StoryError if replies would be asked
        again that other stories took over.
        """
        if on_mismatch == "ask":
            branching.check_unbranched(self.store.stories, id)
        self._do(self._start(self._awake(id), on_mismatch))

    def step(self, id: str, stride: StepSize) -> None:
        """Play a story on for one call, turn or round; then it rests. Does nothing if it is being played."""
        self._do(self._start(self._awake(id), stride=stride))

    def resume_all(self) -> None:
        """Play on what was to go on as this app was closed, or was played as it was killed; single steps are paused."""
        for story in self.store.stories.stories("running"):
            if story.launched_from == "app" and story.reason is None:
                self._do(self._start(story, out_of=TAKEN_UP))
            elif story.launched_from == "app":
                with suppress(PlayedElsewhere):
                    self.store.stories.move(story.id, "paused", out_of=TAKEN_UP)
        self.sweepings.resume_all()
        self.craftings.resume_all()
        self.generations.resume_all()
        self.evaluations.resume_all()

    def rest(self, id: str) -> None:
        """Let no more calls of a story leave: it rests as soon as the replies under way have come.

        A story that waits for an endpoint does not go on by itself any more. Raises PlayedElsewhere if another process
        plays it.
        """
        if playing := self._playing.get(id):
            playing.pace.rest()
        elif self.store.stories.story(id).status in TAKEN_UP:
            try:
                self.store.stories.move(id, "paused", out_of=TAKEN_UP)
            except PlayedElsewhere:
                if (playing := self._playing.get(id)) is None:
                    raise
                playing.pace.rest()  # it was begun here in this very moment

    def pause(self, id: str) -> None:
        """Let a story rest, and wait a while for that."""
        self.rest(id)
        if playing := self._playing.get(id):
            self._do(playing.soon_over())

    def stop(self, id: str) -> None:
        """End a story here, for good. Replies that are under way are lost."""
        if playing := self._playing.get(id):
            playing.pace.rest("stopped")
            self._do(playing.cancel())
        if self.store.stories.story(id).status not in OVER:
            self.store.stories.move(id, "stopped", out_of=OPEN)

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
        return playback_control.questions(self.store.stories, self.store.stories.story(id))

    def answer(self, id: str, path: str, text: str, *, person: str | None = None) -> None:
        """Record what a person answers, with this account, and play on if nobody else has to answer.

        Raises ReplyError, saying what is wrong, if it can't be read, and StoryError if it is not asked now, or other
        replies are still under way.
        """
        if playing := self._playing.get(id):
            self._do(playing.soon_over())
        if id in self._playing:
            raise StoryError("story {id}: other replies are still pending; send the answer again in a moment", id=id)
        try:
            self._do(self._record(id, path, text, person))
        except PlayedElsewhere as error:
            raise StoryError("{error}; perhaps {path} has just been answered", error=error, path=path) from None
        self.resume(id)

    def branch(
        self, branch: Branch, casting: Casting | None = None, text: str | None = None, *, person: str | None = None
    ) -> Story:
        """Start a story that branches off another one; `text` takes the place of the reply at the branch, and
        `person` is the account of the one who wrote it.

        Raises StoryError if there is nothing to branch off, and ReplyError if the text can't be read.
        """
        parent = self.store.stories.story(branch.parent)
        check_addresses(self.store, parent, casting or parent.casting)
        branch = branching.parting(self.store.stories, branch)
        plan = branching.plan(self.store.stories, parent, branch, casting or parent.casting, text, person=person)
        if plan.edited is not None:
            record = branching.record_of(self.store.stories, parent, plan)
            playback_control.check(parent, record, plan.played, plan.edited)
        story = self.store.stories.create(
            parent.script, plan.casting, "app", people=parent.people, branch=branch, reply=plan.edited
        )
        self._do(self._start(story))
        return story

    def reuse(self, branch: Branch, casting: Casting | None = None, text: str | None = None) -> Reuse:
        """How many calls a branch would take over, without starting it."""
        parent = self.store.stories.story(branch.parent)
        return branching.reuse(self.store.stories, branch, casting or parent.casting, text)

    def close(self) -> None:
        """Stop playing. What was to go on stays marked as running, and is played on at the next start."""
        with closing(self.store), closing(self._loop):
            try:
                self._do(self._end())
            finally:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join(timeout=PATIENCE)
                self._teller.shutdown()

    def _do(self, what: Coroutine[Any, Any, None]) -> None:
        """Do it on the event loop, and come back when it is done. Not to be called there."""
        asyncio.run_coroutine_threadsafe(what, self._loop).result(timeout=PATIENCE)

    async def _end(self) -> None:
        for playing in self._playing.values():
            playing.pace.close()
        if waited := [playing.task for playing in self._playing.values()]:
            await asyncio.wait(waited, timeout=GRACE)
        await self.jobs.close(GRACE)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.client.close()
        await asyncio.get_running_loop().shutdown_default_executor()

    async def _start(
        self,
        story: Story,
        on_mismatch: OnMismatch = "stop",
        stride: StepSize | None = None,
        out_of: Collection[Status] = OPEN,
    ) -> None:
        """Begin to play, and come back once the story is marked as running; or take back that it is to rest."""
        if (last := self._playing.get(story.id)) and last.pace.over:
            await asyncio.wait([last.task])
        if playing := self._playing.get(story.id):
            if stride is None:
                playing.pace.go_on()
        elif story.status in out_of:
            await self._begin(story, on_mismatch, stride, out_of).begun()

    def _play_on(self, story: Story) -> None:
        """Play a story on that nobody asks for; what is being played goes on as people want it."""
        if story.id not in self._playing:
            self._begin(story, "stop", None, TAKEN_UP)

    def _begin(
        self, story: Story, on_mismatch: OnMismatch, stride: StepSize | None, out_of: Collection[Status]
    ) -> Playing:
        pace = PlaybackControl(
            stride=stride,
            people=story.people,
            show=lambda request, piece: self._show(story, request, piece),
            watched=lambda: self.hub.watched(story.id),
            on_begun=lambda: self._tell_soon(story.id),
        )
        playing = Playing(asyncio.create_task(self._play(story, pace, on_mismatch, out_of)), pace)
        self._playing[story.id] = playing
        playing.task.add_done_callback(lambda _: self._ended(story.id))
        return playing

    def _awake(self, id: str) -> Story:
        """A story that a person wants to go on: addresses that count as down are tried at once."""
        story = self.store.stories.story(id)
        check_addresses(self.store, story, story.casting)
        for url in story.casting.urls:
            self.client.try_again(url)
        return story

    def _show(self, story: Story, request: Request, piece: str) -> None:
        scene = story.script.scene
        self.hub.tell(story.id, token_notice(scene, request, piece) if piece else asking_notice(scene, request))

    def _ended(self, id: str) -> None:
        del self._playing[id]
        self._tell_soon(id)

    def _tell_soon(self, id: str) -> None:
        self._teller.submit(self._tell_status, id)

    def _tell_status(self, id: str) -> None:
        try:
            self.hub.tell(id, status_notice(self.store.stories, id))
        except Exception:
            log.exception("story %s: how it stands can't be read", id)
            self.hub.tell(id, None)

    def _set_people(self, id: str, people: set[str | None]) -> None:
        story = self.store.stories.story(id)
        if unknown := people - {None, *story.script.scene.names}:
            raise StoryError("story {id}: {names} not found in its cast", id=id, names=", ".join(map(str, unknown)))
        self.store.stories.set_people(id, tuple(sorted(people, key=str)))
        if playing := self._playing.get(id):
            playing.pace.seat(people)
        self._tell_soon(id)

    async def _record(self, id: str, path: str, text: str, person: str | None) -> None:
        stories = self.store.stories
        async with held(stories.claimed(id)) as claimed:
            story = await asyncio.to_thread(stories.story, id)
            reply = await asyncio.to_thread(playback_control.answered, stories, story, path, text, person)
            await claimed.answered(reply)

    async def _play(
        self, story: Story, pace: PlaybackControl, on_mismatch: OnMismatch, out_of: Collection[Status]
    ) -> None:
        def on_event(seq: int, event: Event) -> None:
            self.hub.tell(story.id, Notice("event", event.model_dump(mode="json"), seq))
            self._costs.tick(story.id)

        try:
            await perform(
                self.store.stories,
                self.client,
                story,
                pace,
                on_event=on_event,
                on_mismatch=on_mismatch,
                out_of=out_of,
                retells=False,
            )
        except PlayedElsewhere:
            return  # it goes on there
        except CharacterBoxError as error:
            log.warning("story %s stopped: %s", story.id, error)
        except Exception:
            log.exception("story %s stopped", story.id)


@cache
def open_stage() -> Stage:
    """The stage of this process, on the database that the settings name."""
    chosen = settings()
    store = Store(chosen.db)
    return Stage(store, open_client(store, chosen.rehearsal_latency))
