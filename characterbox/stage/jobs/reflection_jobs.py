"""The jobs of parts that are rewritten: a model that rewrites one, and a judge that scores them before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.judging.judge import Judge, registered
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import OnMismatch
from characterbox.stage.jobs.model_jobs import Counted
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.judging import JudgedReflection, judge_reflection
from characterbox.training.reflection.rewriting import Reflection
from characterbox.training.reflection.running import place_of_reflection, reflect_on


@dataclass(slots=True, eq=False)
class Reflecting(Counted):
    """A model that rewrites a character's part in a story: one at a time for each story, model and character."""

    story: Story
    name: str
    model: Endpoint
    on_mismatch: OnMismatch = "stop"
    """What to do with replies to other prompts than today's."""

    @classmethod
    def by(
        cls, actor: Account, story: Story, name: str, model: Endpoint, on_mismatch: OnMismatch = "stop"
    ) -> "Reflecting":
        """One that somebody wants. Raises NotAllowed unless they may direct."""
        require(actor, "direct")
        return cls(story, name, model, on_mismatch)

    @property
    def key(self) -> tuple[str, ...]:
        """The story, the model and the character. Raises AddressError for a model that can't be filed."""
        return self.story.id, place_of_reflection(self.model, self.name)

    async def work(self, store: Store, client: Client) -> Reflection:
        """Have it rewritten."""
        return await reflect_on(
            store, client, self.story, self.name, self.model, on_mismatch=self.on_mismatch, on_step=self.count
        )


@dataclass(slots=True, eq=False)
class ReflectionJudging(Counted):
    """A judge that scores rewritten parts of a story before and after: one at a time for each story and judge."""

    story: Story
    reflections: Sequence[Reflection]
    """The parts; each has an accepted rewriting."""
    judge: Judge
    """As it is registered."""
    anew: bool = False
    """As in `judge_story`."""

    @classmethod
    def by(
        cls,
        actor: Account,
        store: Store,
        story: Story,
        reflections: Sequence[Reflection],
        judge: Judge,
        *,
        anew: bool = False,
    ) -> "ReflectionJudging":
        """One that somebody wants, by a judge that is registered here, where it is not yet.

        Raises NotAllowed unless they may direct.
        """
        require(actor, "direct")
        return cls(story, reflections, registered(store, judge), anew)

    def __post_init__(self) -> None:
        self.whole = len(self.reflections)

    @property
    def key(self) -> tuple[str, ...]:
        """The story and the judge."""
        return self.story.id, self.judge.rater

    async def work(self, store: Store, client: Client) -> list[JudgedReflection]:
        """Have them scored, one after the other."""
        judged = []
        for reflection in self.reflections:
            judged.append(await judge_reflection(store, client, self.story, reflection, self.judge, anew=self.anew))
            self.count(len(judged))
        return judged
