"""The job that writes a training dataset."""

import asyncio
from dataclasses import dataclass

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.llm.calls.client import Client
from characterbox.stage.jobs.model_jobs import Counted
from characterbox.store import Store
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.training.datasets.report import DatasetReport


@dataclass(slots=True, eq=False)
class DatasetWriting(Counted):
    """A dataset that is written: one at a time for each name."""

    actor: Account
    name: str
    recipe: DatasetRecipe

    @classmethod
    def by(cls, actor: Account, name: str, recipe: DatasetRecipe) -> "DatasetWriting":
        """One that somebody wants. Raises NotAllowed unless they may direct."""
        require(actor, "direct")
        return cls(actor, name, recipe)

    @property
    def key(self) -> tuple[str, ...]:
        """The name."""
        return (self.name,)

    async def work(self, store: Store, client: Client) -> DatasetReport:
        """Write it, in a thread: nobody is asked."""
        datasets = DatasetCollection.of_user()
        return await asyncio.to_thread(datasets.write, self.actor, store, self.name, self.recipe, self.count)
