"""How scenes are set and named on the Scenes page, and the links within it. All text of scenes is data."""

import html
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count
from characterbox.components.mounts import show_linked
from characterbox.errors import AccountError
from characterbox.scenes.field_names import PROFILE_NOTES
from characterbox.scenes.scene import Crafted, Passage, Scene
from characterbox.scenes.search import Heading
from characterbox.store import Store
from characterbox.values import LANGUAGES
from pages.shared.links import go, page_link, place_link
from pages.shared.text import ALONE
from pages.stage.launch import marked_name

STYLE = """
<style>
.cb-scenes { list-style: none; margin: 0 !important; padding: 0 !important; max-width: var(--cb-reading); }
.cb-scenes li { margin: 0; padding: .7rem 0 .75rem; overflow-wrap: anywhere;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-scenes p { margin: 0; }
.cb-scenes a { color: inherit; font: 1.0625rem/1.4 "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif;
  text-underline-offset: .2em; text-decoration-color: color-mix(in srgb, currentColor 30%, transparent); }
.cb-scenes .cb-first { font: .9375rem/1.5 "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif;
  display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.cb-scene h3 { font: inherit; font-variant-caps: small-caps; letter-spacing: .02em; font-weight: 600;
  padding: 0; margin: 1.1rem 0 .1rem; }
.cb-scene h4 { font: 600 .8125rem/1.5 system-ui, sans-serif; opacity: .72; padding: 0; margin: .5rem 0 .1rem; }
.cb-scene p { margin: 0 0 .5rem; white-space: pre-line; }
.cb-scene .cb-now { opacity: .8; font-style: italic; }
.cb-scene ul { margin: 0; padding-left: 1.1rem; }
.cb-scene .cb-plot { margin-top: 1.4rem; padding-top: .6rem;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-scene .cb-none { opacity: .72; }
.cb-scene :is(.cb-where, .cb-now) .cb-none { opacity: 1; }
dl.cb-facts { font-size: .875rem; }
.cb-facts a { color: inherit; }
.cb-done { margin: 0; padding-left: .7rem; max-width: var(--cb-reading); overflow-wrap: anywhere;
  border-left: 3px solid light-dark(#9a3b26, #e08a72); scroll-margin-top: 6rem; /* below what stays on top */ }
.cb-report { margin: 0 0 .4rem !important; padding: 0 0 0 1.1rem !important; font-size: .875rem; }
.cb-report li { margin: 0 0 .15rem; overflow-wrap: anywhere; }
.cb-census { border-collapse: collapse; margin: 0 0 1rem; font-size: .875rem; font-variant-numeric: tabular-nums; }
.cb-census caption { text-align: left; opacity: .72; padding: 0 0 .2rem; caption-side: top; }
.cb-census th, .cb-census td { border: 0; padding: .15rem 1.25rem .15rem 0; vertical-align: baseline; }
.cb-census th { text-align: left; font-weight: 400; }
.cb-census tbody th { overflow-wrap: anywhere; }
.cb-census td, .cb-census thead th:not(:first-child) { text-align: right; }
.cb-census thead th { opacity: .72; border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-census th[scope=rowgroup] { font-weight: 600; padding-top: .6rem; }
.cb-found { margin: 0 0 .3rem; font-size: .9375rem; }
.cb-found summary { cursor: pointer; }
.cb-found a { color: inherit; }
@media (max-width: 640px) { .cb-census th, .cb-census td { padding-right: .6rem; } }
@media (min-width: 641px) { div:has(> .st-key-scene-reading) { position: sticky; top: 4.5rem; }
  .cb-reading { max-height: calc(100vh - 6rem); overflow: auto; } }
</style>
"""

Fields = Mapping[str, Any]
SHOWN = 40
"""Lines of a list that are shown."""


def bullets(lines: Iterable[str]) -> None:
    """A list of quiet lines; all of it is data."""
    st.html(f'<ul class="cb-report">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>')


def told_list(lines: Sequence[str]) -> None:
    """The first lines of a list, and how many more there are."""
    more = len(lines) - SHOWN
    bullets([*lines[:SHOWN], *([say("and {count:,} more", count=more)] if more > 0 else [])])


def reading_html(scene: Fields) -> str:
    """A scene that is being written, as it reads, in a place of its own that can be scrolled by keyboard."""
    label = escape(say("Preview"))
    title = f"<h2>{_text(scene.get('title')) or _open()}</h2>"
    return f'<div class="cb-reading" role="region" tabindex="0" aria-label="{label}">{scene_html(scene, title)}</div>'


def scene_html(scene: Fields, title: str = "") -> str:
    """A scene as it reads, also an unfinished one: `scene` is its house form, in which anything may be empty.

    `title` is its heading as HTML, where the page has none.
    """
    around = scene.get("environment") or {}
    heads = (scene.get("work"), around.get("time"), around.get("location"))
    where = " · ".join(filter(None, map(_text, heads)))
    cast = "".join(_person(one) for one in scene.get("cast") or ())
    plot = _text(scene.get("plot"))
    after = f'<section class="cb-plot"><h4>{escape(say("Source continuation"))}</h4><p>{plot}</p></section>'
    language = "zh" if scene.get("language") == "zh" else "en"
    return (
        f'<article class="cb-scene" lang="{language}">{title}'
        f'<p class="cb-where">{where or _open()}</p><p>{_text(around.get("description")) or _open()}</p>'
        f"{cast}{after if plot else ''}</article>"
    )


def list_html(rows: Sequence[tuple[str, str, str, str, str]]) -> str:
    """Scenes in a list: for each its address, language, title, what is known of it, and its first lines."""
    listed = "".join(
        f'<li><p><a href="{escape(address)}" lang="{language}">{escape(title)}</a></p>'
        f'<p class="cb-quiet">{escape(about)}</p>'
        f'<p class="cb-first" lang="{language}">{escape(first)}</p></li>'
        for address, language, title, about, first in rows
    )
    return f'<ul class="cb-scenes" aria-label="{escape(say("Scenes"))}">{listed}</ul>'


def _person(profile: Fields) -> str:
    gender = _text(profile.get("gender"))
    now = " · ".join(filter(None, (_text(profile.get("position")), _text(profile.get("state")))))
    face = _text(profile.get("public_face"))
    shown = f"<h4>{escape(say(FIELDS['public_face']))}</h4><p>{face}</p>" if face else ""
    known = "".join(_notes(FIELDS[kind], profile.get(kind) or ()) for kind in PROFILE_NOTES)
    names = {
        "known_as": [_alias(alias) for alias in profile.get("known_as") or ()],
        "other_names": profile.get("other_names") or (),
        "unseen_by": profile.get("unseen_by") or (),
    }
    called = "".join(_notes(FIELDS[kind], told) for kind, told in names.items())
    return (
        f"<section><h3>{_text(profile.get('name')) or _open()}{f' ({gender})' if gender else ''}</h3>"
        f'<p class="cb-now">{now or _open()}</p><p>{_text(profile.get("description")) or _open()}</p>'
        f"{shown}{called}{known}</section>"
    )


def _alias(alias: Fields) -> str:
    """What a character is called, and by whom; nothing while it is not written."""
    name = str(alias.get("name") or "").strip()
    by = say(", ").join(alias.get("by") or ()) or say("all others")
    return say("{name} (used by {who})", name=name, who=by) if name else ""


def _notes(heading: str, notes: Iterable[object]) -> str:
    listed = "".join(f"<li>{_text(note)}</li>" for note in notes if _text(note))
    return f"<h4>{escape(say(heading))}</h4><ul>{listed}</ul>" if listed else ""


def _text(value: object) -> str:
    return escape(value.strip()) if isinstance(value, str) else ""


def _open() -> str:
    told = escape(say("not filled in yet"))
    return f'<span class="cb-none">{told}</span>'


ORIGINS: Mapping[str, str] = {
    "extracted": to_say("extracted"),
    "generated": to_say("generated"),
    "original": to_say("original"),
}
WHOSE: Mapping[str, str] = {
    "bundled": to_say("bundled"),
    "own": to_say("custom"),
    "away": to_say("archived"),
}
FIELDS: Mapping[str, str] = {
    "title": to_say("Title"),
    "work": to_say("Work"),
    "language": to_say("Language"),
    "origin": to_say("Origin"),
    "author": to_say("Author"),
    "time": to_say("Time"),
    "location": to_say("Location"),
    "description": to_say("Environment"),
    "plot": to_say("Source continuation"),
    "cast": to_say("Cast"),
    "name": to_say("Name"),
    "gender": to_say("Gender"),
    "position": to_say("Position"),
    "state": to_say("State"),
    "account": to_say("Description"),
    "public_face": to_say("Appearance"),
    "known_as": to_say("Known as"),
    "other_names": to_say("Other names"),
    "unseen_by": to_say("Hidden from"),
    "knowledge": to_say("Knows"),
    "unaware": to_say("Does not know"),
}
"""The fields of a scene, as `characterbox.scenes.differences` calls them; to be said."""
HINTS: Mapping[str, str] = {
    "title": to_say("What happens, in one line."),
    "author": to_say("Author of the work (optional)."),
    "description": to_say("What is there and what is happening when the scene begins."),
    "plot": to_say("For readers only, if the scene has a source. Players and judges do not see it."),
    "gender": to_say("If relevant."),
    "position": to_say("Where the character is when the scene begins."),
    "state": to_say("The character's condition when the scene begins."),
    "account": to_say(
        "Who the character is: looks, temperament, past, goals. The character, the narrator and judges read it."
    ),
    "public_face": to_say(
        "What a stranger sees and hears at once: looks, age, dress, manner. All other characters read it, so"
        " include no name and no secret."
    ),
    "known_as": to_say("Names used by those who do not know the real name, until they recognize the character."),
    "other_names": to_say("Titles and nicknames that reveal the identity, one per line."),
    "unseen_by": to_say("Who can neither see nor hear the character when the scene begins."),
    "knowledge": to_say(
        "What the character knows and others may not. One or a few sentences per note. The character reads it."
    ),
    "unaware": to_say(
        "What the character does not know or cannot know yet. The narrator and judges read it; the character"
        " never does."
    ),
}
"""What is to be written there, where the name does not say it; to be said."""
METHODS: Mapping[str, str] = {
    "three-stage": to_say("in three stages: screenwriter, director and evaluator"),
    "direct": to_say("by the screenwriter only"),
    "translated": to_say("as a translation"),
}


def about_heading(heading: Heading) -> str:
    """What is known of a scene besides its title, in one line."""
    parts = [
        heading.work,
        say(LANGUAGES[heading.language]),
        say(ORIGINS[heading.origin]),
        say_count("{count} character", "{count} characters", heading.characters)
        if heading.characters > 1
        else say(ALONE),
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
        how = to_say("by models, {method} ({models}); edited by a person")
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
    place_link(say("All scenes"), ":material/arrow_back:", **st.session_state.get(PLACE, {}))


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
    page_link(say("Play scene"), "stage", "scenes", icon=":material/play_circle:", language=scene.language, scene=name)


def note_done(told: str) -> None:
    """Have the next page that is drawn say what was done."""
    st.session_state["scene-told"] = told


def tell_done() -> None:
    """Say what was done just now, if something was. It is scrolled to: one comes from the foot of a long form."""
    if (told := st.session_state.pop("scene-told", None)) is not None:
        show_linked(f'<p class="cb-done" role="status">{html.escape(told)}</p>', "scene-done")


def by_whom(store: Store, account: str | None) -> str:
    """Who made something, to be put behind it; nothing where nobody signed in."""
    if account is None:
        return ""
    try:
        return say(", by {name}", name=store.accounts.find(account).name)
    except AccountError:
        return ""
