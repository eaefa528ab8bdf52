"""The characters of a scene as cards, and scenes in the form of the paper's authors: both hold less than a scene."""

import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from zipfile import ZIP_DEFLATED, ZipFile

import streamlit as st

from annotations.wording import say, say_count, to_say
from characterbox.errors import SceneError
from characterbox.scenes.cards import writing as card_files
from characterbox.scenes.cards.card import Card, as_v2
from characterbox.scenes.cards.making import card_of
from characterbox.scenes.outcome import Repair
from characterbox.scenes.scene import Profile, Scene, slug_of
from characterbox.scenes.writing import AuthorsFile, as_authors
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


def save_as_authors(scenes: Sequence[Scene]) -> None:
    """The scenes as the paper's authors publish theirs, a file for each work and origin; before it what is left out."""
    kinds: dict[tuple[str, str], list[Scene]] = {}
    for number, scene in enumerate(scenes):
        # The form has no ids; here they keep scenes apart that were brought in under one, when they are counted.
        named = scene.model_copy(update={"id": str(number)})
        kinds.setdefault((scene.work, scene.origin), []).append(named)
    try:
        files = [as_authors(alike) for alike in kinds.values()]
    except SceneError as error:
        st.error(plain(str(error)))
        return
    quiet(say("The form of the paper's authors, a file for each work and origin, does not hold all of a scene:"))
    bullets(left_out_lines([one for file in files for one in file.left_out]))
    name, content, mime = (files[0].name, files[0].content, "application/json") if len(files) == 1 else _packed(files)
    st.download_button(
        say_count("Save {count:,} file", "Save {count:,} files, as ZIP", len(files)),
        given_out("scenes.exported", name, lambda: content, form="authors"),
        name,
        mime,
        key="authors-file",
        on_click="ignore",
        icon=":material/download:",
    )


def _packed(files: Sequence[AuthorsFile]) -> tuple[str, bytes, str]:
    """The files in one archive. Of two with one name the second is in a folder: a file's name says what is in it."""
    found = io.BytesIO()
    taken: set[str] = set()
    with ZipFile(found, "w", ZIP_DEFLATED) as archive:
        for number, file in enumerate(files):
            archive.writestr(f"{number}/{file.name}" if file.name in taken else file.name, file.content)
            taken.add(file.name)
    return "scenes.zip", found.getvalue(), "application/zip"


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
