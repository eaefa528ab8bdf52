"""Scenes as YAML or JSON, in the form of the paper's authors, and their characters as cards."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import streamlit as st

from annotations.i18n.messages import Readable, to_say
from annotations.i18n.translation import say, say_count, translate
from characterbox.errors import SceneError, TooHeavy
from characterbox.scenes.cards import export
from characterbox.scenes.cards.card import Card, as_v2
from characterbox.scenes.cards.export import card_of
from characterbox.scenes.import_report import Repair
from characterbox.scenes.scene import Profile, Scene, slug_of
from characterbox.settings import settings
from characterbox.share.scene_files import (
    WRITERS,
    Form,
    Wanted,
    fault_of,
    saved_as_authors,
    saved_scenes,
    why_not_saved,
)
from characterbox.stage.stage import Stage
from pages.scenes.list import chosen_scenes
from pages.scenes.text import bullets, to_scenes
from pages.shared.downloads import file_button, given_out
from pages.shared.form import pick_some
from pages.shared.links import place_link
from pages.shared.text import plain, quiet

Look = Literal["secondary", "tertiary"]
CHOSEN = "export-scenes"
"""Where it is kept which scenes are chosen."""
AUTHORS = "authors"
"""What the address calls the form of the paper's authors."""
NAMES: Mapping[Form, str] = {"yaml": to_say("YAML (easy to read and edit)"), "json": to_say("JSON")}


def save_scene(scene: Scene) -> None:
    """The downloads of one scene."""
    with st.popover(say("Download"), key="scene-save"):
        for form, written in WRITERS.items():
            _download(form, scene.id, "tertiary", fault_of([scene], form), partial(written, [scene]))


def take_along(stage: Stage) -> None:
    """The scenes that are found, or some of them, as one file."""
    st.title(say("Export scenes"))
    found = chosen_scenes(stage)
    by_place = {one.place: one for one in found}
    kept = [place for place in st.session_state.get(CHOSEN, ()) if place in by_place]
    if CHOSEN in st.session_state:
        st.session_state[CHOSEN] = kept
    some = pick_some(
        say("Scenes"),
        [*by_place],
        format_func=lambda place: f"{by_place[place].title} ({by_place[place].work})",
        placeholder=say("all scenes found"),
        key=CHOSEN,
        persist_state="session",
    )
    wanted = [(one.place, one.version) for one in found if not some or one.place in some]
    quiet(say_count("{count:,} scene", "{count:,} scenes", len(wanted)))
    if wanted and st.query_params["export"] == AUTHORS:
        save_as_authors(wanted)
    elif wanted:
        db = settings().db
        with st.container(horizontal=True):
            for form in WRITERS:
                why_not = why_not_saved(db, wanted, form)
                _download(form, "scenes", "secondary", why_not, partial(saved_scenes, db, wanted, form))
            place_link(say("Paper authors' format"), **{**st.query_params.to_dict(), "export": AUTHORS})
    to_scenes()


def _download(form: Form, name: str, look: Look, why_not: Readable | None, made: Callable[[], bytes]) -> None:
    """The button of a file; it can't be pressed where the scenes make no such file."""
    file_button(
        say(NAMES[form]),
        f"{name}.{form}",
        given_out("scenes.exported", name, made, form=form),
        f"scenes-file-{form}",
        type=look,
        disabled=why_not is not None,
        help=None if why_not is None else plain(why_not),
    )


LONGEST = 60
"""Characters of the name of a file, before its ending."""
CARDS: Mapping[str, tuple[str, str, Callable[[Card], bytes]]] = {
    "v3": (to_say("JSON (V3)"), ".json", export.as_json),
    "v2": (to_say("JSON (V2)"), "-v2.json", lambda card: export.as_json(as_v2(card))),
    "png": (to_say("PNG (V3 and V2)"), ".png", export.as_png),
    "charx": (to_say("CHARX (V3)"), ".charx", export.as_charx),
}
"""The kinds of files: what each is called, how its name ends, and how it is made."""


def save_characters(scene: Scene) -> None:
    """Each character of a scene as a card, for programs that know such cards."""
    with st.popover(say("Download character card"), key="character-save"):
        place = st.selectbox(
            say("Character"), range(len(scene.cast)), format_func=lambda place: scene.cast[place].name, key="character"
        )
        profile = scene.cast[place]
        try:
            card = card_of(profile, scene.environment.description)
        except SceneError as error:
            st.error(plain(translate(error)))
            return
        save_card(card, name_of(profile), lambda made, kind: given_out("scenes.exported", scene.id, made, form=kind))
        quiet(say("The environment is exported as the scenario. Only this app can read the position and state back."))


def save_card(card: Card, name: str, given: Callable[[Callable[[], bytes], str], Callable[[], bytes]]) -> None:
    """The downloads of a card in each kind of file; `given` logs what is given out, by what makes it and its kind."""
    for kind, (label, ending, written) in CARDS.items():
        made = given(partial(written, card), kind)
        file_button(say(label), f"{name}{ending}", made, f"character-file-{kind}", type="tertiary")


def name_of(profile: Profile) -> str:
    """What the file of a character is called, without its ending: letters and digits of any script, and hyphens."""
    return slug_of(profile.name)[:LONGEST].strip("-") or "character"


def save_as_authors(wanted: Wanted) -> None:
    """The scenes as the paper's authors publish theirs, a file for each work and origin; before it what is left out."""
    try:
        file = saved_as_authors(settings().db, wanted)
    except (SceneError, TooHeavy) as error:
        st.error(plain(translate(error)))
        return
    quiet(say("The paper authors' format uses one file per work and origin. It does not hold everything in a scene:"))
    bullets(left_out_lines(file.left_out))
    label = say_count("Download {count:,} file", "Download {count:,} files (ZIP)", file.count)
    made = given_out("scenes.exported", file.name, lambda: file.content, form="authors")
    file_button(label, file.name, made, "authors-file")


def left_out_lines(left_out: Sequence[Repair]) -> list[str]:
    """What the form leaves out: what holds for the file, and of each field in how many scenes."""
    lines = [
        *dict.fromkeys(say("{where}: {what}", where=one.field, what=one.what) for one in left_out if one.scene is None)
    ]
    places = {(one.scene, re.sub(r"\[\d+\]", "", str(one.field))) for one in left_out if one.scene is not None}
    counted = Counter(field for _, field in places)
    return lines + [
        say_count("{field}: left out of {count:,} scene", "{field}: left out of {count:,} scenes", count, field=field)
        for field, count in sorted(counted.items())
    ]
