"""RoleBench: answers of roles to general instructions, and questions about the roles themselves (RoleLLM, section 3).

Each role answers each general instruction six times, as RoleGPT does: five answers are references, the sixth is the
baseline that other models are compared with. The same model also answers without a role. The references are cleaned by
the four principles; the baseline and the plain answer are not, as in the paper.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Literal

from pydantic import Field

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import plain
from characterbox.llm.request import Ask, ChatMessage, Request
from characterbox.llm.sampling import Sampling
from characterbox.prompts import harmless
from characterbox.rolebench.cleaning import Flaw, flaw_of
from characterbox.rolebench.context_instruct import Instructing, Questions
from characterbox.rolebench.generation import Known, Task
from characterbox.rolebench.scoring import ROLE_ANSWERS
from characterbox.roles.prompting import Strategy, question_prompt
from characterbox.roles.role import Role
from characterbox.scenes.scene import Text

ANSWERS = ROLE_ANSWERS + 1
"""Of a role to an instruction: the references, and the baseline."""
SAMPLING = Sampling(temperature=0.7, top_p=0.95, max_tokens=200)
"""That of RoleGPT (appendix E)."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A reference that was taken out as it broke a principle."""

    role: str
    instruction: str
    number: int
    """Which of the role's answers, from 1."""
    text: str
    flaw: Flaw


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to an instruction by a role, as far as they have come."""

    role: Role
    instruction: str
    references: tuple[str, ...]
    """Those that were not taken out."""
    baseline: str | None
    plain: str | None
    """The answer without a role."""


@dataclass(frozen=True, slots=True)
class RoleBench:
    """A benchmark as far as it has come."""

    questions: tuple[Questions, ...]
    answers: tuple[Answered, ...]
    """Role after role, in each of them in the order of the instructions."""
    removed: tuple[Removed, ...]

    @property
    def flaws(self) -> Counter[Flaw]:
        """How many references were taken out by each principle."""
        return Counter(one.flaw for one in self.removed)


class Building(Instructing):
    """A benchmark that is to be built."""

    way: Literal["rolebench"] = "rolebench"
    instructions: Annotated[tuple[Text, ...], Field(min_length=1)]
    strategy: Strategy = "fsd"
    """How a role is shown examples of itself; the one by which roles speak best in the paper."""
    answering: Sampling = SAMPLING
    """How answers to general instructions are drawn."""

    def tasks(self, known: Known) -> Iterable[Task]:
        """The questions about the roles, and each answer."""
        yield from super().tasks(known)
        for number, instruction in enumerate(self.instructions, 1):
            alone = partial(tuple, [ChatMessage("user", harmless(instruction))])
            yield Task(_plain(number), partial(self._answer, _plain(number), alone, 0))
        for place, role in enumerate(self.roles, 1):
            prompt = question_prompt(role, self.strategy)
            for number, instruction in enumerate(self.instructions, 1):
                asked = cache(partial(prompt, instruction))
                for draw in range(ANSWERS):
                    name = _answer(place, number, draw + 1)
                    yield Task(name, partial(self._answer, name, asked, draw))

    async def _answer(self, path: str, asked: Callable[[], tuple[ChatMessage, ...]], draw: int, ask: Ask) -> str:
        request = Request(path, self.agent, self.language, asked(), sampling=self.answering, draw=draw)
        try:
            text = await ask(request)
        except ReplyError as error:  # it was cut off: that is for the cleaning to see
            text = error.reply
        return plain(text)

    def result(self, known: Known) -> RoleBench:
        """The benchmark as far as it has come."""
        answers: list[Answered] = []
        removed: list[Removed] = []
        for place, role in enumerate(self.roles, 1):
            for number, instruction in enumerate(self.instructions, 1):
                sound = []
                for at in range(1, ANSWERS):
                    if (text := known.get(_answer(place, number, at))) is None:
                        continue
                    if (flaw := flaw_of(text, role)) is None:
                        sound.append(text)
                    else:
                        removed.append(Removed(role.name, instruction, at, text, flaw))
                baseline = known.get(_answer(place, number, ANSWERS))
                answers.append(Answered(role, instruction, tuple(sound), baseline, known.get(_plain(number))))
        return RoleBench(self.questions(known), tuple(answers), tuple(removed))


def _plain(number: int) -> str:
    return f"plain/{number}"


def _answer(place: int, number: int, draw: int) -> str:
    return f"role-{place}/instruction-{number}/{draw}"
