"""The script that Streamlit runs for every page: the header, and the page below it.

Only the pages of one's role are there at all. Streamlit's own menu says neither in which group one is, nor, on a narrow
screen, on which page: it stays hidden, and the header's leads to the same addresses.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from annotations.i18n.translation import NAMES, TONGUES, say, tongue
from characterbox.accounts.account import Account
from characterbox.accounts.permissions import TITLES, menu_of, pages_of
from characterbox.addresses import address_of
from characterbox.components.mounts import show_header
from characterbox.components.page_language import SCRIPTS
from characterbox.interface_language import CODES
from characterbox.settings import settings
from pages.shared.current_user import current_user
from pages.shared.text import apply_style, name_tab


def header_of(account: Account, here: str | None) -> dict[str, Any]:
    """The menu of an account, the account itself where one signs in, and the way to the other language."""
    groups = [
        {
            "name": say(group),
            "pages": [{"name": say(TITLES[page]), "page": page, "address": address_of(page)} for page in pages],
        }
        for group, pages in menu_of(account).items()
    ]
    (other,) = (one for one in TONGUES if one != tongue())
    own = {"name": account.name, "label": say("Your account: {name}", name=account.name), "address": "/account"}
    return {
        "here": here,
        "groups": groups,
        "account": None if settings().auth == "off" else own,
        "language": {"name": NAMES[other], "code": CODES[other], "address": f"/language?to={other}"},
    }


st.set_page_config(page_icon=Path(__file__).parent / "icon.svg", layout="wide")
apply_style()
account = current_user()
FOLDERS = {"admin": "accounts"}
names = pages_of(account)
pages = {
    name: st.Page(f"{FOLDERS.get(name, name)}/page.py", title=say(TITLES[name]), url_path=name, default=name == "stage")
    for name in names
}


def start() -> None:
    """Goes on to the first page: without the Stage no page is at `/`, so that each keeps its own address."""
    st.switch_page(pages[names[0]])


offered = [*pages.values()]
if "stage" not in pages:
    offered.insert(0, st.Page(start, title="CharacterBox", default=True, visibility="hidden"))
page = st.navigation(offered, position="hidden")
tells_story = "story" in st.query_params and page in (pages.get("stage"), pages.get("playback"))
if page in pages.values() and not tells_story:  # which is called by the story's title
    name_tab(page.title)
with st.container(key="top"):
    show_header(header_of(account, next((name for name in names if pages[name] == page), None)))
if tongue() != "en":  # in which Streamlit writes that its pages are
    st.html(f"<script>{SCRIPTS[tongue()]}</script>", unsafe_allow_javascript=True)
page.run()
