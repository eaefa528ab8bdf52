"""What an evaluation of a trained model has shown, worked out in the process beside the app (`process`)."""

from concurrent.futures import Future
from dataclasses import dataclass

from characterbox.components.figures.background.compute import store_of
from characterbox.components.figures.background.process import open_figure_process
from characterbox.settings import settings
from characterbox.store import Store
from characterbox.store.ratings.ratings import Newest
from characterbox.training.evaluation.figures import EvaluationFigures, figures_of
from characterbox.training.evaluation.plan import EvaluationPlan
from characterbox.training.evaluation.progress import EvaluationProgress


@dataclass(frozen=True)
class _State:
    """What the figures rest on: they are as they were while this is the same."""

    url: str
    newest: Newest
    progress: EvaluationProgress


def evaluation_figures(store: Store, plan: EvaluationPlan, progress: EvaluationProgress) -> "Future[EvaluationFigures]":
    """The figures of an evaluation that stands so far; worked out once, as long as nothing changes: with a single scene
    held out they take 0.35 s, and each click on the page would ask for them again."""
    state = _State(settings().db, store.newest(), progress)
    return open_figure_process().recall(_worked_out, state, plan.model_dump_json())


def _worked_out(state: _State, plan: str) -> EvaluationFigures:
    return figures_of(store_of(state.url), EvaluationPlan.model_validate_json(plan))
