"""What the scenes that are found consist of: how many of what kind, how long, which tell the same, what is missing."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import streamlit as st

from annotations.wording import say, say_count
from characterbox.components.figures.kept import Kept
from characterbox.components.figures.waiting import awaited
from characterbox.components.links import show_linked
from characterbox.scenes.census import Census, census
from characterbox.scenes.finding import Heading
from characterbox.stage.stage import Stage
from pages.parts.look import quiet
from pages.parts.scenes_chart import cast_sizes
from pages.parts.scenes_inspect_look import alike_html, counts_html, gaps_html, identical_html, lengths_html
from pages.parts.scenes_list import chosen_scenes, keep_place, scenes_of
from pages.parts.scenes_ways import to_scenes

KEPT = 16
"""Sets of which the census is kept."""
Key = frozenset[tuple[str, int | None]]
"""The places and versions of a set of scenes: a version never changes, nor does a bundled scene."""


def inspect_scenes(stage: Stage) -> None:
    """The census of the scenes that are found, with links to what one should look at."""
    st.title(say("What these scenes consist of"))
    chosen = chosen_scenes(stage)
    keep_place()
    quiet(say_count("{count:,} scene", "{count:,} scenes", len(chosen)) if chosen else say("No scene is like this."))
    if chosen:
        _tell(census_of(stage, chosen), {one.place: one for one in chosen})
    to_scenes()


def census_of(stage: Stage, headings: Sequence[Heading]) -> Census:
    """The census of the scenes under these headings, named by their places; it is worked out once for each set."""
    key = frozenset((one.place, one.version) for one in headings)
    if (known := _known().find(key)) is not None:
        return known
    return awaited(
        _thread().submit(_counted, stage, headings, key), say("Reading the scenes and comparing their texts")
    )


def _counted(stage: Stage, headings: Sequence[Heading], key: Key) -> Census:
    """The census, kept here: who asked for it may have left the page meanwhile, or asked twice."""
    if (known := _known().find(key)) is not None:
        return known
    scenes = scenes_of(stage, headings)
    # Ids are not enough: a scene that was brought in may have the id of another one.
    found = census([scenes[one.place].model_copy(update={"id": one.place}) for one in headings if one.place in scenes])
    _known().keep(key, found)
    return found


@cache
def _known() -> Kept[Key, Census]:
    return Kept(KEPT)


@cache
def _thread() -> ThreadPoolExecutor:
    """One at a time: it takes seconds for thousands of scenes, and readers wait less if it is not done side by side."""
    return ThreadPoolExecutor(1, "census")


def _tell(found: Census, headings: Mapping[str, Heading]) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.html(counts_html(found))
    with right:
        cast_sizes(found)
    st.subheader(say("Duplicates"), anchor=False)
    if found.identical or found.alike:
        show_linked(identical_html(found.identical, headings) + alike_html(found.alike, headings), key="duplicates")
    else:
        quiet(say("No two of these scenes tell the same in the same words."))
    st.subheader(say("Missing or thin"), anchor=False)
    if found.gaps:
        show_linked(gaps_html(found.gaps, headings), key="gaps")
    else:
        quiet(say("Nothing is missing, and no description is very short."))
    st.subheader(say("How long the texts are"), anchor=False)
    st.html(lengths_html(found))
