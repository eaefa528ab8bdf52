"""Reading ratings: clean files come through as they stand, damaged ones are refused with line, column and remedy."""

from pathlib import Path

import pandas as pd
import pytest

from annotations.errors import RatingError
from annotations.marking.rating import Dropped, check_frame, leave_out_missing, leave_out_of_scale, read_ratings
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

HEADER = "item,scene,model,metric,rater,kind,score\n"
ROW = "1,s,m,KA,ann,expert,4\n"


def test_a_clean_file_comes_through_as_it_stands(tmp_path: Path) -> None:
    text = HEADER + '7,"Tea, spilt",m-1,KA,王,expert,-1\n007, s ,m,BA,gpt,judge,3.333\n'
    file = tmp_path / "ratings.csv"
    file.write_text(text, encoding="utf-8-sig")
    frame = read_ratings(file)
    assert frame["score"].tolist() == [-1.0, 3.333]
    assert frame["item"].tolist() == ["7", "007"]
    assert frame["scene"].tolist() == ["Tea, spilt", "s"]
    assert frame["rater"].tolist() == ["王", "gpt"]
    assert frame.index.tolist() == [2, 3]
    pd.testing.assert_frame_equal(read_ratings(text), frame)
    pd.testing.assert_frame_equal(read_ratings(file.read_bytes()), frame)


def test_columns_may_come_in_any_order_and_further_ones_are_kept() -> None:
    frame = read_ratings("note,score,kind,rater,metric,model,scene,item,language\nhm,4,expert,ann,KA,m,s,1,zh\n")
    assert frame.loc[2].to_dict() == {
        "note": "hm",
        "score": 4.0,
        "kind": "expert",
        "rater": "ann",
        "metric": "KA",
        "model": "m",
        "scene": "s",
        "item": "1",
        "language": "zh",
    }


def test_an_empty_score_is_a_missing_rating_and_is_listed() -> None:
    frame, dropped = leave_out_missing(read_ratings(HEADER + ROW + "2,s,m,KA,ann,expert,\n"))
    assert frame["item"].tolist() == ["1"]
    assert in_english(dropped) == (Dropped("2", "KA", "ann", "no score", "no reason given"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file contains no ratings"),
        (HEADER, "the file contains no ratings"),
        (
            "item,scene,model,metric,rater,score\n1,s,m,KA,ann,4\n",
            "line 1: the header has no column kind; it must list",
        ),
        (HEADER.replace(",", ";") + ROW, "line 1: the header has no column item, scene.*separated by commas"),
        (HEADER.replace("scene", "item,scene") + ROW, "line 1: the header has item more than once"),
        (HEADER + ROW + "2,s,m,KA,ann,expert,good\n", "line 3, column score: 'good' is not a number; enter a number"),
        (HEADER + ROW + "2,s,m,KA,ann,expert,nan\n", "line 3, column score: 'nan' is not a number"),
        (HEADER + ROW + "2,s,m,KA,ann,expert,inf\n", "line 3, column score: 'inf' is not a number"),
        (
            HEADER + ROW + "2,s,m,KA,ann,expert,-1e308\n",
            "line 3, column score: '-1e308' is beyond one million; correct",
        ),
        (HEADER + ROW + "2,s,m,KA,ann,expert,1000001\n", "line 3, column score: '1000001' is beyond one million"),
        (HEADER + "1,s,m,KA,ann,expert,x\n2,s,m,KA,ann,expert,y\n", r"line 2, column score: 'x' .*\(and 1 more\)"),
        (HEADER + "\n" + "2,s,m,KA,ann,critic,3\n", "line 3, column kind: 'critic' is unknown; use expert or judge"),
        (HEADER + ROW + "2,s,m, ,ann,expert,3\n", "line 3, column metric: '' is empty"),
        (HEADER + ROW + "2,s,m,KA,ann,expert\n", "line 3: 6 cells, but the header has 7"),
        (HEADER + ROW + "2,s,m,KA,ann,expert,4,5\n", "line 3: 8 cells, but the header has 7"),
        (HEADER + ROW + '2,"s,m,KA,ann,expert,3\n', "line 3: this is not valid CSV"),
        (HEADER + ROW + '"2"x,s,m,KA,ann,expert,3\n', "line 3: this is not valid CSV"),
        (
            HEADER + ROW + "2,s,m,KA,ann,expert,3\n1,s,m,KA,ann,expert,5\n",
            "line 2 and line 4: item '1', metric 'KA', rater 'ann'",
        ),
        (HEADER + ROW + "1,s,m,KA,ann,expert,\n", "line 2 and line 3: .* is rated twice"),
        (
            HEADER + ROW + "2,s,m,KA,ann,expert,3\n1,t,m,BA,ann,expert,5\n",
            "line 2 and line 4: item '1' belongs to two scenes",
        ),
        (HEADER + ROW + "1,s,n,BA,ann,expert,5\n", "line 2 and line 3: item '1' belongs to two models"),
    ],
)
def test_a_damaged_file_is_refused_with_place_and_remedy(text: str, message: str) -> None:
    with pytest.raises(RatingError, match=rf"(?s)^{message}"):
        read_ratings(text)


def test_a_score_of_a_million_is_taken() -> None:
    assert read_ratings(HEADER + "1,s,m,KA,ann,expert,-1e6\n")["score"].tolist() == [-1e6]


def test_another_encoding_is_refused_with_its_line() -> None:
    with pytest.raises(RatingError, match=r"\(line 2\) is not UTF-8, and no other encoding is certain"):
        read_ratings((HEADER + ROW.replace("ann", "王")).encode("gb18030"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match="the file cannot be read: No such file"):
        read_ratings(tmp_path / "nothing.csv")


def test_scores_off_the_scale_are_left_out_only_when_asked_and_each_is_listed() -> None:
    frame = read_ratings(
        HEADER + ROW + "2,s,m,KA,gpt,judge,-1\n3,s,m,KA,gpt,judge,5.5\n4,s,m,KA,gpt,judge,\n5,s,m,KA,gpt,judge,5\n"
    )
    kept, dropped = leave_out_of_scale(frame, 1, 5)
    assert kept["item"].tolist() == ["1", "4", "5"]
    assert in_english(dropped) == (
        Dropped("2", "KA", "gpt", "outside the scale 1 to 5", "score -1"),
        Dropped("3", "KA", "gpt", "outside the scale 1 to 5", "score 5.5"),
    )


def test_a_missing_score_is_listed_with_the_reason_that_the_table_gives() -> None:
    _, dropped = leave_out_missing(
        frame_of([rating(reason=None), rating(item="2", score=None, reason="no number in the reply")])
    )
    assert in_english(dropped) == (Dropped("2", "KA", "gpt", "no score", "no number in the reply"),)


def test_contradicting_ratings_are_refused() -> None:
    with pytest.raises(RatingError, match="row 0 and row 1: item '1', metric 'KA', rater 'gpt' is rated twice"):
        check_frame(pd.DataFrame([rating(), rating(score=5)]).astype({"score": float}))


def test_a_table_that_is_none_of_ratings_is_refused() -> None:
    frame = read_ratings(HEADER + ROW)
    with pytest.raises(RatingError, match="column kind is missing"):
        check_frame(frame.drop(columns="kind"))
    with pytest.raises(RatingError, match="finite floats"):
        check_frame(frame.astype({"score": str}))
    with pytest.raises(RatingError, match="no rows"):
        check_frame(frame.iloc[:0])


def test_a_column_of_reasons_drops_nothing_where_no_rating_is_missing() -> None:
    frame, dropped = leave_out_missing(frame_of([rating(), rating(metric="BA")]).assign(reason=None))
    assert (len(frame), dropped) == (2, ())
