"""How pages are laid out, and how text of stories, scenes and people is set on them: as data, never as markup.

All pages begin at the same left edge and are as wide as a table may be; what is read is set in a narrower width, which
is the same on all pages.
"""

import html
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Literal

import streamlit as st

from annotations.i18n.messages import Readable, to_say
from annotations.i18n.translation import translate
from characterbox.components.web import font_css
from characterbox.scenes.scene import Scene

READING = 736
"""The width of what is read and of forms, in pixels: `--cb-reading` of the style."""

ALONE = to_say("one character: no reactions")
"""What marks a scene that has one character; to be said."""

STYLE = (
    f"<style>{font_css(embedded=False)}</style>"
    + """
<style>
:root { --cb-reading: 46rem; --cb-table: 80rem; --cb-story: 34em; /* 34 Chinese characters, or 68 letters */ }
:lang(zh) { font-style: normal !important; } /* Chinese has no italics, and a slanted one is hard to read */
.stMain { scrollbar-gutter: stable; }
.stApp .st-key-top { position: absolute; } /* it stands at the top of the window, and takes no room on the page */
.stMainBlockContainer { padding-top: 4.5rem; max-width: calc(var(--cb-table) + 10rem); --player-place: start; }
.stMainBlockContainer :is(.stMarkdown, .stCaptionContainer, .stAlert, .stFileUploader, .stTextArea, .stTextInput,
  .stSelectbox, .stMultiSelect) { max-width: var(--cb-reading); }
.cb-scene { font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif; line-height: 1.6;
  max-width: var(--cb-story); overflow-wrap: anywhere; }
.cb-scene h2 { font: inherit; font-size: 1.5rem; padding: 0; margin: 0 0 .2rem; }
.cb-scene .cb-where { opacity: .72; font-style: italic; margin: 0 0 .8rem; }
.cb-scene dl { margin: 1rem 0 0; }
.cb-scene dt { font-variant-caps: small-caps; letter-spacing: .02em; font-weight: 600; }
.cb-scene dd { margin: 0 0 .7rem; font-size: .95rem; }
.cb-quiet { opacity: .72; font-size: .875rem; margin: 0; max-width: var(--cb-reading); }
.stApp button[data-selected="true"], .stApp button[data-selected="true"] p { color: light-dark(#23211d, #ebe6da); }
:is(.stMarkdown, .stRadio) [data-testid="stCaptionContainer"] { color: inherit; opacity: .72; }
:is(.stMarkdown, .stRadio) [data-testid="stCaptionContainer"] p { color: inherit; }
.stMainBlockContainer .stPageLink a { position: relative; inset-inline-start: -.5rem; } /* as a button's words */
.stHorizontalBlock .stButtonGroup button { min-height: 2.375rem; } /* as tall as the boxes beside them */
.stApp { text-autospace: normal; }
/* The page is at work for more than 0.3 s: a line says so below the header, and below what was clicked. */
.stApp:is([data-test-script-state="running"], [data-test-script-state="rerunRequested"])
  :is(.stMain, .stMain .stElementContainer:focus-within)::after { content: ""; position: absolute; z-index: 1;
  inset-inline: 0; bottom: -.2rem; height: 2px; opacity: 0; pointer-events: none;
  background: linear-gradient(90deg, transparent, light-dark(#9a3b26, #b85a3c), transparent) 50% / 50% no-repeat;
  animation: cb-waits 0s .3s forwards, cb-works 1.4s linear infinite; }
.stApp .stMain::after { position: fixed !important; top: 3.75rem; }
.stMain .stElementContainer:focus-within { position: relative; }
@keyframes cb-waits { to { opacity: 1; } }
@keyframes cb-works { from { background-position-x: -100%; } to { background-position-x: 200%; } }
@media (prefers-reduced-motion: reduce) { @keyframes cb-works { from, to { background-position-x: 50%; } } }
/* A table that is wider than the page fades at its edge as long as there is more of it to scroll to. */
:is(.cb-scroll, .cb-wide, .ov-scroll):not(:focus-visible) { animation: cb-more 1ms linear;
  animation-timeline: scroll(self inline); }
@keyframes cb-more { from, to { mask: linear-gradient(to left, transparent, #000 2.5rem) left / 100% 100% no-repeat; }
  to { mask-size: calc(100% + 2.5rem) 100%; } }
.cb-caution { margin: 0; padding-left: .7rem; font-size: .9375rem; max-width: var(--cb-reading);
  overflow-wrap: anywhere; border-left: 3px solid color-mix(in srgb, #e69f00 72%, currentColor); }
:is([data-testid="stSelectboxVirtualDropdown"], [data-testid="stMultiSelectDropdown"]) [role="option"] > div {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; align-content: center; min-height: 1.75rem;
  height: auto; line-height: 1.2; white-space: normal; overflow-wrap: anywhere; } /* a long option is not cut */
.cb-fault { color: light-dark(#9a3b26, #e08a72); font-size: .875rem; margin: -.6rem 0 0; }
.cb-quiet.cb-line { margin: 0 0 .15rem; overflow-wrap: anywhere; }
dl.cb-facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; margin: 0 !important;
  padding: 0 !important; font-variant-numeric: tabular-nums; }
.cb-facts dt { opacity: .72; }
.cb-facts dd { margin: 0; overflow-wrap: anywhere; }
.cb-prices { border-collapse: collapse; font-variant-numeric: tabular-nums; max-width: 100%; }
.cb-prices th, .cb-prices td { padding: .3rem 1.5rem .3rem 0; text-align: right; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); font-weight: normal; }
.cb-prices thead th { opacity: .72; font-size: .875rem; }
.cb-prices th:first-child { text-align: left; overflow-wrap: anywhere; }
@media (max-width: 640px) { .cb-prices th, .cb-prices td { padding-right: .8rem; } }
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


def name_tab(name: str) -> None:
    """Name what is shown in the browser's tab and history: once in a run, or the tab would flicker."""
    st.set_page_config(page_title=f"{name} · CharacterBox")


def scene_as_text(scene: Scene) -> None:
    """The scene as a reader sees it: what happens, where and when, and who is there."""
    environment = scene.environment
    cast = "".join(f"<dt>{escape(who.name)}</dt><dd>{escape(who.description)}</dd>" for who in scene.cast)
    st.html(
        f'<article class="cb-scene" lang="{scene.language}"><h2>{escape(scene.title)}</h2>'
        f'<p class="cb-where">{escape(scene.work)} · {escape(environment.time)} · {escape(environment.location)}</p>'
        f"<p>{escape(environment.description)}</p><dl>{cast}</dl></article>"
    )


def quiet(text: Readable, *, width: Literal["stretch", "content"] = "stretch") -> None:
    """A quiet line of data; as wide as its words where it stands beside others."""
    st.html(f'<p class="cb-quiet">{escape(translate(text))}</p>', width=width)


def plain(text: Readable) -> str:
    """The text for a label, which Streamlit reads as Markdown, with all marks escaped.

    No more than that: who hears a page is read out the backslashes, too.
    """
    escaped = _LINE_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", translate(text)))
    # A backslash does not keep Streamlit from making icons of colons, and links of addresses.
    return _ADDRESS.sub(lambda match: f"&#{ord(match[0])};", escaped)


def lines(told: Iterable[Readable]) -> None:
    """Quiet lines, close together; all of it is data."""
    if shown := "".join(f'<p class="cb-quiet cb-line">{html.escape(translate(line))}</p>' for line in told):
        st.html(shown)


def facts(rows: Mapping[str, str], *, small: bool = False) -> None:
    """Names and what they are, line by line; all of it is data. Small ones have their style with them."""
    lines = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(what)}</dd>" for name, what in rows.items())
    st.html(f'{_SMALL}<dl class="cb-lines">{lines}</dl>' if small else f'<dl class="cb-facts">{lines}</dl>')


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
