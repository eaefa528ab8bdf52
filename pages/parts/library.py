"""The library: all stories, searched and filtered. What is looked for is in the address."""

from collections.abc import Mapping

import streamlit as st

from annotations.wording import say, say_count, to_say
from characterbox.components.address import box_in_address, text_in_address
from characterbox.errors import SearchError
from characterbox.searching import MOST_SEARCHED
from characterbox.stage.stage import Stage
from characterbox.store.shelf import Wanted
from pages.parts.launch import LANGUAGES
from pages.parts.look import quiet
from pages.parts.models_look import fault
from pages.parts.paging import chosen_page
from pages.parts.stories import STATUS, story_list
from pages.parts.ways import PageName, way
from pages.parts.who import allowed

PER_PAGE = 20
"""Stories that are shown at once."""
ANY = ""
"""Nothing is asked for."""
AT_LEAST = ("2", "3", "4", "4.5")
"""Mean scores that can be asked for."""
_PLACE = "library-place"
"""The address of the library when it was seen last in this session."""
EVERYTHING = {
    "work": to_say("any work"),
    "language": to_say("any language"),
    "status": to_say("any status"),
    "model": to_say("any model"),
    "tag": to_say("any tag"),
    "score": to_say("any score"),
}
KEPT = ("text", *EVERYTHING, "page")
"""What the address says of the library."""


def library(stage: Stage) -> None:
    """The search, and what it finds."""
    facets = stage.store.shelf.facets()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = _text()
        chosen = {
            "work": _choice("work", say("Work"), facets.works),
            "language": _choice("language", say("Language"), facets.languages, LANGUAGES),
            "status": _choice("status", say("Status"), facets.statuses, {key: say(one) for key, one in STATUS.items()}),
            "model": _choice("model", say("Model"), facets.models),
        }
        if facets.tags:
            chosen["tag"] = _choice("tag", say("Tag"), facets.tags)
        else:
            st.query_params.pop("tag", None)
        score = _choice("score", say("Score"), {f"≥ {least}": 0 for least in AT_LEAST}) if allowed("direct") else None
    ids = None if score is None else _scored(stage, float(score.removeprefix("≥ ")))
    wanted = Wanted(text=text, ids=ids, **chosen)
    try:
        count = stage.store.shelf.find(wanted, limit=0)[0]
    except SearchError as error:
        fault(str(error))
        return
    page = chosen_page(count, PER_PAGE)
    st.session_state[_PLACE] = {name: asked for name in KEPT if (asked := st.query_params.get(name)) is not None}
    _, stories = stage.store.shelf.find(wanted, limit=PER_PAGE, offset=page * PER_PAGE)
    quiet(say_count("{count:,} story", "{count:,} stories", count) if count else say("No story is like this."))
    story_list(stories, "library")


def to_library(here: PageName) -> None:
    """The way back to the library, as it was left."""
    way(say("All stories"), "playback", here, icon=":material/arrow_back:", **st.session_state.get(_PLACE, {}))


def _text() -> str:
    placeholder, keeping = say("title, work, tag, id"), text_in_address("text", ends="page")
    text: str = st.text_input(say("Search"), placeholder=placeholder, max_chars=MOST_SEARCHED, width=336, **keeping)
    return text.replace("\x00", "")


def _choice(name: str, label: str, options: Mapping[str, int], shown: Mapping[str, str] | None = None) -> str | None:
    """The option that is asked for, of those that there are; None if any will do."""
    everything, known = say(EVERYTHING[name]), shown or {}

    def told(option: str) -> str:
        if option == ANY:
            return everything
        count = options[option]
        return f"{known.get(option, option)} ({count:,})" if count else known.get(option, option)

    chosen, keeping = box_in_address(name, [ANY, *options], ANY, ends="page")
    st.selectbox(label, [ANY, *options], format_func=told, width=160, **keeping)
    return chosen or None


def _scored(stage: Stage, least: float) -> set[str]:
    """The stories whose scores, of judges and experts, are that high on average."""
    frame = stage.store.ratings.frame().dropna(subset=["score"])
    if frame.empty:
        return set()
    means = frame.groupby("owner")["score"].mean()
    return set(means[means >= least].index)
