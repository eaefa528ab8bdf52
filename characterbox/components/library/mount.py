"""The list of stories as a Streamlit component."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotations.wording import say
from characterbox.components.library import library_css, library_js

_library = st.components.v2.component("characterbox_library", css=library_css(), js=library_js())


def show_stories(stories: Sequence[Mapping[str, Any]], key: str) -> None:
    """Put the list on the page."""
    words = {
        "stories": say("Stories"),
        "tags": say("Tags"),
        "moved": say("Who moved whom: "),
        "nobody": say("Nobody has moved anybody yet."),
        "comma": say(", "),
    }
    _library(key=key, data={"stories": [*stories], "words": words})
