"""A report as text for a terminal: aligned columns, two decimals, no control characters from names."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from annotations.rating import Dropped
from annotations.wording import say, say_count

SHOWN_ITEMS = 4
"""Items that are named when many were dropped for one reason; the rest is counted."""


@dataclass(frozen=True)
class Figures:
    """One line of a table."""

    estimate: float
    low: float
    high: float
    n: int
    note: str


def text_of(
    alphas: Sequence[tuple[str, Figures | str]],
    correlations: Sequence[tuple[str, Figures | str]],
    dropped: Sequence[Dropped],
    definitions: Sequence[str],
) -> str:
    """The whole report. A figure that is undefined comes as the reason why."""
    parts = [
        ("Reliability (Cronbach's alpha)", _table(alphas)),
        ("Validity (Pearson's r with the experts' mean)", _table(correlations) or ["no judge has scored anything"]),
        ("Left out", _dropped_lines(dropped) or ["nothing"]),
        ("Definitions", list(definitions)),
    ]
    return (
        "\n\n".join("\n".join([title, *(f"  {_printable(line)}" for line in lines)]) for title, lines in parts) + "\n"
    )


def _table(rows: Sequence[tuple[str, Figures | str]]) -> list[str]:
    widest = max((_width(name) for name, _ in rows), default=0)
    most = max((len(str(figures.n)) for _, figures in rows if isinstance(figures, Figures)), default=1)
    return [f"{name}{' ' * (widest - _width(name))}  {_cells(figures, most)}" for name, figures in rows]


def _cells(figures: Figures | str, digits: int) -> str:
    if isinstance(figures, str):
        return f"undefined: {figures}"
    interval = f"[{figures.low:z5.2f}, {figures.high:z5.2f}]"
    return f"{figures.estimate:z5.2f} {interval}  n={figures.n:<{digits}}  {figures.note}"


def dropped_groups(dropped: Sequence[Dropped]) -> list[tuple[str, str, str, str]]:
    """What was left out in words: reason, rater, metric, and the items, of which the first few are named."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for line in dropped:
        key = (line.reason, line.rater or say("all raters"), line.metric or say("all statistics"))
        groups.setdefault(key, []).append(say("{item} ({detail})", item=line.item, detail=line.detail))
    return [(*key, _named(items)) for key, items in groups.items()]


def _dropped_lines(dropped: Sequence[Dropped]) -> list[str]:
    return [f"{reason}: {rater}, {metric}: {items}" for reason, rater, metric, items in dropped_groups(dropped)]


def _named(items: Sequence[str]) -> str:
    named = say(", ").join(items[:SHOWN_ITEMS])
    if len(items) > SHOWN_ITEMS:
        return say("{n:,} items: {named} and {more:,} more", n=len(items), named=named, more=len(items) - SHOWN_ITEMS)
    return say_count("{count:,} item: {named}", "{count:,} items: {named}", len(items), named=named)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _width(text: str) -> int:
    """Columns on a terminal, where Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
