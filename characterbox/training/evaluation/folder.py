"""The evaluation of a run, as it is kept in the folder of the run: what was planned, and how it stands."""

import asyncio
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from characterbox.atomic_file import replace_file
from characterbox.errors import StoryError, TrainingError
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import held
from characterbox.store import Store
from characterbox.store.sweeps import Launched, SweepStatus
from characterbox.training.evaluation.plan import Evaluated, EvaluationPlan
from characterbox.training.evaluation.progress import EvaluationProgress
from characterbox.training.evaluation.running import EvaluationRun
from characterbox.training.run_folder import RunFolder
from characterbox.values import Value

EVALUATION = "evaluation.json"
"""The name of the file."""


class Evaluation(Value):
    """An evaluation that was begun."""

    format: Literal[1] = 1
    database: str
    """The identity of the database that has its stories and scores."""
    plan: EvaluationPlan
    status: SweepStatus
    """As that of a sweep."""
    reason: Reason | None = None
    """Why it is paused, where no person wanted that."""
    launched_from: Launched


def evaluated_in(folder: Path) -> Evaluated:
    """What was trained in the folder of a run. Raises TrainingError where that can't be read, and for roles."""
    recipe = RunFolder(folder).recipe()
    if recipe is None:
        raise TrainingError("{folder}: there is no training run; name the folder of one", folder=folder)
    if recipe.kind == "role":
        raise TrainingError(
            "{folder}: this model answers as roles, and is not evaluated by stories of scenes; compare its answers with"
            " those of other models",
            folder=folder,
        )
    return Evaluated(recipe.kind, recipe.dataset, recipe.dataset_digest, recipe.name)


def evaluation_in(folder: Path, store: Store) -> Evaluation | None:
    """The evaluation in the folder of a run; None if none was begun.

    Raises TrainingError if it can't be read, and where what it has shown is in another database.
    """
    evaluation = _read(folder / EVALUATION)
    if evaluation is not None and evaluation.database != store.identity():
        raise TrainingError(
            "{folder}: this evaluation was begun with another database; open that one, or plan the evaluation anew",
            folder=folder,
        )
    return evaluation


def _read(file: Path) -> Evaluation | None:
    try:
        return Evaluation.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TrainingError(
            "{file}: it cannot be read ({error}); check who may read it", file=file, error=error.strerror
        ) from None
    except ValidationError:
        raise TrainingError(
            "{file}: it is damaged; delete it and evaluate again: what was played and judged is kept, and not asked"
            " for again",
            file=file,
        ) from None


async def evaluate(store: Store, run: EvaluationRun, folder: Path, launched_from: Launched) -> EvaluationProgress:
    """Do an evaluation from where it stands, and keep how it stands in the folder of the run.

    Raises what `EvaluationRun.run` raises, StoryError where the run is being evaluated, or the same is done elsewhere,
    before anything is written, and FileError if the folder can't be written to.
    """
    plan = run.plan
    if await asyncio.to_thread(at_work, store, folder, plan):
        raise StoryError("evaluation of {name}: it is running already; let it finish, or stop it there", name=plan.name)
    async with held(store.sweeps.claimed(_claim(folder))):
        identity = await asyncio.to_thread(store.identity)
        begun = Evaluation(database=identity, plan=plan, status="running", launched_from=launched_from)
        await asyncio.to_thread(keep_evaluation, folder, begun)
        try:
            progress = await run.run()
        except asyncio.CancelledError:
            keep_evaluation(folder, begun.model_copy(update={"status": "paused"}))
            raise
        ended = begun.model_copy(update={"status": run.status, "reason": run.reason})
        await asyncio.to_thread(keep_evaluation, folder, ended)
    return progress


def at_work(store: Store, folder: Path, plan: EvaluationPlan) -> bool:
    """Whether some process evaluates the run in a folder, by whatever plan, or goes by this plan elsewhere."""
    return store.sweeps.at_work(_claim(folder)) or store.sweeps.at_work(plan.called)


def _claim(folder: Path) -> str:
    return f"evaluation in {folder.resolve()}"


def keep_evaluation(folder: Path, evaluation: Evaluation) -> None:
    """Write it down, in the place of what was there. Raises FileError if the folder can't be written to."""
    replace_file(folder / EVALUATION, evaluation.model_dump_json(indent=1) + "\n")
