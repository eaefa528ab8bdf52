"""A report as text for a terminal: aligned columns, two decimals, no control characters from names."""

import unicodedata
from collections.abc import Sequence

from annotations.errors import Undefined
from annotations.i18n.messages import Message, Readable, count_message, listed
from annotations.marking.rating import Dropped
from annotations.reliability.cronbach_alpha import Alpha
from annotations.validity.judge_expert_correlation import Correlation

SHOWN_ITEMS = 4
"""Items that are named when many were dropped for one reason; the rest is counted."""


Row = tuple[tuple[str, ...], Alpha | Correlation | Undefined]
"""What a figure is of, in as many words as its table has columns for them, and the figure."""


def text_of(
    dimensions: Sequence[Row],
    metrics: Sequence[Row],
    correlations: Sequence[Row],
    limits: tuple[Sequence[Readable], Sequence[Dropped]],
    definitions: Sequence[Readable],
) -> str:
    """The whole report; `limits` are cautions, and what was left out."""
    cautions, dropped = limits
    parts: list[tuple[str, Sequence[Readable]]] = [
        ("Reliability of a dimension, its metrics together (Cronbach's alpha)", _table(dimensions)),
        ("Reliability of a metric, its raters together (Cronbach's alpha)", _table(metrics)),
        ("Validity (Pearson's r with the experts' mean)", _table(correlations) or ["no judge has scored anything"]),
        *([("Cautions", cautions)] if cautions else []),
        ("Left out", _dropped_lines(dropped) or ["nothing"]),
        ("Definitions", list(definitions)),
    ]
    return (
        "\n\n".join("\n".join([title, *(f"  {_printable(line)}" for line in lines)]) for title, lines in parts) + "\n"
    )


def _table(rows: Sequence[Row]) -> list[str]:
    widest = [max(map(_width, column)) for column in zip(*(names for names, _ in rows), strict=True)]
    most = max((len(str(figure.n)) for _, figure in rows if not isinstance(figure, Undefined)), default=1)
    return [f"{_columns(names, widest)}{_cells(figure, most)}" for names, figure in rows]


def _columns(names: Sequence[str], widest: Sequence[int]) -> str:
    """Names side by side; a column in which nobody has one is left out."""
    return "".join(
        f"{name}{' ' * (width - _width(name))}  " for name, width in zip(names, widest, strict=True) if width
    )


def _cells(figure: Alpha | Correlation | Undefined, digits: int) -> str:
    if isinstance(figure, Undefined):
        return f"undefined: {figure.reason}"
    made, warning = figure.interval, figure.warning if isinstance(figure, Alpha) else None
    interval, way = (
        (f"{'':14}", f"no interval: {made.reason}")
        if isinstance(made, Undefined)
        else (f"[{made.low:z5.2f}, {made.high:z5.2f}]", made.way)
    )
    note = "; ".join(str(one) for one in (way, warning) if one)
    return f"{figure.estimate:z5.2f} {interval}  n={figure.n:<{digits}}  {note}"


def dropped_groups(dropped: Sequence[Dropped]) -> list[tuple[Readable, Readable, str | None, Readable, Message]]:
    """What was left out in words: reason, rater, dimension, or metric where there is none, and the items, of which the
    first few are named."""
    groups: dict[tuple[Readable, Readable, str | None, Readable], list[Message]] = {}
    for line in dropped:
        key = (
            line.reason,
            line.rater or Message("all raters"),
            line.dimension,
            line.metric or Message("all statistics"),
        )
        groups.setdefault(key, []).append(Message("{item} ({detail})", item=line.item, detail=line.detail))
    return [(*key, _named(items)) for key, items in groups.items()]


def _dropped_lines(dropped: Sequence[Dropped]) -> list[str]:
    return [
        f"{reason}: {rater}, {dimension or metric}: {items}"
        for reason, rater, dimension, metric, items in dropped_groups(dropped)
    ]


def _named(items: Sequence[Message]) -> Message:
    named = listed(items[:SHOWN_ITEMS])
    if len(items) > SHOWN_ITEMS:
        return Message(
            "{n:,} items: {named} and {more:,} more", n=len(items), named=named, more=len(items) - SHOWN_ITEMS
        )
    return count_message("{count:,} item: {named}", "{count:,} items: {named}", len(items), named=named)


def _printable(text: Readable) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in str(text))


def _width(text: str) -> int:
    """Columns on a terminal, where Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
