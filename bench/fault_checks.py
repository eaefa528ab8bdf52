"""What must be seen of a fault, and nothing else: checks of a story, or of a judge's ratings, against its journal."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.fault_free_outcome import Undisturbed, expected, key
from characterbox.errors import EndpointDown, EndpointError
from characterbox.llm.journal import Reply
from characterbox.play.events import Event, StoryEnded
from characterbox.play.paths import reply_path
from characterbox.store.ratings.ratings import Rating
from characterbox.store.stories.call_costs import StoryCosts
from characterbox.store.stories.stories import Story

PASSING: Mapping[str, str] = {
    "500": "HTTP 500",
    "500 bare": "HTTP 500",
    "429": "HTTP 429",
    "429 bare": "HTTP 429",
    "429 in 1 s": "HTTP 429",
    "silent": "timed out",
    "reset": "response interrupted",
    "closed": "connection lost",
    "malformed": "the response is not a chat completion",
    "no_choices": "the response is not a chat completion",
}
"""Faults of the endpoint, and what they are called where they are told: the call is sent again."""
UNREADABLE: Sequence[str] = ("empty", "1 MB", "length")
"""Replies that come and can't be read, or are cut off: asked for once more, and a neutral outcome after that."""
JUDGED = ("critique", "scores")
"""What judges are asked."""
TAKEN = 40_000
"""The most characters of a reply that are taken."""
KINDS: Mapping[str, frozenset[str]] = {
    "influence": frozenset({"action_influence"}),
    "result": frozenset({"interaction_result"}),
    "updates": frozenset({"character_update", "environment_update"}),
}
"""The kinds of events that a task makes, where it is not one that is called like the task."""
SCORES = {"KA": 4, "BA": 4, "EE": 3, "PT": 5, "IM": 2, "AD": 3, "BC": 4}
"""What the mock server scores."""


@dataclass(frozen=True, slots=True)
class Case:
    """A fault at one kind of call, or at several: all those of a story, or those of a judge."""

    tasks: tuple[str, ...]
    fault: str
    for_good: bool
    """Whether it happens whenever they are asked; else at the first call of each only."""
    watched: bool = False
    """Whether the replies are streamed."""
    first: bool = False
    """Whether the story is one of the first version of the prompts."""

    @property
    def judging(self) -> bool:
        """Whether it is a judge that is asked."""
        return self.tasks[0] in JUDGED

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of the events that its tasks make."""
        spoken = frozenset({"action"} if self.first else {"action", "dialogue"})
        known = {**KINDS, "action": spoken}
        return frozenset().union(*(known.get(task, {task}) for task in self.tasks))

    @property
    def readable(self) -> bool:
        """Whether no reply comes that can't be read."""
        return self.fault not in UNREADABLE

    @property
    def name(self) -> str:
        """What the fault is called."""
        return PASSING[self.fault]

    def raw(self, whole: str) -> str:
        """What of a reply comes that can't be read."""
        return {"empty": "", "1 MB": ("She waits. " * 95_000)[:TAKEN]}.get(self.fault, whole[: len(whole) // 2])


@dataclass(frozen=True, slots=True)
class Seen:
    """What anybody can see of a story."""

    story: Story
    events: Sequence[Event]
    journal: Sequence[Reply]
    costs: StoryCosts


def of_journal(case: Case, journal: Sequence[Reply]) -> Iterator[str]:
    """What is wrong with the record of a case in which all was answered in the end."""
    raw = [reply for reply in journal if reply.text != expected(reply.messages)]
    if wrong := [reply.path for reply in raw if case.readable or reply.text != case.raw(expected(reply.messages))]:
        yield f"replies that nobody gave at {wrong}"
    troubles = Counter(trouble.partition(" after ")[0] for reply in journal for trouble in reply.usage.troubles)
    if case.readable and not case.for_good and not _told(case, troubles):
        yield f"troubles told: {dict(troubles)}, not {case.name}, {len(case.tasks)} times"
    elif not case.readable and troubles:
        yield f"troubles told where there were none: {dict(troubles)}"
    again = {reply.path.removesuffix("/again") for reply in journal if reply.path.endswith("/again")}
    if again != {reply.path.removesuffix("/again") for reply in raw} or bool(again) == case.readable:
        yield f"asked again: {sorted(again)}; could not be read: {[reply.path for reply in raw]}"


def _told(case: Case, troubles: Counter[str]) -> bool:
    """Whether each fault is told, once, and no other; on a busy machine there may be more silence than was meant."""
    name, times = case.name, len(case.tasks)
    if case.fault == "silent":
        return troubles[name] >= times and troubles.keys() <= {name, "no connection"}
    return troubles == {name: times}


def of_reason(case: Case, reason: str | None) -> Iterator[str]:
    """What is wrong with the reason that is told when an endpoint fails for good."""
    if case.name not in (reason or ""):
        yield f"the reason does not name the fault: {reason}"


def of_stopped(case: Case, seen: Seen, error: EndpointError, undisturbed: Undisturbed) -> Iterator[str]:
    """What is wrong with a story that was stopped by this error.

    It waits for an endpoint that is down; where other calls got through, it has failed, and a person has to choose.
    """
    yield from of_reason(case, seen.story.reason and str(seen.story.reason))
    if seen.story.status != ("waiting" if isinstance(error, EndpointDown) else "failed"):
        yield f"it is {seen.story.status} after {error!r}"
    if list(seen.events) != undisturbed.events[: len(seen.events)]:
        yield "events that an undisturbed story does not have"
    if not seen.costs.unanswered:
        yield "the call that failed is not counted"


def of_ended(case: Case, seen: Seen, undisturbed: Undisturbed) -> Iterator[str]:
    """What is wrong with a story that came to its end."""
    if seen.story.status != "ended" or seen.story.reason is not None:
        yield f"it is {seen.story.status}, with the reason {seen.story.reason}"
    yield from of_journal(case, seen.journal)
    if seen.costs.unanswered and not (case.readable and case.for_good):
        yield f"{seen.costs.unanswered} calls are counted as failed"
    yield from _of_events(case, seen)
    if case.readable and list(seen.events) != undisturbed.events:
        yield "its events are not those of an undisturbed story"
    degraded = [event for event in seen.events if event.degraded]
    if len(degraded) != seen.costs.degraded:
        yield f"{len(degraded)} events are degraded, {seen.costs.degraded} are counted"


def _of_events(case: Case, seen: Seen) -> Iterator[str]:
    """An event says what the last reply at its place says; only where none could be read it says that it does not."""
    last = {reply.path.removesuffix("/again"): reply for reply in sorted(seen.journal, key=lambda reply: reply.path)}
    neutral = not case.readable and case.for_good
    for event in seen.events:
        if event.degraded != (neutral and event.kind in case.kinds) or event.degraded != bool(event.reason):
            yield f"{event.path} is degraded: {event.degraded}, as {event.reason}"
        elif not event.degraded and not isinstance(event, StoryEnded):
            mark = f"mark-{key(last[reply_path(event.path, last)].messages)[:12]}"
            if mark not in event.model_dump_json():
                yield f"{event.path} does not say what its reply says"
    if missing := case.kinds - {event.kind for event in seen.events}:
        yield f"there is no {' and no '.join(missing)}"


def of_ratings(case: Case, ratings: Sequence[Rating], *, characters: int) -> Iterator[str]:
    """What is wrong with the ratings of a judge who came to the end.

    Of scores that are cut off, those stand that had come: the last one never had.
    """
    if len(ratings) != len(SCORES) * characters:
        yield f"{len(ratings)} ratings"
    unread = not case.readable and case.for_good
    for rating in ratings:
        cut = unread and case.tasks == ("scores",) and case.fault == "length" and rating.metric != list(SCORES)[-1]
        allowed = {*([SCORES[rating.metric]] if cut or not unread else []), *([None] if unread else [])}
        if rating.score not in allowed or bool(rating.reason) != (rating.score is None):
            yield f"{rating.metric} is {rating.score}, as {rating.reason}"
