"""Scores of answers in memory: those of their files, and differences on the same questions."""

import pytest

from annotations.errors import Undefined, UndefinedStatistic
from characterbox.errors import FileError
from characterbox.rolebench.answers.answering import Answer, Answers
from characterbox.rolebench.answers.questions import Choice
from characterbox.rolebench.answers.scores import difference, scores_of, write_predictions
from characterbox.rolebench.scoring import PARTS, Asked, score_files
from tests.rolebench.answers.asked import OF, a_benchmark, wish

SAID = ("it is a liquid", "so", "Ann because 3", "well, so", "at the river", "no")


@pytest.fixture
def asked(tmp_path):
    return wish(a_benchmark(tmp_path), "http://h/v1")


def answers(asked, said=SAID, waiting=0):
    questions = asked.questions.questions
    given = tuple((one, Answer(text, False)) for one, text in zip(questions, said, strict=False) if text)
    return Answers(given, {}, waiting)


def test_a_general_answer_counts_in_raw_and_cus_worked_by_hand(asked):
    found = scores_of(asked, answers(asked))
    # RAW: 1, 1, 0, and 2 * 1 / 3. CUS: 0; "so" in "Old Tam so 0" is 2 / 5; 1; and
    # "well, so" with "Ann so 0" 2 / 5.
    assert [found.parts[part].mean.estimate for part in PARTS] == pytest.approx(
        [(1 + 1 + 0 + 2 / 3) / 4, (0 + 2 / 5 + 1 + 2 / 5) / 4, 6 / 14], abs=1e-12
    )
    assert [found.parts[part].mean.n for part in PARTS] == [4, 4, 2]
    assert found.mean.estimate == pytest.approx(sum(found.parts[part].mean.estimate for part in PARTS) / 3)
    assert (found.mean.n, found.mean.interval.way) == (10, "bootstrap by roles and by questions")


def test_scores_are_those_of_the_files_that_the_answers_are_written_to(asked, tmp_path):
    given = answers(asked)
    files = write_predictions(tmp_path / "said.jsonl", given)
    assert files == {tmp_path / "said.general.jsonl": 4, tmp_path / "said.specific.jsonl": 2}
    general, specific = files
    for part, score in scores_of(asked, given).parts.items():
        file, kind = (specific, "role_specific") if part == "spe" else (general, "general")
        read = score_files(file, tmp_path / OF / kind / "test.jsonl", Asked(part, "en", partial=True))
        assert (score, score.each) == (read, read.each)
    with pytest.raises(FileError, match="there already"):
        write_predictions(tmp_path / "said.jsonl", given)


def test_answers_to_one_kind_are_one_file(asked, tmp_path):
    assert write_predictions(tmp_path / "said.jsonl", answers(asked, SAID[:3])) == {tmp_path / "said.jsonl": 3}


def test_what_is_missing_is_told_and_a_part_without_answers_leaves_the_mean_undefined(asked):
    found = scores_of(asked, answers(asked, SAID[:3], waiting=3))
    assert {part: score.missing for part, score in found.parts.items()} == {"raw": 1, "cus": 1}
    assert isinstance(found.mean, Undefined)
    assert str(found.mean.reason) == "there are no scores in SPE"
    assert scores_of(asked, answers(asked, ())).parts == {}


def test_differences_are_of_the_questions_that_both_have_answered(asked):
    first, second = scores_of(asked, answers(asked)), scores_of(asked, answers(asked, ("no", "so", None, *SAID[3:])))
    raw = difference(first, second, "raw")
    assert (raw.estimate, raw.n) == (pytest.approx((-1 + 0 + 0) / 3), 3)
    assert raw.interval.low < raw.estimate <= raw.interval.high <= 0
    assert difference(first, first).estimate == 0
    mean = difference(first, second)
    each = [difference(first, second, part).estimate for part in PARTS]
    assert mean.estimate == pytest.approx(sum(each) / 3)
    with pytest.raises(UndefinedStatistic, match="no scores in SPE"):
        difference(first, scores_of(asked, answers(asked, SAID[:3])), "spe")


def test_a_difference_that_is_the_same_everywhere_is_surer_than_either_score(asked):
    """Roles and questions are drawn for both together: how much they differ from one another cancels out."""
    first, second = scores_of(asked, answers(asked)), scores_of(asked, answers(asked))
    gap = difference(first, second, "cus").interval
    own = first.parts["cus"].mean.interval
    assert gap.high - gap.low == 0 < own.high - own.low


def test_a_sample_keeps_what_stands_in_the_files(tmp_path):
    asked = wish(a_benchmark(tmp_path), "http://h/v1", choice=Choice(limit=1))
    assert scores_of(asked, answers(asked, ("so", "no"))).parts["raw"].mean.n == 1
