"""The library of scenes: searched, filtered and sorted. What is looked for is in the address."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, tongue, translate
from characterbox.components.mounts import show_linked
from characterbox.components.url_state import box_in_address
from characterbox.errors import SearchError
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import ORDERS, Heading, Wanted, facets, found, heading_of, says, words_of
from characterbox.share.scene_files import scenes_at
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES
from pages.scenes.text import ORIGINS, PLACE, WHOSE, about_heading, address_of_scene, list_html, tell_done
from pages.shared.current_user import allowed
from pages.shared.filters import filters, in_address, one_of, searched
from pages.shared.form import fault
from pages.shared.links import page_in_address, place_link
from pages.shared.text import quiet

PER_PAGE = 20
"""Scenes that are shown at once."""
FIRST = 240
"""Characters of the first lines of a scene that are shown."""
ANY_SAID = {
    "language": to_say("any language"),
    "work": to_say("any work"),
    "origin": to_say("any origin"),
    "size": to_say("any number"),
    "whose": to_say("all scenes"),
}
LABELS = {
    "language": to_say("Language"),
    "work": to_say("Work"),
    "origin": to_say("Origin"),
    "size": to_say("Characters"),
    "whose": to_say("Library"),
}
KEPT = ("text", *LABELS, "sort", "page")
"""What the address says of the library."""
USUAL = "work"
"""What scenes are sorted by: those in the language of the interface come first."""


def scene_list(stage: Stage) -> None:
    """The search, what it finds, and the ways to more scenes."""
    st.title(say("Scenes"))
    tell_done()
    chosen = chosen_scenes(stage)
    with page_in_address(len(chosen), PER_PAGE) as page:
        keep_place()
        _count_and_ways(len(chosen))
        shown = chosen[page * PER_PAGE : (page + 1) * PER_PAGE]
        scenes = scenes_of(stage, shown)
        rows = [
            (address_of_scene(one.place), one.language, one.title, about_heading(one), _opening(scenes[one.place]))
            for one in shown
            if one.place in scenes
        ]
        if rows:
            show_linked(list_html(rows), key="scenes")


def _count_and_ways(count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        told = say_count("{count:,} scene", "{count:,} scenes", count) if count else say("No matching scenes.")
        quiet(told, width="content")
        if allowed("direct"):
            place_link(say("Write a scene"), ":material/edit:", new="scene")
            place_link(say("Import scenes"), ":material/upload:", new="import")
            place_link(say("Generate scenes"), ":material/theater_comedy:", crafting="new")
        if count:
            place_link(say("Export"), ":material/download:", **st.session_state[PLACE], export="yes")
            place_link(say("Statistics"), ":material/bar_chart:", **st.session_state[PLACE], inspect="yes")


def keep_place() -> None:
    """Keep what is looked for, so that the ways back lead there."""
    st.session_state[PLACE] = {name: asked for name in KEPT if (asked := st.query_params.get(name)) is not None}


def chosen_scenes(stage: Stage) -> list[Heading]:
    """The choices, and the scenes that are as chosen."""
    headings = all_headings(stage)
    options = facets(headings)
    with filters(partial(in_address, LABELS), partial(searched, say("Search scenes"))) as text:
        wanted = Wanted(
            language=_choice("language", options["language"], LANGUAGES),
            work=_choice("work", options["work"], {}),
            origin=_choice("origin", options["origin"], ORIGINS),
            size=_choice("size", options["size"], {}),
            whose=_choice("whose", options["whose"], WHOSE),
        )
        order, keeping = box_in_address("sort", list(ORDERS), USUAL, ends="page")
        st.selectbox(say("Sort by"), list(ORDERS), format_func=say, **keeping)
    if text.strip():
        try:
            said = stage.store.scenes.saying(text) | bundled_saying(text)
        except SearchError as error:
            fault(translate(error))
            return []
        headings = [one for one in headings if one.place in said]
    chosen = found(headings, wanted, order)
    return sorted(chosen, key=lambda one: one.language != tongue()) if order == USUAL else chosen


def all_headings(stage: Stage) -> list[Heading]:
    """The headings of all scenes, bundled and stored."""
    return [*map(heading_of, bundled()), *stage.store.scenes.headings()]


def bundled_saying(text: str) -> set[str]:
    """The places of the bundled scenes in which all words of the text stand."""
    return {heading_of(scene).place for scene in bundled() if says(words_of(scene.model_dump(mode="json")), text)}


def scenes_of(stage: Stage, headings: Sequence[Heading]) -> dict[str, Scene]:
    """The scenes under these headings, by place."""
    return scenes_at(stage.store.scenes, [(one.place, one.version) for one in headings])


def _opening(scene: Scene) -> str:
    text = " ".join(scene.environment.description.split())
    return text if len(text) <= FIRST else text[:FIRST].rstrip() + "…"


def _choice(name: str, options: Mapping[str, int], known: Mapping[str, str]) -> str | None:
    labels = say(LABELS[name]), say(ANY_SAID[name])
    return one_of(name, labels, options, {option: say(told) for option, told in known.items()})
