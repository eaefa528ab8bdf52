"""The network address of the one who uses a Streamlit page, which is drawn in a thread of its own."""

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


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
