"""The leaderboard as HTML: table 1 after the paper's, the paper's own, and what lies behind one of its cells.

Cells lead to what lies behind them: `To` gives the address for a change of what the page shows.
"""

import html
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from annotations.leaderboard import Standing, best_two
from annotations.published import PublishedScore
from annotations.rubric import RESERVED, load_rubric
from annotations.wording import say, tongue
from characterbox.components.figures.cells import Notes, data, no_figure
from characterbox.components.figures.estimate_cells import mark
from characterbox.components.figures.published import published_models, published_score
from characterbox.components.figures.words import counted, decimal, metric_name
from characterbox.judging.board import Board

To = Callable[[Mapping[str, str]], str]


def board_table(board: Board, metric: str, to: To) -> str:
    """All models, the best on a metric first: seven metrics and their average, each with its interval.

    The paper's figure for a model of the same name stands below ours, in grey; there is none beside what is no result.
    """
    by_metric = {key: board.of(key) for key in columns()}
    ranked = [*by_metric[metric], *(model for model in board.models if model not in by_metric[metric])]
    tops = {key: best_two({model: one.rank for model, one in found.items()}) for key, found in by_metric.items()}
    notes = Notes()
    rows = []
    for model in ranked:
        cells = [_rank_cell(by_metric[metric].get(model))]
        for key, found in by_metric.items():
            if model in found:
                target = to({"model": model, "metric": key})
                cells.append(_score_cell(found[model], tops[key].get(model, ""), target, _in_grey(board, model, key)))
            else:
                cells.append(_no_score(board, model, key, notes))
        cells.append(_counts_cell(board, model, metric))
        rows.append(f'<tr><th scope="row">{data(model)}{_mark(board, model)}</th>{"".join(cells)}</tr>')
    caption = say("Table 1: how the models play, by metric and on average")
    return _table(caption, _heads(metric, to), rows, notes)


def paper_table(language: str, metric: str) -> str:
    """The paper's table 1 for scenes in a language, the best on a metric first."""
    table = {key: _published(language, key) for key in columns()}
    tops = {key: best_two({model: -one.mean for model, one in found.items()}) for key, found in table.items()}
    rows = []
    for model in sorted(table[metric], key=lambda name: -table[metric][name].mean):
        cells = (_published_cell(table[key][model], tops[key].get(model, "")) for key in columns())
        rows.append(f'<tr><th scope="row">{data(model)}</th>{"".join(cells)}</tr>')
    labels = "".join(f'<th scope="col">{data(column_label(key))}</th>' for key in columns())
    return _table(say("The paper, table 1"), f"<tr><td></td>{labels}</tr>", rows, Notes())


def scenes_table(scenes: pd.DataFrame, chosen: str | None, to: To) -> str:
    """The scenes behind a cell; each leads to its trajectories."""
    rows = []
    for scene, mean, n, others in scenes[["scene", "mean", "n", "others"]].itertuples(index=False, name=None):
        link = f'<a href="{html.escape(to({"scene": scene}))}">{data(scene)}</a>'
        current = ' class="cb-chosen" aria-current="true"' if scene == chosen else ""
        differs = "" if pd.isna(others) else f"{decimal(others)}"
        apart = "" if pd.isna(others) else f"{mean - others:+.2f}".replace("-", "−")
        rows.append(
            f'<tr{current}><th scope="row">{link}</th><td class="cb-right">{decimal(mean)}</td>'
            f'<td class="cb-right cb-quiet-cell">{n:,}</td><td class="cb-right cb-quiet-cell">{differs}</td>'
            f'<td class="cb-right cb-quiet-cell">{apart}</td></tr>'
        )
    names = (say("Mean"), say("Trajectories"), say("Other models"), say("Difference"))
    heads = "".join(f'<th scope="col" class="cb-right">{data(name)}</th>' for name in names)
    first = say("Scene")
    return _table(say("Scenes"), f'<tr><th scope="col">{data(first)}</th>{heads}</tr>', rows, Notes(), tall=True)


def trajectories_table(items: pd.DataFrame, addresses: Mapping[str, str]) -> str:
    """The trajectories in a scene with all their scores; `addresses` say where an item can be played back."""
    keys = load_rubric().keys
    rows = []
    for item, of, slug, *scores in items[["item", "story", "slug", *keys]].itertuples(index=False, name=None):
        story = f' <span class="cb-quiet-cell">{data(of)}</span>'
        name = f'<a href="{html.escape(addresses[item])}">{data(slug)}</a>' if item in addresses else data(slug)
        cells = "".join(f'<td class="cb-right">{"" if pd.isna(one) else f"{one:g}"}</td>' for one in scores)
        rows.append(f'<tr><th scope="row">{name}{story}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col" class="cb-right">{data(key)}</th>' for key in keys)
    first = say("Character, story")
    return _table(say("Trajectories"), f'<tr><th scope="col">{data(first)}</th>{heads}</tr>', rows, Notes())


def columns() -> tuple[str, ...]:
    """The metrics, and their average."""
    return (*load_rubric().keys, RESERVED)


def column_label(key: str) -> str:
    """What stands above a column."""
    return say("Average") if key == RESERVED else key


def column_name(key: str) -> str:
    """What a column is called in a sentence."""
    return say("average of the metrics") if key == RESERVED else metric_name(key)


def _table(caption: str, heads: str, rows: Sequence[str], notes: Notes, *, tall: bool = False) -> str:
    scroll = "cb-scroll cb-tall" if tall else "cb-scroll"
    return (
        f'<div class="cb-figures cb-board"><div class="{scroll}" tabindex="0" role="region"'
        f' aria-label="{data(caption)}"><table><thead>{heads}</thead><tbody>{"".join(rows)}</tbody></table></div>'
        f"{notes.as_html()}</div>"
    )


def _heads(metric: str, to: To) -> str:
    """The dimensions above their metrics; each metric leads to the order by it."""
    groups = "".join(
        f'<th scope="colgroup" colspan="{len(dimension.metrics)}" class="cb-dimension">'
        f"<span>{data(dimension.name.text(tongue()))}</span></th>"
        for dimension in load_rubric().dimensions
    )
    cells = []
    for key in columns():
        sorted_by = ' aria-sort="descending" class="cb-sorted"' if key == metric else ""
        label, name = data(column_label(key)), data(say("Sort by {metric}", metric=column_name(key)))
        link = f'<a href="{html.escape(to({"metric": key}))}" title="{name}">{label}</a>'
        cells.append(f'<th scope="col"{sorted_by}>{link}</th>')
    edges = f"<td></td><td></td>{groups}<td></td><td></td>"
    names = f'<td></td><th scope="col">{say("Rank")}</th>{"".join(cells)}<th scope="col">n</th>'
    return f"<tr>{edges}</tr><tr>{names}</tr>"


def _rank_cell(standing: Standing | None) -> str:
    if standing is None:
        return "<td></td>"
    between = ""
    if standing.best_rank is not None and standing.best_rank != standing.worst_rank:
        between = f" ({standing.best_rank}–{standing.worst_rank})"
    first = "" if standing.first is None else say("first in {share:.0%}", share=standing.first)
    return f'<td>{standing.rank}{between}<span class="cb-n">{data(first)}</span></td>'


def _score_cell(standing: Standing, place: str, target: str, grey: str) -> str:
    sd = "" if standing.sd is None else f' <span class="cb-sd">±{decimal(standing.sd)}</span>'
    if standing.low is None or standing.high is None:
        limits = say("no interval")
    else:
        limits = f"[{decimal(standing.low)}, {decimal(standing.high)}]"
    return (
        f'<td class="{place}"><a href="{html.escape(target)}"><span class="cb-mean">{decimal(standing.mean)}</span></a>'
        f'{sd}<span class="cb-interval">{limits}</span>{grey}</td>'
    )


def _no_score(board: Board, model: str, key: str, notes: Notes) -> str:
    missing = board.undefined.get((model, key))
    if missing is None:
        return f'<td class="cb-undefined">{say("no score")}</td>'
    return f'<td class="cb-undefined">{no_figure(missing.reason, notes)}</td>'


def _counts_cell(board: Board, model: str, metric: str) -> str:
    standing = board.of(metric).get(model)
    if standing is None:
        return "<td></td>"
    scenes, items = counted(standing.scenes, "scene"), say("{n:,} trajectories", n=standing.items)
    return f'<td>{data(scenes)}<span class="cb-n">{data(items)}</span></td>'


def _published(language: str, key: str) -> dict[str, PublishedScore]:
    found = {model: published_score(model, language, key) for model in published_models(language)}
    return {model: one for model, one in found.items() if one is not None}


def _published_cell(one: PublishedScore, place: str) -> str:
    return (
        f'<td class="{place}"><span class="cb-mean">{decimal(one.mean)}</span>'
        f' <span class="cb-sd">±{decimal(one.sd)}</span></td>'
    )


def _in_grey(board: Board, model: str, key: str) -> str:
    paper = published_score(model, board.wanted.language, key)
    if paper is None or model in board.improvised:
        return ""
    told = say("paper {figure}", figure=f"{decimal(paper.mean)} ±{decimal(paper.sd)}")
    return f'<span class="cb-paper">{data(told)}</span>'


def _mark(board: Board, model: str) -> str:
    return mark() if model in board.improvised else ""
