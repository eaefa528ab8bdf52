"""The script that Streamlit runs for every page: the frame around it, and the links between pages and languages.

Only the pages of one's role are there at all.
"""

from pathlib import Path

import streamlit as st

from annotations.i18n.translation import NAMES, TONGUES, say, tongue
from characterbox.accounts.permissions import TITLES, pages_of
from characterbox.components.page_language import SCRIPTS
from characterbox.interface_language import CODES
from pages.shared.current_user import current_user, name_in_corner
from pages.shared.text import apply_style, name_tab

STYLE = """
<style>
.cb-tongue { position: fixed; top: 0; right: 3.75rem; z-index: 1000000; line-height: 3.75rem; font-size: .875rem;
  color: inherit !important; text-underline-offset: .25em; }
</style>
"""


def other_tongue() -> None:
    """The way to the other language, which the browser remembers; readers of the page are told which one it is in."""
    (other,) = (one for one in TONGUES if one != tongue())
    st.html(
        f'{STYLE}<a class="cb-tongue" href="/language?to={other}" lang="{CODES[other]}" hreflang="{CODES[other]}"'
        f' target="_self">{NAMES[other]}</a>'
    )
    if tongue() != "en":  # in which Streamlit writes that its pages are
        st.html(f"<script>{SCRIPTS[tongue()]}</script>", unsafe_allow_javascript=True)


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
page = st.navigation(offered, position="top")
tells_story = "story" in st.query_params and page in (pages.get("stage"), pages.get("playback"))
if page in pages.values() and not tells_story:  # which is called by the story's title
    name_tab(page.title)
name_in_corner(account)
other_tongue()
page.run()
