"""What judges and second narrators do in the background: verdicts, experiments on judges, and cross-checks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.rubric import Subject
from characterbox.judging.crosscheck import check_story, place_of_check
from characterbox.judging.experiment import Trial, experiment
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.registry import registered
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.jobs import Job
from characterbox.store import Store
from characterbox.store.ratings import Rating
from characterbox.store.stories import Story


@dataclass(slots=True, eq=False)
class Judging(Job):
    """A judge at work on a story: one at a time for each story, judge and kind of what is judged."""

    story: Story
    judge: Judge
    """As it is registered."""
    of: Subject = "character"
    anew: bool = False
    """As in `judge_story`."""
    done: list[str] = field(default_factory=list)
    """The names that are judged already."""

    @classmethod
    def by(cls, store: Store, story: Story, judge: Judge, of: Subject = "character") -> "Judging":
        """That of a judge which is registered here, where it is not yet."""
        return cls(story, registered(store, judge, of), of)

    @property
    def key(self) -> tuple[str, ...]:
        """The story, the judge, and what is judged."""
        return self.story.id, self.judge.rater, self.of

    @property
    def names(self) -> Sequence[str]:
        """The characters to be judged; one name where it is the narrator, or the scene."""
        return self.story.script.scene.names if self.of == "character" else (self.of,)

    async def work(self, store: Store, client: Client) -> Sequence[Rating]:
        """Judge the story."""
        return await judge_story(
            store, client, self.story, self.judge, of=self.of, anew=self.anew, on_verdict=self.done.append
        )


@dataclass(slots=True, eq=False)
class Experiment(Job):
    """An experiment on a judge: one at a time for each."""

    trials: Sequence[Trial]
    """What is to be made; the first is the judge itself."""
    anew: bool = False
    """As in `judge_story`."""
    done: int = 0
    """How many trials are made."""

    @property
    def key(self) -> tuple[str, ...]:
        """The judge."""
        return (self.trials[0].judge.rater,)

    async def work(self, store: Store, client: Client) -> None:
        """Make the trials."""
        await experiment(store, client, self.trials, anew=self.anew, on_trial=self._count)

    def _count(self, done: int) -> None:
        self.done = done


@dataclass(slots=True, eq=False)
class Crosscheck(Job):
    """A second narrator that is asked about a story: one at a time for each story and name that it is filed under."""

    story: Story
    narrator: Endpoint
    decided: int = 0
    """How many decisions it has made."""
    wanted: int | None = None
    """How many it is to make; None until that is known."""

    @property
    def key(self) -> tuple[str, ...]:
        """The story and the model. Raises AddressError for a model whose name has no letter or digit."""
        return self.story.id, place_of_check(self.narrator)

    async def work(self, store: Store, client: Client) -> None:
        """Ask it."""
        await check_story(store, client, self.story, self.narrator, on_decision=self._tell)

    def _tell(self, decided: int, wanted: int) -> None:
        self.decided, self.wanted = decided, wanted
