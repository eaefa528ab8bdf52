"""Addresses of the page Leaderboard."""

from collections.abc import Mapping

import streamlit as st

from pages.parts.ways import address_of


def to(changes: Mapping[str, str]) -> str:
    """The address of what the page shows now, but for these changes. With another model, no scene is open."""
    kept = st.query_params.to_dict()
    if "model" in changes:
        kept.pop("scene", None)
    return address_of("leaderboard", **{**kept, **changes})


def without(*names: str) -> str:
    """The address of what the page shows now, without these."""
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in names}
    return address_of("leaderboard", **kept)
