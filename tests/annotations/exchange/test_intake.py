"""A dry run tells of every row that would be refused, with line, column, value, reason and remedy."""

import io
import pickle
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import RatingError
from annotations.exchange import intake
from annotations.exchange.intake import TAKEN, DryRun, dry_run, lines_of
from annotations.exchange.rating_file import Refusal
from annotations.marking.rating import check_frame, read_ratings
from annotations.rubrics.rubric import Rubric
from tests.annotations.exchange.records import CHARACTER, rubric_of
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english
from tests.fakes.real_data import real

HEADER = "item,scene,model,metric,rater,kind,score\n"
ROW = "1,s,m,KA,ann,expert,4\n"
HANNA = ("coherence", "complexity", "empathy", "engagement", "relevance", "surprise")


def tried(text: str, rubric: Rubric = CHARACTER) -> DryRun:
    """A dry run of a text."""
    return dry_run(text.encode(), rubric)


def refusals(text: str) -> list[tuple[int, str | None, str, str]]:
    """What is refused, without the remedies."""
    return [(one.line, one.column, one.value, one.reason) for one in tried(text).refused]


def test_a_clean_file_is_taken_as_it_stands() -> None:
    header = "language,item,scene,model,metric,rater,kind,score,reason,note\n"
    trial = tried(header + 'zh,1,"Tea, spilt",m,KA,王,expert,4,,x\n\n,1,"Tea, spilt",m,KA,gpt,judge,,no reply,y\n')
    assert trial.refused == ()
    assert tuple(trial.taken.columns) == TAKEN
    assert trial.taken.index.tolist() == [2, 4]
    assert trial.taken.loc[2].dropna().to_dict() == {
        "item": "1", "scene": "Tea, spilt", "model": "m", "language": "zh", "metric": "KA", "rater": "王",
        "kind": "expert", "score": 4.0,
    }  # fmt: skip
    assert trial.taken.loc[4, ["rater", "reason"]].tolist() == ["gpt", "no reply"]
    assert (trial.missing, trial.refused_rows, trial.unit) == (1, 0, "line")
    assert trial.counts("kind") == {"expert": 1, "judge": 1}
    assert trial.counts("metric") == {"KA": 2}
    check_frame(trial.taken)


def test_a_file_may_be_given_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(HEADER + ROW, encoding="utf-8-sig")
    assert len(dry_run(file, CHARACTER).taken) == 1


@pytest.mark.parametrize(
    ("row", "column", "value", "reason", "remedy"),
    [
        ("1,s,m,KA,ann,expert,9\n", "score", "9", "is outside the scale", "enter a whole number from 1 to 5"),
        ("1,s,m,KA,ann,expert,-1\n", "score", "-1", "is outside the scale", "enter a whole number from 1 to 5"),
        ("1,s,m,KA,ann,expert,3.5\n", "score", "3.5", "is not a whole number", "enter a whole number from 1 to 5"),
        ("1,s,m,KA,ann,expert,inf\n", "score", "inf", "is not a whole number", "enter a whole number from 1 to 5"),
        ("1,s,m,KA,ann,expert,good\n", "score", "good", "is not a number", "leave it empty if the rating is missing"),
        ("1,s,m,KA,ann,expert,nan\n", "score", "nan", "is not a number", "leave it empty if the rating is missing"),
        ("1,s,m,ZZ,ann,expert,4\n", "metric", "ZZ", "is not a metric of the rubric", (
            "the metrics of the rubric character are KA, BA"
        )),
        ("1,s,m,KA,ann,crowd,4\n", "kind", "crowd", "is unknown", "use expert or judge"),
        (",s,m,KA,ann,expert,4\n", "item", "", "is empty", "fill it in, or remove the row"),
        ("1, ,m,KA,ann,expert,4\n", "scene", "", "is empty", "fill it in, or remove the row"),
        ("1,s,m,,ann,expert,4\n", "metric", "", "is empty", "fill it in, or remove the row"),
        ("1,s,m,KA,,expert,4\n", "rater", "", "is empty", "fill it in, or remove the row"),
        ("1,s,m,KA,ann,,4\n", "kind", "", "is empty", "fill it in, or remove the row"),
        ("1,s,m\x00,KA,ann,expert,4\n", "model", "m\x00", "contains a character that cannot be stored", (
            "remove the character"
        )),
    ],
)  # fmt: skip
def test_a_faulty_cell_is_told_with_its_place_and_remedy(
    row: str, column: str, value: str, reason: str, remedy: str
) -> None:
    trial = tried(HEADER + ROW.replace("1,", "2,") + row)
    [refusal] = trial.refused
    assert in_english((refusal.line, refusal.column, refusal.value, refusal.reason)) == (3, column, value, reason)
    assert remedy in in_english(refusal.remedy)
    assert trial.taken["item"].tolist() == ["2"]


def test_all_faults_of_all_rows_are_told_in_the_order_of_the_file() -> None:
    text = HEADER + "1,s,m,ZZ,,expert,7\n" + ROW + "2,s,m,KA\n" + '3,"s\n",m,KA,ann,crowd,4\n'
    assert in_english(refusals(text)) == [
        (2, "rater", "", "is empty"),
        (2, "metric", "ZZ", "is not a metric of the rubric"),
        (2, "score", "7", "is outside the scale"),
        (4, None, "2,s,m,KA", "has a different number of cells than the header"),
        (6, "kind", "crowd", "is unknown"),
    ]
    assert tried(text).refused_rows == 3
    assert tried(text).taken["item"].tolist() == ["1"]


def test_the_second_score_of_a_cell_is_refused_and_the_first_is_named() -> None:
    trial = tried(HEADER + ROW + "2,s,m,KA,ann,expert,4\n" + "1,s,m,KA,ann,judge,5\n")
    assert in_english(trial.refused) == (
        Refusal(
            4,
            "score",
            "5",
            "is this rater's second score for the same metric and item",
            "keep one of the two; the other is in line 2",
        ),
    )
    assert len(trial.taken) == 2


@pytest.mark.parametrize(("owner", "row"), [("scene", "1,t,m,BA,ann,expert,4\n"), ("model", "1,s,n,BA,ann,expert,4\n")])
def test_an_item_has_one_scene_and_one_model(owner: str, row: str) -> None:
    trial = tried(HEADER + ROW + row + row.replace("BA", "EE"))
    assert [refusal.line for refusal in trial.refused] == [3, 4]
    assert in_english(trial.refused[0].reason) == f"differs from the {owner} given for this item earlier"
    assert in_english(trial.refused[0].remedy) == f"see line 2, and give each item one {owner}"


def test_what_is_refused_contradicts_nothing() -> None:
    trial = tried(HEADER + ROW.replace(",4", ",9") + ROW.replace("s,m", "t,n"))
    assert [refusal.line for refusal in trial.refused] == [2]
    assert trial.taken["scene"].tolist() == ["t"]


def test_what_came_of_it_is_the_same_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "_PORTION", 2)
    rows = [f"i{n},s,m,KA,ann,expert,{'x' if n < 5 else 3}" for n in range(6)]
    trial = tried("\n".join(["item,scene,model,metric,rater,kind,score", *rows]))
    again = pickle.loads(pickle.dumps(trial))
    assert again.refused == trial.refused
    assert len(trial.refused) == 5
    assert again.taken.equals(trial.taken)
    assert (again.rubric, again.refused_rows, again.unit) == (trial.rubric, trial.refused_rows, trial.unit)


def test_scores_that_do_not_count_yet_are_refused() -> None:
    header = HEADER.replace("score", "score,submitted,skipped")
    rows = [f"{item},s,m,KA,ann,expert,4,{said}\n" for item, said in enumerate(["true,false", "False,", ",TRUE", ","])]
    assert in_english(refusals(header + "".join(rows))) == [
        (3, "submitted", "False", "means that the item is not submitted yet: its scores do not count yet"),
        (4, "skipped", "TRUE", "means that the item was skipped: its scores do not count"),
    ]


def test_hidden_repeats_are_no_ratings_of_their_own() -> None:
    rows = [f"{item},s,m,KA,ann,expert,4,{take}\n" for item, take in enumerate(["0", "", "1", "2.0", "0.0"])]
    trial = tried(HEADER.replace("score", "score,take") + "".join(rows))
    assert [(one.line, one.column, one.value) for one in trial.refused] == [(4, "take", "1"), (5, "take", "2.0")]
    assert trial.taken["item"].tolist() == ["0", "1", "4"]


@pytest.mark.parametrize("column", ["language", "reason"])
def test_what_cannot_be_stored_is_refused_in_every_column_that_is_kept(column: str) -> None:
    trial = tried(f"{column},{HEADER}a\x00b,{ROW}fine,{ROW.replace('1', '2', 1)}")
    assert [(one.line, one.column, one.value) for one in trial.refused] == [(2, column, "a\x00b")]
    assert trial.taken[column].tolist() == ["fine"]


def test_a_rubric_with_fractions_takes_them() -> None:
    text = HEADER + "1,s,m,KA,ann,expert,-1\n2,s,m,KA,ann,expert,3.3333\n3,s,m,KA,ann,expert,5.1\n"
    trial = tried(text, rubric_of("KA", low=-1, fractions=True))
    assert trial.taken["score"].tolist() == [-1.0, 3.3333]
    assert in_english([refusal.remedy for refusal in trial.refused]) == [
        "enter a number from -1 to 5; leave it empty if the rating is missing"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file contains no ratings"),
        (HEADER.encode(), "the file contains no ratings"),
        (
            b"item,scene\n1,s\n",
            "line 1: the header has no column model, metric, rater, kind, score; it must contain item,",
        ),
        (HEADER.replace("scene", "item").encode() + ROW.encode(), "line 1: the header has no column scene"),
        (("item," + HEADER).encode() + b"1," + ROW.encode(), "line 1: the header has item more than once"),
        (HEADER.encode() + b'1,"s,m,KA\n', "line 2: this is not valid CSV"),
        (HEADER.encode() + "é".encode("latin-1"), r"\(line 2\) is not UTF-8, and no other encoding is certain"),
        (b"PAR1 and nothing more", "this is not a Parquet file, or it is damaged"),
    ],
)
def test_what_is_no_table_at_all_is_refused_as_a_whole(content: bytes, message: str) -> None:
    with pytest.raises(RatingError, match=message):
        dry_run(content, CHARACTER)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match="the file cannot be read: No such file"):
        dry_run(tmp_path / "none.csv", CHARACTER)


def parquet(frame: pd.DataFrame) -> bytes:
    """A Parquet file of a table."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def test_parquet_is_tried_row_by_row() -> None:
    rows = {
        "item": [7, 8, 9, 10],
        "scene": "s",
        "model": "m",
        "metric": "KA",
        "rater": ["ann", None, "ann", "ann"],
        "kind": "expert",
        "score": [4.0, 4.0, 3.5, None],
        "submitted": [True, True, True, True],
        "tags": [["a"], [], None, ["b"]],
    }
    trial = dry_run(parquet(pd.DataFrame(rows)), CHARACTER)
    assert [(one.line, one.column, one.value) for one in trial.refused] == [(2, "rater", ""), (3, "score", "3.5")]
    assert trial.unit == "row"
    assert trial.taken["item"].tolist() == ["7", "10"]
    assert trial.missing == 1


def test_parquet_needs_columns_and_rows() -> None:
    with pytest.raises(RatingError, match="the table has no column scene"):
        dry_run(parquet(pd.DataFrame({"item": ["1"]})), CHARACTER)
    empty = pd.DataFrame({name: pd.Series(dtype="str") for name in HEADER.strip().split(",")})
    with pytest.raises(RatingError, match="the file contains no ratings"):
        dry_run(parquet(empty), CHARACTER)


CELL = st.sampled_from(["1", "2", "s", "", "KA", "BA", "expert", "judge", "4", "-1", "3.5", "x", '"a\nb"'])


@pytest.mark.slow
@settings(max_examples=examples(20, 100))
@given(st.lists(st.lists(CELL, min_size=6, max_size=8), min_size=1, max_size=12))
def test_every_row_is_taken_or_refused_and_what_is_taken_is_sound(rows: list[list[str]]) -> None:
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    trial = tried(HEADER + "".join(f"{','.join(row)}\n" for row in rows))
    assert len(trial.taken) + trial.refused_rows == len(rows)
    assert {refusal.line for refusal in trial.refused}.isdisjoint(trial.taken.index)
    assert len({refusal.line for refusal in trial.refused}) == trial.refused_rows
    if not trial.taken.empty:
        check_frame(trial.taken)
        assert set(trial.taken["score"].dropna()) <= {1, 2, 4}


def hanna() -> Path:
    """The published collection."""
    return real("ratings", "hanna.csv")


@pytest.mark.slow
def test_hanna_under_whole_numbers_has_its_parse_failures_and_fractions_refused() -> None:
    trial = dry_run(hanna(), rubric_of(*HANNA))
    assert Counter((one.column, str(one.reason)) for one in trial.refused) == {
        ("score", "is not a whole number"): 17_141,
        ("score", "is outside the scale"): 74,
    }
    values = Counter(one.value for one in trial.refused)
    assert (values["-1.0"], values["0.0"], values["2.3333333333333335"]) == (37, 37, 2_749)
    assert (trial.refused_rows, len(trial.taken)) == (17_215, 50_688 - 17_215)
    assert trial.counts("kind") == {"expert": 19_008, "judge": 14_465}
    assert {name: trial.counts("rater")[name] for name in ("human-1", "human-2", "human-3")} == dict.fromkeys(
        ("human-1", "human-2", "human-3"), 6_336
    )


@pytest.mark.slow
def test_hanna_where_fractions_are_allowed_is_taken_whole_and_in_time() -> None:
    file = hanna()
    start = time.process_time()
    trial = dry_run(file, rubric_of(*HANNA, low=-1, fractions=True))
    assert time.process_time() - start < 3
    assert (len(trial.taken), trial.refused) == (50_688, ())
    assert trial.counts("metric") == dict.fromkeys(HANNA, 8_448)
    read = read_ratings(file)
    pd.testing.assert_frame_equal(
        trial.taken[list(read.columns)], read, check_names=False, check_dtype=False, check_exact=True
    )


def test_a_dry_run_as_text() -> None:
    text = (
        HEADER + ROW + "2,s,m,KA,a\x1b[31m,expert,4\n" + "3,s,m,KA,ann,expert,7\n" + "4,s\n" + "5,s,m,BA,ann,judge,\n"
    )
    assert list(lines_of(tried(text))) == [
        (
            "refused: line 4, column score: '7' is outside the scale; enter a whole number from 1 "
            "to 5; leave it empty if the rating is missing"
        ),
        "refused: line 5: '4,s' has another number of cells than the header;"
        " it has 2 where the header has 7; put text that contains a comma in double quotes",
        f"3 ratings can be taken under the rubric character {CHARACTER.version}, 1 of them without a score",
        "  by kinds: expert 2, judge 1",
        "  by raters: a\ufffd[31m 1, ann 2",
        "  by metrics: BA 1, KA 2",
        "2 rows are refused",
    ]
