"""What all parts of the page Reliability and validity use: the language, faults, and files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from annotations.errors import AnnotationError
from characterbox.components.figures.prose import fault
from characterbox.components.figures.words import language_name
from characterbox.errors import CharacterBoxError

ALL = "All languages"


def chosen_language(languages: tuple[str, ...]) -> str | None:
    """The language whose scenes the figures are of; None for all."""
    if len(languages) < 2:
        return None
    names = {ALL: None, **{language_name(language): language for language in languages}}
    return names[st.selectbox("Scenes in", list(names), key="language", bind="query-params", width=240)]


def download(label: str, content: Callable[[], bytes], name: str) -> None:
    """A button that makes the file when it is pressed."""
    st.download_button(label, content, file_name=name, mime="text/csv", on_click="ignore", icon=":material/download:")


@contextmanager
def faults_told() -> Iterator[None]:
    """Say on the page why there are no figures."""
    try:
        yield
    except (AnnotationError, CharacterBoxError) as error:
        st.html(fault(f"These ratings give no figures: {error}."))
