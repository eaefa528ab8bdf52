"""Who reads a page, as far as it matters for what is told there."""

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def cookies_of_page() -> Mapping[str, str] | None:
    """The cookies of the one for whom a page is drawn in this thread; None where no page is drawn."""
    return st.context.cookies if get_script_run_ctx(suppress_warning=True) is not None else None
