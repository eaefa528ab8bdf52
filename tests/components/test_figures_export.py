"""The downloads: they read back as the same ratings, hold the report's figures, and run nothing in a spreadsheet."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.rating import Dropped, read_ratings
from annotations.report import statistics
from annotations.rubric import load_rubric
from annotations.undefined import Undefined
from annotations.validity import Correlation
from characterbox.components.figures.export import dropped_csv, figures_csv, ratings_csv
from tests.components.ratings_sample import campaign

RUBRIC = load_rubric()
FORMULA_STARTS = tuple("=+-@\t\r＝＋－＠")


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_ratings_read_back_as_they_were() -> None:
    frame = campaign()
    back = read_ratings(ratings_csv(frame))
    pd.testing.assert_frame_equal(back.reset_index(drop=True), frame[back.columns].reset_index(drop=True))
    assert statistics(back, RUBRIC).as_json() == statistics(frame, RUBRIC).as_json()


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
    assert lost.detail == "'-- no score, said the judge\nat all"


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_text_that_would_be_a_formula_is_neutralised(start: str) -> None:
    frame = campaign(("en",)).drop(columns="language")
    frame["model"] = start + 'HYPERLINK("http://example.org")'
    rows = table(ratings_csv(frame))
    assert {row["model"] for row in rows} == {"'" + frame["model"].iloc[0]}
    read_ratings(ratings_csv(frame))


names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1).filter(lambda name: name.strip())


@settings(max_examples=60, deadline=None)
@given(st.lists(names, min_size=1, max_size=5, unique_by=lambda name: name.strip()))
def test_whatever_the_items_are_called_the_file_reads_back_with_as_many(items: list[str]) -> None:
    common = {"scene": "s", "model": "m", "metric": "KA", "rater": "r", "kind": "expert", "score": 3.0}
    frame = pd.DataFrame([{"item": item.strip(), **common} for item in items])
    content = ratings_csv(frame)
    assert read_ratings(content)["item"].nunique() == len(items)
    assert not any(cell.startswith(FORMULA_STARTS) for row in table(content) for cell in row.values())


def test_the_figures_are_the_report_s_in_full() -> None:
    frame = campaign()
    report = statistics(frame, RUBRIC)
    english = statistics(frame[frame["language"] == "en"], RUBRIC)
    rows = table(figures_csv(report, english, "en", frame))
    alphas = [row for row in rows if row["statistic"] == "Cronbach's alpha"]
    assert len(alphas) == len(report.reliability)
    consistency = next(row for row in alphas if (row["of"], row["language"]) == ("Consistency", "zh"))
    expected = report.as_json()["reliability"]["Consistency (zh)"]
    assert float(consistency["estimate"]) == expected["alpha"]
    assert (float(consistency["low"]), int(consistency["n"])) == (expected["low"], expected["n"])
    assert consistency["paper"] == "0.941"
    for row in rows:
        if row["statistic"] == "Pearson's r":
            r = english.validity[row["rater"]][row["of"]]
            assert row["language"] == "en"
            if isinstance(r, Undefined):
                assert (row["estimate"], row["undefined"]) == ("", r.reason)
            else:
                assert isinstance(r, Correlation)
                assert (float(row["estimate"]), float(row["low"])) == (r.pearson, r.low)
                assert (row["interval"], row["draws"], row["seed"]) == (r.interval, str(r.draws), "0")


def test_what_was_improvised_is_marked_in_the_files() -> None:
    frame = campaign()
    frame["improvised"] = ["story and judge" if rater == "GPT-4" else "story" for rater in frame["rater"]]
    report = statistics(frame, RUBRIC)
    rows = table(figures_csv(report, report, None, frame))
    assert {row["improvised"] for row in rows if row["rater"] == "GPT-4"} == {"story and judge"}
    assert {row["improvised"] for row in rows if row["rater"] == "experts"} == {"story"}
    assert set(read_ratings(ratings_csv(frame))["improvised"]) == {"story", "story and judge"}


def test_what_was_left_out_is_one_row_each() -> None:
    rows = table(dropped_csv([Dropped("a", None, "=j", "no score", "none was given")]))
    assert rows == [{"item": "a", "metric": "", "rater": "'=j", "reason": "no score", "detail": "none was given"}]
