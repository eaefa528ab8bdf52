"""The language of the interface: what the page says of it, and the way to the other one, in the header."""

import streamlit as st

from annotations.wording import NAMES, TONGUES, tongue
from characterbox.tongue import CODES, SCRIPTS

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
