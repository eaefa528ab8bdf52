"""How campaigns are set: tables of figures, sentences of caution, and words that are marked in a text."""

import html
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from annotations.betrayals import Why
from annotations.undefined import Undefined
from annotations.wording import say, to_say
from characterbox.campaigns.scan import Finding
from characterbox.components.figures.html_table import dash

STYLE = """
<style>
.cb-figures { border-collapse: collapse; font-variant-numeric: tabular-nums; max-width: 100%; font-size: .9375rem; }
.cb-figures th, .cb-figures td { padding: .25rem 1.4rem .25rem 0; text-align: right; border: 0; font-weight: normal;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); white-space: nowrap; }
.cb-figures thead th { opacity: .72; font-size: .875rem; }
.cb-figures th:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.cb-wide { overflow-x: auto; }
.cb-caution { margin: 0 0 .5rem; padding-left: .7rem; font-size: .9375rem;
  max-width: var(--cb-reading); overflow-wrap: anywhere;
  border-left: 3px solid color-mix(in srgb, #e69f00 72%, currentColor); }
.cb-found { font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif; line-height: 1.6;
  max-width: var(--cb-story); margin: 0 0 .4rem; overflow-wrap: anywhere; }
.cb-found mark { background: none; color: inherit; font-weight: 600; text-decoration: underline;
  text-decoration-color: light-dark(#9a3b26, #e08a72); text-decoration-thickness: 2px; text-underline-offset: 3px; }
.cb-found small { font-family: "Source Sans", sans-serif; opacity: .72; font-size: .8125rem; }
[class*="st-key-campaign-row"] { padding-top: .6rem;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
</style>
"""

WHY: Mapping[Why, str] = {
    "says it is an AI": to_say("says it is an AI"),
    "names its maker": to_say("names its maker"),
    "names itself": to_say("names itself"),
    "names a model of the campaign": to_say("names a model of the campaign"),
    "names a model": to_say("names a model"),
}


Cell = str | int | Undefined
"""What stands in a table; in place of a figure that there is not, a dash with the reason."""


def apply_style() -> None:
    """Put the style of this page on it."""
    st.html(STYLE)


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table of figures as HTML: the first column says what they are of. All of it is data."""
    heading = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in head)
    lines = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f'<div class="cb-wide"><table class="cb-figures"><thead><tr>{heading}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def cautions(sentences: Iterable[str]) -> None:
    """Sentences that say what the figures will not be able to tell."""
    if told := "".join(f'<p class="cb-caution">{html.escape(sentence)}</p>' for sentence in sentences):
        st.html(told)


def found_words(finding: Finding) -> str:
    """A place in a text as HTML, with the words marked that give the model away. All of it is data."""
    where = say("step {step}", step=finding.step) if finding.step else say("scene")
    told = say("{place}: {reasons}", place=where, reasons=say(", ").join(say(WHY[why]) for why in finding.why))
    return (
        f'<p class="cb-found"><small>{html.escape(told)}</small><br>{html.escape(finding.before)}'
        f"<mark>{html.escape(finding.words)}</mark>{html.escape(finding.after)}</p>"
    )


def _cells(row: Sequence[Cell]) -> str:
    first, *others = map(_told, row)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others)


def _told(cell: Cell) -> str:
    if isinstance(cell, Undefined):
        return dash(cell.reason)
    return html.escape(f"{cell:,}" if isinstance(cell, int) else cell)
