"""Every fault at every kind of call: the story and its judge come to their end, and what went wrong can be seen."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from characterbox.errors import CharacterBoxError, EndpointError
from characterbox.judging.judge import Judge, judge_story
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.patience import Patience
from characterbox.llm.server import Server
from characterbox.play.script import Script
from characterbox.stage.pace import Pace
from characterbox.stage.perform import perform
from characterbox.store import Store
from characterbox.store.stories import Story
from tests.fakes.mock_server import MockServer, mock_server
from tests.fakes.scenes import a_scene

PASSING = ("500", "500 bare", "429", "429 bare", "429 in 1 s", "silent", "reset", "closed", "malformed", "no_choices")
"""Faults of the endpoint: the call is sent again."""
UNREADABLE = ("empty", "1 MB", "length")
"""Replies that come and can't be read, or not as they are: asked once more, degraded the second time."""
TASKS = (
    *("action", "dialogue", "influence", "reaction", "result", "character_update", "environment_update"),
    *("self_belief", "environment_belief", "critique", "scores"),
)
QUICK = Patience(pause=0.001, longest_pause=0.002, timeouts=6)
TIMEOUT = 0.15
STREAMED = ("action", "dialogue", "reaction")


@dataclass(frozen=True, slots=True)
class Case:
    """A fault at a kind of call."""

    task: str
    fault: str
    times: int
    """How often in a row it happens; 2 of an unreadable reply is one too many, 99 is for good."""
    watched: bool
    """Whether the replies are streamed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case."""

    status: str
    """Of the story; `crashed` where an error came out that is none of ours."""
    seen: int
    """How often something can be seen to have gone wrong: in the journal, in events, in the story's reason."""
    scores_missing: int
    """Scores of the judge that are missing, each with its reason."""


def cases() -> Iterator[Case]:
    """All faults at all kinds of calls, once, and until there is no hope; streamed too where replies are."""
    for task, fault in product(TASKS, PASSING):
        yield from (Case(task, fault, times, watched) for times in (1, 99) for watched in _ways(task))
    for task, fault in product(TASKS, UNREADABLE):
        yield from (Case(task, fault, times, watched) for times in (1, 2) for watched in _ways(task))


def _ways(task: str) -> tuple[bool, ...]:
    return (False, True) if task in STREAMED else (False,)


def fits(case: Case, outcome: Outcome) -> bool:
    """Whether nothing crashed, and what went wrong was counted and can be seen."""
    judging = case.task in ("critique", "scores")
    if case.times == 99 and not judging:
        return outcome.status == "waiting" and outcome.seen > 0
    return outcome.status == "ended" and outcome.seen > 0


async def silent_or_crashed() -> int:
    """How many cases do not come out as they must."""
    return sum([not fits(case, await outcome_of(case)) for case in cases()])


async def outcome_of(case: Case) -> Outcome:
    """Play a story of one round, have it judged, and look at what can be seen of the fault."""
    with TemporaryDirectory() as folder, mock_server() as server:
        server.faults_at[case.task] = deque([case.fault] * case.times)  # type: ignore[list-item]
        store = Store(f"sqlite:///{Path(folder)}/faults.db")
        client = Client(lambda url: Server(url=url, name="m", kind="api", timeout=TIMEOUT), patience=QUICK)
        try:
            return await _outcome(case, store, client, server)
        finally:
            await client.close()
            store.close()


async def _outcome(case: Case, store: Store, client: Client, server: MockServer) -> Outcome:
    endpoint = Endpoint(url=server.url, model="m")
    scene = a_scene()
    casting = Casting(narrator=endpoint, characters=dict.fromkeys(scene.names, endpoint))
    story = store.stories.create(Script(scene=scene, rounds=1), casting, "command line")
    pace = Pace(show=lambda request, piece: None, watched=lambda: case.watched)
    crashed = failed = False
    missing = 0
    try:
        if await perform(store.stories, client, story, pace, on_event=_unseen) == "ended":
            ratings = await judge_story(store, client, store.stories.story(story.id), Judge(name="J", endpoint=endpoint))
            missing = sum(rating.score is None and bool(rating.reason) for rating in ratings)
    except EndpointError:
        failed = True
    except CharacterBoxError:
        crashed = True
    status = "crashed" if crashed else store.stories.story(story.id).status
    return Outcome(status, _seen(store, story) + missing + failed, missing)


def _unseen(seq: int, event: Any) -> None:
    """Events are looked at in the database."""


def _seen(store: Store, story: Story) -> int:
    costs = store.stories.costs(story.id, of="all")
    again = sum(reply.path.endswith("/again") for reply in store.stories.journal(story.id))
    told = store.stories.story(story.id).reason is not None
    return sum(costs.troubles.values()) + again + costs.degraded + told
