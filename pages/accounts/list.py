"""Accounts: who may come in, and as what; how somebody is invited."""

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_day, translate
from characterbox.accounts.account import LASTS_DAYS, MAX_EMAIL, MAX_NAME, ROLE_NAMES, ROLES, Account, Role
from characterbox.accounts.credentials import invitation_link, sign_in_link
from characterbox.errors import CharacterBoxError
from characterbox.routes.security import FORWARDED
from characterbox.settings import settings
from characterbox.store import Store
from pages.shared.current_user import current_user
from pages.shared.form import show_stored
from pages.shared.links import address, go, place_link
from pages.shared.text import READING, plain, quiet
from pages.story.actions import do, show_error

ROLES_AT_LENGTH: dict[Role, str] = {
    "admin": to_say("Admin: everything, including accounts"),
    "researcher": to_say("Researcher: stories, models, campaigns, statistics"),
    "expert": to_say("Expert: rates assigned items, sees nothing else"),
    "viewer": to_say("Viewer: reads stories"),
}


def role_at_length(role: Role) -> str:
    """A role, and what it may do."""
    return say(ROLES_AT_LENGTH[role])


def role_name(role: Role) -> str:
    """A role in one word."""
    return say(ROLE_NAMES[role])


def state_of(account: Account) -> str:
    """Whether somebody can come in."""
    if account.disabled_at is not None:
        return say("disabled since {day}", day=say_day(account.disabled_at))
    match account.signs_in_by:
        case "password":
            return say("signs in with a password")
        case "oidc":
            return say("signs in through a provider")
        case None:
            return say("has not signed in yet")


def invite_form(store: Store) -> None:
    """Ask for name and role; then go to the new account, where its link is shown."""
    st.title(say("Invite user"))
    elsewhere = settings().auth == "oidc"
    with st.form("invite", border=False, width=READING):
        name = st.text_input(
            say("Name"), max_chars=MAX_NAME, help=say("The name that the person enters to sign in."), key="invite-name"
        )
        role = st.selectbox(
            say("Role"), ROLES, index=ROLES.index("expert"), format_func=role_at_length, key="invite-role"
        )
        email = _email() if elsewhere else None
        if st.form_submit_button(say("Invite"), type="primary", key="invite-send"):
            try:
                account = store.accounts.add(current_user(), name, role, email)
                make_link(store, account)
            except CharacterBoxError as error:
                st.error(plain(translate(error)))
            else:
                go(account=str(account.id))
                st.rerun()
    place_link(say("All accounts"), ":material/arrow_back:")


def _email() -> str:
    told = say("Identifies the person at the first sign-in.")
    return st.text_input(say("E-mail"), max_chars=MAX_EMAIL, help=told, key="invite-email")


def make_link(store: Store, account: Account) -> None:
    """Make a link for somebody; `shown_link` shows it."""
    if settings().auth == "oidc":
        link = sign_in_link(address())
    else:
        link = invitation_link(address(), store.invitations.make(current_user(), str(account.id)))
    st.session_state["link"] = account.id, link


def shown_link(account: Account) -> None:
    """The link that was made for somebody just now, with a button that copies it. Nobody can show it again later."""
    whose, link = st.session_state.get("link", (None, ""))
    if whose != account.id:
        return
    if settings().auth == "oidc":
        told = say(
            "**{name} can now sign in.** Send them this address; it contains no secret.", name=plain(account.name)
        )
    else:
        told = say(
            "**Send this link to {name}.** It works once, within {days} days, and is not shown again.",
            name=plain(account.name),
            days=LASTS_DAYS,
        )
    st.markdown(told)
    st.code(link, language=None, wrap_lines=True)


def account_list(store: Store) -> None:
    """Accounts, one a line: name, role, state."""
    st.title(say("Accounts"))
    if settings().auth == "off":
        st.caption(say("Accounts are off: the app serves only the local user. To change this, set CHARACTERBOX_AUTH."))
    if (proxy := FORWARDED.untrusted) is not None:
        st.warning(
            say(
                "All requests come from {address}. Set FORWARDED_ALLOW_IPS to this address to see the addresses"
                " of users.",
                address=proxy,
            )
        )
    st.session_state.pop("link", None)
    accounts = store.accounts.all()
    if not accounts:
        st.caption(say("There are no accounts yet. Invite a user to create an account and a sign-in link."))
    for account in accounts:
        name, about = st.columns([2, 3], vertical_alignment="center")
        with name:
            place_link(plain(account.name), account=str(account.id))
        with about:
            email = [account.email] if account.email else []
            quiet(" · ".join([role_name(account.role), state_of(account), *email]))
    with st.container(horizontal=True, vertical_alignment="center"):
        invite, icon = say("Invite user"), ":material/person_add:"
        st.button(invite, "invite", type="primary", icon=icon, on_click=go, kwargs={"new": "1"})
        place_link(say("Audit log"), ":material/history:", log="newest")
        if settings().auth == "local":
            place_link(say("Failed sign-ins"), ":material/lock_clock:", failures="day")


def show_account(store: Store, account: Account) -> None:
    """Who it is, and buttons for another role, a new link, and for letting somebody in or out."""
    st.title(plain(account.name))
    made = say("created {day}", day=say_day(account.created_at)) if account.created_at else ""
    quiet(" · ".join(filter(None, [role_name(account.role), state_of(account), account.email, made])))
    show_error()
    shown_link(account)
    key = f"role-{account.id}"
    show_stored(key, account.role)  # what is stored, also after a change that was refused

    def change() -> None:
        wanted: Role = st.session_state[key]
        do(lambda: store.accounts.change_role(current_user(), str(account.id), wanted))

    st.selectbox(say("Role"), ROLES, ROLES.index(account.role), format_func=role_at_length, key=key, on_change=change)
    with st.container(horizontal=True, vertical_alignment="center"):
        if account.disabled_at is not None:
            st.button(
                say("Enable"),
                "enable",
                on_click=do,
                args=(lambda: store.accounts.enable(current_user(), str(account.id)),),
            )
        else:
            if settings().auth != "oidc":
                label = say("Create password reset link") if account.signs_in_by else say("Create new link")
                st.button(label, "new-link", on_click=do, args=(make_link, store, account))
            st.button(
                say("Disable"),
                "disable",
                on_click=do,
                args=(lambda: store.accounts.disable(current_user(), str(account.id)),),
            )
    quiet(say("A disabled account is signed out everywhere at once. Its work is kept."))
    place_link(say("All accounts"), ":material/arrow_back:")
