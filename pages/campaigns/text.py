"""Texts and marks of the campaign pages: states, amounts, tables of figures, words that are marked in a text."""

import html
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import streamlit as st

from annotations.blinding.identity_leaks import Why, identity_leaks
from annotations.design.balance import Range
from annotations.design.settings import Status
from annotations.errors import Undefined
from annotations.i18n.messages import Readable, to_say
from annotations.i18n.translation import say, say_moment, tongue, translate
from annotations.rubrics.rubric import Rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.blinding_scan import Finding
from characterbox.campaigns.plan import Draft
from characterbox.components.figures.tables.html import dash
from characterbox.store.campaigns.campaign import Campaign
from characterbox.values import LANGUAGES

STYLE = """
<style>
.cb-figures { border-collapse: collapse; font-variant-numeric: tabular-nums; max-width: 100%; font-size: .9375rem; }
.cb-figures th, .cb-figures td { padding: .25rem 1.4rem .25rem 0; text-align: right; border: 0; font-weight: normal;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); white-space: nowrap; }
.cb-figures thead th { opacity: .72; font-size: .875rem; }
.cb-figures th:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.cb-wide { overflow-x: auto; }
.cb-caution { margin-bottom: .5rem; }
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
    "names its maker": to_say("names its developer"),
    "names itself": to_say("says its own name"),
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


def cautions(sentences: Iterable[Readable]) -> None:
    """Sentences that say what the figures will not be able to tell."""
    if told := "".join(f'<p class="cb-caution">{html.escape(translate(sentence))}</p>' for sentence in sentences):
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


STATUS: dict[Status, str] = {
    "draft": to_say("draft"),
    "running": to_say("running"),
    "paused": to_say("paused (accepts no ratings)"),
    "closed": to_say("closed"),
}
SUBJECTS = {
    "character": to_say("one character's trajectory in a story"),
    "narrator": to_say("all decisions of the narrator in a story"),
    "scene": to_say("the opening of a scene"),
}
"""What is rated, by a rubric's subject."""


def spread(range: Range) -> str:
    """From the least to the most; one number where they are the same."""
    return f"{range.low:,}" if range.low == range.high else f"{range.low:,}–{range.high:,}"


def hours(least: float, most: float) -> str:
    """Hours from the least to the most."""
    low, high = f"{least:,.1f}", f"{most:,.1f}"
    return say("{hours} h", hours=low if low == high else f"{low}–{high}")


def maker(campaign: Campaign) -> str:
    """Who made a campaign."""
    return say(LOCAL.name) if campaign.created_by == LOCAL.name else campaign.created_by


def rubric_title(rubric: Rubric) -> str:
    """A rubric as it stands among others."""
    return f"{rubric.title.text(tongue())} · {rubric.name} {rubric.version}"


def deadline(moment: datetime | None) -> str:
    """Until when there is time."""
    return say("no deadline") if moment is None else say("until {moment}", moment=say_moment(moment))


def name_betrays(draft: Draft) -> str | None:
    """What is wrong with the name of a campaign, which its experts read; None if nothing is."""
    found = identity_leaks(draft.settings.name, sorted({item.model for item in draft.items}))
    if not found:
        return None
    words = say(", ").join(place.words for place in found)
    return say("The name reveals a model ({words}), and experts see this name.", words=words)


def languages(codes: Sequence[str]) -> str:
    """Languages by name."""
    return say(", ").join(say(LANGUAGES.get(code, code)) for code in codes)
