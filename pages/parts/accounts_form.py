"""The form that invites somebody, and the link that comes of it."""

import streamlit as st

from characterbox.accounts.account import LASTS_DAYS, MAX_NAME, ROLES, Account
from characterbox.accounts.links import invitation_link, sign_in_link
from characterbox.errors import CharacterBoxError
from characterbox.settings import settings
from characterbox.store import Store
from pages.parts import accounts_words
from pages.parts.accounts_ways import go, way_to
from pages.parts.here import address
from pages.parts.look import plain
from pages.parts.who import who


def invite_form(store: Store) -> None:
    """Ask for name and role; then go to the new account, where its link is shown."""
    st.title("Invite somebody")
    elsewhere = settings().auth == "oidc"
    with st.form("invite", border=False, width=460):
        name = st.text_input("Name", max_chars=MAX_NAME, help="As the person will write it to sign in.")
        role = st.selectbox("Role", ROLES, index=ROLES.index("expert"), format_func=accounts_words.ROLES.__getitem__)
        email = st.text_input("E-mail", help="The person is known by it at the first sign-in.") if elsewhere else None
        if st.form_submit_button("Invite", type="primary"):
            try:
                account = store.accounts.add(who(), name, role, email)
                make_link(store, account)
            except CharacterBoxError as error:
                st.error(plain(str(error)))
            else:
                go(account=str(account.id))
                st.rerun()
    way_to("All accounts", icon=":material/arrow_back:")


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
        st.markdown(f"**{plain(account.name)} may come in.** Send this address; there is no secret in it.")
    else:
        good_for = f"It is good once, for {LASTS_DAYS} days, and is not shown again."
        st.markdown(f"**Send this link to {plain(account.name)}.** {good_for}")
    st.code(link, language=None, wrap_lines=True)
