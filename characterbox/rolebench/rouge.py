"""Rouge-L of answers: which share of their words answers and references have in common, in the same order (Lin, 2004).

With the longest common subsequence LCS(X, Y) of a reference of m words and an answer of n words: R = LCS / m,
P = LCS / n, F = 2 P R / (P + R), which is 0 where an answer or a reference has no words. That is `rougeL.fmeasure` of
the package rouge-score without stemmer, to the last digit, in a tenth of the time.

Of several references, `best` takes the highest F, and `mean` the mean over all. The paper does not say which it is, and
they differ by points, as other tokenizers do: a score names both.
"""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from multiprocessing import get_context, parent_process
from typing import Literal, NamedTuple, get_args

from rapidfuzz.distance import LCSseq

from characterbox.errors import ProgramError
from characterbox.roles.words import words_of
from characterbox.values import Language

Policy = Literal["best", "mean"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_PIECE = 500
"""Answers that a process scores at once: about a second's work in Chinese."""
_WORTH = 20_000
"""Chinese texts below which other processes would take longer to start than to score them: jieba alone loads in a
second. 100,000 English ones take two seconds, and are never worth it."""


class Answered(NamedTuple):
    """An answer, with what it is compared to."""

    answer: str
    references: tuple[str, ...]
    """One or more."""


def rouge_l(answer: str, reference: str, language: Language) -> float:
    """Rouge-L of an answer, from 0 to 1."""
    return _f_measure(words_of(answer, language), words_of(reference, language))


def rouge_scores(
    answered: Sequence[Answered], language: Language, policy: Policy, *, processes: int = 1
) -> list[float]:
    """Rouge-L of each answer, from 0 to 1, in their order.

    Where there are many Chinese ones, they are shared out among so many processes, which import the main module of this
    one: a command may have several, the app may not. Raises ProgramError where one of them is killed.
    """
    order = sorted(range(len(answered)), key=lambda at: answered[at].references)  # a text is split once in a piece
    pieces = [[answered[at] for at in order[start : start + _PIECE]] for start in range(0, len(order), _PIECE)]
    score = partial(_scores, language=language, policy=policy)
    if processes > 1 and language == "zh" and sum(1 + len(one.references) for one in answered) >= _WORTH:
        found = _in_processes(score, pieces, processes)
    else:
        found = map(score, pieces)
    scores = dict(zip(order, (one for piece in found for one in piece), strict=True))
    return [scores[at] for at in range(len(answered))]


def _scores(piece: Sequence[Answered], language: Language, policy: Policy) -> list[float]:
    words = cache(partial(words_of, language=language))  # twice as fast for a reference that twenty roles share
    scores = []
    for answer, references in piece:
        each = [_f_measure(words(answer), words(reference)) for reference in references]
        scores.append(max(each) if policy == "best" else sum(each) / len(each))
    return scores


def _f_measure(answer: Sequence[str], reference: Sequence[str]) -> float:
    common = LCSseq.similarity(answer, reference)
    if not common:
        return 0.0
    precision, recall = common / len(answer), common / len(reference)
    return 2 * precision * recall / (precision + recall)


def _in_processes(
    score: "partial[list[float]]", pieces: Sequence[Sequence[Answered]], processes: int
) -> Iterator[list[float]]:
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin)
    try:
        with pool:
            yield from pool.map(score, pieces)
    except BrokenProcessPool:
        raise ProgramError(
            "a process that scored answers was killed, as it is where memory runs out; score fewer at once"
        ) from None


def _begin() -> None:
    """What interrupts the command from the keyboard is for the command, which ends its processes; if it is killed
    itself, they end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
