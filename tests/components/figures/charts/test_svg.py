"""Charts of rows as SVG: the same points, intervals and labels as in the figure of Plotly."""

from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from annotations.leaderboard.standings import leaderboard
from annotations.rubrics.rubric import RESERVED
from characterbox.components.figures.charts.estimates import alphas, forest, forest_of_judges
from characterbox.components.figures.charts.leaderboard import means_chart
from characterbox.components.figures.charts.svg import PRINT, WIDTH, _ticks, svg_of
from characterbox.judging.leaderboard import Board, Wanted
from tests.components.figures.ratings_sample import KEYS, campaign, reported

NAMESPACE = "{http://www.w3.org/2000/svg}"


def charts():
    report = reported(campaign())
    frame = campaign()
    own = frame[(frame["kind"] == "expert") & (frame["language"] == "en")]
    board = Board(Wanted("experts", "en"), leaderboard(own, KEYS), own, {"m0": "story"})
    return {
        "alphas": alphas(report, PRINT, improvised=False),
        "forest": forest(report, "GPT-4", PRINT, improvised=True),
        "judges": forest_of_judges(report, "overall", PRINT, improvised=False),
        "means": means_chart(board, RESERVED, "average of the metrics", PRINT),
    }


@pytest.fixture(scope="module", params=["alphas", "forest", "judges", "means"])
def chart(request):
    return charts()[request.param]


def drawn(figure):
    return ElementTree.fromstring(svg_of(figure, PRINT))


def texts(root):
    return ["".join(one.itertext()) for one in root.iter(f"{NAMESPACE}text")]


def test_each_point_lies_on_its_value_between_the_ends_of_its_interval(chart):
    root, scatter = drawn(chart), next(trace for trace in chart.data if trace.name in ("estimate", "mean"))
    circles = [float(one.get("cx")) for one in root.iter(f"{NAMESPACE}circle")]
    assert len(circles) == len(scatter.x)
    low, high = chart.layout.xaxis.range
    left = next(float(one.get("x")) for one in root.iter(f"{NAMESPACE}text") if one.get("text-anchor") == "end") + 10
    scale = (WIDTH - 14 - left) / (high - low)
    assert circles == pytest.approx([left + (value - low) * scale for value in scatter.x], abs=0.06)
    lines = [one for one in root.iter(f"{NAMESPACE}line") if one.get("stroke") == PRINT.accent]
    ends = [(float(one.get("x1")), float(one.get("x2"))) for one in lines]
    spans = zip(scatter.x, scatter.error_x.arrayminus, scatter.error_x.array, strict=True)
    expected = [left + (value + by - low) * scale for value, less, more in spans for by in (-less, more)]
    assert [end for pair in ends for end in pair] == pytest.approx(expected, abs=0.06)


def test_all_that_the_chart_says_is_in_the_picture_and_within_it(chart):
    root = drawn(chart)
    shown = " ".join(texts(root))
    for name in chart.layout.yaxis.ticktext:
        assert name.replace("&lt;", "<").replace("&gt;", ">") in shown
    for note in chart.layout.annotations:
        plain = ElementTree.fromstring(f"<t>{note.text.replace('<br>', ' ')}</t>")
        assert " ".join("".join(plain.itertext()).split()) in shown
    assert chart.layout.xaxis.title.text in shown
    for one in root.iter():
        for name, most in (
            ("x", WIDTH),
            ("x1", WIDTH),
            ("x2", WIDTH),
            ("y", chart.layout.height),
            ("y1", chart.layout.height),
        ):
            assert 0 <= float(one.get(name, 0)) <= most, (one.tag, one.attrib)


def test_what_the_rehearsal_made_is_said_in_the_picture():
    found = charts()
    assert "Demo output (no language model); do not report" in texts(drawn(found["forest"]))
    assert any(one.startswith("† Demo output") for one in texts(drawn(found["means"])))
    assert not any("Demo" in one for one in texts(drawn(found["alphas"])))


def test_bars_begin_at_the_lowest_score_and_end_at_the_mean():
    figure = charts()["means"]
    root, bars = drawn(figure), figure.data[0]
    boxes = [one for one in root.iter(f"{NAMESPACE}rect") if one.get("fill") == PRINT.rule]
    circles = [float(one.get("cx")) for one in root.iter(f"{NAMESPACE}circle")]
    assert len(boxes) == len(bars.x)
    assert [float(one.get("x")) + float(one.get("width")) for one in boxes] == pytest.approx(circles, abs=0.11)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 5, [1, 2, 3, 4, 5]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-0.04, 1.04, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (2, 2.3, [2, 2.05, 2.1, 2.15, 2.2, 2.25, 2.3]),
    ],
)
def test_ticks_are_round(low, high, expected):
    assert _ticks(low, high, 7) == pytest.approx(expected)


def test_the_same_chart_is_the_same_bytes(chart):
    assert isinstance(chart, go.Figure)
    assert svg_of(chart, PRINT) == svg_of(chart, PRINT)
