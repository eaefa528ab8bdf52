"""What models are to generate about roles: a wish whose tasks are asked for over a journal.

A generation has no state but its wish and its replies, as a crafting has none: how far it has come is found by doing
it once more over the journal, which asks nothing. A kind of generation says which tasks there are, and what their
outcomes come to; all else is the same for all (see `characterbox.rolebench.running`).
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from annotations.i18n.messages import Readable
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Ask
from characterbox.llm.sampling import Sampling
from characterbox.values import Language, Value


class Task(NamedTuple):
    """Something that can be asked for by itself, whatever becomes of other tasks."""

    name: str
    """Tells it from the others of its generation; all paths that it asks at are this one, or begin with it and `/`."""
    work: Callable[[Ask], Awaitable[Any]]
    """Asks, and gives the outcome. Raises ReplyError where the replies can't be read, and what `ask` raises."""


class Unread(NamedTuple):
    """The outcome of a task whose replies could not be read."""

    problem: Readable
    reply: str
    """The last one, as it came."""


Known = Mapping[str, Any]
"""The outcomes of tasks so far, by name."""


class Generation(Value):
    """What is wished for, and by whom it is written."""

    way: str
    """What kind it is; each narrows it down to a literal of its own, by which it is read again."""
    agent: ClassVar[str] = "writer"
    """As whom the model is asked."""
    language: Language
    model: Endpoint
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    sampling: Sampling = Sampling()
    """How the model draws its replies."""
    budget: Annotated[float, Field(gt=0)] | None = None
    """US dollars that may be spent on it, all runs together; None for any number."""
    batch: str | None = None
    """What it is a part of: all generations of a batch spend one budget. None where it is alone."""

    @abstractmethod
    def tasks(self, known: Known) -> Iterable[Task]:
        """All tasks, as far as can be told by the outcomes of those that are done; the same for the same outcomes.

        Where all of them are done and no further one comes of their outcomes, the generation has come to its end.
        """

    @abstractmethod
    def result(self, known: Known) -> Any:
        """What the outcomes so far come to; an `Unread` among them is counted, and nothing stands in for it."""

    @property
    def improvised(self) -> bool:
        """Whether no language model writes: what comes of it is no result."""
        return self.model.is_modelless
