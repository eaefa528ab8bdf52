"""How models stand by votes on pairs, and who was held to be better than whom: tables for the page, and files.

All files are in English, as papers are.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotations.errors import Undefined
from annotations.exchange.csv_file import csv_of
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Cell, Content, Group, Part, Row, Table, labelled, plain_table
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, speaking
from annotations.leaderboard.bradley_terry import Strength, Tally
from annotations.resampling.draws import USUAL_DRAWS
from characterbox.components.figures.tables.text import counted, value_cell
from characterbox.judging.pairwise import COLUMNS, ModelVotes, Ranking, ranking_of
from characterbox.judging.provenance import DEMO_NOTE

HEADS = (
    to_say("Win rate against a model of mean strength"),
    to_say("Strength (log odds)"),
    to_say("Rank"),
    to_say("Votes"),
)


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


FIGURES = (
    "among", "model", "rank", "best_rank", "worst_rank", "first", "strength", "low", "high", "win_rate", "won", "lost",
    "tied", "scenes", "note",
)  # fmt: skip
"""The columns of the ranking. `among` counts the groups of models that votes compare, from 1; `low` and `high` are the
95 % interval of the strength, in log odds. A model that votes compare with no other has its counts alone."""
_MODEL = "Models after Bradley and Terry; a tie is half a win for each"
_INTERVALS = (
    f"95% intervals: jackknife by scenes; ranks: percentiles of {USUAL_DRAWS.number} draws of scenes, seed"
    f" {USUAL_DRAWS.seed}"
)


def _ranking(votes: ModelVotes) -> Ranking:
    with speaking("en"):
        return ranking_of(votes)


def _rows(ranking: Ranking) -> Iterator[dict[str, object]]:
    """The figures of each model, at full precision; None where one is not defined."""
    improvised = ranking.votes.improvised
    for number, group in enumerate(ranking.groups, 1):
        for one in group:
            limits = (None, None) if isinstance(one.interval, Undefined) else (one.interval.low, one.interval.high)
            figures = {name: getattr(one, name) for name in FIGURES if hasattr(one, name)}
            note = DEMO_NOTE if one.model in improvised else None
            yield {"among": number, **figures, "low": limits[0], "high": limits[1], "note": note}
    for model in ranking.alone:
        notes = (f"not ranked: {ranking.undefined}", *([DEMO_NOTE] if model in improvised else []))
        yield {**dict.fromkeys(FIGURES), "model": model, **_counts(ranking, model), "note": "; ".join(notes)}


def _counts(ranking: Ranking, model: str) -> dict[str, int]:
    """The votes on a model and the scenes that they are on."""
    found, at, votes = ranking.tally, ranking.tally.models.index(model), ranking.votes.frame
    scenes = votes.loc[(votes["one"] == model) | (votes["other"] == model), "scene"].nunique()
    won, lost, tied = (int(counts.sum()) for counts in (found.won[at], found.won[:, at], found.tied[at]))
    return {"won": won, "lost": lost, "tied": tied, "scenes": int(scenes)}


def ranking_csv(votes: ModelVotes) -> bytes:
    """One row a model."""
    return csv_of(FIGURES, ([row[name] for name in FIGURES] for row in _rows(_ranking(votes))))


def votes_csv(votes: ModelVotes) -> bytes:
    """The votes behind it, one a row: `better` is one of the two models, or nothing for a tie."""
    return csv_of(COLUMNS, votes.frame[[*COLUMNS]].itertuples(index=False, name=None))


def ranking_json(votes: ModelVotes) -> str:
    """The same with what was left out, and with the wins of each model over each other one."""
    ranking = _ranking(votes)
    models, tally = ranking.tally.models, ranking.tally
    told = {
        "model": _MODEL,
        "intervals": _INTERVALS,
        "votes": tally.votes,
        "scenes": tally.scenes,
        "left_out": dict(votes.left_out),
        "ranking": [*_rows(ranking)],
        "undefined": ranking.undefined and str(ranking.undefined),
        "models": models,
        "won": tally.won.tolist(),
        "tied": tally.tied.tolist(),
    }
    return json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def ranking_latex(votes: ModelVotes) -> str:
    """A table with a row a model, the strongest first. Groups that were not compared stand apart, the unranked last."""
    ranking = _ranking(votes)
    improvised, tally = votes.improvised, ranking.tally
    notes = [
        f"{tally.votes:,} votes on {len(tally.models):,} models in {tally.scenes:,} scenes.",
        f"{_MODEL}. Strength: log odds against a model of the mean strength, to which the win rate belongs.",
        f"{_INTERVALS}.",
    ]
    with speaking("en"):
        tables = [strengths_table(group, improvised) for group in ranking.groups]
        groups = [group for table in tables for group in table.groups]
        if ranking.undefined is not None:
            notes.append(f"There is no ranking of all models: {ranking.undefined}.")
            unranked = Undefined(ranking.undefined)
            alone = [
                Row(labelled(model, model in improvised), [*[unranked] * 3, votes_cell(**_counts(ranking, model))])
                for model in ranking.alone
            ]
            groups.append(Group(alone))
        table = replace(strengths_table([], improvised), title="Models by votes on pairs", groups=groups, notes=notes)
    return latex_file([table], DEMO_NOTE)
