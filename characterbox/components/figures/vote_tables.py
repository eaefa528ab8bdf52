"""How models stand by votes on pairs, and who was held to be better than whom."""

from collections.abc import Sequence

from annotations.bradley_terry import Strength, Tally
from annotations.table import Cell, Content, Part, Row, Table, labelled, plain_table
from annotations.wording import say, say_count, to_say
from characterbox.components.figures.estimate_cells import value_cell
from characterbox.components.figures.words import counted

HEADS = (to_say("Win rate against the average"), to_say("Strength, log odds"), to_say("Rank"), to_say("Votes"))


def strengths_table(found: Sequence[Strength], improvised: frozenset[str]) -> Table:
    """A model a row, the strongest first. `improvised` are those that were, in part, no language model."""
    rows = []
    for one in found:
        between = "" if one.best_rank is None else Part(f"[{one.best_rank}, {one.worst_rank}]", "interval")
        cells: list[Content] = [
            value_cell(one.win_rate, one.win_rate_interval),
            value_cell(one.strength, one.interval),
            Cell((Part(f"{one.rank}", "figure"), between)),
            votes_cell(one.won, one.lost, one.tied, one.scenes),
        ]
        rows.append(Row(labelled(one.model, one.model in improvised), cells))
    return plain_table(say("Ranking by votes"), map(say, HEADS), rows)


def votes_cell(won: int, lost: int, tied: int, scenes: int) -> Cell:
    """How many votes there are on a model, and how they went."""
    told = say("{won:,} won, {lost:,} lost, {tied:,} tied", won=won, lost=lost, tied=tied)
    places = say("{parts}; {scenes}", parts=told, scenes=counted(scenes, "scene"))
    return Cell((f"{won + lost + tied:,}", Part(places, "counted")))


def tally_table(found: Tally, order: Sequence[str], improvised: frozenset[str]) -> Table:
    """Rows over columns: how often a model was held to be better, and in quiet how often neither was."""
    place = {model: at for at, model in enumerate(found.models)}
    rows = []
    for one in order:
        cells: list[Content] = []
        for other in order:
            won, tied = int(found.won[place[one], place[other]]), int(found.tied[place[one], place[other]])
            met = won or tied or found.won[place[other], place[one]]
            ties = Part(say_count("{count:,} tie", "{count:,} ties", tied), "counted") if tied else ""
            cells.append(Cell((f"{won:,}", ties)) if met else "")
        rows.append(Row(labelled(one, one in improvised), cells))
    return plain_table(say("Wins of the row over the column"), order, rows)
