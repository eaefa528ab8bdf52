"""Table 4 as files: CSV, JSON and LaTeX, and the scores behind it. All of them are in English, as papers are."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import pandas as pd

from annotations.exchange.csv_file import csv_of
from annotations.exchange.tex import escaped, preamble, table_of
from annotations.published import TABLE_4, PublishedSceneScore
from annotations.rubric import load_rubric
from annotations.scene_crafting import CraftingScore
from characterbox.components.figures.crafting_tables import WAYS
from characterbox.components.figures.words import decimal
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
    cells = {(one.crafter, one.metric, one.origin): one for one in figures.cells}
    crafters = dict.fromkeys(one.crafter for one in figures.cells)
    ours = [row for crafter in crafters for row in _rows(crafter, cells, bool(figures.note(crafter)))]
    metrics = "".join(rf" & \multicolumn{{{len(WAYS)}}}{{c}}{{{escaped(one.name.en)}}}" for one in _RUBRIC.metrics)
    ways = "".join(f" & {way}" for _ in _RUBRIC.keys for way in WAYS)
    notes = [escaped(f"{MEANS}; standard deviations over scenes. Below: {PAPER}.")]
    if any(map(figures.note, crafters)):
        notes.append(rf"$^{{\dagger}}$ {escaped(DEMO_NOTE)}.")
    caption = f"Scene crafting, as scored by {figures.scores}"
    columns = "l" + "c" * (len(WAYS) * len(_RUBRIC.keys))
    head = rf"{metrics} \\" + "\n" + rf"Method and models{ways} \\"
    return preamble("booktabs", "graphicx") + "\n" + table_of(caption, columns, head, [ours, [*_papers()]], notes)


def _rows(crafter: str, cells: Mapping[tuple[str, str, str], CraftingScore], marked: bool) -> Iterator[str]:
    found = [cells.get((crafter, metric, way)) for metric in _RUBRIC.keys for way in WAYS]
    means = ["--" if one is None else _mean(one.mean, one.sd) for one in found]
    limits = [
        "" if one is None or one.low is None or one.high is None else f"[{decimal(one.low)}, {decimal(one.high)}]"
        for one in found
    ]
    yield " & ".join([escaped(crafter) + (r"$^{\dagger}$" if marked else ""), *means]) + r" \\"
    yield " & ".join(["", *(rf"{{\scriptsize {one}}}" if one else "" for one in limits)]) + r" \\"


def _papers() -> Iterator[str]:
    found: dict[tuple[str, str, str], PublishedSceneScore] = {
        (one.screenwriter, one.metric, one.origin): one for one in TABLE_4
    }
    for writer in dict.fromkeys(one.screenwriter for one in TABLE_4):
        shown = [found.get((writer, metric, way)) for metric in _RUBRIC.keys for way in WAYS]
        yield (
            " & ".join([escaped(writer), *("--" if one is None else _mean(one.mean, one.sd) for one in shown)]) + r" \\"
        )


def _mean(mean: float, sd: float | None) -> str:
    return decimal(mean) if sd is None else rf"{decimal(mean)}$\pm${decimal(sd)}"
