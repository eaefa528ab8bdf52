"""Heat maps: each cell has its figure in a legible ink, and an undefined one its reason."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from annotations.errors import Undefined
from annotations.reliability.item_analysis import InterMetric, inter_metric_correlations
from annotations.validity.halo import MultitraitMultimethod, multitrait_multimethod
from annotations.validity.judge_expert_correlation import sides_of
from characterbox.components.figures.charts.heat_map import (
    LEGIBLE,
    LINE_HEIGHT,
    OPPOSITE,
    Cell,
    contrast,
    ground_of,
    heat_map,
    inter_metric_map,
    multitrait_multimethod_map,
)
from characterbox.components.figures.charts.theme import Tokens
from tests.components.figures.ratings_sample import KEYS, campaign

LIGHT = Tokens(ink="#23211d", paper="#fbf9f4", accent="#9a3b26", rule="#d9d3c5")
DARK = Tokens(ink="#ebe6da", paper="#1a1815", accent="#c8664b", rule="#3a362f")


def written(figure: go.Figure) -> dict[tuple[int, int], str]:
    """What is written at (row, column)."""
    figures = figure.data[1]
    return dict(zip(zip(figures.y, figures.x, strict=True), figures.text, strict=True))


def matrix() -> MultitraitMultimethod:
    return multitrait_multimethod(sides_of(campaign(), ["GPT-4"])["GPT-4"], KEYS)


def colours_of(ink: str) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(ink[1:])
    return red, green, blue


def test_cells_have_their_colour_and_figure() -> None:
    cells: list[list[Cell]] = [[0.534, -0.07, 1.0], [-0.001, None, Undefined("KA does <b>not</b> vary")]]
    figure = heat_map(["a", "b"], ["x", "y", "z"], cells, LIGHT)
    colours = figure.data[0]
    assert [list(row) for row in colours.z] == [[0.534, -0.07, 1.0], [-0.001, None, None]]
    assert (colours.zmin, colours.zmax) == (-1, 1)
    assert [colour for _, colour in colours.colorscale] == [OPPOSITE[0], LIGHT.paper, LIGHT.accent]
    assert written(figure) == {(0, 0): ".53", (0, 1): "-.07", (0, 2): "1.00", (1, 0): ".00", (1, 2): "–"}
    assert [list(row) for row in colours.hovertext] == [
        ["a, x<br>0.53", "a, y<br>-0.07", "a, z<br>1.00"],
        ["b, x<br>0.00", "", "b, z<br>KA does &lt;b&gt;not&lt;/b&gt; vary"],
    ]
    assert figure.layout.yaxis.range == (1.5, -0.5)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_every_figure_is_legible_on_its_cell(tokens: Tokens) -> None:
    row = [float(r) for r in np.linspace(-1, 1, 201)]
    figure = heat_map(["a"], [str(r) for r in row], [row], tokens)
    inks = figure.data[1].textfont.color
    contrasts = [contrast(colours_of(ink), ground_of(r, tokens)) for ink, r in zip(inks, row, strict=True)]
    assert min(contrasts) >= LEGIBLE
    assert inks[100] == tokens.ink


def test_contrast_is_that_of_wcag() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.005)  # the well-known #777
    assert contrast((5, 6, 7), (5, 6, 7)) == 1


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_the_ends_of_the_scale_are_accent_and_the_blue_that_the_theme_shows_best(tokens: Tokens) -> None:
    assert ground_of(1.0, tokens) == colours_of(tokens.accent)
    assert ground_of(0.0, tokens) == colours_of(tokens.paper)
    blue = OPPOSITE[0] if tokens is LIGHT else OPPOSITE[1]
    assert ground_of(-1.0, tokens) == colours_of(blue)
    assert contrast(ground_of(-1.0, tokens), colours_of(tokens.paper)) > 3


def test_metrics_of_one_side_are_paired_once() -> None:
    frame = campaign()
    found = inter_metric_correlations(frame[frame["kind"] == "expert"], KEYS)
    figure = inter_metric_map(found, LIGHT, improvised=False)
    shown = {at: cell for at, cell in np.ndenumerate(np.array(figure.data[0].z, dtype=object)) if cell is not None}
    assert shown == {(i - 1, j): found.matrix[i][j] for i in range(1, 7) for j in range(i)}
    assert written(figure) == {at: f"{r:.2f}".replace("0.", ".") for at, r in shown.items()}
    assert list(figure.layout.yaxis.ticktext) == list(KEYS[1:])
    assert list(figure.layout.xaxis.ticktext) == list(KEYS[:-1])
    assert figure.layout.title.text == "Pearson's r, n = 72 rows (item x rater)"


def test_a_metric_that_does_not_vary_leaves_dashes_with_the_reason() -> None:
    frame = campaign()
    experts = frame[frame["kind"] == "expert"].copy()
    experts.loc[experts["metric"] == "BA", "score"] = 3.0
    found = inter_metric_correlations(experts, ["KA", "BA", "EE"])
    figure = inter_metric_map(found, LIGHT, improvised=False)
    assert written(figure)[0, 0] == written(figure)[1, 1] == "–"
    assert figure.data[0].hovertext[0][0] == "BA, KA<br>all 72 scores are the same for BA"
    assert written(figure)[1, 0] != "–"


def test_nothing_varies_and_there_are_only_reasons() -> None:
    none = Undefined("all 3 scores are the same")
    found = InterMetric(("KA", "BA"), ((none, none), (none, none)), none, 0, 3, ())
    assert written(inter_metric_map(found, DARK, improvised=False)) == {(0, 0): "–"}


def test_both_sides_stand_in_one_square_with_the_validity_outlined() -> None:
    found = matrix()
    figure = multitrait_multimethod_map(found, LIGHT, improvised=False)
    z = np.full((14, 14), np.nan)
    z[1:, :-1] = np.array(figure.data[0].z, dtype=float)  # the first row and the last column hold nothing
    lower = np.tril_indices(7, -1)
    assert np.array_equal(z[:7, :7][lower], np.array(found.within_judge)[lower])
    assert np.array_equal(z[7:, 7:][lower], np.array(found.within_experts)[lower])
    assert np.array_equal(z[7:, :7], np.array(found.between).T)  # rows are the experts', columns the judge's
    assert np.isnan(z[np.triu_indices(14)]).all()
    boxes = [shape for shape in figure.layout.shapes if shape.name == "validity"]
    outlined = [z[round(box.y0 + 1.5), round(box.x0 + 0.5)] for box in boxes]
    assert outlined == list(found.validity.values())
    rules = [shape for shape in figure.layout.shapes if shape.name == "blocks"]
    assert [(rule.x0, rule.x1, rule.y0, rule.y1) for rule in rules] == [(6.5, 6.5, -0.5, 12.5), (-0.5, 12.5, 5.5, 5.5)]
    assert [label.text for label in figure.layout.annotations] == ["GPT-4", "GPT-4", "experts", "experts"]
    assert list(figure.layout.xaxis.ticktext) == [*KEYS, *KEYS][:-1]
    assert list(figure.layout.yaxis.ticktext) == [*KEYS, *KEYS][1:]
    assert figure.layout.title.text == "Pearson's r, n = 24 items"


def test_metrics_that_the_matrix_lacks_are_told() -> None:
    found = replace(matrix(), constant=("<b>tone</b>", "style"))
    told = multitrait_multimethod_map(found, LIGHT, improvised=False).layout.title.subtitle.text.replace("<br>", " ")
    assert "left out because one side gave all items the same score: &lt;b&gt;tone&lt;/b&gt;, style" in told
    assert "left out" not in multitrait_multimethod_map(matrix(), LIGHT, improvised=False).layout.title.subtitle.text


@pytest.mark.parametrize("improvised", [True, False])
def test_the_mark_of_the_rehearsal_is_part_of_the_map(improvised: bool) -> None:
    frame = campaign()
    found = inter_metric_correlations(frame[frame["kind"] == "expert"], KEYS)
    maps = [
        inter_metric_map(found, LIGHT, improvised=improvised),
        multitrait_multimethod_map(matrix(), LIGHT, improvised=improvised),
    ]
    assert all(("do not report" in chart.layout.title.subtitle.text) == improvised for chart in maps)
    unmarked = multitrait_multimethod_map(matrix(), LIGHT, improvised=False)
    assert maps[1].layout.margin.t - unmarked.layout.margin.t == (LINE_HEIGHT if improvised else 0)


def test_names_are_data_and_long_ones_are_cut() -> None:
    hostile = '<a href="https://example.org">'
    cells = [[0.5]]
    figure = heat_map([hostile], [hostile], cells, LIGHT)
    square = multitrait_multimethod_map(replace(matrix(), judge=hostile), LIGHT, improvised=False)
    shown = [
        *figure.layout.xaxis.ticktext,
        *figure.layout.yaxis.ticktext,
        figure.data[0].hovertext[0][0],
        *(label.text for label in square.layout.annotations if label.text != "experts"),
    ]
    assert not any("<a" in text for text in shown)
    assert all("&lt;a" in text for text in shown)
    assert figure.layout.xaxis.ticktext[0].endswith("…")
