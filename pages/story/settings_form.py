"""The settings of new stories in a form, closed until somebody wants others than usual."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.translation import say, translate
from characterbox.llm.endpoint import Endpoint, embedding_model
from characterbox.llm.sampling import Sampling
from characterbox.llm.server import Server
from characterbox.play.settings import MemorySettings, Settings
from pages.models.text import choices
from pages.shared.form import Numbers, endpoint_or_fault, fault, pick_model
from pages.shared.text import quiet
from pages.story.casting import keys_told

LETTERS = "letters"
"""Stands for recall without an embedding model."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings of a story, and what goes with them."""

    settings: Settings
    memory: Endpoint | None
    """The embedding model by which characters recall; None where they do by letters."""


def chosen_settings(form: str, servers: list[Server]) -> Chosen | None:
    """The settings as they are chosen, None where one can't be used; `form` begins the keys of their widgets.

    The models of the `servers` are offered for recall.
    """
    fill(form, Settings())
    with st.expander(say("Settings"), key=f"{form}-settings"):
        numbers = Numbers()
        narrator_temperature, character_temperature, top_p = _sampling(numbers, form)
        memory = _memory(numbers, form)
        model = chosen_recall(memory_key(form), servers, persist_state="session")
        last_beliefs = st.toggle(
            say("Update beliefs once more after the last round"), key=f"{form}-last-beliefs", persist_state="session"
        )
    if not numbers.fine or model is None:
        return None
    settings = Settings(
        narrator=Sampling(temperature=narrator_temperature, top_p=top_p),
        characters=Sampling(temperature=character_temperature, top_p=top_p),
        memory=MemorySettings.model_validate(memory),
        last_beliefs=last_beliefs,
    )
    return Chosen(settings, *model)


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


def _sampling(numbers: Numbers, form: str) -> tuple[float | None, float | None, float | None]:
    """How the narrator and the characters draw their replies: the temperature of each, and the top-p of both."""
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        narrator = _option(numbers, say("Narrator's temperature"), f"{form}-narrator-temperature", 0.0, 2.0)
    with middle:
        characters = _option(numbers, say("Characters' temperature"), f"{form}-character-temperature", 0.0, 2.0)
    with right:
        top_p = _option(numbers, say("Top-p"), f"{form}-top-p", 0.01, 1.0)
    return narrator, characters, top_p


def _option(numbers: Numbers, label: str, key: str, low: float, high: float) -> float | None:
    """A number; None, where the field is empty, leaves it to the endpoint."""
    placeholder = say("endpoint default")
    found: float | None = numbers.ask(
        label, low, high, None, step=0.1, key=key, placeholder=placeholder, persist_state="session"
    )
    return found


def memory_key(form: str) -> str:
    """The key of the widget that chooses how characters recall."""
    return f"{form}-memory"


def chosen_recall(
    key: str, servers: list[Server], now: Endpoint | None = None, **widget: Any
) -> tuple[Endpoint | None] | None:
    """The embedding model by which characters recall, if any; None, with the reason shown, where it can't be used.

    `now` is the one that is chosen at first.
    """
    models = {text: shown for text, shown in choices(servers).items() if not Endpoint.parse(text).is_modelless}
    known = {LETTERS: say("by wording (built in)"), **models}
    text = pick_model(
        say("Recall"),
        key,
        known,
        options=[*dict.fromkeys([*([] if now is None else [str(now)]), *known])],
        help=say(
            "By wording, memories come back that share words with the situation. With an embedding model, such as"
            " bge-m3, those that mean something similar come back. Each memory is sent to it once."
        ),
        **widget,
    )
    if text in ("", LETTERS):
        return (None,)
    endpoint = endpoint_or_fault(text)
    if endpoint is None:
        return None
    try:
        chosen = embedding_model(endpoint)
    except ValueError as error:
        fault(translate(error))
        return None
    for line in keys_told([chosen], servers):
        quiet(line)
    return (chosen,)


def _memory(numbers: Numbers, form: str) -> dict[str, Any]:
    """What characters remember."""
    quiet(say("What a character remembers: the current round, some earlier rounds, and useful older memories."))
    rows = (
        (
            ("record_tokens", say("Recent record (tokens)"), 0, 100_000, 50),
            ("recalled", say("Memories recalled"), 0, 100, 1),
            ("half_life", say("Half-life (turns)"), 0.1, 1000.0, 1.0),
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
            with column:
                values[name] = numbers.ask(label, low, high, step=step, key=f"{form}-{name}", persist_state="session")
    return values
