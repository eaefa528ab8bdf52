"""The downloads: they read back as the same ratings, hold all figures, and run nothing in a spreadsheet."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.marking.rating import Dropped, read_ratings
from annotations.report.all_figures import every_figure
from annotations.report.figure import COLUMNS, Figure
from annotations.report.report import Report, statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.downloads import dropped_csv, figures_csv, ratings_csv
from tests.annotations.exchange.records import texts
from tests.components.figures.ratings_sample import campaign, reported
from tests.fakes.examples import examples

pytestmark = pytest.mark.slow

RUBRIC = load_rubric()
FORMULA_STARTS = tuple("=+-@\t\r＝＋－＠")


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_ratings_read_back_as_they_were() -> None:
    frame = campaign(scenes=2)
    back = read_ratings(ratings_csv(frame))
    pd.testing.assert_frame_equal(back.reset_index(drop=True), frame[back.columns].reset_index(drop=True))
    one, other = (each[each["metric"].isin(["KA", "BA"])] for each in (back, frame))
    assert statistics(one, RUBRIC).as_json() == statistics(other, RUBRIC).as_json()


def test_a_missing_score_keeps_its_reason_and_a_negative_one_stays_a_number() -> None:
    given = {"scene": "s", "model": "m", "metric": "KA", "kind": "judge", "language": "en"}
    frame = pd.DataFrame(
        [
            {"item": "a", "rater": "j", "score": None, "reason": "-- no score, said the judge\nat all", **given},
            {"item": "b", "rater": "j", "score": -1.0, "reason": None, **given},
        ]
    )
    rows = table(ratings_csv(frame))
    assert [row["score"] for row in rows] == ["", "-1.0"]
    assert rows[0]["reason"] == "'-- no score, said the judge\nat all"
    back = read_ratings(ratings_csv(frame))
    assert back["score"].isna().tolist() == [True, False]
    (lost,) = statistics(back).dropped[:1]
    assert lost.detail == "-- no score, said the judge\nat all"


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_text_that_would_be_a_formula_is_neutralised(start: str) -> None:
    frame = campaign(("en",)).drop(columns="language")
    frame["model"] = start + 'HYPERLINK("http://example.org")'
    rows = table(ratings_csv(frame))
    assert {row["model"] for row in rows} == {"'" + frame["model"].iloc[0]}
    assert read_ratings(ratings_csv(frame))["model"].tolist() == frame["model"].tolist()


@settings(max_examples=examples(25, 60))
@given(st.lists(texts(min_size=1).filter(str.strip), min_size=1, max_size=5, unique=True))
def test_whatever_is_in_them_the_ratings_read_back_as_they_were_and_no_cell_is_a_formula(said: list[str]) -> None:
    common = {"scene": said[0], "model": said[-1], "metric": "KA", "rater": said[0], "kind": "judge", "score": None}
    frame = pd.DataFrame([{"item": text, "reason": text, **common} for text in said])
    content = ratings_csv(frame)
    back = read_ratings(content)
    for column in ("item", "scene", "model", "rater", "reason"):
        assert back[column].tolist() == frame[column].tolist()
    assert not any(cell.lstrip().startswith(FORMULA_STARTS) for row in table(content) for cell in row.values())


@pytest.fixture(scope="module")
def ratings() -> pd.DataFrame:
    return campaign()


@pytest.fixture(scope="module")
def report(ratings: pd.DataFrame) -> Report:
    return reported(ratings, scale=None)


@pytest.fixture(scope="module")
def figures(ratings: pd.DataFrame, report: Report) -> tuple[Figure, ...]:
    return every_figure(ratings, report)


def test_the_figures_are_in_the_file_in_full(
    ratings: pd.DataFrame, report: Report, figures: tuple[Figure, ...]
) -> None:
    rows = table(figures_csv(figures, report, ratings, Selection("zh")))
    assert len(rows) == len(figures)
    assert {row["selection"] for row in rows} == {
        "Only ratings of the language Chinese were selected from a larger set."
    }
    assert {bool(row["undefined"]) for row in rows} == {True, False}
    for row, figure in zip(rows, figures, strict=True):
        for name, value in zip(COLUMNS, figure.row(), strict=True):
            assert row[name] == ("" if value is None else str(value))
            assert value is None or not isinstance(value, float) or float(row[name]) == value


def test_the_paper_stands_beside_the_figures_that_it_gives(
    ratings: pd.DataFrame, report: Report, figures: tuple[Figure, ...]
) -> None:
    beside = {
        (row["statistic"], row["dimension"] or row["metric"], row["judge"] or row["side"], row["language"]): row[
            "paper"
        ]
        for row in table(figures_csv(figures, report, ratings, Selection()))
        if row["paper"]
    }
    alphas = {place[1:]: paper for place, paper in beside.items() if place[0] == "Cronbach's alpha"}
    assert alphas[("Consistency", "experts", "zh")] == "0.941"
    assert {place[1] for place in alphas} == {"experts", "GPT-4", "Same <b>"}, "the paper does not say whose it has"
    assert len(alphas) == 3 * 6
    correlations = {place[1]: paper for place, paper in beside.items() if place[0] == "Pearson's r, items"}
    assert correlations.keys() == {*RUBRIC.keys, "overall"}
    assert correlations["AD"] == "0.742"
    judges = {place[2] for place in beside if place[0] == "Pearson's r, items"}
    assert judges == {"GPT-4"}
    assert len(beside) == len(alphas) + len(correlations)


def test_on_other_metrics_nothing_is_the_paper_s(ratings: pd.DataFrame) -> None:
    two = ratings[ratings["metric"].isin(["KA", "BA"]) & (ratings["language"] == "en")].drop(columns="language")
    report = reported(two, scale=None)
    rows = table(figures_csv(every_figure(two, report), report, two, Selection()))
    assert any((row["judge"], row["statistic"]) == ("GPT-4", "Pearson's r, items") for row in rows)
    assert not any(row["paper"] for row in rows)


@pytest.mark.parametrize(
    ("sign", "of_the_judge", "of_others"),
    [("story and judge", "story and judge", "story"), ("judge", "judge", ""), ("story", "story", "story")],
)
def test_what_was_improvised_is_marked_in_the_files(
    sign: str, of_the_judge: str, of_others: str, report: Report, figures: tuple[Figure, ...]
) -> None:
    frame = campaign()
    frame["improvised"] = [sign if rater == "GPT-4" else of_others for rater in frame["rater"]]
    rows = table(figures_csv(figures, report, frame, Selection()))
    own = [row for row in rows if "GPT-4" in (row["judge"], row["other_judge"])]
    assert {row["side"] for row in own} == {"judge", "judges", "judge and experts", "experts", "baseline"}
    assert {row["improvised"] for row in own} == {of_the_judge}
    assert {row["improvised"] for row in rows if row not in own} == {of_others}
    assert set(read_ratings(ratings_csv(frame))["improvised"]) == {sign, of_others}


def test_what_was_left_out_is_one_row_each() -> None:
    rows = table(dropped_csv([Dropped("a", None, "=j", "no score", "no reason given")]))
    told = {"item": "a", "dimension": "", "metric": "", "rater": "'=j"}
    assert rows == [{**told, "reason": "no score", "detail": "no reason given"}]
