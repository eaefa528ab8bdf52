"""A model reads its own part in a story, says what is wrong with it, and rewrites reply after reply (paper, section 5).

What comes of it is a function of the story and the replies: over the same journal it comes to the same. A rewriting
that changes more than the wording of a reply, or after which the rest of the story could not have happened, is refused
with its reason; the original stays in its place.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from characterbox.errors import ReplyError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Ask, answer
from characterbox.pause_reasons import Reason
from characterbox.play.events import Event
from characterbox.training.reflection.own_replies import OwnReply, Told
from characterbox.training.reflection.questions import Inconsistency, Questions, read_check, read_inconsistencies

State = Literal["not asked", "not checked", "unchanged", "accepted", "refused"]
"""Unchanged is what was good already; only what was accepted takes the place of the original."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the model says is wrong with its part; None as long as it has not been asked."""

    inconsistencies: tuple[Inconsistency, ...] | None = None
    unread: Reason | None = None
    """Why its reply could not be read, asked twice: it then rewrites without."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """One reply before and after."""

    number: int
    path: str
    """Its place in the story."""
    before: str
    after: str | None = None
    """None as long as it has not been asked; of what can't be read, what came."""
    state: State = "not asked"
    refused: Reason | None = None


@dataclass(frozen=True, slots=True)
class Reflection:
    """A character's part as a model has rewritten it so far."""

    story: str
    character: str
    model: Endpoint
    found: Found
    steps: tuple[Rewriting, ...]
    """All replies of the part, in the order of the story."""
    events: tuple[Event, ...]
    """Those of accepted rewritings, which take the places of the ones with the same paths."""

    def retold(self, events: Iterable[Event]) -> list[Event]:
        """The events of the story with the accepted rewritings in their places; everything else is as it was."""
        rewritten = {event.path: event for event in self.events}
        return [rewritten.get(event.path, event) for event in events]

    @property
    def counts(self) -> Counter[State]:
        """How many replies there are in each state."""
        return Counter(step.state for step in self.steps)

    @property
    def complete(self) -> bool:
        """Whether all has been asked."""
        return self.found != Found() and not {"not asked", "not checked"} & self.counts.keys()

    @property
    def refusals(self) -> Counter[str]:
        """How many rewritings are refused, by reason."""
        return Counter(str(step.refused) for step in self.steps if step.refused is not None)


async def reflect(ask: Ask, questions: Questions) -> AsyncIterator[Found | tuple[Rewriting, Told | None]]:
    """What is found, and then each reply rewritten, with what it tells if it is accepted.

    A rewriting that is to be checked comes before it is, and once more after. Raises what `ask` raises.
    """
    found = await _found(ask, questions)
    yield found
    so_far: list[tuple[int, str]] = []
    for own in questions.own:
        step, told = await _rewritten(ask, questions, own, found, so_far)
        if step.state == "not checked":
            yield step, None
            step = await _checked(ask, questions, own, step)
        if step.state == "accepted" and step.after is not None:
            so_far.append((own.number, step.after))
        yield step, told if step.state == "accepted" else None


async def _found(ask: Ask, questions: Questions) -> Found:
    read = partial(read_inconsistencies, most=len(questions.own))
    try:
        return Found(await answer(ask, questions.inconsistencies(), read))
    except ReplyError as error:
        return Found((), Reason.of(error))


async def _rewritten(
    ask: Ask, questions: Questions, own: OwnReply, found: Found, so_far: list[tuple[int, str]]
) -> tuple[Rewriting, Told | None]:
    """The rewriting of a reply, as long as it is not checked; what is against its form is asked for once more."""
    step, request = before(own), questions.rewriting(own, found.inconsistencies or (), so_far)
    try:
        told = await answer(ask, request, partial(own.rewritten, scene=questions.script.scene))
    except ReplyError as error:
        return replace(step, after=error.reply, state="refused", refused=Reason.of(error)), None
    after = own.reader.written(told)
    return replace(step, after=after, state="unchanged" if after == step.before else "not checked"), told


async def _checked(ask: Ask, questions: Questions, own: OwnReply, step: Rewriting) -> Rewriting:
    try:
        verdict = await answer(ask, questions.check(own, step.after or ""), read_check)
    except ReplyError as error:
        return replace(step, state="refused", refused=Reason("fit_unread", detail=Reason.of(error)))
    if verdict.fits:
        return replace(step, state="accepted")
    return replace(step, state="refused", refused=Reason("rewriting_unfit", why=verdict.reason or "-"))


def before(own: OwnReply) -> Rewriting:
    """A reply that has not been rewritten yet."""
    return Rewriting(own.number, own.path, own.text)
