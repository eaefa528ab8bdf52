"""Who uses the page."""

import html
from urllib.parse import quote, urlsplit

import streamlit as st

from annotations.wording import say
from characterbox.accounts.account import Account
from characterbox.accounts.rights import Act, may
from characterbox.routes.entrance import find_visitor
from characterbox.settings import settings


def who() -> Account:
    """The one who uses the page, asked anew each time; ends the page for one who is signed out meanwhile."""
    visitor = find_visitor(st.context.cookies)
    if visitor is None:
        st.title(say("You are signed out"))
        here = urlsplit(st.context.url or "/")
        back = quote(f"{here.path or '/'}?{here.query}".rstrip("?"), safe="/")
        label = say("Sign in")
        way = f'<a href="/sign-in?next={html.escape(back)}" target="_self">{label}</a>'
        told = say("Your session has ended. {sign_in} to go on here.", sign_in=way)
        st.html(f"<p>{told}</p>")
        st.stop()
    return visitor.account


def allowed(act: Act) -> bool:
    """Whether the one who uses the page may do this."""
    return may(who(), act)


STYLE = """
<style>
.cb-who { position: fixed; top: 0; right: 7.5rem; z-index: 1000000; max-width: 12rem; line-height: 3.75rem;
  opacity: .72; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; font-size: .875rem;
  color: inherit !important; }
</style>
"""


def name_in_corner(account: Account) -> None:
    """The name of the one who uses the page, with the way to the own account; nothing in an app without accounts."""
    if settings().auth != "off":
        name, label = html.escape(account.name), html.escape(say("Your account: {name}", name=account.name))
        st.html(f'{STYLE}<a class="cb-who" href="/account" target="_self" aria-label="{label}">{name}</a>')
