"""One sweep: how far it is, what can be done with it, what failed, its stories and its files."""

import streamlit as st

from annotations.wording import say, say_moment, to_say
from characterbox.errors import StoryError
from characterbox.stage.stage import Stage
from characterbox.store.shelf import Wanted
from pages.parts.acts import tell_refusal
from pages.parts.look import plain, quiet
from pages.parts.models_look import facts
from pages.parts.paging import turned_to
from pages.parts.stories import story_list
from pages.parts.sweeps_acts import acts
from pages.parts.sweeps_files import files
from pages.parts.sweeps_plan import kept_plan, make_plan, not_a_result
from pages.parts.sweeps_progress import follow, what_failed
from pages.parts.sweeps_state import Known, find_sweep, progress_now, state_now
from pages.parts.sweeps_words import plan_told, settings_of
from pages.parts.ways import go_to, way_to

PER_PAGE = 10
"""Stories that are listed at once."""
FROM = {"app": to_say("started in the app"), "command line": to_say("started from the command line")}


def show_sweep(stage: Stage, name: str) -> None:
    """A sweep; where there is none of this name, the way to those that there are."""
    try:
        known = find_sweep(stage, name)
    except StoryError as error:
        st.title(say("Sweeps"))
        st.error(plain(str(error)))
        way_to(say("All sweeps"), ":material/arrow_back:")
        return
    st.title(plain(name))
    if (heading := stage.store.sweeps.find(name)) is not None:
        quiet(f"{say(FROM[heading.launched_from]).capitalize()} · {say_moment(heading.created_at)}")
    not_a_result(known.sweep)
    tell_refusal()
    state = state_now(stage, name)
    follow(stage, known, state)
    acts(stage, known, state)
    what_failed(stage, known, state)
    with st.container(horizontal=True, vertical_alignment="center"):
        if known.sweep.judges:
            _to_leaderboard(name)
        way_to(say("All sweeps"), ":material/arrow_back:")
    with st.expander(say("What it plays")):
        facts(settings_of(known.sweep))
    with st.expander(say("Files")):
        files(known.sweep)
    if state not in ("running", "resting", "elsewhere") and not progress_now(stage, known).done:
        with st.expander(say("What is missing would take"), expanded=kept_plan(known.sweep) is not None):
            _missing(stage, known)
    _stories(stage, known)


def _missing(stage: Stage, known: Known) -> None:
    quiet(say("Scenes are rehearsed for it, which takes up to half a second each."))
    if st.button(say("Reckon it"), key="sweep-reckon"):
        make_plan(stage, known.sweep)
    if (found := kept_plan(known.sweep)) is not None:
        facts(plan_told(found, known.sweep))


def _stories(stage: Stage, known: Known) -> None:
    """Its stories, as far as they are begun, in the order of the plan."""
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
