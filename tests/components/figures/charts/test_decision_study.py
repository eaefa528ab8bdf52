"""Curves of a decision study: their points, ends and marks are what the components give."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import plotly.graph_objects as go
import pytest

from annotations.design.planning import MOST_SCENES, design_study
from annotations.errors import UndefinedStatistic
from annotations.reliability.variance_components import Component, VarianceComponents, variance_components
from characterbox.components.figures.charts.decision_study import LABEL, PLOT, design_curves, present_design
from characterbox.components.figures.charts.theme import Tokens
from tests.components.figures.ratings_sample import campaign

INK = Tokens(ink="#000000", paper="#ffffff", accent="#990000", rule="#cccccc")


def components(
    model: float = 1.0, residual: float = 1.0, per_expert: float = 0.0, now: tuple[int, int] | None = None
) -> VarianceComponents:
    """Of models, of what remains, and of models x raters; all others are 0.

    From ratings by so many experts in so many scenes, all of which scored all; else from an incomplete design.
    """
    variances = {"model": model, "scene": 0.0, "rater": 0.0, "model x scene": 0.0}
    variances |= {"model x rater": per_expert, "scene x rater": 0.0, "residual": residual}
    parts = {name: Component(value, value, value / sum(variances.values())) for name, value in variances.items()}
    raters, scenes = now or (3, 10)
    items = 4 * scenes
    n = items * raters if now else items * raters - 20
    return VarianceComponents("KA", parts, n, items, models=4, scenes=scenes, raters=raters, pairs={})


def curve(figure: go.Figure, name: str) -> go.Scatter:
    return next(trace for trace in figure.data if trace.name == name)


def labels(figure: go.Figure) -> dict[str, go.layout.Annotation]:
    return {label.text: label for label in figure.layout.annotations}


def heights(figure: go.Figure, texts: Sequence[str]) -> list[float]:
    """Where labels stand, in pixels from the top of the plot."""
    return [PLOT * (1 - labels(figure)[text].y) + labels(figure)[text].ay for text in texts]


def test_curves_have_the_generalizability_of_each_design() -> None:
    figure = design_curves(components(), 0.8, [1, 3], INK, improvised=False)
    one = curve(figure, "1 expert")
    assert (one.x[0], one.y[0]) == (1, 0.5)  # 1 / (1 + 1)
    assert dict(zip(one.x, one.y, strict=True))[4] == pytest.approx(0.8)  # 1 / (1 + 1 / 4)
    three = curve(figure, "3 experts")
    assert three.y[0] == pytest.approx(0.75)  # 1 / (1 + 1 / 3)
    assert list(one.x) == sorted(set(one.x))
    assert one.customdata[0][0] == "1 expert x 1 scene: generalizability 0.50"


def test_curves_of_ratings_are_those_of_the_decision_study() -> None:
    found = variance_components(campaign(), "KA")
    figure = design_curves(found, 0.8, [2], INK, improvised=False)
    drawn = curve(figure, "2 experts")
    expected = [design_study(found, 2, scenes).generalizability for scenes in drawn.x]
    assert list(drawn.y) == expected
    assert figure.layout.title.text == f"Knowledge Accuracy, n = {found.n} ratings"


def test_curves_end_where_the_lowest_is_high_enough_and_the_present_design_is_seen() -> None:
    assert curve(design_curves(components(), 0.8, [1, 3], INK, improvised=False), "1 expert").x[-1] == 10
    assert curve(design_curves(components(), 0.95, [1, 3], INK, improvised=False), "1 expert").x[-1] == 20
    assert curve(design_curves(components(now=(3, 60)), 0.8, [1, 3], INK, improvised=False), "1 expert").x[-1] == 100
    never = components(per_expert=9.0)
    assert curve(design_curves(never, 0.8, [1, 3], INK, improvised=False), "1 expert").x[-1] == MOST_SCENES
    assert (
        curve(design_curves(components(per_expert=9.0, now=(1, 1500)), 0.8, [1], INK, improvised=False), "1 expert").x[
            -1
        ]
        == 1500
    )


def test_each_curve_is_labelled_at_its_end_and_no_label_covers_another() -> None:
    figure = design_curves(components(), 0.9, [1, 2, 3, 5, 10], INK, improvised=False)
    texts = ["10 experts", "5 experts", "3 experts", "2 experts", "1 expert"]
    for text in texts:
        assert labels(figure)[text].y == curve(figure, text).y[-1]
    placed = sorted(heights(figure, [*texts, "target 0.90"]))
    assert all(below - above >= LABEL - 1e-6 for above, below in pairwise(placed))
    assert heights(figure, texts) == sorted(heights(figure, texts))


def test_labels_of_low_curves_stay_by_the_plot() -> None:
    low = components(model=0.001, per_expert=5.0, now=(3, 50))
    figure = design_curves(low, 0.8, [1, 2, 3], INK, improvised=False)
    assert max(heights(figure, ["3 experts", "2 experts", "1 expert"])) <= PLOT
    (now,) = (label for label in figure.layout.annotations if label.text.startswith("now"))
    assert PLOT * (1 - now.y) + now.ay < PLOT / 2  # above the curves


def test_the_wished_reliability_is_a_line_with_its_label() -> None:
    figure = design_curves(components(), 0.85, [1], INK, improvised=False)
    (line,) = figure.layout.shapes
    assert (line.y0, line.y1, line.line.dash) == (0.85, 0.85, "dash")
    assert labels(figure)["target 0.85"].y == 0.85


def test_the_present_design_is_marked_though_it_has_no_curve() -> None:
    figure = design_curves(components(now=(2, 8)), 0.8, [1, 5], INK, improvised=False)
    mark = curve(figure, "now")
    assert (list(mark.x), list(mark.y)) == ([8], [pytest.approx(16 / 17)])  # 1 / (1 + 1 / 16)
    assert "now <b>0.94</b><br>2 experts x 8 scenes" in labels(figure)
    assert present_design(components(now=(2, 8))) == (2, 8)


def test_an_incomplete_design_is_not_marked_but_has_a_reason() -> None:
    reason = "each item has 2.50 ratings on average, but there are 3 experts in all, so the design is incomplete"
    with pytest.raises(UndefinedStatistic, match=reason):
        present_design(components())
    assert not any(trace.name == "now" for trace in design_curves(components(), 0.8, [1], INK, improvised=False).data)


def test_a_design_with_several_items_of_a_model_in_a_scene_is_not_marked() -> None:
    twice = replace(components(now=(3, 10)), items=80, n=240)
    with pytest.raises(UndefinedStatistic, match="80 items instead of one for each of 4 models in each of 10 scenes"):
        present_design(twice)
    assert not any(trace.name == "now" for trace in design_curves(twice, 0.8, [1], INK, improvised=False).data)


def test_the_mark_of_the_rehearsal_is_part_of_the_chart_and_takes_nothing_from_the_plot() -> None:
    marked, usual = (design_curves(components(), 0.8, [1], INK, improvised=told) for told in (True, False))
    assert marked.layout.title.subtitle.text == "Demo output (no language model); do not report"
    assert "improvised" not in usual.to_json()
    for figure in (marked, usual):
        assert figure.layout.height - figure.layout.margin.t - figure.layout.margin.b == PLOT


def test_models_that_do_not_differ_have_no_curves_but_a_reason() -> None:
    with pytest.raises(UndefinedStatistic, match="the 4 models do not differ on KA"):
        design_curves(components(model=0.0), 0.8, [1, 3], INK, improvised=False)


@pytest.mark.parametrize("wished", [0.0, 1.0, 1.5])
def test_a_reliability_that_cannot_be_wished_is_refused(wished: float) -> None:
    with pytest.raises(UndefinedStatistic, match="lies between 0 and 1"):
        design_curves(components(), wished, [1], INK, improvised=False)


def test_without_error_every_curve_is_at_one() -> None:
    figure = design_curves(components(residual=0.0, now=(1, 1)), 0.8, [1, 2], INK, improvised=False)
    assert {*curve(figure, "1 expert").y, *curve(figure, "2 experts").y} == {1.0}
    assert figure.layout.yaxis.range == (0, 1)


def test_the_name_of_the_metric_is_data() -> None:
    hostile = '<a href="https://example.org">KA</a>'
    figure = design_curves(replace(components(), metric=hostile), 0.8, [1], INK, improvised=False)
    assert figure.layout.title.text.startswith("&lt;a href=")
