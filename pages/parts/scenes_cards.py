"""Characters from cards: what is in a card, and scenes that are written with the characters of cards.

A card says who a character is. Where it is and how, as the scene begins, is for whoever writes the scene.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotations.wording import say, say_count, tongue
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.errors import SceneError, TooHeavy
from characterbox.limited_once import run_limited_once
from characterbox.scenes.cards.reading import CardFile
from characterbox.scenes.intake import CARD_ENDINGS, read_any
from characterbox.scenes.tongue import language_by_letters
from characterbox.stage.stage import Stage
from pages.parts.acts import do
from pages.parts.look import plain, quiet
from pages.parts.scenes_copy import check_writes
from pages.parts.scenes_draft import NEW, Drafts
from pages.parts.scenes_fields import Values, read_values
from pages.parts.scenes_look import bullets, told_list
from pages.parts.scenes_ways import note_done
from pages.parts.ways import go
from pages.parts.who import who

LARGEST = 50
"""Megabytes of a file."""
CARDS = (".json", *CARD_ENDINGS)


def tell_card(card: CardFile) -> None:
    """What is in a card: who it is, what it knows, whom it speaks to, and what was left out or put right."""
    quiet(say("A character card: {name}", name=card.character))
    lines = [say_count("{count:,} note of what it knows", "{count:,} notes of what it knows", len(card.knowledge))]
    if card.scenario is not None:
        lines.append(say("a scenario, which is suggested for the environment"))
    if card.position is not None or card.state is not None:
        lines.append(say("where it is and how, which only a card that was made here says"))
    if card.user is not None:
        lines.append(
            say("it speaks of {mark}, who is taken to be “{person}”", mark="{{user}}", person=card.user),
        )
    bullets(lines)
    if card.repairs:
        count = len(card.repairs)
        told = say_count(
            "{count:,} thing was left out or put right", "{count:,} things were left out or put right", count
        )
        with st.expander(told):
            told_list([say("{where}: {what}", where=one.field, what=one.what) for one in card.repairs])


def begin_with(stage: Stage, cards: Sequence[CardFile], *, primary: bool) -> None:
    """The way on from cards: a scene with their characters, or more characters for the one that is being written."""
    drafts = Drafts(stage.store, who().id, NEW)
    drafts.open(0)
    quiet(say("A card belongs to no scene, and does not say where its character is or how; you write that."))
    with st.container(horizontal=True):
        st.button(
            say("Write a scene with these characters"),
            key="cards-begin",
            type="primary" if primary else "secondary",
            icon=":material/edit:",
            on_click=do,
            args=(lambda: _write(drafts, opening(cards), len(cards)),),
        )
        if (values := drafts.values) is not None:
            st.button(
                say("Add them to the scene that you have begun"),
                key="cards-more",
                type="tertiary",
                on_click=do,
                args=(lambda: _write(drafts, with_cards(values, cards), len(cards)),),
            )
    if drafts.values is not None:
        quiet(say("You have begun a new scene that is not saved yet; another one takes its place."))


def add_cards(drafts: Drafts, values: Values) -> None:
    """Cards for a scene that is being written; what can't be used is told beside them."""
    with st.popover(say("Add characters from cards"), key="cards-add", icon=":material/person_add:"):
        files = st.file_uploader(
            say("Character cards"),
            type=[*CARDS],
            accept_multiple_files=True,
            max_upload_size=LARGEST,
            key=f"cards-{drafts.form_id}",
        )
        cards = []
        for file in files:
            content = read_as_chosen(file)
            if content is None:
                continue
            try:
                cards.append(_card(file.name, content))
            except (SceneError, TooHeavy) as error:
                st.error(plain(str(error)))
        for card in cards:
            tell_card(card)
        if cards:
            label = say_count("Add {count:,} character", "Add {count:,} characters", len(cards))
            st.button(label, key="cards-put", on_click=drafts.put, args=(with_cards(values, cards),))


def opening(cards: Sequence[CardFile]) -> dict[str, Any]:
    """A scene with these characters that is still to be written, in the language of what the cards say."""
    said = "\n".join(text for card in cards for text in (card.description, card.scenario, *card.knowledge) if text)
    language, _ = language_by_letters(said)
    return with_cards({"language": language or tongue(), "origin": "original"}, cards)


def with_cards(values: Values, cards: Sequence[CardFile]) -> dict[str, Any]:
    """The scene with the characters of the cards behind its own. Their scenarios are suggested where nothing is written
    of the environment; characters of whom nothing is written make room."""
    found = read_values(values)
    if not found["environment"]["description"].strip():
        scenarios = dict.fromkeys(card.scenario for card in cards if card.scenario)
        found["environment"]["description"] = "\n\n".join(scenarios)
    kept = [one for one in found["cast"] if any(one.values())]
    return read_values({**found, "cast": [*kept, *map(_profile, cards)]})


def _profile(card: CardFile) -> Mapping[str, Any]:
    return {
        "name": card.character,
        "gender": card.gender,
        "position": card.position,
        "state": card.state,
        "description": card.description,
        "knowledge": [*card.knowledge],
        "unaware": [*card.unaware],
    }


def _write(drafts: Drafts, values: dict[str, Any], count: int) -> None:
    check_writes()
    drafts.put(values)
    note_done(
        say_count(
            "{count:,} character is here from its card. Write where it is and how, and what happens.",
            "{count:,} characters are here from their cards. Write where they are and how, and what happens.",
            count,
        )
    )
    st.session_state.pop("scene-files", None)
    go(new="scene")


def _card(name: str, raw: bytes) -> CardFile:
    """Raises SceneError for a file that is no card, and TooHeavy."""
    found = run_limited_once(read_any, name, raw)
    if not isinstance(found, CardFile):
        raise SceneError(
            say("{name}: this is no character card; scenes are brought in on a page of their own", name=name)
        )
    return found
