"""The language of the interface on a Streamlit page, which is drawn in a thread of its own."""

from functools import lru_cache

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from annotations.wording import Tongue
from characterbox.tongue import wanted_tongue


def tongue_of_page() -> Tongue | None:
    """The language that the one who looks at the page wants; None where no page is being drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else _of_session(context.session_id)


@lru_cache(maxsize=4096)
def _of_session(session: str) -> Tongue:
    """A session has the cookies with which it began: who chooses another language begins a new one."""
    return wanted_tongue(st.context.cookies, st.context.headers.get("Accept-Language", ""))
