"""The language of the interface on a Streamlit page, which is drawn in a thread of its own."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from annotations.wording import Tongue
from characterbox.tongue import wanted_tongue


def tongue_of_page() -> Tongue | None:
    """The language that the one who looks at the page wants; None where no page is being drawn."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    return wanted_tongue(st.context.cookies, st.context.headers.get("Accept-Language", ""))
