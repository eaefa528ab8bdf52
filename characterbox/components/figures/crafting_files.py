"""Table 4 as files: CSV, JSON and LaTeX, and the scores behind it. All of them are in English, as papers are."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields, replace

import pandas as pd

from annotations.exchange.csv_file import csv_of
from annotations.exchange.tex import latex_of, preamble
from annotations.published import TABLE_4
from annotations.rubric import load_rubric
from annotations.scene_crafting import CraftingScore
from annotations.wording import speaking
from characterbox.components.figures.crafting_tables import crafting_scores_table, papers_crafting_table
from characterbox.judging.provenance import DEMO_NOTE

_RUBRIC = load_rubric("scene")
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
    return f"{preamble('booktabs', 'graphicx')}\n{latex_of(table, DEMO_NOTE)}"
