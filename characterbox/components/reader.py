"""Who reads a Streamlit page, which is drawn in a thread of its own: cookies, network address and language."""

from collections.abc import Mapping
from functools import lru_cache

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from annotations.wording import Tongue
from characterbox.tongue import wanted_tongue


def cookies_of_page() -> Mapping[str, str] | None:
    """The cookies of the one for whom a page is drawn in this thread; None where no page is drawn."""
    return st.context.cookies if get_script_run_ctx(suppress_warning=True) is not None else None


def address_of_page() -> str | None:
    """The address at the other end of the page's web socket; None where no page is drawn, or the browser is gone.

    It is that of the browser behind a proxy that uvicorn trusts (`FORWARDED_ALLOW_IPS`), as for routes. Streamlit's
    `st.context.ip_address` is the same, but hides the addresses of this computer.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    client = runtime.get_instance().get_client(context.session_id)
    return None if client is None or client.client_context is None else client.client_context.remote_ip


def tongue_of_page() -> Tongue | None:
    """The language that the one who looks at the page wants; None where no page is being drawn."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else _of_session(context.session_id)


@lru_cache(maxsize=4096)
def _of_session(session: str) -> Tongue:
    """A session has the cookies with which it began: who chooses another language begins a new one."""
    return wanted_tongue(st.context.cookies, st.context.headers.get("Accept-Language", ""))
