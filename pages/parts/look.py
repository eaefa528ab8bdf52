"""How text of stories and scenes is set on pages: as data, never as markup."""

import html
import re
from typing import Literal

import streamlit as st

from characterbox.components.fonts import font_css
from characterbox.scenes.scene import Scene
from characterbox.store.stories import Story

PLAYER_WIDTH = {"en": 67.5, "zh": 70.125}
"""How wide the player is when it has all the room it wants, in rem."""

STYLE = (
    f"<style>{font_css(embedded=False)}</style>"
    + """
<style>
.cb-scene { font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif; line-height: 1.6;
  max-width: 68ch; }
.cb-scene:lang(zh) { max-width: 36em; }
.cb-scene h2 { font: inherit; font-size: 1.5rem; padding: 0; margin: 0 0 .2rem; }
.cb-scene .cb-where { opacity: .72; font-style: italic; margin: 0 0 .8rem; }
.cb-scene:lang(zh) .cb-where { font-style: normal; }
.cb-scene dl { margin: 1rem 0 0; }
.cb-scene dt { font-variant-caps: small-caps; letter-spacing: .02em; font-weight: 600; }
.cb-scene dd { margin: 0 0 .7rem; font-size: .95rem; }
.cb-quiet { opacity: .72; font-size: .875rem; margin: 0; }
.stApp button[data-selected="true"], .stApp button[data-selected="true"] p { color: light-dark(#23211d, #ebe6da); }
.stMarkdown [data-testid="stCaptionContainer"] { color: inherit; opacity: .72; }
.stMarkdown [data-testid="stCaptionContainer"] p { color: inherit; }
.stMainBlockContainer { padding-top: 4.5rem; }
.stApp { text-autospace: normal; }
</style>
"""
)


_MARKS = re.compile(r"([\\`*_\[\]|~$<>&])")
_LINE_START = re.compile(r"^(\s*\d*)([-+#.)!=])", re.MULTILINE)
"""What begins a list, a heading or a picture at the start of a line."""
_ADDRESS = re.compile(r"[:@]|(?<=www)\.", re.IGNORECASE)


def apply_style() -> None:
    """Put the house style on the page."""
    st.html(STYLE)


def as_wide_as_player(story: Story) -> None:
    """Make the page as wide as the story's script, cast and margin, so that all stands in line."""
    width = PLAYER_WIDTH[story.script.scene.language]
    st.html(f"<style>.stMainBlockContainer {{ max-width: calc({width}rem + 10rem); }}</style>")


def scene_as_text(scene: Scene) -> None:
    """The scene as a reader sees it: what happens, where and when, and who is there."""
    environment = scene.environment
    cast = "".join(f"<dt>{_data(who.name)}</dt><dd>{_data(who.description)}</dd>" for who in scene.cast)
    st.html(
        f'<article class="cb-scene" lang="{scene.language}"><h2>{_data(scene.title)}</h2>'
        f'<p class="cb-where">{_data(scene.work)} · {_data(environment.time)} · {_data(environment.location)}</p>'
        f"<p>{_data(environment.description)}</p><dl>{cast}</dl></article>"
    )


def quiet(text: str, *, width: Literal["stretch", "content"] = "stretch") -> None:
    """A quiet line of data; as wide as its words where it stands beside others."""
    st.html(f'<p class="cb-quiet">{_data(text)}</p>', width=width)


def plain(text: str) -> str:
    """The text for a label, which Streamlit reads as Markdown, with all marks escaped.

    No more than that: who hears a page is read out the backslashes, too.
    """
    escaped = _LINE_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))
    # A backslash does not keep Streamlit from making icons of colons, and links of addresses.
    return _ADDRESS.sub(lambda match: f"&#{ord(match[0])};", escaped)


def _data(text: str) -> str:
    return html.escape(text)
