"""All accounts."""

import streamlit as st

from annotations.wording import say
from characterbox.routes.proxy import FORWARDED
from characterbox.settings import settings
from characterbox.store import Store
from pages.parts.accounts_words import role_name, state_of
from pages.parts.look import plain, quiet
from pages.parts.ways import go, way_to


def account_list(store: Store) -> None:
    """Accounts, one a line: name, role, state."""
    st.title(say("Accounts"))
    if settings().auth == "off":
        st.caption(
            say(
                "This app runs without accounts, for whoever sits at this computer. Set CHARACTERBOX_AUTH to change it."
            )
        )
    if (proxy := FORWARDED.untrusted) is not None:
        st.warning(
            say(
                "All requests come from {address}: set FORWARDED_ALLOW_IPS to it so that addresses of people are seen.",
                address=proxy,
            )
        )
    st.session_state.pop("link", None)
    accounts = store.accounts.all()
    if not accounts:
        st.caption(say("There is no account yet. Invite somebody, and a link is made by which that person comes in."))
    for account in accounts:
        name, about = st.columns([2, 3], vertical_alignment="center")
        with name:
            way_to(plain(account.name), account=str(account.id))
        with about:
            email = [account.email] if account.email else []
            quiet(" · ".join([role_name(account.role), state_of(account), *email]))
    with st.container(horizontal=True, vertical_alignment="center"):
        invite, icon = say("Invite somebody"), ":material/person_add:"
        st.button(invite, "invite", type="primary", icon=icon, on_click=go, kwargs={"new": "1"})
        way_to(say("Log of changes"), ":material/history:", log="newest")
        if settings().auth == "local":
            way_to(say("Failed sign-ins"), ":material/lock_clock:", failures="day")
