"""One scene: read whole, with all that is known of it, what can be done with it, and the start of its translation."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, say_moment, translate
from characterbox.components.mounts import show_linked
from characterbox.components.url_state import segments_in_address
from characterbox.crafting.translation import Translation
from characterbox.errors import SceneError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.endpoint import crafter_of, is_improvised
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import Crafted, Scene
from characterbox.scenes.search import BUNDLED, Heading, fingerprint
from characterbox.stage.stage import Stage, open_stage
from characterbox.store import Store
from characterbox.store.stories.search import Wanted
from characterbox.store.versions import Version
from characterbox.values import LANGUAGES, Language
from pages.crafting.form import models_for
from pages.scenes.drafts import check_writes, duplicate
from pages.scenes.export import save_characters, save_scene
from pages.scenes.history import show_history
from pages.scenes.list import all_headings
from pages.scenes.text import (
    ORIGINS,
    by_whom,
    crafted_told,
    passage_told,
    scene_html,
    scene_link,
    tell_done,
    to_scenes,
    to_stage,
)
from pages.shared.current_user import allowed, current_user
from pages.shared.links import go, page_link, place_link
from pages.shared.text import caution, plain, quiet
from pages.story.actions import do, show_error
from pages.story.list import story_list


def about_scene(store: Store, scene: Scene, version: Version[Scene] | None, headings: Sequence[Heading]) -> str:
    """Names and what they are, as HTML with links; all of it is data."""
    rows = [
        (say("Language"), escape(say(LANGUAGES[scene.language]))),
        (say("Origin"), escape(say(ORIGINS[scene.origin]))),
        (say("Characters"), str(len(scene.cast))),
    ]
    if scene.crafted is not None:
        rows.append((say("Generated"), escape(crafted_told(scene.crafted)) + _mark(scene.crafted)))
    if scene.author is not None:
        rows.append((say("Author"), escape(scene.author)))
    if scene.passage is not None:
        rows.append((say("Location in source"), escape(passage_told(scene.passage))))
    if pairs := pairs_of(scene, headings):
        rows.append((say("In the other language"), "<br>".join(map(scene_link, pairs))))
    if version is not None:
        made = say("version {number}, {moment}", number=version.version, moment=say_moment(version.created_at))
        rows.append((say("Saved"), escape(made + by_whom(store, version.made_by))))
    rows.append((say("ID"), escape(scene.id)))
    lines = "".join(f"<dt>{escape(name)}</dt><dd>{told}</dd>" for name, told in rows)
    return f'<dl class="cb-facts">{lines}</dl>'


def pairs_of(scene: Scene, headings: Sequence[Heading]) -> list[Heading]:
    """The scenes in the other language of which this one is the translation, or that are translations of it."""
    return [
        one
        for one in headings
        if one.language != scene.language and not one.away and (one.id == scene.pair or one.pair == scene.id)
    ]


def _mark(crafted: Crafted) -> str:
    """Whether a role was played without a language model."""
    return f"<br><em>{escape(say(DEMO_NOTE))}</em>" if is_improvised(crafter_of(crafted)) else ""


SHOWN = 10
"""Stories of a version that are listed."""


def show_stories(stage: Stage, scene: Scene, version: Version[Scene] | None) -> None:
    """The stories version by version, the newest first, and at last those of scenes that are called the same."""
    played = stage.store.scenes.played(scene.id)
    if not played:
        quiet(say("This scene has no stories yet."))
        return
    if version is None:
        known = {fingerprint(scene): say("This scene")}
    else:
        known = {
            fingerprint(one.content): say("Version {number}", number=one.version)
            for one in reversed(stage.store.scenes.versions(version.chain))
        }
    for print, named in reversed([*known.items()]):
        if print in played:
            _stories(stage, named, played[print])
    rest = [id for print, ids in played.items() if print not in known for id in ids]
    if rest:
        _stories(stage, say("Other scene texts with this ID"), rest)
    page_link(say("View all in Playback"), "playback", "scenes", icon=":material/menu_book:", text=scene.id)


def _stories(stage: Stage, named: str, ids: list[str]) -> None:
    st.subheader(named, anchor=False)
    quiet(say_count("{count:,} story", "{count:,} stories", len(ids)))
    _, stories = stage.store.shelf.find(Wanted(ids=ids[:SHOWN]), limit=SHOWN)
    story_list(stories, f"played-{ids[0]}")


READING = to_say("Scene")
MOST_DIGITS = 9  # in the number of a version


class Opened(NamedTuple):
    """A scene that is shown."""

    place: str
    scene: Scene
    version: Version[Scene] | None
    """None for a bundled one."""
    headings: Sequence[Heading]
    """Of all scenes, in the order in which they came."""


def read(stage: Stage, opened: Opened) -> None:
    """The scene as it reads, and what is known of it besides."""
    reading, margin = st.columns([3, 2], gap="large")
    with reading:
        st.html(scene_html(opened.scene.model_dump(mode="json")))
    with margin:
        about = about_scene(stage.store, opened.scene, opened.version, opened.headings)
        show_linked(about, key="scene-about")


VIEWS: dict[str, Callable[[Stage, Opened], None]] = {
    READING: read,
    to_say("Versions"): lambda stage, one: show_history(stage, one.version),
    to_say("Stories"): lambda stage, one: show_stories(stage, one.scene, one.version),
}


def opened_or_told(stage: Stage, place: str) -> Opened | None:
    """The scene at a place; None, with the reason shown, if there is none."""
    try:
        # The scene of a place, in the version that the address names
        if place.startswith(BUNDLED):
            return Opened(place, bundled_scene(place.removeprefix(BUNDLED)), None, all_headings(stage))
        asked = st.query_params.get("version", "")
        number = int(asked) if asked.isdecimal() and asked.isascii() and len(asked) <= MOST_DIGITS else None
        version = stage.store.scenes.find(place, number)
        return Opened(place, version.content, version, all_headings(stage))
    except SceneError as error:
        st.title(say("Scenes"))
        st.error(plain(translate(error)))
        to_scenes()
        return None


def show_scene(stage: Stage, place: str) -> None:
    """The scene that the address names, or that there is none."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    to_scenes()
    st.title(plain(opened.scene.title))
    show_error()
    tell_done()
    _standing(stage, opened)
    version = opened.version
    now = version is None or (version.version == version.newest and not version.away)
    with st.container(horizontal=True, vertical_alignment="center"):
        if now:
            to_stage(opened.scene, opened.place, opened.headings)
        if allowed("direct"):
            _changes(stage, opened, now=now)
        save_scene(opened.scene)
        save_characters(opened.scene)
    views = [name for name in VIEWS if opened.version is not None or name != "Versions"]
    view, keeping = segments_in_address("view", views, READING)
    st.segmented_control(say("View"), views, format_func=say, required=True, label_visibility="collapsed", **keeping)
    VIEWS[view](stage, opened)


def _standing(stage: Stage, opened: Opened) -> None:
    """What one should know before one reads: an old version, or one that was put away."""
    version = opened.version
    if version is None:
        return
    if version.away:
        caution(say("This scene is archived. It is not offered for stories and sweeps."))
    if version.version < version.newest:
        moment = say_moment(version.created_at)
        told = say(
            "This is version {number} ({moment}). A newer version exists.", number=version.version, moment=moment
        )
        caution(told)
        place_link(say("View newest version"), scene=opened.place)


def _changes(stage: Stage, opened: Opened, *, now: bool) -> None:
    version = opened.version
    copy = say("Duplicate") if version is not None else say("Duplicate to edit")
    if version is not None and now:
        place_link(say("Edit"), ":material/edit:", scene=opened.place, edit="yes")
    if now:
        place_link(say("Translate"), ":material/translate:", scene=opened.place, translate="yes")
    st.button(
        copy,
        key="scene-duplicate",
        type="tertiary",
        icon=":material/content_copy:",
        on_click=do,
        args=(lambda: go(scene=duplicate(stage, opened.scene, opened.headings), edit="yes"),),
    )
    if version is not None and version.away:
        _button(say("Restore"), "unarchive", lambda: stage.store.scenes.bring_back(current_user(), opened.place))
    elif version is not None:
        _button(say("Archive"), "archive", lambda: stage.store.scenes.put_away(current_user(), opened.place))


def _button(label: str, icon: str, act: Callable[[], None]) -> None:
    st.button(label, key=f"scene-{icon}", type="tertiary", icon=f":material/{icon}:", on_click=do, args=(act,))


OTHER: dict[Language, Language] = {"en": "zh", "zh": "en"}


def translate_scene(stage: Stage, place: str) -> None:
    """The scene that the address names, and who is to translate it."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    st.title(plain(opened.scene.title))
    show_error()
    reading, margin = st.columns([3, 2], gap="large")
    with reading:
        st.html(scene_html(opened.scene.model_dump(mode="json")))
    with margin, st.container(key="translate-margin"):
        _choice(stage, opened)
    place_link(say("Back to the scene"), ":material/arrow_back:", scene=place)


def _choice(stage: Stage, opened: Opened) -> None:
    language = OTHER[opened.scene.language]
    st.subheader(say("Translate into {language}", language=say(LANGUAGES[language])))
    for pair in pairs_of(opened.scene, opened.headings):
        quiet(say("A version in that language already exists:"))
        place_link(plain(pair.title), scene=pair.place)
    found = models_for(stage, ["translator"])
    if found is None:
        return
    wish = Translation(scene=opened.scene, language=language, translator=found["translator"])
    quiet(say("One call. A second call follows if the translation is incomplete."))
    quiet(say("You can compare the translation with the original and edit it before saving."))
    st.button(say("Start translation"), type="primary", key="translate-start", on_click=do, args=(_start, wish))


def _start(wish: Translation) -> None:
    check_writes()
    go(crafting=open_stage().craftings.begin(wish))
