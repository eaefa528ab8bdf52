"""How the oversight of a campaign is set: tables with rules, quiet notes, a trajectory with marks beside it."""

from collections.abc import Iterable, Sequence

import streamlit as st

from annotations.i18n.messages import Readable
from annotations.i18n.translation import say_count
from characterbox.components.figures.tables.html import Notes, data

EDGE = "color-mix(in srgb, currentColor 40%, transparent)"
RULE = "color-mix(in srgb, currentColor 18%, transparent)"
QUIET = "color-mix(in srgb, currentColor 72%, transparent)"

STYLE = f"""
<style>
.ov-table {{ border-collapse: collapse; width: 100%; margin: 0; font-size: .875rem; line-height: 1.4;
  font-variant-numeric: tabular-nums lining-nums; border-block: 1px solid {EDGE}; }}
.ov-table :is(th, td) {{ border: 0; padding: .4rem 1rem .4rem 0; text-align: left; vertical-align: top; color: inherit;
  font-weight: inherit; }}
.ov-table :is(th, td):last-child {{ padding-right: 0; }}
.ov-table thead th {{ color: {QUIET}; border-bottom: 1px solid {RULE}; vertical-align: bottom; }}
.ov-table tbody tr + tr > * {{ border-top: 1px solid {RULE}; }}
.ov-table tbody th {{ min-width: 7rem; overflow-wrap: anywhere; }}
.ov-table b {{ font-weight: 600; }}
.ov-table sup {{ line-height: 0; }}
.ov-table a {{ color: inherit; text-decoration: underline; text-decoration-color: {RULE}; text-underline-offset: 3px; }}
.ov-table a:is(:hover, :focus-visible) {{ text-decoration-color: currentColor; }}
.ov-table small, .ov-quiet, .ov-notes {{ color: {QUIET}; font-size: .8125rem; }}
.ov-table small {{ display: block; }}
.ov-table .ov-lit {{ font-weight: 600; text-decoration: underline; text-decoration-thickness: 2px;
  text-underline-offset: 4px; text-decoration-color: var(--ov-accent); }}
.ov-notes {{ padding: 0; margin: .5rem 0 0; }}
.ov-notes ul {{ list-style: none; padding: 0; margin: 0; }}
.ov-notes li {{ margin: 0; font-size: .8125rem; overflow-wrap: anywhere; }}
.ov-notes summary, .ov-folded summary {{ cursor: pointer; width: max-content; max-width: 100%; font-size: .8125rem; }}
.ov-folded summary {{ color: {QUIET}; }}
.ov-folded ul {{ margin-top: .5rem; }}
.ov-first {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 3rem; }}
.ov-first h2 {{ font-size: 1.125rem; font-weight: 600; line-height: 1.35; padding: 0; margin: 0 0 .6rem;
  overflow-wrap: anywhere; }}
.ov-first ul {{ list-style: none; padding: 0; margin: 0 0 .5rem; font-variant-numeric: tabular-nums; }}
.ov-first li {{ display: grid; grid-template-columns: minmax(0, 17rem) minmax(6rem, 1fr); gap: 0 1rem; margin: 0;
  padding: .35rem 0; font-size: .875rem; align-items: center; border-top: 1px solid {RULE}; overflow-wrap: anywhere; }}
.ov-first small {{ color: {QUIET}; font-size: .8125rem; }}
.ov-first b {{ font-weight: 600; }}
.ov-first a {{ color: inherit; text-decoration-color: {RULE}; text-underline-offset: 3px; }}
.ov-first a:is(:hover, :focus-visible) {{ text-decoration-color: currentColor; }}
.ov-first a small {{ display: block; }}
.ov-first .ov-experts li {{ grid-template-columns: minmax(0, 8rem) minmax(0, 1fr) 4.5rem; }}
.ov-experts small {{ grid-column: 2 / -1; }}
.ov-first .cb-example :is(ul, li) {{ border: 0; margin: 0; padding: 0; }}
.ov-first .ov-late {{ color: light-dark(#8a5a00, #e6b450); }}
.ov-track {{ display: flex; height: .5rem; background: {RULE}; border-radius: 2px; overflow: hidden; }}
.ov-track i {{ background: var(--ov-accent); }}
.ov-track .ov-begun {{ opacity: .45; }}
.ov-strip {{ position: relative; height: 1rem; margin: 0 .5rem;
  background: linear-gradient({RULE}, {RULE}) center / 100% 1px no-repeat; }}
.ov-strip :is(i, s) {{ position: absolute; top: 50%; translate: 0 -50%; }}
.ov-strip s {{ height: 3px; background: color-mix(in srgb, var(--ov-accent) 45%, transparent); }}
.ov-strip i {{ width: .625rem; height: .625rem; margin-left: -.3125rem; border-radius: 50%;
  background: var(--ov-accent); }}
.ov-scale {{ display: flex; justify-content: space-between; width: calc(100% - min(17rem, 100% - 7rem) - 1.6rem);
  margin: 0 .3rem 0 auto; font-size: .8125rem; color: {QUIET}; }}
.ov-int {{ white-space: nowrap; }}
.ov-narrow {{ max-width: var(--cb-reading); }}
.ov-scroll {{ overflow-x: auto; }}
.ov-said {{ max-width: var(--cb-reading); margin: 0; overflow-wrap: anywhere; }}
.ov-said.ov-quiet {{ font-size: .875rem; }}
.ov-notice {{ max-width: var(--cb-reading); margin: 0; padding-left: .75rem; overflow-wrap: anywhere;
  border-left: 3px solid color-mix(in srgb, #e69f00 72%, currentColor); }}
.ov-list {{ margin: 0; padding-left: 1.1rem;
  max-width: var(--cb-reading); font-size: .875rem; overflow-wrap: anywhere; }}
.ov-list li {{ margin: 0 0 .25rem; }}
.ov-bar {{ display: block; height: 3px; width: 7rem; max-width: 100%; margin-top: .3rem; background: {RULE}; }}
.ov-bar i {{ display: block; height: 100%; background: var(--ov-accent); }}
.ov {{ --ov-accent: light-dark(#9a3b26, #c8664b); }}
.ov-step {{ display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: .1rem .8rem; padding: .3rem 0; }}
.ov-step p, .ov-story {{ margin: 0; max-width: var(--cb-story); line-height: 1.6; overflow-wrap: anywhere;
  white-space: pre-line; font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif; }}
.ov-step.observation p, .ov-step.deed p {{ color: {QUIET}; }}
.ov-step > span {{ color: {QUIET}; font-size: .8125rem; padding-top: .25rem; }}
.ov-who {{ grid-column: 2; list-style: none; display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0; margin: 0;
  font-size: .8125rem; }}
.ov-who li {{ margin: 0; padding-left: .5rem; border-left: 2px solid var(--ov-accent); overflow-wrap: anywhere; }}
.ov-round {{ margin: .8rem 0 .2rem; font-size: .875rem; font-weight: 600; padding: 0; }}
.ov-chosen {{ overflow-wrap: anywhere; margin: 0; font-size: 1.25rem; font-weight: 600; padding: 0; }}
@media (min-width: 1280px) {{
  [data-testid="stColumn"]:has(> * .st-key-oversight-panel) {{ position: sticky; top: 4.5rem; align-self: flex-start;
    max-height: calc(100vh - 5rem); overflow-y: auto; }}
  .ov-side .ov-step {{ grid-template-columns: 5.5rem minmax(0, 1fr) calc(var(--ov-n) * 6rem); }}
  .ov-side .ov-who {{ grid-column: 3; grid-row: 1; display: grid; grid-template-columns: repeat(var(--ov-n), 6rem); }}
  .ov-side .ov-who li {{ align-self: start; margin-top: .3rem; }}
}}
@media (max-width: 640px) {{
  .ov-step {{ grid-template-columns: minmax(0, 1fr); }}
  .ov-who {{ grid-column: 1; }}
  .ov-fold, .ov-fold :is(tbody, tr, th, td) {{ display: block; }}
  .ov-fold thead {{ display: none; }}
  .ov-fold tbody tr + tr > * {{ border-top: 0; }}
  .ov-fold tbody tr {{ padding: .5rem 0; }}
  .ov-fold tbody tr + tr {{ border-top: 1px solid {RULE}; }}
  .ov-fold tbody :is(th, td) {{ padding: .1rem 0; }}
  .ov-fold td {{ display: grid; grid-template-columns: 8rem minmax(0, 1fr); }}
  .ov-fold td::before {{ content: attr(data-label); color: {QUIET}; }}
}}
</style>
"""


def apply_style() -> None:
    """Put the style of the oversight on the page."""
    st.html(STYLE)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, fold: bool = True) -> str:
    """A table as HTML, from heads that are data and cells that are HTML; the first cell of a row is its head.

    On a narrow screen its rows fold: each cell stands under its head. Else it scrolls by itself.
    """
    top = "".join(f'<th scope="col">{data(head)}</th>' for head in heads)
    body = "".join(_row(row, heads) for row in rows)
    kind = "ov-table ov-fold" if fold else "ov-table"
    inner = f'<table class="{kind}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
    scroll = f'<div class="ov-scroll" tabindex="0" role="region" aria-label="{data(heads[0])}">{inner}</div>'
    return f'<div class="ov">{inner if fold else scroll}</div>'


def said(text: Readable) -> None:
    """A quiet sentence."""
    st.html(f'<p class="ov-said ov-quiet">{data(text)}</p>')


def notice(text: Readable) -> None:
    """A sentence that must be seen."""
    st.html(f'<p class="ov-notice">{data(text)}</p>')


def listed(lines: Iterable[Readable]) -> None:
    """Sentences that are data, as a list."""
    st.html(f'<ul class="ov-list">{"".join(f"<li>{data(line)}</li>" for line in lines)}</ul>')


def bar(part: int, whole: int) -> str:
    """How much of something is done, as HTML; the number beside it says it in words."""
    share = round(100 * part / whole) if whole else 0
    return f'<span class="ov-bar" aria-hidden="true"><i style="width: {share}%"></i></span>'


def notes(remarks: Notes) -> str:
    """The notes under a table (HTML): one line that says how many there are, and opens."""
    if not (count := len(remarks)):
        return ""
    return folded(say_count("{count:,} note", "{count:,} notes", count), remarks.as_html(), "ov-notes")


def folded(title: str, inner: str, kind: str = "ov-folded") -> str:
    """HTML behind a line that opens."""
    return f'<details class="{kind}"><summary>{data(title)}</summary>{inner}</details>'


def _row(cells: Sequence[str], heads: Sequence[str]) -> str:
    first, *others = cells
    labelled = zip(others, heads[1:], strict=True)
    return (
        f'<tr><th scope="row">{first}</th>'
        + "".join(f'<td data-label="{data(head)}"><span>{cell}</span></td>' for cell, head in labelled)
        + "</tr>"
    )
