"""What the Scenes page calls things, and ways within it."""

import html
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from annotations.wording import say, say_count, to_say
from characterbox.errors import AccountError
from characterbox.scenes.finding import Heading
from characterbox.scenes.scene import Crafted, Passage, Scene
from characterbox.store import Store
from characterbox.values import LANGUAGES
from pages.parts.launch import marked_name
from pages.parts.ways import go, way, way_to

ORIGINS: Mapping[str, str] = {
    "extracted": to_say("from its source"),
    "generated": to_say("generated"),
    "original": to_say("original"),
}
WHOSE: Mapping[str, str] = {
    "bundled": to_say("bundled"),
    "own": to_say("own"),
    "away": to_say("put away"),
}
FIELDS: Mapping[str, str] = {
    "title": to_say("Title"),
    "work": to_say("Work"),
    "language": to_say("Language"),
    "origin": to_say("Origin"),
    "author": to_say("Author"),
    "time": to_say("Time"),
    "location": to_say("Place"),
    "description": to_say("Environment"),
    "plot": to_say("How the source goes on"),
    "cast": to_say("Cast"),
    "name": to_say("Name"),
    "gender": to_say("Gender"),
    "position": to_say("Position"),
    "state": to_say("State"),
    "account": to_say("Description"),
    "knowledge": to_say("Knows"),
    "unaware": to_say("Does not know"),
}
"""The fields of a scene, as `characterbox.scenes.differences` calls them; to be said."""
HINTS: Mapping[str, str] = {
    "title": to_say("What happens, as a headline."),
    "author": to_say("Of the work, if it is known."),
    "description": to_say("What there is, and what is going on as the scene begins."),
    "plot": to_say("For readers and judges, if there is a source. The players never see it."),
    "gender": to_say("If it matters."),
    "position": to_say("Where they are as the scene begins."),
    "state": to_say("How they are as the scene begins."),
    "account": to_say("Who they are: looks, temper, past, goals. They themselves, narrator and judges read it."),
    "knowledge": to_say("What they know that others may not; a sentence or a few each. They read it themselves."),
    "unaware": to_say(
        "What they do not know, or cannot know yet. Narrator and judges read it, they themselves never do."
    ),
}
"""What is to be written there, where the name does not say it; to be said."""
METHODS: Mapping[str, str] = {
    "three-stage": to_say("in three stages: screenwriter, director and evaluator"),
    "direct": to_say("by the screenwriter alone"),
    "translated": to_say("as a translation"),
}


def about_heading(heading: Heading) -> str:
    """What is known of a scene besides its title, in one line."""
    parts = [
        heading.work,
        say(LANGUAGES[heading.language]),
        say(ORIGINS[heading.origin]),
        say_count("{count} character", "{count} characters", heading.characters),
        say(WHOSE[heading.whose]),
    ]
    if heading.version is not None and heading.version > 1:
        parts.append(say("version {version}", version=heading.version))
    return " · ".join(parts)


def passage_told(passage: Passage) -> str:
    """Where in its source a scene comes from."""
    told = say(
        "{source}, characters {start:,} to {end:,}", source=passage.source, start=passage.start + 1, end=passage.end
    )
    return told if passage.chapter is None else say("{chapter}; {place}", chapter=passage.chapter, place=told)


def crafted_told(crafted: Crafted) -> str:
    """How a scene was crafted."""
    first = say("translator") if crafted.method == "translated" else say("screenwriter")
    models = {
        first: crafted.screenwriter,
        say("director"): crafted.director,
        say("evaluator"): crafted.evaluator,
    }
    told = say(", ").join(say("{role}: {model}", role=role, model=model) for role, model in models.items() if model)
    if crafted.by_hand:
        how = to_say("by models, {method} ({models}), and changed by a person")
    else:
        how = to_say("by models, {method} ({models})")
    return say(how, method=say(METHODS[crafted.method]), models=told)


PLACE = "scenes-place"
"""The address of the library as it was seen last in this session."""


def way_out(label: str, **place: str) -> None:
    """A way to a place of the page, from a part of it that is drawn by itself."""
    if st.button(label, key=f"way-{urlencode(place)}", type="tertiary"):
        go(**place)
        st.rerun()


def to_scenes() -> None:
    """The way back to the library, as it was left."""
    way_to(say("All scenes"), ":material/arrow_back:", **st.session_state.get(PLACE, {}))


def address_of_scene(place: str, **more: str) -> str:
    """The address of a scene on this page."""
    return f"/scenes?{urlencode({'scene': place, **more})}"


def scene_link(one: Heading) -> str:
    """The way to a scene, as HTML."""
    return f'<a href="{html.escape(address_of_scene(one.place))}" lang="{one.language}">{html.escape(one.title)}</a>'


def to_stage(scene: Scene, place: str, headings: Sequence[Heading]) -> None:
    """The way to the Stage, with the scene chosen there. `headings` has all scenes, in the order in which they came."""
    alike = [one.place for one in headings if (one.id, one.language, one.away) == (scene.id, scene.language, False)]
    name = scene.id if alike[:1] == [place] else marked_name(scene)
    way(say("Play it"), "stage", "scenes", icon=":material/play_circle:", language=scene.language, scene=name)


def note_done(told: str) -> None:
    """Have the next page that is drawn say what was done."""
    st.session_state["scene-told"] = told


def tell_done() -> None:
    """Say what was done just now, if something was."""
    if (told := st.session_state.pop("scene-told", None)) is not None:
        st.html(f'<p class="cb-done" role="status">{html.escape(told)}</p>')


def by_whom(store: Store, account: str | None) -> str:
    """Who made something, to be put behind it; nothing where nobody signed in."""
    if account is None:
        return ""
    try:
        return say(", by {name}", name=store.accounts.find(account).name)
    except AccountError:
        return ""
