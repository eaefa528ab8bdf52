"""One piece of work judged: a critique first if its protocol wants one, then scores; what can't be read, once more."""

import asyncio
import typing
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from annotations.rubrics.rubric import Rubric
from characterbox.errors import ReplyError
from characterbox.judging.protocol import Protocol, Verdict, read_all_scores, read_scores, scores_form
from characterbox.judging.subject import Questions, Work, metrics_asked
from characterbox.llm.journal import Record, Reply
from characterbox.llm.replies.reading import read_prose
from characterbox.llm.request import AGAIN, Ask, ChatMessage, Form, Request, answer
from characterbox.pause_reasons import Reason
from characterbox.play.paths import JUDGES
from characterbox.scenes.scene import slug_of

T = TypeVar("T")


class Answering(typing.Protocol):
    """Has an answer that can be read, or raises ReplyError, as `answer` does."""

    def __call__(self, ask: Ask, request: Request, read: Callable[[str], T]) -> Awaitable[T]:
        """The answer to a request."""


class Retaking:
    """Answers from a record; what can't be read in it is asked anew, once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._recorded = dict(record.replies)

    async def __call__(self, ask: Ask, request: Request, read: Callable[[str], T]) -> T:
        """The answer. Raises ReplyError if a reply that came just now can't be read either."""
        try:
            return await answer(ask, request, read)
        except ReplyError:
            paths = {request.path, f"{request.path}{AGAIN}"}
            replies = self._record.replies
            if any(replies.get(path) is not self._recorded.get(path) for path in paths):
                raise
            self._record.anew |= paths
        return await answer(ask, request, read)


def superseded(replies: Mapping[str, Reply]) -> set[str]:
    """The paths at which it was asked once more what was wrong with a reply that has a later take since."""
    found = set()
    for path, reply in replies.items():
        first = replies.get(path.removesuffix(AGAIN)) if path.endswith(AGAIN) else None
        if first is not None and first.came_at and reply.came_at and first.came_at > reply.came_at:
            found.add(path)
    return found


TRIED = "~"
"""Stands between a judge and what an experiment varies of it; no name of a judge has one."""


def filed_as(rater: str, variation: str | None = None) -> str:
    """What the replies of a judge, or of a variation of it, are filed under in a story, among the judges."""
    return slug_of(rater) if variation is None else f"{slug_of(rater)}{TRIED}{slug_of(variation)}"


def place_of_judge(rater: str, variation: str | None = None) -> str:
    """Where the replies of a judge, or of a variation of it, are filed in the journal of a story."""
    return f"{JUDGES}{filed_as(rater, variation)}/"


def places_of_replies(place: str, protocol: Protocol, name: str, rubric: Rubric) -> list[str]:
    """The paths at which a judge with this place is asked about a character, but for what is asked once more."""
    place = f"{place}{slug_of(name)}"
    steps = ["critique"] if protocol.manner == "critique" else []
    steps += [_step(protocol, keys) for keys in protocol.asked_together(rubric.keys)]
    return [f"{place}/{step}" for step in steps]


async def judge_work(
    ask: Ask,
    rater: str,
    protocol: Protocol,
    work: Work,
    rubric: Rubric,
    *,
    variation: str | None = None,
    answered: Answering = answer,
) -> Verdict:
    """The verdict of a judge, by a rubric for such work, on the metrics that can be asked of it; `answered` has an
    answer to each question, with `ask`.

    Raises EndpointError; a reply that can't be read leaves scores missing.
    """
    place = f"{place_of_judge(rater, variation)}{work.place}"
    agent = rater if variation is None else f"{rater}{TRIED}{variation}"
    asked = metrics_asked(work, rubric)
    shuffled = protocol.ordered(rubric, f"{work.scene.id}/{work.place}")  # of all judges the same, and of all repeats
    order = tuple(key for key in shuffled if key in asked)
    questions = Questions(work, protocol, rubric, order)

    def request(step: str, messages: tuple[ChatMessage, ...], form: Form | None = None) -> Request:
        return Request(f"{place}/{step}", agent, questions.language, messages, form, sampling=protocol.sampling)

    critique = None
    if protocol.manner == "critique":
        try:
            critique = await answered(ask, request("critique", questions.critique()), read_critique)
        except ReplyError as error:
            return dict.fromkeys(order, Reason("no_critique", detail=Reason.of(error)))

    async def scored(keys: Sequence[str]) -> Verdict:
        wish = request(_step(protocol, keys), questions.scores(keys, critique), scores_form(rubric, keys))
        try:
            return await answered(ask, wish, lambda text: read_all_scores(text, rubric, keys, questions.work))
        except ReplyError as error:
            return read_scores(error.reply, rubric, keys, questions.work)

    verdicts = await all_of(scored(keys) for keys in protocol.asked_together(questions.keys))
    return {key: verdict[key] for key in rubric.keys for verdict in verdicts if key in verdict}


async def all_of(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What all of it gives. When some of it fails, the rest still comes to its end, as it is paid for."""
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    done: list[T] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        done.append(outcome)
    return done


def _step(protocol: Protocol, keys: Sequence[str]) -> str:
    return "scores" if protocol.replies == "one" else f"scores/{keys[0]}"


def read_critique(text: str) -> str:
    """The critique in a reply. Raises ReplyError if there is none."""
    return read_prose(text, labels=("critique", "评论", "评语"))
