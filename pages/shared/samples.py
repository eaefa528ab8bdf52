"""How the samples of a new database are removed: with one click, wherever there are any."""

import streamlit as st

from annotations.i18n.messages import Readable
from annotations.i18n.translation import say, translate
from characterbox.samples import remove_samples, samples_left
from characterbox.stage.stage import Stage
from pages.shared.current_user import current_user
from pages.shared.text import plain

_KEPT = "samples-kept"
"""In the session: why some samples were not removed just now."""


def show_removal(stage: Stage) -> None:
    """The button, as long as there are samples; nothing where there are none."""
    if samples_left(stage.store):
        st.button(say("Remove samples"), key="remove-samples", type="tertiary", on_click=_remove, args=(stage,))


def tell_kept() -> None:
    """Why some samples were not removed just now."""
    kept: list[Readable] = st.session_state.pop(_KEPT, [])
    for error in kept:
        st.warning(plain(translate(error)))


def _remove(stage: Stage) -> None:
    st.session_state[_KEPT] = remove_samples(stage.store, current_user())
