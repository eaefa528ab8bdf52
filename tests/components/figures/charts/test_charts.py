"""The charts: what they draw is what the report says, and what is undefined is said, not drawn."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from annotations.errors import Undefined, UndefinedStatistic
from annotations.report.published import TABLE_3
from annotations.report.report import Report
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_expert_correlation import Correlation
from characterbox.components.figures.background.compute import pairs
from characterbox.components.figures.charts.estimates import MOST_ALPHAS, alphas, forest, forest_of_judges
from characterbox.components.figures.charts.scatter import JITTER, jitter, same_scale, scatter
from characterbox.components.figures.charts.theme import Tokens, template, tokens
from tests.components.figures.ratings_sample import KEYS, campaign, reported

pytestmark = pytest.mark.slow

RUBRIC = load_rubric()
INK = Tokens(ink="#000000", paper="#ffffff", accent="#990000", rule="#cccccc")
MARK = "demo output (no language model); do not report"


def report(frame: pd.DataFrame) -> Report:
    """Charts tell nothing by language."""
    return reported(frame.drop(columns="language"))


def trace(figure: go.Figure, name: str) -> go.Scatter:
    return next(trace for trace in figure.data if trace.name == name)


def texts(figure: go.Figure) -> list[str]:
    return [annotation.text for annotation in figure.layout.annotations]


def test_the_forest_has_each_metric_s_r_and_interval_from_the_top() -> None:
    found = report(campaign())
    figure = forest(found, "GPT-4", INK, improvised=False)
    rows = list(found.validity["GPT-4"].values())
    ours = trace(figure, "estimate")
    assert list(ours.x) == [r.estimate for r in rows]
    assert list(ours.y) == list(range(8))
    assert np.allclose(np.array(ours.x) + np.array(ours.error_x.array), [r.interval.high for r in rows])
    assert np.allclose(np.array(ours.x) - np.array(ours.error_x.arrayminus), [r.interval.low for r in rows])
    assert list(figure.layout.yaxis.ticktext) == [*KEYS, "Overall"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    first = rows[0]
    assert f"{first.estimate:.2f} [{first.interval.low:.2f}, {first.interval.high:.2f}], n = 24" in texts(figure)[0]


def test_a_row_of_the_forest_without_an_interval_has_its_point_alone_and_says_so() -> None:
    frame = campaign(("en",))
    few = (frame["rater"] == "GPT-4") & (frame["metric"] == "EE") & ~frame["scene"].isin([f"en-{n}" for n in range(4)])
    found = report(frame[~few])
    rows = list(found.validity["GPT-4"].values())
    figure = forest(found, "GPT-4", INK, improvised=False)
    ours, row = trace(figure, "estimate"), KEYS.index("EE")
    assert ours.x[row] == rows[row].estimate
    assert (ours.error_x.array[row], ours.error_x.arrayminus[row]) == (0, 0)
    assert min(ours.error_x.array[:row]) > 0
    assert f"{rows[row].estimate:.2f} no interval, n = 8" in texts(figure)[row]


def test_the_scatter_says_that_there_is_no_interval() -> None:
    frame = campaign(("en",), scenes=4)
    found = report(frame)
    r = found.validity["GPT-4"]["AD"]
    figure = scatter(pairs(frame, found.design, "GPT-4", "AD"), r, "GPT-4", INK, improvised=False)
    assert f"r = {r.estimate:.2f} no interval, n = 8" in figure.layout.title.text


def test_the_paper_s_points_stand_by_a_judge_of_its_name_only() -> None:
    frame = campaign()
    published = [value.pearson for value in TABLE_3 if value.judge == "GPT-4"]
    assert list(trace(forest(report(frame), "GPT-4", INK, improvised=False), "paper").x) == published
    other = report(frame.replace({"rater": {"GPT-4": "mine"}}))
    assert [trace.name for trace in forest(other, "mine", INK, improvised=False).data] == ["estimate"]


def test_other_metrics_get_no_points_of_the_paper() -> None:
    frame = campaign().replace({"metric": {"KA": "knowledge"}})
    figure = forest(report(frame), "GPT-4", INK, improvised=False)
    assert [trace.name for trace in figure.data] == ["estimate"]


def test_a_row_of_the_forest_that_is_undefined_holds_its_reason() -> None:
    frame = campaign()
    frame.loc[(frame["rater"] == "GPT-4") & (frame["metric"] == "EE"), "score"] = 2.0
    figure = forest(report(frame), "GPT-4", INK, improvised=False)
    assert list(trace(figure, "estimate").y) == [0, 1, 3, 4, 5, 6, 7]
    reason = next(text for text in texts(figure) if text.startswith("–"))
    assert reason.replace("<br>", " ") == "– GPT-4 gave all 24 items the same score, 2, on EE"


def test_a_forest_of_nothing_is_refused_with_the_reasons() -> None:
    with pytest.raises(UndefinedStatistic, match="gave all 24 items the same score, 3, for KA"):
        forest(report(campaign()), "Same <b>", INK, improvised=False)


def test_the_forest_of_judges_has_the_best_on_top_and_the_paper_s_judges_below() -> None:
    found = report(campaign())
    figure = forest_of_judges(found, "KA", INK, improvised=False)
    ours = trace(figure, "estimate")
    assert list(ours.x) == sorted(ours.x, reverse=True)
    names = list(figure.layout.yaxis.ticktext)
    assert names[: len(ours.x)] == sorted(
        (judge for judge, rows in found.validity.items() if isinstance(rows["KA"], Correlation)),
        key=lambda judge: -found.validity[judge]["KA"].estimate,
    )
    others = {value.judge for value in TABLE_3} - {"GPT-4"}
    assert others <= set(names)
    assert names.count("GPT-4") == 1, "the paper's figure stands in the row of the judge of its name"


def test_the_alphas_are_those_of_the_report_by_dimension_and_then_by_metric() -> None:
    found = reported(campaign(("en",)))
    figure = alphas(found, INK, improvised=False)
    drawn = [alpha.estimate for of, alpha in found.reliability.items() if of.judge is None and of.language == "en"]
    assert list(trace(figure, "estimate").x) == drawn
    assert list(figure.layout.yaxis.ticktext)[-len(KEYS) :] == [*KEYS]
    published = trace(figure, "paper")
    assert len(published.x) == len(found.design.dimensions)
    assert len(drawn) == len(found.design.dimensions) + len(KEYS) == MOST_ALPHAS


def test_the_scatter_has_the_judge_s_score_against_the_experts_mean() -> None:
    frame = campaign()
    found = report(frame)
    points = pairs(frame, found.design, "GPT-4", "KA")
    mean = frame.query("kind == 'expert' and metric == 'KA'").groupby("item")["score"].mean()
    given = frame.query("rater == 'GPT-4' and metric == 'KA'").set_index("item")["score"]
    assert dict(zip(points["item"], points["expert"], strict=True)) == pytest.approx(mean.to_dict())
    assert dict(zip(points["item"], points["judge"], strict=True)) == given.to_dict()
    figure = scatter(points, found.validity["GPT-4"]["KA"], "GPT-4", INK, improvised=False)
    span = np.ptp(figure.layout.xaxis.range)
    assert np.abs(np.array(trace(figure, "GPT-4").x) - points["expert"]).max() <= JITTER * span
    assert np.abs(np.array(trace(figure, "GPT-4").y) - points["judge"]).max() <= JITTER * span
    assert figure.layout.title.text == re.sub(r"\s+", " ", figure.layout.title.text)
    assert figure.layout.title.text.startswith(f"r = {found.validity['GPT-4']['KA'].estimate:.2f} [")


def test_the_points_of_overall_are_the_means_over_the_metrics_that_r_is_of() -> None:
    frame = campaign()
    found = report(frame)
    points = pairs(frame, found.design, "GPT-4", "overall")
    r = found.validity["GPT-4"]["overall"]
    assert isinstance(r, Correlation)
    assert np.corrcoef(points["expert"], points["judge"])[0, 1] == pytest.approx(r.estimate)
    mine = frame.query("rater == 'GPT-4'").groupby("item")["score"].mean()
    assert list(points["judge"]) == pytest.approx(list(mine[points["item"]]))


def test_axes_are_equal_with_the_identity_line_when_the_scales_are() -> None:
    frame = campaign()
    points = pairs(frame, report(frame).design, "GPT-4", "KA")
    figure = scatter(points, Undefined("for a test"), "GPT-4", INK, improvised=False)
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.yaxis.scaleanchor == "x"
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (line.y0, line.y1)
    assert "judge = experts" in texts(figure)
    assert figure.layout.title.text == "No r: for a test"


def test_a_judge_on_another_scale_gets_an_axis_of_its_own_and_no_line() -> None:
    points = pd.DataFrame(
        {"item": list("abc"), "scene": "s", "model": "m", "expert": [1.0, 2.0, 3.0], "judge": [0.1, 0.5, 0.9]}
    )
    assert not same_scale(points)
    figure = scatter(points, Undefined("x"), "j", INK, improvised=False)
    assert not figure.layout.shapes
    assert list(trace(figure, "j").y) == [0.1, 0.5, 0.9]  # none lies on another, so none is moved
    assert not jitter(points).any()


def test_equal_points_are_moved_apart_always_alike() -> None:
    points = pd.DataFrame({"expert": [3.0] * 50, "judge": [4.0] * 50})
    assert len(np.unique(jitter(points), axis=0)) == 50
    assert np.array_equal(jitter(points), jitter(points))


def test_no_point_is_no_plot() -> None:
    frame = campaign()
    alone = frame[frame["kind"] == "judge"]
    found = report(alone)
    points = pairs(alone, found.design, "GPT-4", "KA")
    with pytest.raises(UndefinedStatistic, match="there are 0"):
        scatter(points, found.validity["GPT-4"]["KA"], "GPT-4", INK, improvised=False)


def test_the_mark_of_the_rehearsal_is_part_of_the_figure() -> None:
    frame = campaign()
    found = report(frame)
    points = pairs(frame, found.design, "GPT-4", "KA")
    r = found.validity["GPT-4"]["KA"]
    for improvised in (True, False):
        charts = (
            forest(found, "GPT-4", INK, improvised=improvised),
            scatter(points, r, "GPT-4", INK, improvised=improvised),
        )
        assert all((MARK in chart.to_json()) == improvised for chart in charts)


def test_names_are_data_in_the_charts() -> None:
    hostile = '<a href="https://example.org">KA</a>'
    frame = campaign(("en",)).replace({"rater": {"GPT-4": hostile}, "metric": {"KA": hostile}})
    frame["item"] += hostile
    found = report(frame)
    points = pairs(frame, found.design, hostile, hostile)
    dot_plot = forest(found, hostile, INK, improvised=False)
    cloud = scatter(points, found.validity[hostile][hostile], hostile, INK, improvised=False)
    shown = [*dot_plot.layout.yaxis.ticktext, cloud.layout.yaxis.title.text, *trace(cloud, hostile).customdata]
    assert not any("<a" in text for text in shown)
    assert any("&lt;a" in text for text in shown)


@pytest.mark.parametrize("kind", ["light", "dark"])
def test_the_template_is_made_of_the_app_s_own_colours(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tomllib.loads((Path(__file__).parents[4] / ".streamlit/config.toml").read_text(encoding="utf-8"))
    monkeypatch.chdir(Path(__file__).parents[4])
    theme = config["theme"][kind]
    found = tokens(kind)  # type: ignore[arg-type]
    assert found == Tokens(theme["textColor"], theme["backgroundColor"], theme["primaryColor"], theme["borderColor"])
    layout = template(found).layout
    assert (layout.font.color, layout.xaxis.gridcolor, layout.showlegend) == (found.ink, found.rule, False)


def test_quiet_ink_is_two_thirds_of_the_way_from_paper() -> None:
    assert INK.quiet == "#555555"
