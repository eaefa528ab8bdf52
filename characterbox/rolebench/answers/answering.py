"""Answers of a model to the questions of RoleBench: each question is asked once, and what comes is scored.

How a role is put on is the strategy of RoleGPT (zsp, fsp, fsd). For a model that was trained to play roles (RoCIT) it
is also how the role is customised: the prompt of zsp is that by system instruction, and the prompt of fsd that with
retrieved rounds, as `characterbox.rolebench.answers.datasets` writes both for training (RoleLLM, 2.4 and 4.3).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from annotations.i18n.messages import Message
from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import plain
from characterbox.llm.request import Ask, ChatMessage, Request
from characterbox.llm.sampling import Sampling
from characterbox.rolebench.answers.questions import Question, QuestionSet
from characterbox.rolebench.benchmark import SAMPLING
from characterbox.rolebench.generation import Generation, Known, Task, Unread
from characterbox.roles.prompting import Strategy, question_prompt
from characterbox.roles.role import Role
from characterbox.scenes.scene import Text
from characterbox.values import Value

Customisation = Literal["system", "retrieval"]
"""How a trained model is told which role it is: by a system instruction alone, or with retrieved rounds, too."""
PROMPT_OF: Mapping[Customisation, Strategy] = {"system": "zsp", "retrieval": "fsd"}
"""The strategy whose prompt each customisation has."""


class Answer(NamedTuple):
    """What a model answered."""

    text: str
    cut_off: bool
    """Whether it did not come to its end within the tokens that it had; it counts as it is, as in the paper."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers as far as they have come."""

    given: tuple[tuple[Question, Answer], ...]
    """In the order of the questions."""
    unread: Mapping[str, Unread]
    """The questions that were asked and have no answer, as none could be read, by task."""
    waiting: int
    """Questions that are still to be asked."""

    @property
    def cut_off(self) -> int:
        """How many did not come to their end."""
        return sum(answer.cut_off for _, answer in self.given)


class Trial(Value):
    """The place of some answers in an experiment, which is a batch: all its conditions answer the same questions."""

    of: Literal["strategy", "customisation", "mix"]
    """What differs."""
    condition: Text
    conditions: tuple[Text, ...]
    """All that it is compared with, itself among them, in their order."""


class Answering(Generation):
    """Questions of a benchmark that a model is to answer as the roles."""

    way: Literal["answers"] = "answers"
    roles: Annotated[tuple[Role, ...], Field(min_length=1)]
    """Those that are asked something."""
    questions: QuestionSet
    strategy: Strategy = "fsd"
    sampling: Sampling = SAMPLING
    trial: Trial | None = None
    """None where it belongs to no experiment."""

    @model_validator(mode="after")
    def _roles_can_be_asked(self) -> Self:
        names = [role.name.strip().casefold() for role in self.roles]
        if twice := [role.name for place, role in enumerate(self.roles) if names[place] in names[:place]]:
            raise ValueError(Message("two roles are called {name!r}, as rows call them; leave one out", name=twice[0]))
        for role in self.roles:
            if role.language != self.language:
                raise ValueError(Message("all roles must be of one language; {id!r} is of another", id=role.id))
            if self.strategy != "zsp" and not any(one.before for one in role.rounds):
                raise ValueError(
                    Message(
                        "the role {id!r} has no rounds to be shown; add some from a script, or choose zsp", id=role.id
                    )
                )
        known = {role.name.strip() for role in self.roles}
        if unknown := [one.role for one in self.questions.questions if one.role not in known]:
            raise ValueError(Message("there are questions to {name!r}, but no such role", name=unknown[0]))
        return self

    def tasks(self, known: Known) -> Iterable[Task]:
        """Each question."""
        for name, messages in self.asked():
            yield Task(name, partial(self._answer, name, messages))

    def asked(self) -> Iterable[tuple[str, Callable[[], tuple[ChatMessage, ...]]]]:
        """The name of each question's task, and what gives all that the model is asked."""
        prompts = {role.name.strip(): question_prompt(role, self.strategy) for role in self.roles}
        for name, one in zip(self._names, self.questions.questions, strict=True):
            yield name, partial(prompts[one.role], one.text)

    @property
    def _names(self) -> Sequence[str]:
        """The task of each question."""
        return [f"{one.kind}-{number}" for number, one in enumerate(self.questions.questions, 1)]

    async def _answer(self, path: str, messages: Callable[[], tuple[ChatMessage, ...]], ask: Ask) -> Answer:
        request = Request(path, self.agent, self.language, messages(), sampling=self.sampling)
        cut_off = False
        try:
            text = await ask(request)
        except ReplyError as error:
            text, cut_off = error.reply, True
        if not (said := plain(text)):
            raise ReplyError(Message("the reply has no text"), reply=text)
        return Answer(said, cut_off)

    def result(self, known: Known) -> Answers:
        """The answers as far as they have come."""
        tasks = [*zip(self._names, self.questions.questions, strict=True)]
        given = ((one, known[name]) for name, one in tasks if isinstance(known.get(name), Answer))
        unread = {name: known[name] for name, _ in tasks if isinstance(known.get(name), Unread)}
        return Answers(tuple(given), unread, sum(name not in known for name, _ in tasks))
