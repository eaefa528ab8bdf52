"""Table 4 as files: each figure worked out again from the file of scores, with plain Python."""

import csv
import io
import json
import statistics

import pandas as pd
import pytest

from annotations.report.published import TABLE_4
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.scene_quality import (
    PAPER,
    CraftingFigures,
    scores_csv,
    table_csv,
    table_json,
    table_latex,
)
from characterbox.crafting.scene_scores import crafting_table
from characterbox.judging.provenance import DEMO_NOTE
from tests.fakes.csv_rows import rows_of
from tests.fakes.typeset import typeset

KEYS = load_rubric("scene").keys
HOSTILE = "direct · =cmd|' /C calc'!A0 \\input{x}"
REAL = "three-stage · gpt-4 / glm / glm"


@pytest.fixture
def figures():
    rows = [
        (
            f"key{scene}",
            rater,
            crafter,
            origin,
            *(1 + (scene * 3 + place + len(rater)) % 5 for place in range(len(KEYS))),
        )
        for crafter, origin in ((REAL, "extracted"), (REAL, "generated"), (HOSTILE, "extracted"))
        for scene in range(6)
        for rater in ("Ann", "Bobby")
    ]
    ratings = pd.DataFrame(rows, columns=["scene", "rater", "crafter", "origin", *KEYS]).astype(
        dict.fromkeys(KEYS, float)
    )
    ratings.loc[0, KEYS[0]] = float("nan")
    return CraftingFigures("the experts", crafting_table(ratings), ratings, {HOSTILE}, judged_without_model=False)


def by_hand(scores, row):
    """Mean, deviation and number of scenes of a cell."""
    scenes = {}
    for one in scores:
        if (one["crafter"], one["origin"]) == (row["crafter"], row["origin"]) and one[row["metric"]]:
            scenes.setdefault(one["scene"], []).append(float(one[row["metric"]]))
    means = [sum(of) / len(of) for of in scenes.values()]
    return sum(means) / len(means), statistics.stdev(means), len(means)


def test_every_figure_is_that_of_a_second_computation_and_the_papers_stand_below(figures):
    scores = rows_of(scores_csv(figures))
    assert {row["scores"] for row in scores} == {"the experts"}, "the file says by itself who scored"
    ours = [row for row in rows_of(table_csv(figures)) if row["scores"] == "the experts"]
    assert len(ours) == 3 * len(KEYS)
    for row in ours:
        mean, sd, scenes = by_hand(scores, row)
        assert (float(row["mean"]), float(row["sd"]), int(row["scenes"])) == (
            pytest.approx(mean),
            pytest.approx(sd),
            scenes,
        )
        assert float(row["low"]) < mean < float(row["high"])
        assert row["note"] == (DEMO_NOTE if row["crafter"] == HOSTILE else "")
    paper = [row for row in rows_of(table_csv(figures)) if row["scores"] == PAPER]
    assert [float(row["mean"]) for row in paper] == [one.mean for one in TABLE_4]
    told = json.loads(table_json(figures))
    assert [one["mean"] for one in told["cells"]] == pytest.approx([float(row["mean"]) for row in ours])
    assert len(told["paper"]) == len(TABLE_4)


def test_no_cell_is_a_formula(figures):
    for content in (table_csv(figures), scores_csv(figures)):
        rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)


@pytest.mark.process
def test_the_latex_is_typeset_and_marks_what_is_no_result(figures, tmp_path):
    latex = table_latex(figures)
    assert latex.count(r"$^{\dagger}$") == 2
    assert r"\input{" not in latex
    typeset(latex, tmp_path)
