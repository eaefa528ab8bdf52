"""Every fault at every kind of call: the story and its judge come to their end, and what went wrong can be seen."""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from tempfile import TemporaryDirectory

from starlette.applications import Starlette
from starlette.routing import Mount

from bench import fault_checks
from bench.fault_checks import JUDGED, PASSING, UNREADABLE, Case, Seen
from bench.fault_free_outcome import Undisturbed, undisturbed
from characterbox.errors import EndpointError
from characterbox.judging.judge import Judge, judge_story
from characterbox.llm.calls.client import Client
from characterbox.llm.calls.retry_policy import RetryPolicy
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.server import Server
from characterbox.play.settings import FIRST
from characterbox.play.world import Script
from characterbox.scenes.scene import slug_of
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.ratings.ratings import Rating, item_of
from characterbox.store.stories.stories import Story
from tests.fakes.mock_server import MockServer, serving
from tests.fakes.scenes import a_scene

PLAYED = ("action", "reaction", "influence", "result", "updates", "self_belief", "environment_belief")
"""What is asked in a story."""
PLAYED_FIRST = ("action", "dialogue", "character_update", "environment_update")
"""What is asked otherwise in one of the first version of the prompts; words also where a reply has but an action."""
KINDS = (*((task, False) for task in (*PLAYED, *JUDGED)), *((task, True) for task in PLAYED_FIRST))
"""All that is asked, and whether it is in a story of the first version."""
STREAMED = {("reaction", False), ("action", True), ("dialogue", True)}
"""Prose: its pieces are shown as they come."""
FAULTS = (*PASSING, *UNREADABLE)
SIDE_BY_SIDE = 24
FOR_GOOD = 99
QUICK = RetryPolicy(attempts=4, timeouts=3, hopeful=4, pause=0.01, longest_pause=0.02, down=0.0)
SOON, LATE = 1.0, 120.0
"""Seconds after which a server counts as silent: where it is, and where it is only busy."""
SCRIPT = Script(scene=a_scene(), rounds=1)
FIRST_SCRIPT = SCRIPT.model_copy(update={"settings": FIRST})
"""A story of the first version of the prompts."""


def cases() -> Iterator[Case]:
    """All faults at all kinds of calls, once and for good; streamed too where replies are."""
    for (task, first), fault, for_good in product(KINDS, FAULTS, (False, True)):
        for watched in (False, True) if (task, first) in STREAMED else (False,):
            yield Case((task,), fault, for_good, watched, first)


def cases_in_one() -> Iterator[Case]:
    """All faults at all kinds of calls, once: all kinds in one story, and with one judge."""
    for (tasks, first), fault in product(((PLAYED, False), (PLAYED_FIRST, True), (JUDGED, False)), FAULTS):
        yield Case(tasks, fault, for_good=False, first=first)


async def silent_or_crashed() -> int:
    """How many cases do not come out as they must; what is wrong with each goes to standard error."""
    found = await problems(list(cases()))
    for case, wrong in found.items():
        sys.stderr.write(f"{case}: {'; '.join(wrong)}\n")
    return len(found)


async def problems(cases: Sequence[Case]) -> dict[Case, list[str]]:
    """The cases that do not come out as they must, each with what is wrong."""
    servers = [MockServer(faults_at=_faults(case)) for case in cases]
    well = MockServer()
    routes = [Mount(f"/{number}", server.app()) for number, server in enumerate([*servers, well])]
    with serving(Starlette(routes=routes)) as address, TemporaryDirectory() as folder:
        for number, server in enumerate([*servers, well]):
            server.url = f"{address}/{number}/v1"
        silent = {server.url for server, case in zip(servers, cases, strict=True) if case.fault == "silent"}
        store = Store(f"sqlite:///{folder}/faults.db")
        client = Client(lambda url: _server_at(url, silent), patience=QUICK)
        trials = Trials(store, client, await undisturbed(SCRIPT), await undisturbed(FIRST_SCRIPT))
        try:
            ended = await trials.well_played(well)
            wrong = await asyncio.gather(*map(partial(trials.problems, ended), cases, servers))
        finally:
            await client.close()
            store.close()
    return {case: found for case, found in zip(cases, wrong, strict=True) if found}


@dataclass(frozen=True)
class Trials:
    """Plays stories, or has a story judged, while something goes wrong."""

    store: Store
    client: Client
    undisturbed: Undisturbed
    first: Undisturbed
    """The same of the story of the first version of the prompts."""
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SIDE_BY_SIDE))

    async def well_played(self, server: MockServer) -> Story:
        """A story that has ended, to be judged."""
        story = self._story(server, SCRIPT)
        await self._play(story, watched=False)
        return self.store.stories.story(story.id)

    async def problems(self, ended: Story, case: Case, server: MockServer) -> list[str]:
        """What is wrong with how a case comes out; `ended` is the story to be judged."""
        async with self.places:
            try:
                found = self._judged(case, server, ended) if case.judging else self._played(case, server)
                return [problem async for problem in found]
            except Exception as error:
                return [f"crashed: {error!r}"]

    async def _played(self, case: Case, server: MockServer) -> AsyncIterator[str]:
        story, well = self._story(server, FIRST_SCRIPT if case.first else SCRIPT), self.of(case)
        if case.readable and case.for_good:
            try:
                await self._play(story, case.watched)
            except EndpointError as error:
                for problem in fault_checks.of_stopped(case, self.seen(story), error, well):
                    yield problem
            else:
                yield "it did not stop"
            server.faults_at.clear()
        await self._play(story, case.watched)
        for problem in fault_checks.of_ended(case, self.seen(story), well):
            yield problem

    async def _judged(self, case: Case, server: MockServer, story: Story) -> AsyncIterator[str]:
        judge = Judge(name=f"Judge {server.url.split('/')[-2]}", endpoint=Endpoint(url=server.url, model="m"))
        if case.readable and case.for_good:
            try:
                await judge_story(self.store, self.client, story, judge)
            except EndpointError as error:
                for problem in fault_checks.of_reason(case, str(error)):
                    yield problem
            else:
                yield "it did not stop"
            if self._ratings(story, judge):
                yield "there are ratings that nobody gave"
            server.faults_at.clear()
        await judge_story(self.store, self.client, story, judge)
        for problem in fault_checks.of_ratings(case, self._ratings(story, judge), characters=len(SCRIPT.scene.cast)):
            yield problem
        journal = self.store.stories.journal(story.id, under=f"judge/{slug_of(judge.name)}/")
        for problem in fault_checks.of_journal(case, journal):
            yield problem

    async def _play(self, story: Story, watched: bool) -> None:
        pace = PlaybackControl(show=lambda request, piece: None, watched=lambda: watched)
        await perform(self.store.stories, self.client, story, pace, on_event=lambda seq, event: None)

    def of(self, case: Case) -> Undisturbed:
        """What the story of a case comes to when nothing goes wrong."""
        return self.first if case.first else self.undisturbed

    def _story(self, server: MockServer, script: Script) -> Story:
        endpoint = Endpoint(url=server.url, model="m")
        casting = Casting(narrator=endpoint, characters=dict.fromkeys(script.scene.names, endpoint))
        return self.store.stories.create(script, casting, "command line")

    def seen(self, story: Story) -> Seen:
        """What there is to see of a story now."""
        stories = self.store.stories
        return Seen(
            stories.story(story.id), stories.events(story.id), stories.journal(story.id), stories.costs(story.id)
        )

    def _ratings(self, story: Story, judge: Judge) -> list[Rating]:
        items = [item_of(story, name) for name in SCRIPT.scene.names]
        return [one for item in items for one in self.store.ratings.of_judge(item.label, judge.name).values()]


def _faults(case: Case) -> dict[str, deque[str]]:
    return {task: deque([case.fault] * (FOR_GOOD if case.for_good else 1)) for task in case.tasks}


def _server_at(url: str, silent: Collection[str]) -> Server:
    return Server(url=url, name="m", kind="api", timeout=SOON if url in silent else LATE)
