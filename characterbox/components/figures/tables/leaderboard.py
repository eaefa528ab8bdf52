"""The leaderboard: table 1 after the paper's, the paper's own, and what lies behind one of its cells.

Cells lead to what lies behind them: `To` gives the address for a change of what the page shows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from annotations.errors import Undefined
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Cell, Column, Content, Group, Part, Row, Table, labelled
from annotations.i18n.translation import say, speaking, tongue
from annotations.leaderboard.standings import FEWEST_ITEMS, Standing, best_two
from annotations.report.published import SAME_DEVIATIONS, SHARED_DEVIATIONS, PublishedScore
from annotations.report.published_names import SHIPPED, PublishedNames
from annotations.resampling.jackknife import FEWEST_CLUSTERS
from annotations.rubrics.rubric import RESERVED, load_rubric
from characterbox.components.figures.tables.captions import published_models, published_score
from characterbox.components.figures.tables.text import counted, decimal, metric_name
from characterbox.judging.leaderboard import Board
from characterbox.judging.leaderboard_files import CORRECTED, OF_SCENES, Provenance
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.scenes.scene import slug_of
from characterbox.values import LANGUAGES

To = Callable[[Mapping[str, str]], str]


def board_table(board: Board, metric: str, to: To, names: PublishedNames = SHIPPED) -> Table:
    """All models, the best on a metric first: seven metrics and their average, each with its interval.

    The paper's figure for the model that is called so, by `names`, stands below ours, in grey; there is none beside
    what is no result.
    """

    def cell(standing: Standing | None, model: str, key: str) -> tuple[Part | Undefined | str, ...]:
        if standing is None:
            missing = board.undefined.get((model, key))
            return (say("no score") if missing is None else missing,)
        paper = None if model in board.improvised else published_score(names.row(model), board.wanted.language, key)
        told = paper and say("paper {figure}", figure=f"{decimal(paper.mean)} ±{decimal(paper.sd)}")
        link = to({"model": model, "metric": key})
        return (replace(_mean(standing.mean), link=link), *_spread(standing), Part(told, "paper") if told else "")

    found = {(one.model, one.metric): one for one in board.standings}
    columns = [
        replace(
            column,
            link=to({"metric": key}),
            title=say("Sort by {metric}", metric=column_name(key)),
            kind="sorted" if key == metric else "",
        )
        for key, column in _metric_columns().items()
    ]
    models = list(dict.fromkeys([*board.of(metric), *board.models]))
    rows = _standing_rows(found, models, metric, cell, board.improvised)
    rows = [
        row if model in board.improvised else replace(row, label=Part(model, notes=_paper_notes(model, board, names)))
        for row, model in zip(rows, models, strict=True)
    ]
    return _board(say("Table 1: Role-play scores of the models, by metric and on average"), columns, rows)


def _paper_notes(model: str, board: Board, names: PublishedNames) -> tuple[str, ...]:
    """What is to be known of the published figures beside a model: under which name they stand, and what is odd."""
    row, language = names.row(model), board.wanted.language
    if row is None or published_score(row, language, RESERVED) is None:
        return ()
    called = say("The paper lists {model} as {row}.", model=model, row=row)
    odd = say(SHARED_DEVIATIONS) if language == "en" and row in SAME_DEVIATIONS else ""
    return tuple(filter(None, (called if model.casefold() != row.casefold() else "", odd)))


def standings_latex(standings: Sequence[Standing], of: Provenance) -> str:
    """The table of standings (booktabs): the interval stands below mean and deviation, the best of a column is bold,
    the second best underlined."""
    return latex_file([standings_table(standings, of)], DEMO_NOTE)


def standings_table(standings: Sequence[Standing], of: Provenance) -> Table:
    """A table after table 1 of the paper: a row a model, the best on average first. In English, as papers are."""

    def cell(standing: Standing | None, model: str, key: str) -> tuple[Part | Undefined | str, ...]:
        return ("--",) if standing is None else (_mean(standing.mean), *_spread(standing))

    found = {(one.model, one.metric): one for one in standings}
    with speaking("en"):
        columns = [replace(column, group="") for column in _metric_columns().values()]
        models = [one.model for one in standings if one.metric == RESERVED] + [one.model for one in standings]
        rows = _standing_rows(found, models, RESERVED, cell, of.improvised)
        language = LANGUAGES.get(of.language, of.language)
        title = f"How the models play in scenes in {language}, as scored by {of.scores}"
        narrator = "" if of.narrator is None else f":{slug_of(of.narrator)}"
        label = f"leaderboard-{slug_of(f'{of.language} {of.scores}')}{narrator}"
        return replace(_board(title, columns, rows), notes=[*_notes(of, standings)], label=label)


def paper_table(language: str, metric: str) -> Table:
    """The paper's table 1 for scenes in a language, the best on a metric first."""
    found = {key: _published(language, key) for key in columns()}
    tops = {key: best_two({model: -one.mean for model, one in of.items()}) for key, of in found.items()}
    rows = []
    for model in sorted(found[metric], key=lambda name: -found[metric][name].mean):
        cells = []
        for key in columns():
            one = found[key][model]
            parts = (_mean(one.mean), Part(f"±{decimal(one.sd)}", "deviation"))
            cells.append(Cell(parts, tops[key].get(model, "")))
        rows.append(Row(model, cells))
    heads = [Column(column_label(key)) for key in columns()]
    return Table(say("Paper, table 1"), heads, [Group(rows)], look="board")


def scenes_table(scenes: pd.DataFrame, chosen: str | None, to: To) -> Table:
    """The scenes behind a cell; each leads to its trajectories."""
    rows = []
    for scene, mean, n, others in scenes[["scene", "mean", "n", "others"]].itertuples(index=False, name=None):
        alone = pd.isna(others)
        beside = ("", "") if alone else (decimal(others), f"{mean - others:+.2f}".replace("-", "−"))
        cells: list[Content] = [decimal(mean), *(Cell((told,), "quiet") for told in (f"{n:,}", *beside))]
        rows.append(Row(Part(scene, link=to({"scene": scene})), cells, chosen=scene == chosen))
    heads = (say("Mean"), say("Trajectories"), say("Other models"), say("Difference"))
    return replace(_behind(say("Scenes"), say("Scene"), heads, rows), tall=True)


def trajectories_table(items: pd.DataFrame, addresses: Mapping[str, str]) -> Table:
    """The trajectories in a scene with all their scores; `addresses` say where an item can be played back."""
    keys = load_rubric().keys
    rows = []
    for item, story, slug, *scores in items[["item", "story", "slug", *keys]].itertuples(index=False, name=None):
        label = Cell((Part(slug, link=addresses.get(item, "")), Part(story, "quiet")))
        rows.append(Row(label, ["" if pd.isna(one) else f"{one:g}" for one in scores]))
    return _behind(say("Trajectories"), say("Character, story"), keys, rows)


def columns() -> tuple[str, ...]:
    """The metrics, and their average."""
    return (*load_rubric().keys, RESERVED)


def column_label(key: str) -> str:
    """What stands above a column."""
    return say("Average") if key == RESERVED else key


def metrics_spelled_out() -> str:
    """What the metrics, of which only the keys stand above columns, are called in full; to stand below the table."""
    return say("; ").join(say("{name}: {what}", name=key, what=metric_name(key)) for key in load_rubric().keys)


def column_name(key: str) -> str:
    """What a column is called in a sentence."""
    return say("average of the metrics") if key == RESERVED else metric_name(key)


def _metric_columns() -> dict[str, Column]:
    """The metrics below their dimensions, and their average."""
    dimensions = {key: one.name.text(tongue()) for one in load_rubric().dimensions for key in one.metrics}
    return {key: Column(column_label(key), dimensions.get(key, "")) for key in columns()}


def _board(title: str, metrics: Sequence[Column], rows: Sequence[Row]) -> Table:
    return Table(title, [Column(say("Rank")), *metrics, Column("n")], [Group(rows)], look="board")


def _behind(title: str, corner: str, heads: Sequence[str], rows: Sequence[Row]) -> Table:
    columns = [Column(head, kind="right") for head in heads]
    return Table(title, columns, [Group(rows)], corner=corner, look="board")


def _standing_rows(
    found: Mapping[tuple[str, str], Standing],
    models: Sequence[str],
    metric: str,
    parts: Callable[[Standing | None, str, str], tuple[Part | Undefined | str, ...]],
    improvised: Mapping[str, str],
) -> list[Row]:
    """A row a model, in this order: rank and counts on a metric, and `parts` of each metric in between."""
    tops = {key: best_two({model: one.rank for (model, of), one in found.items() if of == key}) for key in columns()}
    rows = []
    for model in dict.fromkeys(models):
        means = [Cell(parts(found.get((model, key)), model, key), tops[key].get(model, "")) for key in columns()]
        rank, counts = _rank_and_counts(found.get((model, metric)))
        rows.append(Row(labelled(model, model in improvised), [rank, *means, counts]))
    return rows


def _rank_and_counts(standing: Standing | None) -> tuple[Content, Content]:
    if standing is None:
        return "", ""
    between = ""
    if standing.best_rank is not None and standing.best_rank != standing.worst_rank:
        between = f" ({standing.best_rank}–{standing.worst_rank})"
    first = "" if standing.first is None else Part(say("first in {share:.0%}", share=standing.first), "counted")
    items = Part(say("{n:,} trajectories", n=standing.items), "counted")
    return Cell((f"{standing.rank}{between}", first)), Cell((counted(standing.scenes, "scene"), items))


def _mean(value: float) -> Part:
    return Part(decimal(value), "mean")


def _spread(standing: Standing) -> tuple[Part | str, Part]:
    """The deviation, and the interval."""
    sd = "" if standing.sd is None else Part(f"±{decimal(standing.sd)}", "deviation")
    if standing.low is None or standing.high is None:
        return sd, Part(say("no interval"), "interval")
    return sd, Part(f"[{decimal(standing.low)}, {decimal(standing.high)}]", "interval")


def _published(language: str, key: str) -> dict[str, PublishedScore]:
    found = {model: published_score(model, language, key) for model in published_models(language)}
    return {model: one for model, one in found.items() if one is not None}


def _notes(of: Provenance, standings: Sequence[Standing]) -> Iterator[str]:
    """What is to be known of the table; of intervals and of ranks only where there is one at least."""
    between = any(one.low is not None for one in standings)
    if of.sweep is not None:
        yield f"Stories of the sweep {of.sweep}."
    if of.narrator is not None:
        yield f"Stories that {of.narrator} narrated."
    yield from of.cautions
    if of.left_out:
        yield f"Trajectories that are left out: {'; '.join(of.left_out)}."
    if of.unscored:
        models = ", ".join(f"{model}: {count:,}" for model, count in of.unscored.items())
        yield f"Trajectories without a score on some metric, which count in no mean of it: {models}."
    if of.corrected:
        yield f"Means: {CORRECTED} (Angelopoulos et al., 2023)."
    else:
        yield f"Mean ± standard deviation {OF_SCENES}."
    fewest = "" if of.corrected else f" for fewer than {FEWEST_CLUSTERS} scenes, or {FEWEST_ITEMS} items"
    if between:
        yield f"Brackets: 95% intervals, {of.interval}{fewest and f'; none{fewest}'}."
    else:
        yield f"No intervals{fewest}."
    ranked = any(one.best_rank is not None for one in standings)
    yield "Rank on average, and in brackets between which ranks in 95% of the draws." if ranked else "Rank on average."
    yield "Bold: the best of a column; underlined: the second best."
