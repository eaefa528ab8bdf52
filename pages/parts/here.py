"""Where the app is reached, for links that people send each other."""

import streamlit as st

from characterbox.settings import settings


def address() -> str | None:
    """The app's address: as it is set, else as this browser has it."""
    if settings().url is not None:
        return settings().url
    parts = (st.context.url or "").split("/")
    return "/".join(parts[:3]) if len(parts) >= 3 else None
