"""The Bland-Altman plot: its points, lines and bands are what was computed, and a missing interval has its reason."""

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from annotations.errors import Undefined
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.concordance import Concordance, LimitsOfAgreement, concordance
from annotations.validity.judge_expert_correlation import paired_means, sides_of
from characterbox.components.figures.charts.scatter import JITTER, LABEL, LOWER, UPPER, bland_altman
from characterbox.components.figures.charts.theme import Tokens
from tests.components.figures.ratings_sample import campaign

INK = Tokens(ink="#000000", paper="#ffffff", accent="#990000", rule="#cccccc")
MARK = "demo output (no language model); do not report"


def sample() -> tuple[pd.DataFrame, Concordance]:
    frame = campaign()
    return paired_means(frame, "GPT-4", ["KA"]), concordance(sides_of(frame, ["GPT-4"])["GPT-4"], ["KA"])


def with_figures(found: Concordance, bias: Estimate, low: Estimate, high: Estimate) -> Concordance:
    return replace(found, bias=bias, limits=LimitsOfAgreement(low, high))


def sure(value: float) -> Estimate:
    return Estimate(value, Interval(value, value, "for a test"), 24)


def texts(figure: go.Figure) -> list[str]:
    return [annotation.text for annotation in figure.layout.annotations]


def drawn(figure: go.Figure, kind: str) -> dict[str, tuple[float, float]]:
    return {shape.name: (shape.y0, shape.y1) for shape in figure.layout.shapes if shape.type == kind}


def test_each_point_is_an_item_s_mean_and_difference() -> None:
    points, found = sample()
    figure = bland_altman(points, found, "GPT-4", INK, improvised=False)
    (trace,) = figure.data
    x_span, y_span = np.ptp(figure.layout.xaxis.range), np.ptp(figure.layout.yaxis.range)
    assert np.abs(np.array(trace.x) - (points["judge"] + points["expert"]) / 2).max() <= JITTER * x_span
    assert np.abs(np.array(trace.y) - (points["judge"] - points["expert"])).max() <= JITTER * y_span
    assert [item for _, item in trace.customdata] == list(points["item"])
    assert trace.customdata[0][0].startswith(points["item"][0])
    assert trace.hovertemplate == "%{customdata[0]}<extra></extra>"


def test_points_that_do_not_lie_on_each_other_stay_where_they_are() -> None:
    points = pd.DataFrame(
        {"item": list("abc"), "scene": "s", "model": "m", "expert": [1.0, 2.0, 4.0], "judge": [2.0, 2.0, 3.0]}
    )
    found = with_figures(sample()[1], sure(0.0), sure(-1.96), sure(1.96))
    (trace,) = bland_altman(points, found, "j", INK, improvised=False).data
    assert (list(trace.x), list(trace.y)) == ([1.5, 2.0, 3.5], [1.0, 0.0, -1.0])


def test_lines_and_bands_are_bias_and_limits_with_their_intervals() -> None:
    points, found = sample()
    figure = bland_altman(points, found, "GPT-4", INK, improvised=False)
    expected = {UPPER: found.limits.high, "bias": found.bias, LOWER: found.limits.low}
    assert drawn(figure, "line") == {name: (one.estimate, one.estimate) for name, one in expected.items()}
    bands, labels = drawn(figure, "rect"), texts(figure)
    low, high = figure.layout.yaxis.range
    for name, one in expected.items():
        assert isinstance(one.interval, Interval)
        assert bands[name] == (one.interval.low, one.interval.high)
        assert low < one.interval.low <= one.interval.high < high
        assert f"{name}<br><b>{one.estimate:.2f}</b><br>[{one.interval.low:.2f}, {one.interval.high:.2f}]" in labels
    assert low < 0 < high
    assert figure.layout.title.text == "n = 24 items, 12 scenes, 2 models"
    assert figure.layout.title.subtitle.text == ""


def test_a_missing_interval_has_no_band_and_its_reason_once() -> None:
    points, found = sample()
    no = Undefined("there are 2 scenes, and an interval takes at least five <of them>")
    bare = with_figures(
        found, *(replace(one, interval=no) for one in (found.bias, found.limits.low, found.limits.high))
    )
    figure = bland_altman(points, bare, "GPT-4", INK, improvised=False)
    assert not drawn(figure, "rect")
    assert len(drawn(figure, "line")) == 3
    assert all(text.endswith("<br>no interval") for text in texts(figure))
    told = figure.layout.title.subtitle.text.replace("<br>", " ")
    assert told == ("no interval: there are 2 scenes, and an interval takes at least five &lt;of them&gt;")


def test_differences_that_are_all_the_same_are_one_line() -> None:
    points, found = sample()
    points["judge"] = points["expert"] + 1
    figure = bland_altman(points, with_figures(found, *[sure(1.0)] * 3), "GPT-4", INK, improvised=False)
    assert drawn(figure, "line") == {"bias = limits": (1.0, 1.0)}
    assert texts(figure) == ["bias = limits<br><b>1.00</b><br>[1.00, 1.00]"]
    low, high = figure.layout.yaxis.range
    assert low < 0 < 1 < high


def test_scores_that_are_all_equal_still_have_axes() -> None:
    points, found = sample()
    points[["judge", "expert"]] = 3.0
    figure = bland_altman(points, with_figures(found, *[sure(0.0)] * 3), "GPT-4", INK, improvised=False)
    assert (figure.layout.xaxis.range, figure.layout.yaxis.range) == ((2.5, 3.5), (-0.5, 0.5))


def test_labels_of_limits_near_the_bias_are_moved_off_its_label() -> None:
    points, found = sample()
    near = with_figures(found, sure(0.0), sure(-0.01), sure(0.01))
    moved = [label.yshift for label in bland_altman(points, near, "GPT-4", INK, improvised=False).layout.annotations]
    assert moved[0] == pytest.approx(LABEL, abs=3)
    assert moved[1:] == [0, -moved[0]]
    far = with_figures(found, sure(0.0), sure(-3.0), sure(3.0))
    assert [label.yshift for label in bland_altman(points, far, "GPT-4", INK, improvised=False).layout.annotations] == [
        0,
        0,
        0,
    ]


def test_the_mark_of_the_rehearsal_is_part_of_the_figure() -> None:
    points, found = sample()
    for improvised in (True, False):
        figure = bland_altman(points, found, "GPT-4", INK, improvised=improvised)
        assert (MARK in figure.to_json()) == improvised


def test_names_are_data() -> None:
    hostile = '<a href="https://example.org">j</a>'
    points, found = sample()
    points = points.assign(item=hostile, scene=hostile, model=hostile)
    figure = bland_altman(points, found, hostile, INK, improvised=False)
    (trace,) = figure.data
    assert figure.layout.yaxis.title.text == """&lt;a href="https://exampl… minus experts' mean"""
    assert not any("<a" in told for told, _ in trace.customdata)
    assert {item for _, item in trace.customdata} == {hostile}  # a key, not a text
