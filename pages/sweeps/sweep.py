"""One sweep: how far it is, what can be done with it, what failed, its stories and its files."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_moment, translate
from characterbox.errors import CharacterBoxError, StoryError
from characterbox.scenes.scene import slug_of
from characterbox.settings import settings
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.stories.search import Wanted
from characterbox.store.sweeps import Task
from characterbox.sweeps.budget import untold
from characterbox.sweeps.contents import scenes_file
from characterbox.sweeps.file import SCENES, write_sweep
from characterbox.sweeps.folder import saved_folder
from characterbox.sweeps.progress import failures_of
from characterbox.sweeps.sweep import Sweep
from pages.shared.downloads import KINDS, file_button, given_out
from pages.shared.form import fault
from pages.shared.links import go_to, place_link, turned_to
from pages.shared.text import facts, plain, quiet
from pages.story.actions import do, show_error
from pages.story.list import story_list
from pages.sweeps.budget import ask_for_more
from pages.sweeps.list import failed
from pages.sweeps.new import forget_plan, kept_plan, make_plan, not_a_result
from pages.sweeps.text import (
    STATES,
    Known,
    State,
    costs_told,
    done_told,
    failures_told,
    find_sweep,
    plan_told,
    progress_now,
    settings_of,
    share_done,
    state_now,
)


def acts(stage: Stage, known: Known, state: State) -> None:
    """The buttons, with what is to be known before one presses them."""
    sweep = known.sweep
    match state:
        case "running":
            st.button(say("Pause"), key="sweep-pause", on_click=_pause, args=(sweep.name,))
        case "resting":
            quiet(say("Pausing: waiting for pending replies."))
        case "elsewhere":
            quiet(
                say(
                    "This sweep runs in another process, for example from the command line. It can only be"
                    " stopped there."
                )
            )
        case "broken":
            last = stage.sweepings.of(sweep.name)
            error = None if last is None else last.last_error
            if isinstance(error, CharacterBoxError):
                fault(say("The sweep was interrupted: {why}", why=translate(error)))
            elif error is not None:
                fault(say("An error interrupted the sweep. See the app's log for details."))
            else:
                quiet(say("The process that ran the sweep has ended. Stories played and scores given so far are kept."))
            _go_on(sweep, say("Resume"))
        case "paused":
            _go_on(sweep, say("Resume"))
        case "spent":
            _more_to_spend(stage, known)
        case "uncounted":
            _uncounted(stage, sweep)
        case "ended" if not (stage.store.sweeps.failures(sweep.name) or progress_now(stage, known).done):
            _go_on(sweep, say("Resume"))


def try_again(sweep: Sweep, tasks: frozenset[Task]) -> None:
    """The button that has these tasks of a sweep done, and nothing else."""
    start = partial(do, _start, sweep, tasks)
    st.button(say("Retry failed tasks"), type="primary", key="sweep-again", on_click=start)


def _more_to_spend(stage: Stage, known: Known) -> None:
    sweep = known.sweep

    def go_on(budget: float | None, able: bool) -> None:
        _go_on(_with(sweep, budget) if able else sweep, say("Continue"), able=able)

    ask_for_more(sweep.budget or 0, progress_now(stage, known).spent, "sweep-more", go_on)


def _uncounted(stage: Stage, sweep: Sweep) -> None:
    """Why it is not known what calls cost. Where that can't be mended, the only way on is without a budget."""
    heading = stage.store.sweeps.find(sweep.name)
    reason = None if heading is None else heading.reason
    fault(say("The sweep paused automatically: {why}.", why=translate(reason or "")))
    mendable = reason is None or not untold(sweep, reason)
    if mendable:
        quiet(say("Set a price for the model and restart the app, or continue without a budget."))
    else:
        quiet(
            say(
                "The cost of further calls to this endpoint could not be counted either. The sweep can only"
                " continue without a budget."
            )
        )
    with st.container(horizontal=True):
        if mendable:
            _go_on(sweep, say("Resume"))
        st.button(
            say("Continue without a budget"), key="sweep-unbound", on_click=partial(do, _start, _with(sweep, None))
        )


def _with(sweep: Sweep, budget: float | None) -> Sweep:
    return Sweep.model_validate({**sweep.model_dump(), "budget": budget})


def _go_on(sweep: Sweep, label: str, *, able: bool = True) -> None:
    st.button(label, type="primary", key="sweep-go-on", disabled=not able, on_click=partial(do, _start, sweep))


def _start(sweep: Sweep, only: frozenset[Task] | None = None) -> None:
    open_stage().sweepings.start(sweep, only)
    forget_plan()


def _pause(name: str) -> None:
    open_stage().sweepings.rest(name)


def files(sweep: Sweep) -> None:
    """The files, each made when it is asked for."""
    quiet(
        say(
            "The folder contains the plan, its scenes, all stories and ratings so far, and the versions of"
            " everything used. With it, others can run the sweep again and compare. Preparing many stories"
            " takes a while."
        )
    )
    made: dict[str, tuple[str, Callable[[], bytes]]] = {
        "sweep.toml": (say("Plan (sweep.toml)"), lambda: write_sweep(sweep).encode()),
        SCENES: (say("Scenes (scenes.json)"), lambda: scenes_file(sweep)),
        f"{slug_of(sweep.name)}.zip": (say("Complete folder (ZIP)"), lambda: saved_folder(settings().db, sweep)),
    }
    with st.container(horizontal=True):
        for name, (label, content) in made.items():
            key = f"sweep-file-{KINDS[name.rpartition('.')[2]]}"
            file_button(label, name, given_out("sweep.exported", sweep.name, content, file=name), key)


MOVES: tuple[State, ...] = ("running", "resting", "elsewhere")
EVERY, AT_REST = 1.0, 3.0
"""Seconds between two looks at a sweep that runs, and at one that rests."""


def follow(stage: Stage, known: Known, drawn: State) -> None:
    """The progress of a sweep; the whole page is drawn anew once it is in another state than was `drawn`."""
    st.fragment(_follow, run_every=EVERY if drawn in MOVES else AT_REST)(stage, known, drawn)


def _follow(stage: Stage, known: Known, drawn: State) -> None:
    sweep = known.sweep
    if state_now(stage, sweep.name) != drawn:
        st.rerun()
    progress = progress_now(stage, known)
    st.progress(share_done(progress), plain(f"{say(STATES[drawn]).capitalize()} · {done_told(progress)}"))
    quiet(costs_told(progress, sweep, runs=drawn in ("running", "resting")))


def what_failed(stage: Stage, known: Known, drawn: State) -> None:
    """What could not be done and why, and the button that tries it again once the sweep has ended."""
    st.fragment(_what_failed, run_every=EVERY if drawn in MOVES else None)(stage, known, drawn)


def _what_failed(stage: Stage, known: Known, drawn: State) -> None:
    failures = failures_of(stage.store, known.sweep, known.cells)
    if not failures:
        return
    st.subheader(say("Failed tasks"))
    quiet(say("Last attempt: {moment}.", moment=say_moment(max(one.tried_at for one in failures))))
    for reason, places in failures_told(failures, known.cells):
        failed(reason, places)
    if drawn == "ended":
        try_again(known.sweep, frozenset(one.task for one in failures))


PER_PAGE = 10
"""Stories that are listed at once."""
FROM = {"app": to_say("started in the app"), "command line": to_say("started from the command line")}


def show_sweep(stage: Stage, name: str) -> None:
    """A sweep; where there is none of this name, the way to those that there are."""
    try:
        known = find_sweep(stage, name)
    except StoryError as error:
        st.title(say("Sweeps"))
        st.error(plain(translate(error)))
        place_link(say("All sweeps"), ":material/arrow_back:")
        return
    st.title(plain(name))
    if (heading := stage.store.sweeps.find(name)) is not None:
        quiet(f"{say(FROM[heading.launched_from]).capitalize()} · {say_moment(heading.created_at)}")
    not_a_result(known.sweep)
    show_error()
    state = state_now(stage, name)
    follow(stage, known, state)
    acts(stage, known, state)
    what_failed(stage, known, state)
    with st.container(horizontal=True, vertical_alignment="center"):
        if known.sweep.judges:
            _to_leaderboard(name)
        place_link(say("All sweeps"), ":material/arrow_back:")
    with st.expander(say("Sweep settings")):
        facts(settings_of(known.sweep))
    with st.expander(say("Files")):
        files(known.sweep)
    if state not in ("running", "resting", "elsewhere") and not progress_now(stage, known).done:
        with st.expander(say("Estimate for the rest"), expanded=kept_plan(known.sweep) is not None):
            quiet(say("Scenes need a dry run of up to half a second each."))
            if st.button(say("Calculate estimate"), key="sweep-reckon"):
                make_plan(stage, known.sweep)
            if (found := kept_plan(known.sweep)) is not None:
                facts(plan_told(found, known.sweep))
    # Its stories, as far as they are begun, in the order of the plan
    there = stage.store.sweeps.statuses([cell.id for cell in known.cells])
    ids = [cell.id for cell in known.cells if cell.id in there]
    if not ids:
        return
    st.subheader(say("Stories"))
    with turned_to(ids, PER_PAGE, f"sweep-stories-{known.sweep.name}") as some:
        _, stories = stage.store.shelf.find(Wanted(ids=some), limit=PER_PAGE)
        story_list(sorted(stories, key=lambda story: some.index(story.id)), "sweep-stories")


def _to_leaderboard(name: str) -> None:
    """The way to what the judges of a sweep gave, as a leaderboard."""
    if st.button(say("Leaderboard"), key="sweep-leaderboard", type="tertiary", icon=":material/leaderboard:"):
        go_to("leaderboard", sweep=name)
