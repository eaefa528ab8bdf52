"""What is being written of a scene, kept until it is saved; and copies, under ids that no other scene has."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.errors import AccountError
from characterbox.llm.replies.reading import storable
from characterbox.scenes.field_names import ALIASES, ENVIRONMENT_FIELDS, PROFILE_NAMES, PROFILE_NOTES
from characterbox.scenes.scene import MOST_HEADING, Scene, slug_of
from characterbox.scenes.search import Heading
from characterbox.stage.stage import Stage
from characterbox.store import Store
from characterbox.values import LANGUAGES, Language
from pages.scenes.text import FIELDS, HINTS, ORIGINS
from pages.shared.current_user import allowed, current_user

COPY: dict[Language, str] = {"en": " (copy)", "zh": "（副本）"}
"""What the title of a copy ends with, in the language of the scene."""
LONGEST = 40
"""Characters of an id that is made of a title."""


def duplicate(stage: Stage, scene: Scene, headings: Sequence[Heading]) -> str:
    """Store a copy of a scene as one of its own, and name its place. Raises AccountError for one who may only read."""
    check_writes()
    ending = COPY[scene.language]
    title = scene.title.removesuffix(ending)[: MOST_HEADING - len(ending)] + ending
    id = free_id(f"{scene.id}-copy" if not scene.id.endswith("-copy") else scene.id, {one.id for one in headings})
    return stage.store.scenes.start(scene.model_copy(update={"id": id, "title": title}), current_user().id)


def check_writes() -> None:
    """Raises AccountError unless the one who uses the page may write scenes."""
    if not allowed("direct"):
        raise AccountError(say("only researchers and admins can write scenes"))


def id_of_title(title: str, taken: Collection[str]) -> str:
    """An id for a new scene, made of its title."""
    return free_id(slug_of(title)[:LONGEST].strip("-") or "scene", taken)


def free_id(wanted: str, taken: Collection[str]) -> str:
    """The id, or where it is taken, with the first number behind it with which it is not."""
    number, free = 1, wanted
    while free in taken:
        number += 1
        free = f"{wanted}-{number}"
    return free


NEW = "new"
"""The place of a scene that is not there yet."""


class Drafts:
    """The draft of one scene: what is written in this window, and what is kept of it for the next one.

    It is kept for its account, as what is preferred is: of two windows the one that wrote last says what is kept.
    """

    def __init__(self, store: Store, account: str | None, place: str) -> None:
        self._store = store
        self._account = account
        self.place = place
        self._name = f"scene-draft:{place}"

    @property
    def _window(self) -> dict[str, Any]:
        """What is known in this window only."""
        window: dict[str, Any] = st.session_state.setdefault(self._name, {"turn": 0, "tried": 0})
        return window

    def open(self, newest: int) -> int:
        """Begin in this window, or go on; gives the version that is edited, 0 for a new scene."""
        window = self._window
        if window.get("values") is None:
            kept = self._store.preferences.find(self._account, self._name)
            after = kept.get("after", newest)
            window |= {"begun": after, "after": after, "values": kept.get("values")}
        window["found"] = window["values"] is not None and not window.pop("given", False)
        return int(window["after"])

    def put(self, values: dict[str, Any]) -> None:
        """Take this for what is written, in place of what was; the form begins anew with it."""
        self._window.update(turn=self._window["turn"] + 1, tried=0, given=True)
        self.keep(values)

    @property
    def after(self) -> int:
        """The version that was started from."""
        return int(self._window["after"])

    @property
    def values(self) -> dict[str, Any] | None:
        """What is written and not saved, if anything."""
        values: dict[str, Any] | None = self._window["values"]
        return values

    @property
    def found(self) -> bool:
        """Whether something was there when the page was drawn."""
        return bool(self._window["found"]) and self.values is not None

    @property
    def tried(self) -> int:
        """How often it was tried to save what could not be saved."""
        return int(self._window["tried"])

    @property
    def problem(self) -> str | None:
        """Why it could not be saved when that was tried last."""
        problem: str | None = self._window.get("problem")
        return problem

    @property
    def form_id(self) -> str:
        """Names what stands in the form; another name begins anew, which is not to happen under one's hand."""
        return f"{self.place}/{self._window['begun']}/{self._window['turn']}"

    def keep(self, values: dict[str, Any]) -> None:
        """Keep this in place of what was kept before."""
        self._window["values"] = values
        self._window["problem"] = None
        self._store.preferences.save(self._account, self._name, {"values": values, "after": self.after})

    def drop(self) -> None:
        """Keep nothing of this window any more; what another one has written since is left to that."""
        written, self._window["values"] = self.values, None
        kept = self._store.preferences.find(self._account, self._name)
        if kept.get("values") == written:
            self._store.preferences.drop(self._account, self._name)

    def forget(self) -> None:
        """Drop what is written, and begin again with what is stored."""
        self.drop()
        self._window.update(turn=self._window["turn"] + 1, tried=0, problem=None)

    def rebase(self, newest: int) -> None:
        """Take what is written as made from the newest version: it is to follow that one."""
        self._window.update(after=newest, problem=None)
        if self.values is not None:
            self.keep(self.values)

    def try_again(self, problem: str) -> None:
        """It could not be saved, for this reason."""
        self._window["tried"] += 1
        self._window["problem"] = problem

    def finish(self, place: str) -> None:
        """It is saved, and seen at this place."""
        self.drop()
        self._window["stored"] = place

    def stored(self) -> str | None:
        """Where it was saved just now, if it was; this window then begins anew."""
        place: str | None = self._window.get("stored")
        if place is not None:
            del st.session_state[self._name]
        return place


Values = Mapping[str, Any]
"""A scene in house form, in which anything may be empty."""
KINDS = {
    "time": "line",
    "location": "line",
    "title": "line",
    "work": "line",
    "author": "line",
    "name": "line",
    "gender": "line",
}
"""How fields are written that are no text of several lines."""
HALF = ("language", "origin", "time", "location", "name", "gender")
"""Fields of which two stand side by side where there is room."""
CHOICES: Mapping[str, Mapping[str, str]] = {"language": LANGUAGES, "origin": ORIGINS}
WORDS = {
    "add": to_say("Add character"),
    "remove": to_say("Remove"),
    "removed": to_say("{name} removed."),
    "put_back": to_say("Restore"),
    "up": to_say("Move up"),
    "down": to_say("Move down"),
    "character": to_say("Character {number}"),
    "around": to_say("Opening environment"),
    "note": to_say("Note {number}"),
    "add_note": to_say("Add note"),
    "remove_note": to_say("Remove note"),
    "hidden": to_say("Name unknown, in disguise, or unnoticed"),
    "alias": to_say("Alias"),
    "add_alias": to_say("Add alias"),
    "remove_alias": to_say("Remove alias"),
    "by": to_say("Used by"),
    "by_hint": to_say("All others, if none is selected."),
    "submit": to_say("Save"),
}
HEAD = ("title", "work", "language", "origin", "author", "plot")
PROFILE = ("name", "gender", "position", "state", "description", "public_face")
PICKED = ("known_as", "unseen_by")
"""Fields in which others of the cast are picked."""
EMPTY: Values = {"cast": [{}, {}], "environment": {}}
"""What a new scene begins with, besides its language."""


def form_fields() -> dict[str, dict[str, Any]]:
    """The fields as the form is given them."""
    return {name: _field(name) for name in FIELDS if name not in ("cast", *PROFILE_NOTES, *PICKED)}


def form_lists(kinds: Iterable[str]) -> dict[str, dict[str, str]]:
    """Lists of notes or names of each character, as the form is given them."""
    return {kind: {"label": say(FIELDS[kind]), "hint": say(HINTS[kind])} for kind in kinds}


def values_of(scene: Scene) -> dict[str, Any]:
    """What stands in the form of a scene at first."""
    return read_values(scene.model_dump(mode="json"))


def read_values(said: Values) -> dict[str, Any]:
    """What a browser said, with all fields that the form has, and no others."""
    around, cast = said.get("environment"), said.get("cast")
    return {
        **{name: _text(said.get(name)) for name in HEAD},
        "environment": {name: _text(_of(around, name)) for name in ENVIRONMENT_FIELDS},
        "cast": [_profile(one) for one in (cast if isinstance(cast, list) else [])],
    }


def with_the_rest(values: Values, scene: Scene | None, id: str) -> dict[str, Any]:
    """The values together with what the form does not have: the id, and how the scene was made."""
    kept = {} if scene is None else scene.model_dump(mode="json", include={"passage", "crafted", "pair"})
    return {**kept, **values, "id": id}


def _profile(said: object) -> dict[str, Any]:
    texts = {name: _text(_of(said, name)) for name in PROFILE}
    aliases = _of(said, ALIASES)
    return {
        **texts,
        **{kind: _notes(said, kind) for kind in (*PROFILE_NOTES, *PROFILE_NAMES)},
        ALIASES: [
            {"name": _text(_of(alias, "name")), "by": _notes(alias, "by")}
            for alias in (aliases if isinstance(aliases, list) else [])
        ],
    }


def _notes(said: object, kind: str) -> list[str]:
    notes = _of(said, kind)
    return [_text(note) for note in notes] if isinstance(notes, list) else []


def _of(said: object, name: str) -> object:
    return said.get(name) if isinstance(said, dict) else None


def _text(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""


def _field(name: str) -> dict[str, Any]:
    hint = say(HINTS[name]) if name in HINTS else ""
    told = {"label": say(FIELDS[name]), "hint": hint}
    field: dict[str, Any] = {**told, "kind": KINDS.get(name, "text"), "half": name in HALF}
    if name in CHOICES:
        return {**field, "kind": "choice", "options": [[value, say(told)] for value, told in CHOICES[name].items()]}
    return field
