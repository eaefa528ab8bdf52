"""Table 4: how scenes score by crafter, extracted and generated side by side, and the paper's figures; and its files.

All files are in English, as papers are.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TypeVar

import pandas as pd

from annotations.errors import Undefined
from annotations.exchange.csv_file import csv_of
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Cell, Column, Content, Group, Part, Row, Table, labelled
from annotations.i18n.messages import Message, to_say
from annotations.i18n.translation import say, speaking, tongue
from annotations.leaderboard.standings import CraftingScore
from annotations.report.published import TABLE_4, PublishedSceneScore
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.text import counted, decimal
from characterbox.judging.provenance import DEMO_NOTE

WAYS: Mapping[str, str] = {"extracted": to_say("extracted"), "generated": to_say("generated")}
NOT_PUBLISHED = to_say("The paper gives no creativity scores for extracted scenes")
_RUBRIC = load_rubric("scene")
Score = TypeVar("Score")


def crafting_scores_table(cells: Iterable[CraftingScore], improvised: Collection[str]) -> Table:
    """Our table; crafters in which no language model had a part of the work are marked."""
    found = {(one.crafter, one.metric, one.origin): one for one in cells}
    crafters = dict.fromkeys(crafter for crafter, _, _ in found)
    rows = [_row(crafter, found, _cell, improvised=crafter in improvised) for crafter in crafters]
    return _table(say("Scene generation"), rows)


def papers_crafting_table() -> Table:
    """The paper's table 4."""
    found = {(one.screenwriter, one.metric, str(one.origin)): one for one in TABLE_4}
    writers = dict.fromkeys(one.screenwriter for one in TABLE_4)
    return _table(say("Paper, table 4"), [_row(writer, found, _published) for writer in writers])


def _row(
    crafter: str,
    found: Mapping[tuple[str, str, str], Score],
    cell: Callable[[Score | None], Content],
    *,
    improvised: bool = False,
) -> Row:
    cells = [cell(found.get((crafter, metric, way))) for metric in _RUBRIC.keys for way in WAYS]
    return Row(labelled(crafter, improvised), cells)


def _cell(one: CraftingScore | None) -> Content:
    if one is None:
        return Cell((say("no score"),), "quiet")
    between = "" if one.low is None or one.high is None else f"[{decimal(one.low)}, {decimal(one.high)}]"
    return Cell(
        (
            Part(decimal(one.mean), "mean"),
            "" if one.sd is None else Part(f"±{decimal(one.sd)}", "deviation"),
            Part(between or say("no interval"), "interval"),
            Part(counted(one.scenes, "scene"), "counted"),
        )
    )


def _published(one: PublishedSceneScore | None) -> Content:
    if one is None:
        return Undefined(Message(NOT_PUBLISHED))
    return f"{decimal(one.mean)} ±{decimal(one.sd)}"


def _table(title: str, rows: list[Row]) -> Table:
    columns = [
        Column(say(way), _RUBRIC.metric(key).name.text(tongue()), kind="unbroken")
        for key in _RUBRIC.keys
        for way in WAYS.values()
    ]
    return Table(title, columns, [Group(rows)], look="board")


_FIGURES = tuple(field.name for field in fields(CraftingScore))
_BEHIND = ("scene", "rater", "crafter", "origin", *_RUBRIC.keys)
MEANS = "Means over scenes; 95% intervals by Student's t, each scene one draw, cut to the ends of the scale"
PAPER = "The CharacterBox paper, table 4"


@dataclass(frozen=True)
class CraftingFigures:
    """Table 4 by one judge, or by the experts."""

    scores: str
    """Whose they are."""
    cells: Sequence[CraftingScore]
    ratings: pd.DataFrame
    """One row a scene and rater: `scene` (a key), `rater`, `crafter`, `origin` and a column for each metric."""
    improvised: Collection[str]
    """The crafters in which no language model had a part of the work."""
    judged_without_model: bool
    """Whether no language model gave these scores, or some of them."""

    def note(self, crafter: str) -> str:
        """What keeps the figures of a crafter from being results; empty where nothing does."""
        return DEMO_NOTE if self.judged_without_model or crafter in self.improvised else ""


def table_csv(figures: CraftingFigures) -> bytes:
    """One row a cell of the table, at full precision, and below the paper's."""
    ours = ((*asdict(one).values(), figures.scores, figures.note(one.crafter)) for one in figures.cells)
    paper = (
        (one.screenwriter, one.origin, one.metric, one.mean, one.sd, None, None, None, PAPER, "") for one in TABLE_4
    )
    return csv_of((*_FIGURES, "scores", "note"), (*ours, *paper))


def scores_csv(figures: CraftingFigures) -> bytes:
    """The scores behind it, one row a scene and rater; a scene's key tells it from all that say something else."""
    rows = figures.ratings[[*_BEHIND]].itertuples(index=False, name=None)
    return csv_of((*_BEHIND, "scores", "note"), ((*row, figures.scores, figures.note(str(row[2]))) for row in rows))


def table_json(figures: CraftingFigures) -> str:
    """The same as one JSON object; null is a figure that is not defined."""
    told = {
        "scores": figures.scores,
        "means": MEANS,
        "rubric": {"name": _RUBRIC.name, "version": _RUBRIC.version},
        "cells": [{**asdict(one), "note": figures.note(one.crafter) or None} for one in figures.cells],
        "paper": [asdict(one) for one in TABLE_4],
    }
    return json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def table_latex(figures: CraftingFigures) -> str:
    """After the paper's table 4: extraction and generation side by side, with the intervals below, and the paper's."""
    with speaking("en"):
        marked = [one.crafter for one in figures.cells if figures.note(one.crafter)]
        ours, paper = crafting_scores_table(figures.cells, marked), papers_crafting_table()
    notes = [f"{MEANS}; standard deviations over scenes. Below: {PAPER}."]
    title = f"Scene crafting, as scored by {figures.scores}"
    table = replace(ours, title=title, groups=[*ours.groups, *paper.groups], notes=notes)
    return latex_file([table], DEMO_NOTE)
