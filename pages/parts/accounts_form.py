"""The form that invites somebody, and the link that comes of it."""

import streamlit as st

from annotations.wording import say
from characterbox.accounts.account import LASTS_DAYS, MAX_EMAIL, MAX_NAME, ROLES, Account
from characterbox.accounts.links import invitation_link, sign_in_link
from characterbox.errors import CharacterBoxError
from characterbox.settings import settings
from characterbox.store import Store
from pages.parts.accounts_words import role_at_length
from pages.parts.here import address
from pages.parts.look import READING, plain
from pages.parts.ways import go, way_to
from pages.parts.who import who


def invite_form(store: Store) -> None:
    """Ask for name and role; then go to the new account, where its link is shown."""
    st.title(say("Invite somebody"))
    elsewhere = settings().auth == "oidc"
    with st.form("invite", border=False, width=READING):
        name = st.text_input(
            say("Name"), max_chars=MAX_NAME, help=say("As the person will write it to sign in."), key="invite-name"
        )
        role = st.selectbox(
            say("Role"), ROLES, index=ROLES.index("expert"), format_func=role_at_length, key="invite-role"
        )
        email = _email() if elsewhere else None
        if st.form_submit_button(say("Invite"), type="primary", key="invite-send"):
            try:
                account = store.accounts.add(who(), name, role, email)
                make_link(store, account)
            except CharacterBoxError as error:
                st.error(plain(str(error)))
            else:
                go(account=str(account.id))
                st.rerun()
    way_to(say("All accounts"), ":material/arrow_back:")


def _email() -> str:
    told = say("The person is known by it at the first sign-in.")
    return st.text_input(say("E-mail"), max_chars=MAX_EMAIL, help=told, key="invite-email")


def make_link(store: Store, account: Account) -> None:
    """Make a link for somebody; `shown_link` shows it."""
    if settings().auth == "oidc":
        link = sign_in_link(address())
    else:
        link = invitation_link(address(), store.invitations.make(who(), str(account.id)))
    st.session_state["link"] = account.id, link


def shown_link(account: Account) -> None:
    """The link that was made for somebody just now, with a button that copies it. Nobody can show it again later."""
    whose, link = st.session_state.get("link", (None, ""))
    if whose != account.id:
        return
    if settings().auth == "oidc":
        told = say("**{name} may come in.** Send this address; there is no secret in it.", name=plain(account.name))
    else:
        told = say(
            "**Send this link to {name}.** It is good once, for {days} days, and is not shown again.",
            name=plain(account.name),
            days=LASTS_DAYS,
        )
    st.markdown(told)
    st.code(link, language=None, wrap_lines=True)
