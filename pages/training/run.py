"""One training run: how far it is, its curves, what came of it, and the ways on: serve, merge, evaluate."""

from datetime import UTC, datetime

import plotly.graph_objects as go_figures
import streamlit as st

from annotations.i18n.translation import say, say_moment, translate
from characterbox.components.figures.charts.theme import Tokens, shown_tokens, template
from characterbox.components.figures.tables.text import decimal
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.stage.stage import Stage, open_stage
from characterbox.training.hyperparameters import Training
from characterbox.training.progress import Point
from characterbox.training.recipe import Recipe
from characterbox.training.run_folder import Name, RunState
from characterbox.training.runs import Runs
from characterbox.training.serving import adapter_name
from pages.shared.current_user import allowed, current_user
from pages.shared.form import fault
from pages.shared.links import place_link
from pages.shared.text import caution, facts, plain, quiet
from pages.story.actions import do, show_error
from pages.training.evaluation import show_evaluation
from pages.training.serving import show_serving
from pages.training.text import KINDS, OPTIMIZERS, SCHEDULES, state_told, time_left

MOVES: tuple[Name, ...] = ("running", "stopping")
EVERY = 2.0
"""Seconds between two looks at a run that is under way."""
HEIGHT = 300
"""Pixels of the curves."""
LINES = 60
"""Of the log that are shown."""


def show_run(stage: Stage, name: str) -> None:
    """A run; where there is none of this name, the way to those that there are."""
    runs = Runs.of_user(stage.store.audit)
    try:
        recipe, state = runs.recipe(name), runs.state(name)
    except CharacterBoxError as error:
        st.title(say("Training"))
        st.error(plain(translate(error)))
        place_link(say("All training"), ":material/arrow_back:")
        return
    st.title(plain(name))
    quiet(f"{say(KINDS[recipe.kind])} · {recipe.base}")
    if recipe.demo:
        caution(say(DEMO_NOTE))
    show_error()
    st.fragment(_follow, run_every=EVERY if state.name in MOVES else None)(stage, name, state.name)
    _acts(stage, runs, name, state)
    if state.name == "done" and recipe.kind != "role":  # roles are compared by no stories
        show_evaluation(stage, runs.folder(name), adapter_name(name, recipe.identity))
    with st.expander(say("Recipe")):
        facts(_recipe_told(recipe))
    with st.expander(say("Log")):
        st.code(runs.log(name, LINES) or say("Nothing has been logged yet."), language=None, wrap_lines=True)
    place_link(say("All training"), ":material/arrow_back:")


def _follow(stage: Stage, name: str, drawn: Name) -> None:
    """The progress and the curves; the whole page is drawn anew once the run is in another state than was drawn."""
    state = Runs.of_user(stage.store.audit).state(name)
    if state.name != drawn:
        st.rerun()
    progress = state.progress
    if state.name in MOVES:
        st.progress(progress.step / progress.steps if progress.steps else 0.0, plain(state_told(state)))
    else:
        st.markdown(plain(state_told(state)))
    if state.fault is not None:
        fault(state.fault)
    if state.name in MOVES and progress.tokens_per_second:
        pace = say("{count:,.0f} tokens per second", count=progress.tokens_per_second)
        quiet(pace if progress.seconds_left is None else f"{pace} · {time_left(progress.seconds_left)}")
    if progress.losses:
        told = say("Loss by step; last: {loss}", loss=decimal(progress.losses[-1].value))
        st.plotly_chart(
            curves(progress.losses, progress.validation, shown_tokens()),
            theme=None,
            config={"displayModeBar": False},
            alt=told,
            key="training-curves",
        )


def curves(losses: tuple[Point, ...], validation: tuple[Point, ...], colours: Tokens) -> go_figures.Figure:
    """The loss of training and of validation by step, each with its name at its end."""
    figure = go_figures.Figure()
    training_above = not losses or not validation or losses[-1].value >= validation[-1].value
    apart = 8 if training_above else -8  # pixels, so that the names never cover each other
    for points, name, colour, width, shift in (
        (losses, say("training"), colours.quiet, 1.5, apart),
        (validation, say("validation"), colours.accent, 2.5, -apart),
    ):
        if points:
            figure.add_scatter(
                x=[one.step for one in points],
                y=[one.value for one in points],
                mode="lines" if len(points) > 1 else "markers",
                line={"color": colour, "width": width},
                marker={"color": colour},
                name=name,
            )
            last = points[-1]
            figure.add_annotation(
                x=last.step,
                y=last.value,
                text=name,
                showarrow=False,
                xanchor="left",
                xshift=6,
                yshift=shift,
                font={"color": colour},
            )
    figure.update_layout(
        template=template(colours),
        height=HEIGHT,
        margin={"l": 8, "r": 90, "t": 12, "b": 40},
        xaxis={"title": {"text": say("Step")}, "automargin": True, "tickformat": ",d"},
        yaxis={"title": {"text": say("Loss (nats per token)")}, "automargin": True},
    )
    return figure


def _acts(stage: Stage, runs: Runs, name: str, state: RunState) -> None:
    """The buttons, for admins."""
    if not allowed("administer"):
        return
    match state.name:
        case "running":
            st.button(say("Stop"), key="training-stop", on_click=do, args=(_stop, name))
        case "stopped" | "failed" | "not started":
            st.button(say("Resume"), type="primary", key="training-resume", on_click=do, args=(_resume, name))
        case "done":
            _done(stage, runs, name, state)


def _done(stage: Stage, runs: Runs, name: str, state: RunState) -> None:
    result = state.result or {}
    facts(
        {
            say("Adapter"): str(runs.folder(name) / "adapter"),
            say("Served as"): adapter_name(name, str(result.get("identity", ""))),
            say("Finished"): say_moment(_moment(result)),
            **({say("Merged weights"): str(runs.folder(name) / "merged")} if state.merged else {}),
        }
    )
    with st.container():
        show_serving(stage, name)
    if not state.merged:
        st.button(say("Merge into the base"), key="training-merge", on_click=do, args=(_merge, name))


def _moment(result: dict[str, float]) -> datetime:
    return datetime.fromtimestamp(float(result.get("finished", 0)), UTC)


def _stop(name: str) -> None:
    Runs.of_user(open_stage().store.audit).stop(current_user(), name)


def _resume(name: str) -> None:
    runs = Runs.of_user(open_stage().store.audit)
    runs.start(current_user(), runs.recipe(name))


def _merge(name: str) -> None:
    Runs.of_user(open_stage().store.audit).merge(current_user(), name)


def _recipe_told(recipe: Recipe) -> dict[str, str]:
    training, lora = recipe.training, recipe.lora
    like = {} if recipe.preset is None else {say("Preset"): say("{model} (RoleLLM)", model=recipe.preset)}
    return {
        say("Training dataset"): f"{recipe.dataset} ({recipe.dataset_digest[:12]})",
        say("Base model"): recipe.base,
        **like,
        say("Epochs"): f"{training.epochs}",
        say("Gradient accumulation"): f"{training.accumulation}",
        say("Optimizer"): OPTIMIZERS[training.optimizer],
        say("Learning rate"): f"{training.learning_rate:g}, {say(SCHEDULES[training.schedule])}",
        **(
            {say("Warm-up steps"): f"{training.warmup_steps}"}
            if training.warmup_share is None
            else {say("Warm-up (% of steps)"): f"{100 * training.warmup_share:g}"}
        ),
        **_lengths_told(training),
        say("LoRA"): say(
            "rank {rank}, alpha {alpha}, dropout {dropout:g}, on {targets}",
            rank=lora.rank,
            alpha=lora.alpha,
            dropout=lora.dropout,
            targets=", ".join(lora.targets),
        ),
        say("Seed"): f"{recipe.seed}",
        say("Identity"): recipe.identity,
    }


def _lengths_told(training: Training) -> dict[str, str]:
    whole = {
        say("Cutoff (tokens)"): training.cutoff,
        say("Longest prompt (tokens)"): training.input_cutoff,
        say("Longest answer (tokens)"): training.output_cutoff,
    }
    return {label: f"{most:,}" for label, most in whole.items() if most is not None}
