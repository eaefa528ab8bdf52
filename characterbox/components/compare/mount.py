"""The comparison as a Streamlit component."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from characterbox.components.compare import compare_css, compare_js
from characterbox.components.player.words import player_words
from characterbox.scenes.scene import Scene

_compare = st.components.v2.component("characterbox_compare", css=compare_css(), js=compare_js())


def show_comparison(scene: Scene, stories: Sequence[Mapping[str, Any]], key: str) -> None:
    """Put the stories side by side on the page."""
    words = player_words(one for story in stories for one in (story["story"], *story["events"]))
    _compare(key=key, data={"scene": scene.model_dump(mode="json"), "stories": [*stories], "words": words})
