"""How servers, facts and faults of fields are set."""

import html
from collections.abc import Mapping

import streamlit as st

STYLE = """
<style>
.cb-fault { color: light-dark(#9a3b26, #e08a72); font-size: .875rem; margin: -.6rem 0 0; }
.cb-quiet.cb-line { margin: 0 0 .15rem; overflow-wrap: anywhere; }
[class*="st-key-server-row"] { border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  padding-top: .7rem; }
dl.cb-facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; margin: 0 !important;
  padding: 0 !important;
  font-variant-numeric: tabular-nums; }
.cb-facts dt { opacity: .72; }
.cb-facts dd { margin: 0; overflow-wrap: anywhere; }
.cb-prices { border-collapse: collapse; font-variant-numeric: tabular-nums; max-width: 100%; }
.cb-prices th, .cb-prices td { padding: .3rem 1.5rem .3rem 0; text-align: right; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); font-weight: normal; }
.cb-prices thead th { opacity: .72; font-size: .875rem; }
.cb-prices th:first-child { text-align: left; overflow-wrap: anywhere; }
.cb-log { font: .78rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 26rem; overflow: auto; margin: 0; padding: .7rem .9rem;
  border: 1px solid color-mix(in srgb, currentColor 18%, transparent); display: flex; flex-direction: column-reverse; }
@media (max-width: 640px) { .cb-prices th, .cb-prices td { padding-right: .8rem; } }
</style>
"""


def lines(told: list[str]) -> None:
    """Quiet lines, close together; all of it is data."""
    st.html("".join(f'<p class="cb-quiet cb-line">{html.escape(line)}</p>' for line in told))


def facts(rows: Mapping[str, str], *, small: bool = False) -> None:
    """Names and what they are, line by line; all of it is data. Small ones have their style with them."""
    lines = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(what)}</dd>" for name, what in rows.items())
    st.html(f'{_SMALL}<dl class="cb-lines">{lines}</dl>' if small else f'<dl class="cb-facts">{lines}</dl>')


def log_lines(text: str) -> None:
    """The end of a log, its last line in view."""
    st.html(f'<div class="cb-log" role="log" tabindex="0"><div>{html.escape(text)}</div></div>')


_SMALL = """
<style>
dl.cb-lines { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.25rem;
  margin: 0; padding: 0; font-size: .875rem; font-variant-numeric: tabular-nums; }
dl.cb-lines dt { opacity: .72; margin: 0; padding: 0; }
dl.cb-lines dd { margin: 0; overflow-wrap: anywhere; }
</style>
"""


def caution(sentence: str) -> None:
    """A sentence that says what the figures can't tell; it is data."""
    st.html(f'<p class="cb-caution">{html.escape(sentence)}</p>')
