"""One account, and what an admin can do with it."""

from functools import partial

import streamlit as st

from annotations.wording import say, say_day
from characterbox.accounts.account import ROLES, Account, Role
from characterbox.settings import settings
from characterbox.store import Store
from pages.parts.accounts_form import make_link, shown_link
from pages.parts.accounts_words import role_at_length, role_name, state_of
from pages.parts.acts import do, tell_refusal
from pages.parts.look import plain, quiet
from pages.parts.stored import show_stored
from pages.parts.ways import way_to
from pages.parts.who import who


def show_account(store: Store, account: Account) -> None:
    """Who it is, and buttons for another role, a new link, and for letting somebody in or out."""
    st.title(plain(account.name))
    made = say("made {day}", day=say_day(account.created_at)) if account.created_at else ""
    quiet(" · ".join(filter(None, [role_name(account.role), state_of(account), account.email, made])))
    tell_refusal()
    shown_link(account)
    _role(store, account)
    with st.container(horizontal=True, vertical_alignment="center"):
        if account.disabled_at is not None:
            st.button(
                say("Enable"), "enable", on_click=do, args=(lambda: store.accounts.enable(who(), str(account.id)),)
            )
        else:
            if settings().auth != "oidc":
                label = say("New link, for a lost password") if account.signs_in_by else say("New link")
                st.button(label, "new-link", on_click=do, args=(partial(make_link, store, account),))
            st.button(
                say("Disable"), "disable", on_click=do, args=(lambda: store.accounts.disable(who(), str(account.id)),)
            )
    quiet(say("Whoever is disabled is signed out everywhere at once. What they have done stays."))
    way_to(say("All accounts"), ":material/arrow_back:")


def _role(store: Store, account: Account) -> None:
    key = f"role-{account.id}"
    show_stored(key, account.role)  # what is stored, also after a change that was refused

    def change() -> None:
        wanted: Role = st.session_state[key]
        do(lambda: store.accounts.change_role(who(), str(account.id), wanted))

    st.selectbox(say("Role"), ROLES, ROLES.index(account.role), format_func=role_at_length, key=key, on_change=change)
