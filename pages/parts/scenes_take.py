"""The characters of a scene as cards, and scenes in the form of the paper's authors: both hold less than a scene."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from annotations.wording import say, say_count, to_say
from characterbox.errors import SceneError, TooHeavy
from characterbox.scenes.cards import writing as card_files
from characterbox.scenes.cards.card import Card, as_v2
from characterbox.scenes.cards.making import card_of
from characterbox.scenes.outcome import Repair
from characterbox.scenes.scene import Profile, Scene, slug_of
from characterbox.settings import settings
from characterbox.share.scene_files import Wanted, saved_as_authors
from pages.parts.given_out import given_out
from pages.parts.look import plain, quiet
from pages.parts.scenes_look import bullets

LONGEST = 60
"""Characters of the name of a file, before its ending."""
CARDS: Mapping[str, tuple[str, str, str, Callable[[Card], bytes]]] = {
    "v3": (to_say("JSON, as V3"), ".json", "application/json", card_files.as_json),
    "v2": (to_say("JSON, as V2"), "-v2.json", "application/json", lambda card: card_files.as_json(as_v2(card))),
    "png": (to_say("PNG, as V3 and V2"), ".png", "image/png", card_files.as_png),
    "charx": (to_say("CHARX, as V3"), ".charx", "application/zip", card_files.as_charx),
}
"""The kinds of files: what each is called, how its name ends, its kind in the browser, and how it is made."""


def save_characters(scene: Scene) -> None:
    """Each character of a scene as a card, for programs that know such cards."""
    with st.popover(say("Save a character"), key="character-save"):
        place = st.selectbox(
            say("Character"), range(len(scene.cast)), format_func=lambda place: scene.cast[place].name, key="character"
        )
        profile = scene.cast[place]
        try:
            card = card_of(profile, scene.environment.description)
        except SceneError as error:
            st.error(plain(str(error)))
            return
        for kind, (label, ending, mime, written) in CARDS.items():
            st.download_button(
                say(label),
                given_out("scenes.exported", scene.id, partial(written, card), form=kind),
                f"{name_of(profile)}{ending}",
                mime,
                key=f"character-file-{kind}",
                type="tertiary",
                on_click="ignore",
                icon=":material/download:",
            )
        quiet(say("The environment goes along as the scenario. Where they are and how, only this app reads again."))


def name_of(profile: Profile) -> str:
    """What the file of a character is called, without its ending: letters and digits of any script, and hyphens."""
    return slug_of(profile.name)[:LONGEST].strip("-") or "character"


def save_as_authors(wanted: Wanted) -> None:
    """The scenes as the paper's authors publish theirs, a file for each work and origin; before it what is left out."""
    try:
        file = saved_as_authors(settings().db, wanted)
    except (SceneError, TooHeavy) as error:
        st.error(plain(str(error)))
        return
    quiet(say("The form of the paper's authors, a file for each work and origin, does not hold all of a scene:"))
    bullets(left_out_lines(file.left_out))
    st.download_button(
        say_count("Save {count:,} file", "Save {count:,} files, as ZIP", file.count),
        given_out("scenes.exported", file.name, lambda: file.content, form="authors"),
        file.name,
        file.kind,
        key="authors-file",
        on_click="ignore",
        icon=":material/download:",
    )


def left_out_lines(left_out: Sequence[Repair]) -> list[str]:
    """What the form leaves out: what holds for the file, and of each field in how many scenes."""
    lines = [
        *dict.fromkeys(say("{where}: {what}", where=one.field, what=one.what) for one in left_out if one.scene is None)
    ]
    places = {(one.scene, re.sub(r"\[\d+\]", "", one.field)) for one in left_out if one.scene is not None}
    counted = Counter(field for _, field in places)
    return lines + [
        say_count("{field}: left out of {count:,} scene", "{field}: left out of {count:,} scenes", count, field=field)
        for field, count in sorted(counted.items())
    ]
