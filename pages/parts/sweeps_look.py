"""How sweeps are set."""

import html
from collections.abc import Iterable

import streamlit as st

STYLE = """
<style>
[class*="st-key-sweep-row"] { padding-top: .6rem;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-caution { margin: 0; padding-left: .7rem; font-size: .9375rem;
  max-width: var(--cb-reading); overflow-wrap: anywhere;
  border-left: 3px solid color-mix(in srgb, #e69f00 72%, currentColor); }
.cb-failed { margin: 0 0 .8rem; padding-left: .7rem; overflow-wrap: anywhere; font-size: .9375rem;
  max-width: var(--cb-reading);
  border-left: 3px solid color-mix(in srgb, #e69f00 72%, currentColor); }
.cb-failed p { margin: 0; }
.cb-failed ul { margin: .2rem 0 0; padding: 0; list-style: none; opacity: .72; font-size: .875rem; }
.cb-failed li { margin: 0; padding: 0; }
@media (min-width: 641px) {
  div:has(> .st-key-sweep-margin) { position: sticky; top: 4.5rem; }
}
.stProgress p { font-variant-numeric: tabular-nums; }
</style>
"""


def apply_style() -> None:
    """Put the style of this page on it."""
    st.html(STYLE)


def caution(sentence: str) -> None:
    """A sentence that says what the figures can't tell; it is data."""
    st.html(f'<p class="cb-caution">{html.escape(sentence)}</p>')


def failed(reason: str, places: Iterable[str]) -> None:
    """Why something failed, and where it did; all of it is data."""
    rows = "".join(f"<li>{html.escape(one)}</li>" for one in places)
    st.html(f'<div class="cb-failed"><p>{html.escape(reason)}</p><ul>{rows}</ul></div>')
