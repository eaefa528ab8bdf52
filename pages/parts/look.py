"""How pages are laid out, all alike, and how text of stories and scenes is set on them: as data, never as markup.

All pages begin at the same left edge and are as wide as a table may be; what is read is set in a narrower width, which
is the same on all pages.
"""

import re
from html import escape
from typing import Literal

import streamlit as st

from characterbox.components.fonts import font_css
from characterbox.scenes.scene import Scene

READING = 736
"""The width of what is read and of forms, in pixels: `--cb-reading` of the style."""

STYLE = (
    f"<style>{font_css(embedded=False)}</style>"
    + """
<style>
:root { --cb-reading: 46rem; --cb-table: 80rem; --cb-story: 34em; /* 34 Chinese characters, or 68 letters */ }
.stMain { scrollbar-gutter: stable; }
.stMainBlockContainer { padding-top: 4.5rem; max-width: calc(var(--cb-table) + 10rem); --player-place: start; }
.stMainBlockContainer :is(.stMarkdown, .stCaptionContainer, .stAlert, .stFileUploader, .stTextArea, .stTextInput,
  .stSelectbox, .stMultiSelect) { max-width: var(--cb-reading); }
.cb-scene { font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif; line-height: 1.6;
  max-width: var(--cb-story); }
.cb-scene h2 { font: inherit; font-size: 1.5rem; padding: 0; margin: 0 0 .2rem; }
.cb-scene .cb-where { opacity: .72; font-style: italic; margin: 0 0 .8rem; }
.cb-scene:lang(zh) .cb-where { font-style: normal; }
.cb-scene dl { margin: 1rem 0 0; }
.cb-scene dt { font-variant-caps: small-caps; letter-spacing: .02em; font-weight: 600; }
.cb-scene dd { margin: 0 0 .7rem; font-size: .95rem; }
.cb-quiet { opacity: .72; font-size: .875rem; margin: 0; max-width: var(--cb-reading); }
.stApp button[data-selected="true"], .stApp button[data-selected="true"] p { color: light-dark(#23211d, #ebe6da); }
.stMarkdown [data-testid="stCaptionContainer"] { color: inherit; opacity: .72; }
.stMarkdown [data-testid="stCaptionContainer"] p { color: inherit; }
.stMainBlockContainer .stPageLink a { position: relative; inset-inline-start: -.5rem; } /* as a button's words */
.stApp { text-autospace: normal; }
</style>
"""
)


_MARKS = re.compile(r"([\\`*_\[\]|~$<>&])")
_LINE_START = re.compile(r"^([^\S\n]*+\d*+)([-+#.)!=])", re.MULTILINE)
"""What begins a list, a heading or a picture at the start of a line. It is looked for in each line by itself: past the
ends of empty lines it would be looked for anew from each of them."""
_ADDRESS = re.compile(r"[:@]|(?<=www)\.", re.IGNORECASE)


def apply_style() -> None:
    """Put the house style and the layout of all pages on the page."""
    st.html(STYLE)


def scene_as_text(scene: Scene) -> None:
    """The scene as a reader sees it: what happens, where and when, and who is there."""
    environment = scene.environment
    cast = "".join(f"<dt>{escape(who.name)}</dt><dd>{escape(who.description)}</dd>" for who in scene.cast)
    st.html(
        f'<article class="cb-scene" lang="{scene.language}"><h2>{escape(scene.title)}</h2>'
        f'<p class="cb-where">{escape(scene.work)} · {escape(environment.time)} · {escape(environment.location)}</p>'
        f"<p>{escape(environment.description)}</p><dl>{cast}</dl></article>"
    )


def quiet(text: str, *, width: Literal["stretch", "content"] = "stretch") -> None:
    """A quiet line of data; as wide as its words where it stands beside others."""
    st.html(f'<p class="cb-quiet">{escape(text)}</p>', width=width)


def plain(text: str) -> str:
    """The text for a label, which Streamlit reads as Markdown, with all marks escaped.

    No more than that: who hears a page is read out the backslashes, too.
    """
    escaped = _LINE_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))
    # A backslash does not keep Streamlit from making icons of colons, and links of addresses.
    return _ADDRESS.sub(lambda match: f"&#{ord(match[0])};", escaped)
