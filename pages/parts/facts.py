"""Names and what they are, line by line."""

import html
from collections.abc import Mapping

import streamlit as st

_STYLE = """
<style>
dl.cb-lines { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.25rem;
  margin: 0; padding: 0; font-size: .875rem; font-variant-numeric: tabular-nums; }
dl.cb-lines dt { opacity: .72; margin: 0; padding: 0; }
dl.cb-lines dd { margin: 0; overflow-wrap: anywhere; }
</style>
"""


def facts(lines: Mapping[str, str]) -> None:
    """A list of facts; all of it is data."""
    rows = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(what)}</dd>" for name, what in lines.items())
    st.html(f'{_STYLE}<dl class="cb-lines">{rows}</dl>')
