"""An evaluation that was begun: how it stands, what failed, what it has cost, the ways on, and what it has shown."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.translation import say, say_count, sentence, translate
from characterbox.accounts.permissions import require
from characterbox.components.figures.background.evaluation import evaluation_figures
from characterbox.components.figures.background.source import awaited
from characterbox.components.figures.tables.evaluation import evaluation_tables
from characterbox.components.figures.tables.html import html_of
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.stage.jobs.training_jobs import EvaluationJob
from characterbox.stage.stage import Stage, open_stage
from characterbox.training.evaluation.folder import at_work
from characterbox.training.evaluation.plan import EvaluationPlan
from characterbox.training.evaluation.progress import EvaluationProgress, standing_of
from pages.shared.current_user import current_user
from pages.shared.figure_style import apply_figure_style
from pages.shared.form import fault
from pages.shared.text import caution, lines, plain, quiet
from pages.story.actions import do
from pages.sweeps.budget import ask_for_more
from pages.sweeps.list import failed
from pages.sweeps.sweep import AT_REST, EVERY, MOVES
from pages.sweeps.text import LISTED, STATES, Noted, State, money, state_of


@dataclass(frozen=True)
class Begun:
    """An evaluation that was begun."""

    folder: str
    """That of the run."""
    plan: EvaluationPlan
    noted: Noted | None
    """None where it runs, be it that nothing is written down of it yet."""

    def job(self, stage: Stage) -> EvaluationJob | None:
        """What does it, or did, since the app was started."""
        return stage.evaluations.of(self.folder)

    def state(self, stage: Stage) -> State:
        """How it stands at this moment."""
        return state_of(self.noted, self.job(stage), lambda: at_work(stage.store, Path(self.folder), self.plan))

    def progress(self, stage: Stage) -> EvaluationProgress:
        """How far it is at this moment; calls are counted only where it runs here."""
        job = self.job(stage)
        return job.run.progress if job is not None and job.under_way else standing_of(stage.store, self.plan)


def show_begun(stage: Stage, begun: Begun, anew: Callable[[str, EvaluationPlan], None]) -> None:
    """An evaluation that was begun; `anew` has another one planned in its place."""
    state, plan = begun.state(stage), begun.plan
    moves = state in MOVES
    if begun.noted is None and not moves:
        st.rerun()  # it has come to its end just now: what is written down tells how
    progress = begun.progress(stage)
    if moves:
        st.fragment(_follow, run_every=AT_REST if state == "elsewhere" else EVERY)(stage, begun, state)
    else:
        quiet(f"{say(STATES[state]).capitalize()} · {_told(progress, plan)}")
    with st.container():
        _acts(stage, begun, state, progress)
    _failures(begun.job(stage))
    if moves:
        return
    st.button(say("Plan anew"), key="evaluation-anew", type="tertiary", on_click=anew, args=(begun.folder, plan))
    if plan.demo:
        caution(say(DEMO_NOTE))
    try:
        figures = awaited(evaluation_figures(stage.store, plan, progress), say("Computing the figures"))
    except (AnnotationError, CharacterBoxError) as error:
        fault(sentence(translate(error)))
        return
    apply_figure_style()
    for table in evaluation_tables(figures):
        st.markdown(f"#### {plain(table.title)}")
        st.html(html_of(table))
        lines(table.notes)


def start_evaluation(folder: str, plan: EvaluationPlan) -> None:
    """Do an evaluation from where it stands. Raises NotAllowed, and what `Evaluations.start` raises."""
    require(current_user(), "direct")
    open_stage().evaluations.start(Path(folder), plan)


def _pause(folder: str) -> None:
    require(current_user(), "direct")
    open_stage().evaluations.rest(folder)


def broken_off(job: EvaluationJob | None) -> str | None:
    """What kept it from its end, where that was no person."""
    error = None if job is None else job.last_error
    if error is None:
        return None
    if isinstance(error, CharacterBoxError):
        return sentence(translate(error))
    return say("An error interrupted the evaluation. See the app's log.")


def _follow(stage: Stage, begun: Begun, drawn: State) -> None:
    if begun.state(stage) != drawn:
        st.rerun()
    progress = begun.progress(stage)
    done = progress.played + progress.made + progress.decided
    whole = progress.stories + progress.judgements + progress.decisions
    told = f"{say(STATES[drawn]).capitalize()} · {_told(progress, begun.plan)}"
    st.progress(min(done / whole, 1.0) if whole else 0.0, plain(told))


def _told(progress: EvaluationProgress, plan: EvaluationPlan) -> str:
    """How much is done, what failed, and what it has cost, in one line."""
    parts = [
        (progress.stories, say("{played:,} of {all:,} stories played", played=progress.played, all=progress.stories)),
        (
            progress.judgements,
            say("{judged:,} of {all:,} judgments done", judged=progress.judged, all=progress.judgements),
        ),
        (
            progress.decisions,
            say("{decided:,} of {all:,} decisions cross-checked", decided=progress.decided, all=progress.decisions),
        ),
        (progress.failed, say_count("{count:,} failed", "{count:,} failed", progress.failed)),
    ]
    spent = money(progress.spent)
    if plan.budget is not None:
        spent = say("{spent} of {budget}", spent=spent, budget=money(plan.budget))
    return " · ".join([*(told for count, told in parts if count), say("{spent} spent", spent=spent)])


def _acts(stage: Stage, begun: Begun, state: State, progress: EvaluationProgress) -> None:
    """The buttons, with what is to be known before one presses them."""
    plan = begun.plan
    match state:
        case "running":
            st.button(say("Pause"), key="evaluation-pause", on_click=do, args=(_pause, begun.folder))
        case "resting":
            quiet(say("Pausing: waiting for pending replies."))
        case "elsewhere":
            quiet(say("This evaluation runs in another process. It can only be stopped there."))
        case "broken":
            fault(broken_off(begun.job(stage)))
            _resume(begun.folder, plan)
        case "spent":
            ask_for_more(plan.budget or 0, progress.spent, "evaluation-more", partial(_go_on, begun.folder, plan))
        case "uncounted":
            fault(sentence(translate((begun.noted and begun.noted[1]) or "")))
            with st.container(horizontal=True):
                _resume(begun.folder, plan)
                _unbound(begun.folder, plan)
        case "paused":
            _resume(begun.folder, plan)
        case "ended" if not progress.done:
            _resume(begun.folder, plan)


def _resume(folder: str, plan: EvaluationPlan) -> None:
    _go_on(folder, plan, plan.budget, True)


def _go_on(folder: str, plan: EvaluationPlan, budget: float | None, able: bool) -> None:
    given = (start_evaluation, folder, plan.model_copy(update={"budget": budget}))
    st.button(say("Resume"), type="primary", key="evaluation-resume", disabled=not able, on_click=do, args=given)


def _unbound(folder: str, plan: EvaluationPlan) -> None:
    """The way on where it is not known what calls cost."""
    given = (start_evaluation, folder, plan.model_copy(update={"budget": None}))
    st.button(say("Continue without a budget"), key="evaluation-unbound", on_click=do, args=given)


def _failures(job: EvaluationJob | None) -> None:
    """What could not be done since the app was started, by reason."""
    by_reason: dict[str, list[str]] = {}
    for one in () if job is None else tuple(job.run.failures):
        by_reason.setdefault(translate(one.reason), []).append(one.what)
    for reason, places in by_reason.items():
        more = len(places) - LISTED
        failed(reason, [*places[:LISTED], *([say("and {count:,} more", count=more)] if more > 0 else [])])
