"""What can be done with a sweep as it stands: pause it, have it go on, give it more to spend, try again what failed."""

from functools import partial

import streamlit as st

from annotations.wording import say, translate
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import Stage, open_stage
from characterbox.sweeps.budget import untold
from characterbox.sweeps.sweep import Sweep
from pages.parts.acts import do
from pages.parts.look import quiet
from pages.parts.models_look import fault
from pages.parts.sweeps_plan import forget_plan
from pages.parts.sweeps_state import Known, State, progress_now
from pages.parts.sweeps_words import money


def acts(stage: Stage, known: Known, state: State) -> None:
    """The buttons, with what is to be known before one presses them."""
    sweep = known.sweep
    match state:
        case "running":
            st.button(say("Pause"), key="sweep-pause", on_click=_pause, args=(sweep.name,))
        case "resting":
            quiet(say("It rests as soon as the replies under way have come."))
        case "elsewhere":
            quiet(say("It runs in another process, as from the command line; it can be ended there, and not here."))
        case "broken":
            _broken(stage, sweep)
        case "paused":
            _go_on(sweep, say("Resume"))
        case "spent":
            _more_to_spend(stage, known)
        case "uncounted":
            _uncounted(stage, sweep)
        case "ended" if not (stage.store.sweeps.failures(sweep.name) or progress_now(stage, known).done):
            _go_on(sweep, say("Resume"))


def try_again(sweep: Sweep, tasks: frozenset[str]) -> None:
    """The button that has these tasks of a sweep done, and nothing else."""
    start = partial(_start, sweep, tasks)
    st.button(say("Try these again"), type="primary", key="sweep-again", on_click=start)


def _broken(stage: Stage, sweep: Sweep) -> None:
    last = stage.sweepings.of(sweep.name)
    error = None if last is None else last.last_error
    if isinstance(error, CharacterBoxError):
        fault(say("It broke off: {why}", why=translate(error)))
    elif error is not None:
        fault(say("It broke off by an error; the log of the app tells more."))
    else:
        quiet(say("The process that ran it has ended. What was played and judged is kept."))
    _go_on(sweep, say("Resume"))


def _more_to_spend(stage: Stage, known: Known) -> None:
    sweep, spent = known.sweep, progress_now(stage, known).spent
    quiet(say("Its budget of {budget} is spent. With a larger one it goes on.", budget=money(sweep.budget or 0)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.number_input(
            say("New budget in US dollars"),
            0.0,
            None,
            2 * max(spent, sweep.budget or 0),
            1.0,
            placeholder=say("no bound"),
            key="sweep-more",
            width=240,
        )
        enough = wanted is None or wanted > spent
        _go_on(_with(sweep, wanted) if enough else sweep, say("Go on"), able=enough)
    if not enough:
        fault(say("{spent} are spent already: give more than that.", spent=money(spent)))


def _uncounted(stage: Stage, sweep: Sweep) -> None:
    """Why it is not known what calls cost. Where that can't be mended, the only way on is without a budget."""
    heading = stage.store.sweeps.find(sweep.name)
    reason = None if heading is None else heading.reason
    fault(say("It has paused by itself: {why}.", why=translate(reason or "")))
    mendable = reason is None or not untold(sweep, reason)
    if mendable:
        quiet(say("Give the model a price and start the app anew, or let the sweep go on without a budget."))
    else:
        quiet(say("Further calls there could not be counted either: the sweep can only go on without a budget."))
    with st.container(horizontal=True):
        if mendable:
            _go_on(sweep, say("Resume"))
        st.button(say("Go on without a budget"), key="sweep-unbound", on_click=partial(_start, _with(sweep, None)))


def _with(sweep: Sweep, budget: float | None) -> Sweep:
    return Sweep.model_validate({**sweep.model_dump(), "budget": budget})


def _go_on(sweep: Sweep, label: str, *, able: bool = True) -> None:
    st.button(label, type="primary", key="sweep-go-on", disabled=not able, on_click=partial(_start, sweep))


def _start(sweep: Sweep, only: frozenset[str] | None = None) -> None:
    def start() -> None:
        open_stage().sweepings.start(sweep, only)
        forget_plan()

    do(start)


def _pause(name: str) -> None:
    open_stage().sweepings.rest(name)
