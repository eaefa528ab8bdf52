"""The settings of new stories in a form, closed until somebody wants others than usual."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.translation import say
from characterbox.llm.sampling import Sampling
from characterbox.play.settings import MemorySettings, Settings
from pages.shared.text import quiet


def chosen_settings(form: str) -> Settings:
    """The settings as they are chosen; `form` begins the keys of their widgets."""
    fill(form, Settings())
    with st.expander(say("Settings"), key=f"{form}-settings"):
        narrator, characters = _sampling(form)
        memory = _memory(form)
        last_beliefs = st.toggle(
            say("Form beliefs once more after the last round"), key=f"{form}-last-beliefs", persist_state="session"
        )
    return Settings(narrator=narrator, characters=characters, memory=memory, last_beliefs=last_beliefs)


def fill(form: str, settings: Settings) -> None:
    """Begin with these settings, where the form has none yet. Its one top-p is that of the characters."""
    first = {
        "narrator-temperature": settings.narrator.temperature,
        "character-temperature": settings.characters.temperature,
        "top-p": settings.characters.top_p,
        "last-beliefs": settings.last_beliefs,
        **settings.memory.model_dump(),
    }
    for name, value in first.items():
        st.session_state.setdefault(f"{form}-{name}", value)


def kept(settings: Settings) -> dict[str, Any]:
    """The settings as they are remembered: the version of the prompts is that of the day."""
    return settings.model_dump(mode="json", exclude={"prompts"})


def remembered(content: object) -> Settings:
    """The settings that were kept; the usual ones where nothing that can be read was."""
    if isinstance(content, Mapping):
        with suppress(ValidationError):
            return Settings.model_validate(content)
    return Settings()


def _sampling(form: str) -> tuple[Sampling, Sampling]:
    """How the narrator and the characters draw their replies."""
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        narrator = _option(say("Narrator's temperature"), f"{form}-narrator-temperature", 0.0, 2.0)
    with middle:
        characters = _option(say("Characters' temperature"), f"{form}-character-temperature", 0.0, 2.0)
    with right:
        top_p = _option(say("Top-p"), f"{form}-top-p", 0.01, 1.0)
    return Sampling(temperature=narrator, top_p=top_p), Sampling(temperature=characters, top_p=top_p)


def _option(label: str, key: str, low: float, high: float) -> float | None:
    """A number; None, where the field is empty, leaves it to the endpoint."""
    return st.number_input(
        label, low, high, None, 0.1, key=key, placeholder=say("the endpoint's own"), persist_state="session"
    )


def _memory(form: str) -> MemorySettings:
    """What characters remember."""
    quiet(say("What a character remembers: this round, some of those before, and older memories that are of use."))
    rows = (
        (
            ("record_tokens", say("Tokens of the record"), 0, 100_000, 50),
            ("recalled", say("Memories recalled"), 0, 100, 1),
            ("half_life", say("Half-life in turns"), 0.1, 1000.0, 1.0),
        ),
        (
            ("relevance", say("Weight of relevance"), 0.0, 10.0, 0.1),
            ("recency", say("Weight of recency"), 0.0, 10.0, 0.1),
            ("importance", say("Weight of importance"), 0.0, 10.0, 0.1),
        ),
    )
    values = {}
    for row in rows:
        for column, (name, label, low, high, step) in zip(st.columns(3, vertical_alignment="bottom"), row, strict=True):
            values[name] = column.number_input(
                label, low, high, step=step, key=f"{form}-{name}", persist_state="session"
            )
    return MemorySettings.model_validate(values)
