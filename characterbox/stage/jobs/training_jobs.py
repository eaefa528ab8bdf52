"""Evaluations of trained models in the app: each is a batch that rests, and goes on, as people want."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from annotations.i18n.messages import to_say
from characterbox.errors import TrainingError
from characterbox.llm.calls.client import Client
from characterbox.stage.jobs.model_jobs import Batches, BatchJob
from characterbox.store import Store
from characterbox.training.evaluation.folder import at_work, evaluate, evaluation_in
from characterbox.training.evaluation.plan import EvaluationPlan
from characterbox.training.evaluation.progress import EvaluationProgress
from characterbox.training.evaluation.running import EvaluationRun, check_prices

log = logging.getLogger(__name__)


@dataclass(eq=False)
class EvaluationJob(BatchJob):
    """An evaluation that runs in this process, or ran lately: one at a time for each folder of a run."""

    kind = "evaluation"
    under_way_told = to_say("evaluation in {name}: it is running; wait until it has stopped")
    elsewhere_told = to_say("evaluation in {name}: it is running in another process; let it finish, or stop it there")
    run: EvaluationRun

    def at_work(self, store: Store) -> bool:
        """Whether some process evaluates the same run, or does the same elsewhere."""
        return at_work(store, Path(self.name), self.run.plan)

    async def work(self, store: Store, client: Client) -> EvaluationProgress:
        """Do it, and note in the folder how it stands."""
        return await evaluate(store, self.run, Path(self.name), "app")


@dataclass(eq=False)
class Evaluations(Batches[EvaluationJob]):
    """Starts evaluations and lets them rest; each goes by the folder of its run, as text."""

    kind = EvaluationJob
    folders: Callable[[], Iterable[Path]]
    """Gives the folders of all runs."""

    def start(self, folder: Path, plan: EvaluationPlan) -> None:
        """Do an evaluation from where it stands, and keep it in the folder of the run.

        Raises StoryError if one is under way there, be it about to rest, or in another process, and TrainingError where
        there is a budget that can't be kept.
        """
        check_prices(self.client, plan)
        run = EvaluationRun(self.store, self.client, plan)
        self._start(EvaluationJob(str(folder), run, [*plan.endpoints]))

    def _broken_off(self) -> list[str]:
        found = []
        for folder in self.folders():
            try:
                evaluation = evaluation_in(folder, self.store)
            except TrainingError as error:
                log.warning("it is not gone on with: %s", error)
                continue
            if evaluation is not None and (evaluation.status, evaluation.launched_from) == ("running", "app"):
                found.append(str(folder))
        return found

    def _resume(self, name: str) -> None:
        evaluation = evaluation_in(Path(name), self.store)
        if evaluation is not None:
            self.start(Path(name), evaluation.plan)
