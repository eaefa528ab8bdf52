"""Which models are told apart: each model with those it is ahead of, all pairs of them, and both as a file."""

from annotations.exchange.csv_file import csv_of
from annotations.exchange.table import Cell, Content, Part, Row, Table, labelled, plain_table
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from annotations.leaderboard.differences import Difference, Differences
from characterbox.components.figures.tables.text import p_value, value_cell
from characterbox.judging.provenance import DEMO_NOTE

ORDER_HEADS = (to_say("Rank"), to_say("Significantly better than"), to_say("No significant difference from"))
PAIR_HEADS = (to_say("Difference"), to_say("Adjusted p"))
CSV = ("better", "other", "difference", "low", "high", "interval", "p", "told_apart", "scenes", "metric", "note")
"""One row a pair of models; `p` is adjusted for all pairs."""


def order_table(found: Differences, improvised: frozenset[str]) -> Table:
    """A model a row, the best first. `improvised` are those that were, in part, no language model."""
    rows = []
    for model in found.models:
        best, worst = found.ranks[model]
        ranks = f"{best}" if best == worst else say("{best} to {worst}", best=best, worst=worst)
        others: list[Content] = [_listed(found.behind(model)), _listed(found.beside(model))]
        rows.append(Row(labelled(model, model in improvised), [Part(ranks, "figure"), *others]))
    return plain_table(say("Which models differ significantly"), map(say, ORDER_HEADS), rows)


def pairs_table(found: Differences, improvised: frozenset[str]) -> Table:
    """A pair a row, the better model first; pairs that are not told apart are quiet."""
    rows = []
    for one in found.pairs:
        label = say("{first} minus {second}", first=one.better, second=one.other)
        rows.append(Row(labelled(label, not improvised.isdisjoint((one.better, one.other))), _pair(one)))
    table = plain_table(say("Differences between all pairs"), map(say, PAIR_HEADS), rows)
    return Table(table.title, table.columns, table.groups, tall=True)


def _pair(one: Difference) -> list[Content]:
    """Quiet where the two are not told apart."""
    cells = (value_cell(one.difference, one.interval).parts, (p_value(one.p),))
    return [Cell(parts, "" if one.told_apart else "quiet") for parts in cells]


def _listed(models: tuple[str, ...]) -> str:
    return say(", ").join(models) if models else say("none")


def differences_csv(found: Differences, metric: str, improvised: frozenset[str]) -> bytes:
    """All pairs at full precision."""

    def row(one: Difference) -> tuple[object, ...]:
        note = "" if improvised.isdisjoint((one.better, one.other)) else DEMO_NOTE
        ends = (one.interval.low, one.interval.high, one.interval.way)
        return (one.better, one.other, one.difference, *ends, one.p, one.told_apart, found.scenes, metric, note)

    return csv_of(CSV, map(row, found.pairs))
