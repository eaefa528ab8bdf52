"""Rouge-L: as the package rouge-score has it, as it was published, and the same in several processes."""

import os
import signal
import subprocess
import sys
import warnings
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from characterbox.errors import ProgramError
from characterbox.rolebench import rouge
from characterbox.rolebench.rouge import Answered, Policy, rouge_l, rouge_scores
from characterbox.values import Language

ENGLISH = (
    "The",
    "the",
    "gun-man",
    "killed",
    "kill",
    "police",
    "don't",
    "1,000",
    "café",
    "—",
    "!",
    "\n",
    "ROLE_play",
    "",
)
CHINESE = "师父莫慌，俺老孙这就去打那妖怪！“八戒”……你看好行李。 OK3 ６％_\n"


class _Jieba:
    """A tokenizer of rouge-score."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its source has escapes that Python warns of
            import jieba  # noqa: PLC0415
        self.jieba = jieba.Tokenizer()
        jieba.setLogLevel(60)

    def tokenize(self, text: str) -> list[str]:
        return [word for word in self.jieba.lcut(text.lower()) if any(sign.isalnum() for sign in word)]


def english(random: Random) -> str:
    return " ".join(random.choices(ENGLISH, k=random.randrange(40)))


def chinese(random: Random) -> str:
    return "".join(random.choices(CHINESE, k=random.randrange(60)))


def equal_over_500_pairs(language: Language, scorer: RougeScorer) -> bool:
    random = Random(0)
    some = english if language == "en" else chinese
    pairs = [(some(random), some(random)) for _ in range(500)]
    expected = [scorer.score(reference, answer)["rougeL"].fmeasure for answer, reference in pairs]
    assert {0.0} < {*expected}
    assert len({*expected}) > 100
    return [rouge_l(*pair, language) for pair in pairs] == pytest.approx(expected, abs=1e-12)


def test_in_english_it_is_that_of_rouge_score() -> None:
    assert equal_over_500_pairs("en", RougeScorer(["rougeL"]))


@pytest.mark.slow
def test_in_chinese_it_is_that_of_rouge_score_with_words_of_jieba() -> None:
    assert equal_over_500_pairs("zh", RougeScorer(["rougeL"], tokenizer=_Jieba()))


@pytest.mark.parametrize(
    ("answer", "reference", "score"),
    [  # Lin (2004), section 3: with as many words on both sides F is the share of those in common
        ("police kill the gunman", "police killed the gunman", 3 / 4),
        ("the gunman kill police", "police killed the gunman", 2 / 4),
        ("the gunman police killed", "police killed the gunman", 2 / 4),
        ("w1 w2 w6 w7 w8", "w1 w2 w3 w4 w5", 2 / 5),
        ("w1 w3 w8 w9 w5", "w1 w2 w3 w4 w5", 3 / 5),
        ("A B C D H I K", "A B C D E F G", 4 / 7),
        ("A H B K C I D", "A B C D E F G", 4 / 7),
        # worked by hand: "the quick brown jumps the" is 5 of 8 and of 9 words, and "a b" is 2 of 2 and of 6
        ("The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog", 10 / 17),
        ("a b", "a, x; b! y z z", 2 * 2 / 8),
        ("", "a", 0),
        ("a", "…", 0),
        ("", "", 0),
    ],
)
def test_published_and_worked_by_hand(answer: str, reference: str, score: float) -> None:
    assert rouge_l(answer, reference, "en") == pytest.approx(score, abs=1e-12)


def test_letters_of_other_scripts_are_no_words_in_english() -> None:
    assert rouge_l("师父莫慌", "师父莫慌", "en") == 0


def in_order(part: tuple[str, ...], whole: list[str]) -> bool:
    left = iter(whole)
    return all(word in left for word in part)


def test_what_answer_and_reference_have_in_common_is_the_most_that_trying_all_finds() -> None:
    for reference in ("a b c d", "b a d", "c a b a"):
        split = reference.split()
        parts = [part for size in range(1, len(split) + 1) for part in combinations(split, size)]
        for answer in permutations("abcd"):
            most = max(len(part) for part in parts if in_order(part, [*answer]))
            assert rouge_l(" ".join(answer), reference, "en") == pytest.approx(2 * most / (4 + len(split)), abs=1e-12)


words = st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join)


@given(words, words)
def test_it_is_between_0_and_1_and_the_same_both_ways(one: str, other: str) -> None:
    found = rouge_l(one, other, "en")
    assert 0 <= found <= 1
    assert found == rouge_l(other, one, "en")
    assert rouge_l(one, one, "en") == bool(one)


TWO = Answered("police kill the gunman", ("police killed the gunman", "the gunman kill police"))


@pytest.mark.parametrize(("policy", "score"), [("best", 3 / 4), ("mean", (3 / 4 + 2 / 4) / 2)])
def test_of_several_references_the_best_or_the_mean_counts(policy: Policy, score: float) -> None:
    assert rouge_scores([TWO], "en", policy) == [score]
    assert rouge_scores([TWO._replace(references=TWO.references[::-1])], "en", policy) == [score]
    assert rouge_scores([TWO._replace(references=TWO.references[:1])], "en", policy) == [3 / 4]


def some_answers(language: Language) -> list[Answered]:
    random, some = Random(1), english if language == "en" else chinese
    references = [tuple(some(random) for _ in range(count)) for count in (1, 5, 3, 2)]
    return [Answered(some(random), random.choice(references)) for _ in range(40)]


def test_scores_come_in_the_order_of_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = some_answers("en")
    each = [max(rouge_l(answer, reference, "en") for reference in references) for answer, references in answered]
    for size in (500, 7, 1):
        monkeypatch.setattr(rouge, "_PIECE", size)
        assert rouge_scores(answered, "en", "best") == each
    assert rouge_scores([], "en", "best") == []


@pytest.mark.parametrize(("language", "worth"), [("en", 0), pytest.param("zh", rouge._WORTH, marks=pytest.mark.slow)])
def test_few_or_english_ones_are_scored_by_this_process_alone(
    monkeypatch: pytest.MonkeyPatch, language: Language, worth: int
) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("other processes take longer to start")

    monkeypatch.setattr(rouge, "_in_processes", never)
    monkeypatch.setattr(rouge, "_WORTH", worth)
    assert rouge_scores(some_answers(language), language, "best", processes=4)


@pytest.mark.process
@pytest.mark.slow
def test_several_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = some_answers("zh")
    alone = rouge_scores(answered, "zh", "mean")
    monkeypatch.setattr(rouge, "_WORTH", 1)
    monkeypatch.setattr(rouge, "_PIECE", 3)
    assert rouge_scores(answered, "zh", "mean", processes=2) == alone


@pytest.mark.process
@pytest.mark.slow
def test_a_process_that_is_killed_is_told() -> None:
    with pytest.raises(ProgramError, match="was killed, as it is where memory runs out; score fewer at once"):
        list(rouge._in_processes(os._exit, [9], 1))  # type: ignore[arg-type, list-item]


ENDLESS = """
import signal
from characterbox.rolebench.rouge import _in_processes

def score(piece):
    print("under way", flush=True)
    signal.pause()

if __name__ == "__main__":
    list(_in_processes(score, [[]], 1))
"""


@pytest.mark.process
@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    (script := tmp_path / "endless.py").write_text(ENDLESS)
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "under way\n"
        process.send_signal(signal.SIGKILL)
        assert process.stdout.read() == "", "its end comes when none has it open"
