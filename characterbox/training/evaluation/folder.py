"""The evaluation of a run, as it is kept in the folder of the run: what was planned, and how it stands."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from characterbox.atomic_file import replace_file
from characterbox.errors import TrainingError
from characterbox.pause_reasons import Reason
from characterbox.store.sweeps import Launched, SweepStatus
from characterbox.training.evaluation.plan import Evaluated, EvaluationPlan
from characterbox.training.run_folder import RunFolder
from characterbox.values import Value

EVALUATION = "evaluation.json"
"""The name of the file."""


class Evaluation(Value):
    """An evaluation that was begun."""

    format: Literal[1] = 1
    plan: EvaluationPlan
    status: SweepStatus
    """As that of a sweep."""
    reason: Reason | None = None
    """Why it is paused, where no person wanted that."""
    launched_from: Launched


def evaluated_in(folder: Path) -> Evaluated:
    """What was trained in the folder of a run. Raises TrainingError where that can't be read."""
    recipe = RunFolder(folder).recipe()
    if recipe is None:
        raise TrainingError("{folder}: there is no training run; name the folder of one", folder=folder)
    return Evaluated(recipe.kind, recipe.dataset, recipe.dataset_digest, recipe.name)


def evaluation_in(folder: Path) -> Evaluation | None:
    """The evaluation in the folder of a run; None if none was begun. Raises TrainingError if it can't be read."""
    file = folder / EVALUATION
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


def keep_evaluation(folder: Path, evaluation: Evaluation) -> None:
    """Write it down, in the place of what was there. Raises FileError if the folder can't be written to."""
    replace_file(folder / EVALUATION, evaluation.model_dump_json(indent=1) + "\n")
