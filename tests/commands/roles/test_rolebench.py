"""`characterbox rolebench score` keeps its contract: the score with its evidence, and clear errors."""

import json
import subprocess
import sys
from random import Random

import pytest

from characterbox.rolebench import rouge
from tests.rolebench.role_answers import a_file, a_row

GENERAL = (
    a_row(" Who did it?", "police killed the gunman", "the gunman kill police", "police kill the gunman"),
    a_row("Why?", "because", "for coins", role="Merchant"),
)
ANSWERS = a_row("Who did it?", "police kill the gunman"), a_row("Why?", "for coins", "why not", role="Merchant")


@pytest.fixture
def score(in_process, tmp_path):
    """Runs the command on rows of answers and of references."""

    def run(*words, answers=ANSWERS, references=GENERAL):
        for name, rows in (("answers.jsonl", answers), ("released.jsonl", references)):
            (tmp_path / name).unlink(missing_ok=True)
            a_file(tmp_path / name, *rows)
        return in_process("rolebench", "score", "answers.jsonl", "--references", "released.jsonl", *words)

    return run


def test_json_has_the_score_with_its_evidence(score):
    done = score("--part", "raw", "--language", "en", "--json")
    assert done.status == 0
    found = json.loads(done.out)
    assert found == {
        "rougeL": 3 / 8,
        "low": 0,
        "high": 3 / 4,
        "n": 2,
        "tokenizer": "rouge-score",
        "references": "best of 1",
        "part": "raw",
        "language": "en",
        "plain": "first",
        "roles": 2,
        "questions": 2,
        "interval": "95 %, bootstrap by roles and by questions",
        "missing": 0,
    }


def test_what_limits_a_score_is_told_beside_it(score):
    done = score("--part", "cus", "--language", "en", "--policy", "mean")
    assert done.status == 0
    assert done.err.splitlines() == [
        "characterbox: answers.jsonl: 1 of 2 rows have several texts, of which only the first is scored",
        "characterbox: released.jsonl: the first text of each row is taken for the plain answer, though no row has more"
        " than the 5 texts that a role gives; if all are the role's, give --plain none",
    ]
    assert done.out.splitlines()[:6] == [
        "rougeL: 0.8750",
        "low: 0.7500",
        "high: 1.0000",
        "n: 2",
        "tokenizer: rouge-score",
        "references: mean of 1 to 2",
    ]
    assert (
        score("--part", "cus", "--language", "en", "--plain", "first", answers=ANSWERS[:1], references=GENERAL[:1]).err
        == ""
    )


def test_one_answer_has_no_interval(score):
    words = "--part", "spe", "--language", "en"
    found = json.loads(score(*words, "--json", answers=ANSWERS[:1], references=GENERAL[:1]).out)
    assert (found["low"], found["high"], found["plain"]) == (None, None, None)
    assert found["interval"] == "none: one answer does not tell how answers differ"
    assert "low: -" in score(*words, answers=ANSWERS[:1], references=GENERAL[:1]).out.splitlines()


def test_missing_predictions_are_refused_unless_a_part_is_asked_for(score):
    words = "--part", "raw", "--language", "en", "--json"
    done = score(*words, answers=ANSWERS[:1])
    assert (done.status, done.out) == (2, "")
    assert "1 row without a prediction in answers.jsonl, the first in line 2 ('Merchant')" in done.one_line()
    assert "give --partial" in done.err
    done = score(*words, "--partial", answers=ANSWERS[:1])
    assert done.status == 0
    assert (json.loads(done.out)["n"], json.loads(done.out)["missing"]) == (1, 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rolebench",), "ACTION"),
        (("rolebench", "dance"), "dance"),
        (("rolebench", "score"), "PREDICTIONS.jsonl"),
        (("rolebench", "score", "a", "--part", "raw", "--language", "en"), "--references"),
        (("rolebench", "score", "a", "--references", "b", "--language", "en"), "--part"),
        (("rolebench", "score", "a", "--references", "b", "--part", "raw"), "--language"),
        (
            ("rolebench", "score", "a", "--references", "b", "--part", "all", "--language", "en"),
            "--part: invalid choice",
        ),
        (("rolebench", "score", "a", "--references", "b", "--part", "raw", "--language", "fr"), "invalid choice: 'fr'"),
        (
            ("rolebench", "score", "a", "--references", "none.jsonl", "--part", "raw", "--language", "en"),
            "none.jsonl: it cannot be read (No such file or directory); check the path and who may read it",
        ),
        (
            ("rolebench", "score", "a", "--references", "b", "--part", "spe", "--language", "en", "--plain", "first"),
            "--plain is for general instructions; role-specific answers have no plain one",
        ),
    ],
)
def test_bad_input_ends_with_2_and_one_line(in_process, words, told):
    done = in_process(*words)
    assert (done.status, done.out) == (2, "")
    assert told in done.one_line()


def test_a_line_that_is_no_row_is_named(score, tmp_path, in_process):
    score("--part", "raw", "--language", "en")
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write("{}\n")
    done = in_process(
        "rolebench", "score", "answers.jsonl", "--references", "released.jsonl", "--part", "raw", "--language", "en"
    )
    assert (done.status, done.out) == (2, "")
    assert (
        "answers.jsonl, line 3: this is no row of RoleBench: it lacks role, question and generated" in done.one_line()
    )


@pytest.mark.slow
def test_many_chinese_answers_are_scored_in_several_processes(environment, tmp_path):
    random = Random(0)
    texts = ["".join(random.choices("师父莫慌俺老孙去打妖怪！", k=3)) for _ in range(60)]
    asked = [(f"角色{at % 9}", f"问题{at // 9}") for at in range(rouge._WORTH // 2)]
    for name in ("answers", "released"):
        a_file(tmp_path / name, *(a_row(question, random.choice(texts), role=role) for role, question in asked))
    words = ["rolebench", "score", "answers", "--references", "released", "--part", "spe", "--language", "zh", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "characterbox", *words],
        capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["n"], found["roles"], found["tokenizer"]) == (rouge._WORTH // 2, 9, "jieba")
    assert 0 < found["low"] < found["rougeL"] < found["high"] < 1
