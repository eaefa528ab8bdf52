"""The leaderboard's tables and charts: what is marked, escaped, and left out."""

import re

import pandas as pd
import plotly.graph_objects as go
import pytest

from annotations.errors import Undefined
from annotations.i18n.translation import speaking
from annotations.leaderboard.standings import Standing, standings
from annotations.report.published import TABLE_1
from annotations.report.published_names import PublishedNames
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.charts.leaderboard import MOST, means_chart, radar
from characterbox.components.figures.charts.theme import Tokens
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.leaderboard import (
    board_table,
    metrics_spelled_out,
    paper_table,
    scenes_table,
    trajectories_table,
)
from characterbox.judging.leaderboard import Board, Wanted, scenes_behind
from characterbox.judging.provenance import DEMO_NOTE, NOT_A_RESULT

KEYS = load_rubric().keys
TOKENS = Tokens(ink="#23211d", paper="#fbf9f4", accent="#9a3b26", rule="#d9d3c5")
MODELS = ("GPT-4", "<b>two", "three", "four", "five", "six")


def items(models=MODELS, scenes=6):
    """The first model is the best everywhere; the last has no score on BC."""
    rows = []
    for scene in range(scenes):
        for place, model in enumerate(models):
            score = 4.6 - 0.3 * place - 0.05 * ((scene + place) % 3)
            of = {key: float("nan") if key == "BC" and model == "six" else score for key in KEYS}
            rows.append(
                {
                    "item": f"{scene}{place}:ann",
                    "story": f"{scene}{place}",
                    "slug": "ann",
                    "scene": f"s<{scene}",
                    "model": model,
                }
                | of
            )
    return pd.DataFrame(rows)


def board(**changes) -> Board:
    table = items()
    given = {"standings": standings(table, KEYS), "items": table, "improvised": {"three": "story"}}
    return Board(Wanted("judge", "en", "GPT-4"), **{**given, **changes})


def to(changes):
    return "/leaderboard?" + "&".join(f"{name}={value}" for name, value in changes.items())


def rows(html):
    """The cells of each row of a table, by its label."""
    body = html.partition("<tbody>")[2]
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body):
        label = re.search(r'<th scope="row">(.*?)</th>', row)
        assert label is not None
        found[re.sub(r"<.*?>", "", label[1]).removesuffix("Demo")] = re.findall(r"<td.*?</td>", row)
    return found


def test_the_best_and_the_second_of_each_column_stand_out_and_each_figure_leads_on():
    html = html_of(board_table(board(), "overall", to))
    found = rows(html)
    assert [*found] == ["GPT-4", "&lt;b&gt;two", "three", "four", "five", "six"]
    assert all('class="best"' in cell for cell in found["GPT-4"][1:-1])
    assert all('class="second"' in cell for cell in found["&lt;b&gt;two"][1:-1])
    assert 'href="/leaderboard?model=GPT-4&amp;metric=KA"' in found["GPT-4"][1]
    assert "no score" in found["six"][7]
    assert "no score" in found["six"][8], "of the average, too"
    assert "<b>two" not in html


def test_the_paper_s_figure_stands_by_a_model_of_its_name_only():
    found = rows(html_of(board_table(board(), "KA", to)))
    paper = next(one for one in TABLE_1 if (one.model, one.language, one.metric) == ("GPT-4", "en", "KA"))
    assert f"paper {paper.mean:.2f} ±{paper.sd:.2f}" in found["GPT-4"][1]
    assert not any("paper" in cell for model, cells in found.items() if model != "GPT-4" for cell in cells)


def test_a_model_that_is_served_under_another_name_has_the_paper_s_figure_with_notes_of_it():
    served = "Qwen/Qwen2.5-7B-Instruct"
    models = (served, "mine", *MODELS[2:])
    table = items(models)
    named = board(items=table, standings=standings(table, KEYS))
    html = html_of(board_table(named, "KA", to, PublishedNames({"mine": "GPT-4"})))
    assert "paper 2.20 ±0.55" in rows(html)[f"{served}ab"][1]
    assert "paper 3.80 ±0.49" in rows(html)["minec"][1]
    assert f"The paper lists {served} as Qwen2.5-7B." in html
    assert html.count("have the same eight standard deviations") == 1
    chart = means_chart(named, "KA", "x", TOKENS, PublishedNames({"mine": "GPT-4"}))
    assert [*next(trace.x for trace in chart.data if trace.name == "paper")] == [2.202, 3.796]


def test_no_figure_of_the_paper_stands_beside_what_is_no_result():
    improvised = board(improvised={"GPT-4": "story"})
    assert "paper" not in html_of(board_table(improvised, "KA", to)).replace("cb-paper", "")
    assert [trace.name for trace in means_chart(improvised, "KA", "x", TOKENS).data] == ["bar", "mean"]


def test_what_the_rehearsal_made_is_marked_at_its_row_and_in_charts_that_show_it():
    html = html_of(board_table(board(), "overall", to))
    assert html.count(NOT_A_RESULT) == 1
    marked = re.search(rf"<th scope=\"row\">([^<]*)<span[^>]* title=\"{re.escape(NOT_A_RESULT)}\">Demo<", html)
    assert marked is not None
    assert marked[1] == "three"
    for chart in (means_chart(board(), "overall", "x", TOKENS), radar(board(), MODELS, TOKENS)):
        assert DEMO_NOTE in chart.layout.title.text
    assert DEMO_NOTE not in (radar(board(), ["GPT-4", "four"], TOKENS).layout.title.text or "")
    assert DEMO_NOTE not in (means_chart(board(improvised={}), "overall", "x", TOKENS).layout.title.text or "")


def test_a_rank_tells_between_which_it_lies_and_how_often_it_is_the_first():
    one = board().of("overall")["GPT-4"]
    unsure = Standing(**{**vars(one), "best_rank": 1, "worst_rank": 3, "first": 0.625})
    found = rows(html_of(board_table(board(standings=[unsure]), "overall", to)))
    assert re.sub("<.*?>", " ", found["GPT-4"][0]).split() == ["1", "(1–3)", "first", "in", "62%"]


def test_a_corrected_mean_that_is_not_defined_has_its_reason_below():
    undefined = {("six", "BC"): Undefined("too <few> items")}
    html = html_of(board_table(board(undefined=undefined), "overall", to))
    assert 'title="too &lt;few&gt; items">–</span><sup>a</sup>' in rows(html)["six"][7]
    only = board(undefined={("seven", "BC"): Undefined("too few items")})
    assert [*rows(html_of(board_table(only, "BC", to)))][-1] == "seven"
    assert "too &lt;few&gt; items" in html


def test_the_charts_have_an_interval_at_every_mean():
    chart = means_chart(board(), "overall", "Score <i>", TOKENS)
    assert isinstance(chart, go.Figure)
    bars, means = chart.data[:2]
    assert [*bars.x] == pytest.approx([mean - bars.base for mean in means.x])
    assert bars.base == 1, "the lowest score there is"
    assert [one.mean for one in board().of("overall").values()] == pytest.approx(means.x)
    assert all(more > 0 and less > 0 for more, less in zip(means.error_x.array, means.error_x.arrayminus, strict=True))
    assert [*chart.layout.yaxis.ticktext][1] == "&lt;b&gt;two"
    assert chart.layout.xaxis.title.text == "Score &lt;i&gt;"
    papers = chart.data[2]
    assert (papers.name, len(papers.x)) == ("paper", 1)


def test_outlines_are_of_a_few_models_that_have_every_metric_each_with_its_band():
    chart = radar(board(), MODELS, TOKENS)
    names = [trace.name for trace in chart.data if trace.name]
    assert names == ["GPT-4", "&lt;b&gt;two", "three †", "four", "five"]
    assert len(chart.data) == 2 * MOST
    low, high = chart.layout.polar.radialaxis.range
    assert low <= min(min(trace.r) for trace in chart.data)
    assert high >= max(max(trace.r) for trace in chart.data)
    assert not radar(board(), ["six"], TOKENS).data


def test_the_paper_s_table_is_ordered_by_the_metric_and_has_its_own_best():
    found = rows(html_of(paper_table("zh", "KA")))
    assert [*found][:2] == ["Qwen2.5-7B", "GPT-4"]
    assert 'class="best"' in found["Qwen2.5-7B"][0]
    assert 'class="best"' in found["GPT-4"][7]
    assert len(found) == 9


def test_scenes_and_trajectories_are_data_and_lead_on():
    scenes = scenes_behind(board(), "GPT-4", "KA")
    html = html_of(scenes_table(scenes, "s<1", to))
    assert html.count('aria-current="true"') == 1
    assert "s&lt;1</a>" in html
    table = html_of(
        trajectories_table(items().head(2).assign(KA=[4.0, float("nan")]), {"00:ann": "/playback?story=00&at=2"})
    )
    assert table.count("<a ") == 1
    assert 'href="/playback?story=00&amp;at=2"' in table
    assert "nan" not in table


def test_what_stands_above_the_columns_is_spelled_out():
    assert metrics_spelled_out().startswith("KA: Knowledge Accuracy; BA: Behavioral Accuracy; ")
    with speaking("zh"):
        assert metrics_spelled_out().endswith("；BC：行为连贯性")
