"""The script that Streamlit runs for every page: the frame around it, and the way from one to another.

Only the pages of one's role are there at all.
"""

from pathlib import Path

import streamlit as st

from annotations.wording import say
from characterbox.accounts.rights import TITLES, pages_of
from pages.parts.look import apply_style
from pages.parts.tongue import other_tongue
from pages.parts.who import name_in_corner, who

st.set_page_config(page_title="CharacterBox", page_icon=Path(__file__).parent / "parts" / "icon.svg", layout="wide")
apply_style()
account = who()
names = pages_of(account)
pages = {name: st.Page(f"{name}.py", title=say(TITLES[name]), url_path=name, default=name == "stage") for name in names}


def start() -> None:
    """Goes on to the first page: without the Stage no page is at `/`, so that each keeps its own address."""
    st.switch_page(pages[names[0]])


offered = [*pages.values()]
if "stage" not in pages:
    offered.insert(0, st.Page(start, title="CharacterBox", default=True, visibility="hidden"))
page = st.navigation(offered, position="top")
name_in_corner(account)
other_tongue()
page.run()
