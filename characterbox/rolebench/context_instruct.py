"""Context-Instruct: questions to a role with its answers, from its dialogues and its description (RoleLLM, 2.3).

Script-based questions rest on a segment of the dialogues, three each. Script-agnostic ones rest on the description, ten
in a run, 20 runs, and more of them until a role has 400 candidates. What is not sure is dropped, then what fails the
cleaning, then what asks much the same as an earlier question; the questions for tests are among the last ones, as in
the paper (appendix B), where what is kept shares too little to be split. The paper cleans in the end; here a question
that is clean is not lost to one that is not.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from annotations.i18n.messages import Message, Readable, to_say
from characterbox.llm.request import Ask, ChatMessage, Request, answer
from characterbox.llm.sampling import Sampling
from characterbox.prompts import render
from characterbox.rolebench.candidates import TRIPLETS, Reading, Triplet, read_triplets
from characterbox.rolebench.cleaning import FLAWS, TOLD, Flaw, flaw_of
from characterbox.rolebench.duplicates import ALIKE, Nearest, duplicates
from characterbox.rolebench.generation import Generation, Known, Task, Unread
from characterbox.rolebench.released import Type
from characterbox.rolebench.segments import Segments, segments_of
from characterbox.roles.prompting import catchphrases_of, profile_of, told
from characterbox.roles.role import Role, Turn

A_SEGMENT = 3
"""Questions that are asked for from a segment, in one run."""
A_RUN = 10
"""Questions that are asked for from the description, in one run."""
RUNS = 20
MOST_RUNS = 100
"""Runs over the description after which a role has no more, however few candidates came of them."""
CANDIDATES = 400
"""Candidates that a role is to have at least."""
TEST_QUESTIONS = 50
SAMPLING = Sampling(temperature=0.7, top_p=0.95, max_tokens=2_000)
"""That of the paper (appendix E)."""

Rejection = Literal["unreadable", "unsure", "duplicate"] | Flaw
REJECTIONS: Mapping[Rejection, str] = {
    "unreadable": to_say("the candidate could not be read"),
    "unsure": to_say("the model's confidence in the question is low"),
    **{flaw: TOLD[flaw] for flaw in FLAWS},
    "duplicate": to_say("it asks much the same as an earlier question"),
}
"""What is told of each reason, in the order in which they are looked for."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question about a role with its answer, and where it comes from."""

    task: str
    number: int
    """Which of its task, from 1."""
    type: Type
    triplet: Triplet


@dataclass(frozen=True, slots=True)
class Rejected:
    """What was asked for and is not kept."""

    task: str
    reason: Rejection
    why: Readable
    text: str
    """The question; of what can't be read all of it."""
    candidate: Candidate | None = None
    """None where it can't be read."""
    like: str | None = None
    """The question that was kept, of a duplicate."""
    similarity: float | None = None
    """That to it."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What has come of one role so far."""

    role: Role
    segments: Segments
    runs: int
    """Runs over the description that have been read, or could not be."""
    candidates: int
    """All that could be read."""
    kept: tuple[Candidate, ...]
    """For training."""
    test: tuple[Candidate, ...]
    """Those of the duplicates that are least alike to what was kept."""
    rejected: tuple[Rejected, ...]
    """All others; and the test questions, which are duplicates, too."""
    unread: Mapping[str, Unread]
    """The tasks of which nothing could be read, by name."""

    @property
    def reasons(self) -> Counter[Rejection]:
        """How many were rejected for which reason; test questions count as duplicates."""
        return Counter(one.reason for one in self.rejected)


class Instructing(Generation):
    """What is common to all in which questions to roles are written."""

    roles: Annotated[tuple[Role, ...], Field(min_length=1)]
    sampling: Sampling = SAMPLING
    alike: Annotated[float, Field(gt=0, le=1)] = ALIKE
    """The similarity from which on a question counts as a duplicate."""

    @model_validator(mode="after")
    def _roles_can_be_asked(self) -> Self:
        names = [role.name.casefold() for role in self.roles]
        if twice := [role.name for place, role in enumerate(self.roles) if names[place] in names[:place]]:
            raise ValueError(Message("two roles are called {name!r}, as rows call them; leave one out", name=twice[0]))
        for role in self.roles:
            if role.language != self.language:
                raise ValueError(Message("all roles must be of one language; {id!r} is of another", id=role.id))
            if next(role.rounds, None) is None:
                raise ValueError(Message("the role {id!r} has no dialogues; add some from a script", id=role.id))
            if role.description is None:
                raise ValueError(Message("the role {id!r} has no description; write one", id=role.id))
        return self

    def tasks(self, known: Known) -> Iterable[Task]:
        """The segments and runs of all roles."""
        for number, role in enumerate(self.roles, 1):
            yield from self._of(f"role-{number}", role, known)

    def _of(self, place: str, role: Role, known: Known) -> Iterator[Task]:
        names = []
        for number, turns in enumerate(segments_of(role, self.seed).chosen, 1):
            names.append(f"{place}/segment-{number}")
            yield Task(names[-1], partial(self._from_segment, names[-1], role, turns))
        runs, to_come = 0, RUNS
        while to_come:
            for number in range(runs + 1, runs + to_come + 1):
                names.append(f"{place}/run-{number}")
                yield Task(names[-1], partial(self._from_description, names[-1], role, number))
            runs += to_come
            if not all(name in known for name in names) or not any(_count(known, name) for name in names[-to_come:]):
                return
            missing = max(CANDIDATES - sum(_count(known, name) for name in names), 0)
            to_come = min(ceil(missing / A_RUN), MOST_RUNS - runs)

    async def _from_segment(self, path: str, role: Role, turns: tuple[Turn, ...], ask: Ask) -> Reading:
        passage = told(turns, role.language)
        task = render("instruct_passage", role.language, **_about(role, A_SEGMENT), passage=passage)
        return await self._asked(path, "instruct_complete", task, 0, ask)

    async def _from_description(self, path: str, role: Role, number: int, ask: Ask) -> Reading:
        task = render("instruct_description", role.language, **_about(role, A_RUN))
        return await self._asked(path, "instruct_factual", task, number, ask)

    async def _asked(self, path: str, rules: str, task: str, draw: int, ask: Ask) -> Reading:
        messages = (ChatMessage("system", render(rules, self.language)), ChatMessage("user", task))
        request = Request(path, self.agent, self.language, messages, TRIPLETS, sampling=self.sampling, draw=draw)
        return await answer(ask, request, read_triplets)

    def questions(self, known: Known) -> tuple[Questions, ...]:
        """What has come of each role so far."""
        return tuple(
            _questions(role, segments_of(role, self.seed), f"role-{number}/", known, self.alike)
            for number, role in enumerate(self.roles, 1)
        )


class ContextInstruct(Instructing):
    """Questions to roles, with their answers."""

    way: Literal["instruct"] = "instruct"

    def result(self, known: Known) -> tuple[Questions, ...]:
        """What has come of each role so far."""
        return self.questions(known)


def _about(role: Role, count: int) -> dict[str, str]:
    values = {"name": role.name, "work": role.work, "count": str(count)}
    return values | {"profile": profile_of(role), "catchphrases": catchphrases_of(role)}


def _count(known: Known, name: str) -> int:
    """The candidates that came of a task."""
    outcome: Any = known.get(name)
    return len(outcome.triplets) if isinstance(outcome, Reading) else 0


def _questions(role: Role, segments: Segments, place: str, known: Known, alike: float) -> Questions:
    own = {name: outcome for name, outcome in known.items() if name.startswith((f"{place}segment-", f"{place}run-"))}
    own = dict(sorted(own.items(), key=lambda one: _order(one[0])))
    candidates = [*_candidates(own)]
    rejected = [*_unreadable(own)]
    sound: list[Candidate] = []
    for one in candidates:
        if (reason := _unsound(one, role)) is None:
            sound.append(one)
        else:
            why = Message(REJECTIONS[reason])
            rejected.append(Rejected(one.task, reason, why, one.triplet.question, one))
    found = duplicates([one.triplet.question for one in sound], role.language, alike)
    twice: Rejection = "duplicate"
    for at, near in found.items():
        one, like = sound[at], sound[near.place].triplet.question
        why = Message(REJECTIONS[twice])
        rejected.append(Rejected(one.task, twice, why, one.triplet.question, one, like, near.similarity))
    chosen = _tests(sound, found)
    return Questions(
        role,
        segments,
        runs=sum("/run-" in name for name in own),
        candidates=len(candidates),
        kept=tuple(one for at, one in enumerate(sound) if at not in found),
        test=chosen,
        rejected=tuple(rejected),
        unread={name: one for name, one in own.items() if isinstance(one, Unread)},
    )


def _tests(sound: Sequence[Candidate], found: Mapping[int, Nearest]) -> tuple[Candidate, ...]:
    """The duplicates that are least alike to what was kept, in the order of candidates; none in the very same words as
    another question."""
    seen = {one.triplet.question for at, one in enumerate(sound) if at not in found}
    chosen: list[int] = []
    for at in sorted(found, key=lambda at: (found[at].similarity, at)):
        if len(chosen) < TEST_QUESTIONS and (text := sound[at].triplet.question) not in seen:
            seen.add(text)
            chosen.append(at)
    return tuple(sound[at] for at in sorted(chosen))


def _order(name: str) -> tuple[bool, int]:
    """Segments before runs, each in their order: whichever came first, the same questions are kept."""
    return "/run-" in name, int(name.rpartition("-")[2])


def _candidates(own: Known) -> Iterator[Candidate]:
    for task, outcome in own.items():
        if isinstance(outcome, Reading):
            type: Type = "script_agnostic" if "/run-" in task else "script_based"
            for number, triplet in enumerate(outcome.triplets, 1):
                yield Candidate(task, number, type, triplet)


def _unreadable(own: Known) -> Iterator[Rejected]:
    for task, outcome in own.items():
        if isinstance(outcome, Reading):
            yield from (Rejected(task, "unreadable", one.why, one.text) for one in outcome.unreadable)


def _unsound(one: Candidate, role: Role) -> Rejection | None:
    return "unsure" if one.triplet.confidence == "low" else flaw_of(one.triplet.answer, role)
