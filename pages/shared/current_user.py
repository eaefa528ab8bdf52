"""Who uses the page, and who rates."""

import html
from urllib.parse import quote, urlsplit

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.accounts.account import MAX_NAME, Account
from characterbox.accounts.permissions import Act, may
from characterbox.errors import AccountError
from characterbox.routes.login.authentication import find_visitor
from characterbox.store import Store
from pages.shared.text import READING, name_tab, plain


def current_user() -> Account:
    """The one who uses the page, asked anew each time; ends the page for one who is signed out meanwhile."""
    visitor = find_visitor(st.context.cookies)
    if visitor is None:
        name_tab(say("You are signed out"))
        st.title(say("You are signed out"))
        here = urlsplit(st.context.url or "/")
        back = quote(f"{here.path or '/'}?{here.query}".rstrip("?"), safe="/")
        label = say("Sign in")
        way = f'<a href="/sign-in?next={html.escape(back)}" target="_self">{label}</a>'
        told = say("Your session has ended. {sign_in} to continue.", sign_in=way)
        st.html(f"<p>{told}</p>")
        st.stop()
    return visitor.account


def allowed(act: Act) -> bool:
    """Whether the one who uses the page may do this."""
    return may(current_user(), act)


def chosen_rater(store: Store) -> Account:
    """The account that is signed in; where nobody signs in, that of the name in the URL, which is asked for."""
    account = current_user()
    if account.id is not None:
        return account
    try:
        return store.accounts.expert_named(st.query_params.get("rater", ""))
    except AccountError as error:
        # Ask who is rating, and go on with the name in the URL
        fault = translate(error) if "rater" in st.query_params else None
        st.title(say("Annotate"))
        st.caption(say("Enter your name to start. Your scores are saved under this name; enter it again to find them."))
        with st.form("rater", border=False, width=READING):
            given = st.text_input(say("Your name"), max_chars=MAX_NAME, key="rater-name")
            if st.form_submit_button(say("Start rating"), type="primary", key="rater-start"):
                st.query_params["rater"] = given
                st.rerun()
            if fault:
                st.error(plain(fault))
        st.stop()
