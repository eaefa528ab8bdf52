"""How models stand by votes on pairs, and who was held to be better than whom, as HTML."""

from collections.abc import Sequence

from annotations.bradley_terry import Strength, Tally
from annotations.wording import say, say_count, to_say
from characterbox.components.figures.cells import Notes, data, table
from characterbox.components.figures.estimate_cells import row, text_cell, value_cell
from characterbox.components.figures.words import counted

HEADS = (to_say("Win rate against the average"), to_say("Strength, log odds"), to_say("Rank"), to_say("Votes"))


def strengths_table(found: Sequence[Strength], improvised: frozenset[str]) -> str:
    """A model a row, the strongest first. `improvised` are those that were, in part, no language model."""
    notes = Notes()
    rows = [row(one.model, _cells(one, notes), improvised=one.model in improvised) for one in found]
    return table(say("Ranking by votes"), list(map(say, HEADS)), [f"<tbody>{''.join(rows)}</tbody>"], notes)


def tally_table(found: Tally, order: Sequence[str], improvised: frozenset[str]) -> str:
    """Rows over columns: how often a model was held to be better, and in quiet how often neither was."""
    place = {model: at for at, model in enumerate(found.models)}
    rows = [
        row(one, [_met(found, place[one], place[other]) for other in order], improvised=one in improvised)
        for one in order
    ]
    return table(say("Wins of the row over the column"), order, [f"<tbody>{''.join(rows)}</tbody>"], Notes())


def _cells(one: Strength, notes: Notes) -> list[str]:
    return [
        value_cell(one.win_rate, one.win_rate_interval, "", notes),
        value_cell(one.strength, one.interval, "", notes),
        _rank(one),
        _votes(one),
    ]


def _rank(one: Strength) -> str:
    between = "" if one.best_rank is None else f' <span class="cb-interval">[{one.best_rank}, {one.worst_rank}]</span>'
    return f"<td><b>{one.rank}</b>{between}</td>"


def _votes(one: Strength) -> str:
    told = say("{won:,} won, {lost:,} lost, {tied:,} tied", won=one.won, lost=one.lost, tied=one.tied)
    places = say("{parts}; {scenes}", parts=told, scenes=counted(one.scenes, "scene"))
    return f'<td>{one.votes:,} <span class="cb-n">{data(places)}</span></td>'


def _met(found: Tally, one: int, other: int) -> str:
    won, tied = int(found.won[one, other]), int(found.tied[one, other])
    if not (won or tied or found.won[other, one]):
        return text_cell("")
    ties = data(say_count("{count:,} tie", "{count:,} ties", tied)) if tied else ""
    return f'<td>{won:,} <span class="cb-n">{ties}</span></td>'
