"""The paper's setting in the form of a sweep, and the models there that have a name, but no address yet."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.errors import AddressError
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.scene import Scene
from characterbox.sweeps.file import WrittenJudge, unaddressed
from characterbox.sweeps.preset import ABOUT, PAPER, preset
from pages.shared.form import fault, pick_model
from pages.shared.text import quiet
from pages.sweeps.scenes import key_of

JUDGES = "sweep-judges"
"""Where the judges of the form are kept."""
_BEFORE = "sweep-before-preset"
"""Where what the form had before it was filled is kept."""
AnyJudge = Judge | WrittenJudge
"""A judge, or one of a preset that waits for its address."""


def preset_button() -> None:
    """The button that fills the form as the paper has it, and then the one that takes that back."""
    with st.container(horizontal=True):
        st.button(
            say("Use the paper's settings"),
            key="sweep-preset",
            icon=":material/description:",
            help=say("Fills the form with the paper's settings, as closely as the bundled scenes allow."),
            on_click=_fill,
        )
        if _BEFORE in st.session_state:
            st.button(
                say("Undo"),
                key="sweep-preset-undo",
                type="tertiary",
                icon=":material/undo:",
                help=say("Restores the previous contents of the form."),
                on_click=_undo,
            )


def _fill() -> None:
    """Fill the form, and keep what it had: a second press, which changes nothing, does not write over that."""
    state = st.session_state
    filled = _filled()
    before = {key: state.get(key, []) for key in filled}  # only the list of judges may not be there yet
    if filled != before:
        state[_BEFORE] = before
    state.update(filled)


def _filled() -> dict[str, Any]:
    """What the fields are to have. A name that is written stays, and so do the bounds: the paper has none."""
    found = preset(PAPER)
    written = found.written
    return {
        "sweep-name": (st.session_state.get("sweep-name") or "").strip() or written.name,
        "sweep-works": [],
        "sweep-each": None,
        "sweep-scenes": [key_of(scene) for scene in found.scenes],
        "sweep-characters": [*written.characters],
        "sweep-narrators": [*written.narrators],
        "sweep-rounds": written.rounds,
        "sweep-repeats": written.repeats,
        "sweep-seeds": ", ".join(map(str, written.seeds)),
        "sweep-early": written.may_conclude,
        JUDGES: [*written.judges],
    }


def _undo() -> None:
    st.session_state.update(st.session_state.pop(_BEFORE))


def tell_preset(scenes: Sequence[Scene]) -> None:
    """What the preset is, and is not, while its scenes are those that are chosen."""
    if {*map(key_of, scenes)} == {*map(key_of, preset(PAPER).scenes)}:
        quiet(say(ABOUT[PAPER]))


_LABELS = {
    "characters": to_say("Address of {model}"),
    "narrators": to_say("Address of the narrator {model}"),
    "judges": to_say("Address of the judge {model}"),
}
_WIDTH = 232
"""Of a box for an address, in pixels: three stand side by side."""


def ask_addresses(field: str, chosen: Sequence[str], known: Mapping[str, str]) -> None:
    """A box for each model of a field that has no address yet; once there is one, it takes the model's place."""
    with st.container(horizontal=True):  # also where it stays empty: what stands below keeps its place
        for option in chosen:
            if names := unaddressed([option]):
                _ask(field, names[0], known, partial(_replace, field, option), taken=chosen)


def ask_judge(place: int, judge: WrittenJudge, known: Mapping[str, str]) -> None:
    """The same for a judge."""
    _ask("judges", judge.name, known, partial(_seat, place, judge))


def _replace(field: str, option: str, endpoint: str) -> None:
    key = f"sweep-{field}"
    st.session_state[key] = [endpoint if one == option else one for one in st.session_state[key]]


def _seat(place: int, judge: WrittenJudge, endpoint: str) -> None:
    judges = [*st.session_state[JUDGES]]
    judges[place] = judge.model_copy(update={"endpoint": endpoint}).judge()
    st.session_state[JUDGES] = judges


def _ask(
    field: str, name: str, known: Mapping[str, str], give: Callable[[str], None], taken: Collection[str] = ()
) -> None:
    key = f"sweep-address-{field}-{name}"
    with st.container(width=_WIDTH):
        label = say(_LABELS[field], model=name)
        text = pick_model(
            label, key, known, index=None, placeholder="URL#MODEL", on_change=_give, args=(key, give, taken)
        )
        if text:
            fault(_refusal(text, taken))


def _give(key: str, give: Callable[[str], None], taken: Collection[str]) -> None:
    text = st.session_state[key] or ""
    if _refusal(text, taken) is None:
        give(str(Endpoint.parse(text)))


def _refusal(text: str, taken: Collection[str]) -> str | None:
    """Why an address can't be used; None if it can."""
    try:
        endpoint = str(Endpoint.parse(text))
    except AddressError as error:
        return translate(error)
    return say("{endpoint} is already chosen.", endpoint=endpoint) if endpoint in taken else None
