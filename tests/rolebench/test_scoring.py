"""Answers against the released ones: which of these are the references of each part, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotations.resampling.crossed import BY_BOTH, BY_QUESTIONS
from annotations.resampling.jackknife import Interval
from characterbox.errors import RoleError
from characterbox.rolebench.released import Row, write_rows
from characterbox.rolebench.scoring import PARTS, Asked, Part, Plain, Score, references_of, score_files
from tests.rolebench.role_answers import a_file, a_row

GENERAL = (
    a_row(
        " Who did it?\n", "police killed the gunman", "the gunman kill police", "police kill the gunman", "I", "I", "I"
    ),
    a_row("Who did it?", "police killed the gunman", "we killed it", role="Merchant"),
    a_row("Why? ", "because", "for coins, for coins", "coins", role="Merchant"),
)
"""The plain answer first, then one to five of the role's."""
ANSWERS = (
    a_row("Who did it?", "police kill the gunman"),
    a_row(" Who did it?", "police kill the gunman", role=" Merchant "),
    a_row("Why?", "for coins", "because", role="Merchant"),
)


def scored(folder: Path, answers: tuple[Row, ...], references: tuple[Row, ...], asked: Asked) -> Score:
    return score_files(
        a_file(folder / "answers.jsonl", *answers), a_file(folder / "released.jsonl", *references), asked
    )


def refusal(folder: Path, answers: tuple[Row, ...], references: tuple[Row, ...], asked: Asked) -> str:
    with pytest.raises(RoleError) as caught:
        scored(folder, answers, references, asked)
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("texts", "part", "plain", "references"),
    [
        ("p12", "spe", None, "p12"),
        ("p12", "raw", "first", "p"),
        ("p12", "cus", "first", "12"),
        ("p", "raw", "first", "p"),
        ("p", "cus", "first", ""),
        ("p", "raw", "none", "p"),
        ("12", "raw", "none", ""),
        ("12", "cus", "none", "12"),
        ("1", "cus", "none", "1"),
    ],
)
def test_the_rule_by_which_a_row_gives_its_references(
    texts: str, part: Part, plain: Plain | None, references: str
) -> None:
    assert references_of(a_row("Who?", *texts), part, plain) == tuple(references)


def test_plain_answers_worked_by_hand(tmp_path: Path) -> None:
    score = scored(tmp_path, ANSWERS, GENERAL, Asked("raw", "en"))
    assert score.mean.estimate == pytest.approx((3 / 4 + 3 / 4 + 0) / 3, abs=1e-12)
    assert (score.mean.n, score.roles, score.questions) == (3, 2, 2)
    assert (score.references, score.tokenizer, score.plain) == ("best of 1", "rouge-score", "first")
    assert (score.missing, score.several, score.doubtful) == (0, 1, False)
    assert isinstance(score.mean.interval, Interval)
    assert score.mean.interval.way == BY_BOTH


def test_answers_in_the_role_s_manner_worked_by_hand(tmp_path: Path) -> None:
    # The best of 2/4, 1, 0, 0 and 0; 0; the best of 2 * 2 / 6 and 2 * 1 / 3, and their means.
    best = scored(tmp_path, ANSWERS, GENERAL, Asked("cus", "en"))
    assert best.mean.estimate == pytest.approx((1 + 0 + 2 / 3) / 3, abs=1e-12)
    assert best.references == "best of 1 to 5"
    mean = score_files(tmp_path / "answers.jsonl", tmp_path / "released.jsonl", Asked("cus", "en", "mean"))
    assert mean.mean.estimate == pytest.approx((1.5 / 5 + 0 + 2 / 3) / 3, abs=1e-12)
    assert mean.references == "mean of 1 to 5"


def test_questions_about_a_role_worked_by_hand(tmp_path: Path) -> None:
    references = a_row("Where? ", "at the river", type=("script_based",)), a_row("Who?", "Tam", type="script_agnostic")
    answers = a_row("Where?", "at the old river"), a_row("Who?", "no")
    score = scored(tmp_path, answers, references, Asked("spe", "en"))
    assert score.mean.estimate == pytest.approx((6 / 7 + 0) / 2, abs=1e-12)
    assert (score.roles, score.questions, score.plain, score.doubtful) == (1, 2, None, False)
    assert score.references == "best of 1"
    assert isinstance(score.mean.interval, Interval)
    assert score.mean.interval.way == BY_QUESTIONS


@pytest.mark.slow
def test_in_chinese_all_texts_are_the_role_s(tmp_path: Path) -> None:
    references = (a_row("一加二？", "俺老孙说是三", "三，师父", role="悟空"),)
    score = scored(tmp_path, (a_row("一加二？", "三，师父！", role="悟空"),), references, Asked("cus", "zh", "mean"))
    assert 0.5 < score.mean.estimate < 1
    assert (score.references, score.tokenizer, score.plain, score.doubtful) == ("mean of 2", "jieba", "none", False)


def test_in_english_a_file_of_one_text_each_is_one_of_plain_answers_or_of_the_role_s(tmp_path: Path) -> None:
    answers, references = (a_row("Who?", "I"),), (a_row("Who?", "I"),)
    for part in PARTS:
        (folder := tmp_path / part).mkdir()
        score = scored(folder, answers, references, Asked(part, "en"))
        assert (score.mean.estimate, score.plain) == (1, None if part == "spe" else "none")


@pytest.mark.parametrize(("plain", "estimate"), [("first", 0), ("none", 1)])
def test_the_plain_answer_is_where_one_says(tmp_path: Path, plain: Plain, estimate: float) -> None:
    references = (a_row("Who?", "I", "you", "they"),)
    score = scored(tmp_path, (a_row("Who?", "I"),), references, Asked("cus", "en", plain=plain))
    assert (score.mean.estimate, score.plain) == (estimate, plain)


@pytest.mark.parametrize(
    ("count", "plain", "doubtful"), [(5, None, True), (6, None, False), (5, "first", False), (5, "none", False)]
)
def test_whether_the_first_text_is_plain_is_doubtful_where_none_has_more_than_a_role_gives(
    tmp_path: Path, count: int, plain: Plain | None, doubtful: bool
) -> None:
    references = a_row("Who?", *["I"] * count), a_row("What?", "it", "it")
    score = scored(tmp_path, (a_row("Who?", "I"), a_row("What?", "it")), references, Asked("cus", "en", plain=plain))
    assert score.doubtful == doubtful


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    found = scored(tmp_path, ANSWERS, GENERAL, Asked("cus", "en"))
    for name, rows in (("answers", ANSWERS), ("released", GENERAL)):
        write_rows(tmp_path / f"{name}-turned.jsonl", rows[::-1])
    again = score_files(tmp_path / "answers-turned.jsonl", tmp_path / "released-turned.jsonl", Asked("cus", "en"))
    assert again.mean.estimate == pytest.approx(found.mean.estimate, abs=1e-12)
    assert replace(again, mean=found.mean) == found


@pytest.mark.parametrize("part", PARTS)
def test_references_without_a_prediction_are_refused_or_counted(tmp_path: Path, part: Part) -> None:
    told = refusal(tmp_path, ANSWERS[:1], GENERAL, Asked(part, "en"))
    assert told == (
        "released.jsonl: 2 rows without a prediction in answers.jsonl, the first in line 2 ('Merchant'); have these"
        " questions answered, or give --partial to score the others alone"
    )
    files = tmp_path / "answers.jsonl", tmp_path / "released.jsonl"
    score = score_files(*files, Asked(part, "en", partial=True))
    assert (score.mean.n, score.missing, score.roles) == (1, 2, 1)


@pytest.mark.parametrize("partial", [False, True])
def test_predictions_without_a_reference_are_refused(tmp_path: Path, partial: bool) -> None:
    told = refusal(tmp_path, ANSWERS, GENERAL[:2], Asked("raw", "en", partial=partial))
    assert told == (
        "answers.jsonl: 1 row without a reference in released.jsonl, the first in line 3 ('Merchant'); leave these rows"
        " out, or name the references of all"
    )


@pytest.mark.parametrize("references", [GENERAL, ()])
def test_of_no_predictions_there_is_no_score(tmp_path: Path, references: tuple[Row, ...]) -> None:
    told = refusal(tmp_path, (), references, Asked("raw", "en", partial=True))
    assert told == "answers.jsonl: it has no rows, so there is nothing to score"


def test_a_row_without_an_answer_of_the_role_is_refused(tmp_path: Path) -> None:
    told = refusal(
        tmp_path, ANSWERS, (GENERAL[0], a_row("Who did it?", "police", role="Merchant"), GENERAL[2]), Asked("cus", "en")
    )
    assert told == (
        "released.jsonl: 1 row with the plain answer alone and none of the role's, the first in line 2; take these rows"
        " out of both files, or give --plain none if all texts are the role's"
    )


def test_a_row_of_which_no_text_is_known_to_be_plain_is_refused(tmp_path: Path) -> None:
    told = refusal(tmp_path, ANSWERS, GENERAL, Asked("raw", "en", plain="none"))
    assert told == (
        "released.jsonl: 3 rows with several texts, none of which is known to be the plain answer, the first in line 1;"
        " name a file of plain answers, or give --plain first if they stand first"
    )


@pytest.mark.parametrize("name", ["answers", "released"])
def test_a_fault_in_either_file_is_told_with_its_line(tmp_path: Path, name: str) -> None:
    answers, released = a_file(tmp_path / "answers", *ANSWERS), a_file(tmp_path / "released", *GENERAL)
    with (tmp_path / name).open("a") as file:
        file.write("[]\n")
    with pytest.raises(RoleError, match=f"{name}, line 4: this is no row of RoleBench: it is no JSON object"):
        score_files(answers, released, Asked("raw", "en"))
