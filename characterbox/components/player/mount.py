"""The player as a Streamlit component."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from characterbox.components.player import player_css, player_js

_player = st.components.v2.component("characterbox_player", css=player_css(), js=player_js())


def mount(data: Mapping[str, Any], key: str) -> object:
    """Put the player on the page; `key` names this place of the page across reruns. Gives what it tells of a tool.

    When the story moves on, to rest or to its end, or gets into other hands, the page is run again.
    """
    return _player(key=key, data=dict(data), on_tool_change=lambda: None, on_moved_change=lambda: None).tool
