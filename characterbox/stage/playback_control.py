"""How far a story may go before it rests, and the people who play in it."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from characterbox.errors import Interlude, ReplyError, StoryError
from characterbox.llm.calls.client import OnToken
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import OnMismatch, Record, Reply
from characterbox.llm.request import AGAIN, Request
from characterbox.pause_reasons import Reason
from characterbox.play.events import Event
from characterbox.play.paths import parse_path
from characterbox.stage.branching import Outlook, embedding_record, inherited, outlook
from characterbox.store.stories.stories import Status, Story, StoryStore
from characterbox.store.stories.story import OVER

GRACE = 5.0
"""Seconds that replies under way get to arrive when the app ends, or when a story is paused."""

StepSize = Literal["call", "turn", "round"]
"""How far a story goes when it goes one step: one call to a model, one turn of a character (or the beliefs of a
round), or one round."""
_Part = tuple[str | int, ...]
_BELIEFS = ("self-belief", "environment-belief")
"""The steps that are no character's turn, though somebody is asked for each."""


class PlaybackControl:
    """Lets the calls of one story leave, as far as people want it. It may be changed from any thread."""

    def __init__(
        self,
        *,
        stride: StepSize | None = None,
        people: Collection[str | None] = (),
        show: OnToken | None = None,
        watched: Callable[[], bool] = lambda: False,
        on_begun: Callable[[], None] = lambda: None,
    ) -> None:
        self.people = people
        """The agents that are played by a person; None is the narrator."""
        self._seated = False
        self.rests_as: Status = "paused"
        """The status that the story gets when it rests."""
        self.resting = False
        """Whether it rests as soon as the replies under way have come."""
        self.begun = asyncio.Event()
        """Set when the story is marked as running."""
        self._on_begun = on_begun
        self.over = False
        """Whether the story has come to rest, whatever is asked of this pace from now on."""
        self.urgent = watched
        self._show = show
        self._stride = stride
        self.step = None if stride is None else Reason("one_only", stride=stride)
        """Why a story that is played goes no further; None when it plays to its end."""
        self._goes_on = False
        self._within: _Part | None = None
        """The part of the story that it may play: that of the first call that left."""

    @property
    def goes_no_further(self) -> bool:
        """Whether people want it to rest soon, so that it does not wait for an endpoint either."""
        return self._stride is not None or (self.resting and self.rests_as != "running")

    @property
    def on_token(self) -> OnToken | None:
        """Takes the pieces of replies; None while nobody watches, as streaming costs more."""
        return self._show if self.urgent() else None

    def seat(self, people: Collection[str | None], *, at_first: bool = False) -> None:
        """Say who is played by a person; what is known `at_first` does not count if it was said already."""
        if not (at_first and self._seated):
            self.people, self._seated = frozenset(people), True

    def begin(self) -> None:
        """Say that the story is marked as running."""
        self.begun.set()
        self._on_begun()

    def rest(self, status: Status = "paused") -> None:
        """Let no more calls leave; those under way come to their end."""
        self.rests_as = status
        self.resting = True

    def close(self) -> None:
        """Rest, as the app ends: as running if the story was to go on by itself, and as paused if it was not."""
        if not self.resting:
            self.rest("running" if self._stride is None else "paused")

    def go_on(self) -> None:
        """Take a pause, or the end of a step, back: the story plays on as if it had never rested."""
        if self.rests_as == "paused":
            self.resting, self._stride, self._goes_on = False, None, True

    def goes_on(self) -> bool:
        """Whether a story that has just come to rest is to play on; told once."""
        goes_on, self._goes_on = self._goes_on, False
        return goes_on

    def admitted(self, request: Request, endpoint: Endpoint) -> AbstractAsyncContextManager[None]:
        """Lets a call leave within it. Raises Interlude if the story rests first."""
        self.admit(request.path)
        return nullcontext()

    def admit(self, path: str) -> None:
        """Let the call at a path leave. Raises Interlude if the story rests first."""
        if self.resting:
            raise Interlude(f"the story rests before {path}")
        if self._stride is None:
            return
        part = _part(path, self._stride)
        if self._within is None:
            self._within = part
        if part != self._within:
            raise Interlude(f"the story has gone one {self._stride}, and rests before {path}")


def _part(path: str, stride: StepSize) -> _Part:
    """The part of the story that a call belongs to."""
    if stride == "call":
        return (path,)
    place, _ = parse_path(path)
    return (place.round,) if stride == "round" or place.step in _BELIEFS else (place.round, place.turn)


@dataclass(frozen=True, slots=True)
class Playing:
    """A story that is being played: what plays it, and how far it is let. To be awaited on the loop of its task."""

    task: asyncio.Task[None]
    pace: PlaybackControl

    async def begun(self) -> None:
        """Come back once it is marked as running, or is over before that."""
        begun = asyncio.ensure_future(self.pace.begun.wait())
        await asyncio.wait([self.task, begun], return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()

    async def soon_over(self) -> None:
        """Come back once it is over, or after a while."""
        await asyncio.wait([self.task], timeout=GRACE)

    async def cancel(self) -> None:
        """End it at once."""
        await asyncio.sleep(0)  # it begins, if it has not: only what has begun can say that it was stopped
        self.task.cancel()
        await asyncio.wait([self.task])


def record_of(stories: StoryStore, story: Story, on_mismatch: OnMismatch = "keep") -> Record:
    """The record of a story as it is now."""
    parent = None if story.branch is None else inherited(stories, story.branch)
    replies = stories.replies(story.id)
    embeddings = embedding_record(stories, story.casting, replies, None if parent is None else parent.story)
    return Record(replies, story.casting.endpoint, story.script.seed, on_mismatch, parent, embeddings)


def look_ahead(story: Story, record: Record, played: Sequence[Event]) -> Outlook:
    """What would be asked next. Not to be called where an event loop runs."""
    return asyncio.run(outlook(story.script, record, played))


def questions(stories: StoryStore, story: Story) -> Sequence[Request]:
    """What people who play in the story are asked now. Not to be called where an event loop runs."""
    ids = [story.id] if story.branch is None else [story.id, story.branch.parent]
    asked = _next(stories, story.id, story.casting.model_dump_json(), *map(stories.extent, ids))
    return [one for one in asked if one.agent in story.people]


@lru_cache(maxsize=8)
def _next(stories: StoryStore, id: str, *_: object) -> Sequence[Request]:
    """What anybody is asked next. Kept as long as nothing grows: without, each drawing of the page reads the journal,
    0.1 s for 900 events."""
    story = stories.story(id)
    return look_ahead(story, record_of(stories, story), stories.events(id)).next


def answered(stories: StoryStore, story: Story, path: str, text: str, person: str | None) -> Reply:
    """What a person answers, who has this account, as a reply that is not yet recorded.

    Raises StoryError if this is not asked now, and ReplyError, saying what is wrong, if it can't be read. What is asked
    stays so only for who holds the claim on the story. Not to be called where an event loop runs.
    """
    record, played = record_of(stories, story), stories.events(story.id)
    asked = [one for one in look_ahead(story, record, played).next if one.path == path and one.agent in story.people]
    if story.status in OVER or not asked:
        raise StoryError(
            "story {id}: no answer is needed at {path} now; perhaps somebody has answered, or the story has ended",
            id=story.id,
            path=path,
        )
    take = record.find(asked[0]).take
    reply = written(asked[0], text, story, take, person=person)
    check(story, replace(record, replies={**record.replies, path: reply}), played, reply)
    return reply


def written(request: Request, text: str, story: Story, take: int, *, person: str | None = None) -> Reply:
    """What a person, who may have an account, wrote in the place of the model that is cast, as a reply."""
    return Reply(
        path=request.path, take=take, digest=request.digest(story.script.seed), messages=request.messages, text=text,
        author="human", endpoint=story.casting.endpoint(request.agent), dropped=request.dropped,
        memory=request.remember(), person=person,
    )  # fmt: skip


def check(story: Story, record: Record, played: Sequence[Event], written: Reply) -> None:
    """Raises ReplyError, saying what is wrong, if what a person wrote can't be read where the record holds it."""
    again = f"{written.path}{AGAIN}"
    record = replace(record, replies={key: reply for key, reply in record.replies.items() if key != again})
    for request in look_ahead(story, record, played).next:
        if request.path == again:
            raise ReplyError(request.problem, reply=written.text)
