"""Generations about roles in the app, of whatever way: each is a batch that rests, and goes on, as people want."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotations.i18n.messages import Message, to_say
from characterbox.errors import CharacterBoxError, Interlude, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import OnMismatch
from characterbox.rolebench.generation import Generation
from characterbox.rolebench.kinds import KINDS
from characterbox.rolebench.running import How, begin, budgeted, wish_of
from characterbox.rolebench.running import run as generate
from characterbox.stage.jobs.model_jobs import Batches, BatchJob
from characterbox.store import Store
from characterbox.sweeps.budget import BudgetedClient, without_price


@dataclass(eq=False)
class GenerationJob(BatchJob):
    """A generation that runs in this process, or ran lately."""

    kind = "generation"
    under_way_told = to_say("generation {id}: it is running; wait until it has stopped")
    elsewhere_told = to_say("generation {id}: it is running in another process; let it finish, or stop it there")
    run: BudgetedClient
    endpoints: Iterable[Endpoint]
    on_mismatch: OnMismatch = "stop"
    done: int = 0
    """Tasks, of `whole` that are known; both 0 until the first is done."""
    whole: int = 0

    def at_work(self, store: Store) -> bool:
        """Whether some process is at it."""
        return store.craftings.at_work(self.name)

    def count(self, done: int, whole: int) -> None:
        """Take how many tasks are done, of how many that are known."""
        self.done, self.whole = done, whole

    async def work(self, store: Store, client: Client) -> None:
        """Ask for all that is missing."""
        await generate(store, self.run, self.name, How(on_mismatch=self.on_mismatch, on_done=self.count))


@dataclass(eq=False)
class Generations(Batches[GenerationJob]):
    """Starts generations and lets them rest; each goes by its id."""

    kind = GenerationJob

    def begin(self, wish: Generation) -> str:
        """Store a wish and start; gives the id of the generation.

        Raises StoryError, and stores nothing, where it has a budget and its model has no price.
        """
        if wish.budget is not None and without_price(self.client, [wish.model]):
            raise StoryError(
                "a budget needs prices, but there is no price for {model}; add prices, or remove the budget",
                model=wish.model,
            )
        id = begin(self.store, wish, "app")
        self.start(id)
        return id

    def start(self, id: str, on_mismatch: OnMismatch = "stop") -> None:
        """Go on from where it stands; `on_mismatch` says what to do with replies to other prompts than today's.

        Raises StoryError if it is under way, here or in another process, if there is no such generation, or its budget
        can't be kept.
        """
        client = budgeted(self.store, self.client, id)
        self._start(GenerationJob(id, client, [wish_of(self.store, id).model], on_mismatch))

    def fault(self, id: str) -> Message | None:
        """What it broke off with in this process; None where it did not."""
        error = None if (known := self.of(id)) is None else known.last_error
        return error.args[0] if isinstance(error, CharacterBoxError) and not isinstance(error, Interlude) else None

    def _broken_off(self) -> list[str]:
        found = self.store.craftings.all(KINDS)
        return [one.id for one in found if (one.status, one.launched_from) == ("running", "app")]

    def _resume(self, name: str) -> None:
        self.start(name)
