"""How models answer as roles, scored in the process beside the app (see `process`): 14,250 answers take seconds."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future

from characterbox.components.figures.background.compute import store_of
from characterbox.components.figures.background.process import Cache, open_figure_process
from characterbox.rolebench.answers.scores import Scores
from characterbox.rolebench.answers.standings import AnswersStanding, Rouge, above, scored
from characterbox.rolebench.running import look
from characterbox.settings import settings
from characterbox.store.craftings import Head

KEPT = 16
"""Scores that are kept there, one for each answer."""
_SCORED: Cache[tuple[str, Head], tuple[AnswersStanding, Scores]] = Cache(KEPT)


def standing_of(head: Head) -> "Future[AnswersStanding]":
    """How the answers of a generation stand; worked out once, as long as nothing changes.

    The future fails with CharacterBoxError where the generation can't be read.
    """
    return open_figure_process().recall(_standing, settings().db, head)


def compared(heads: Sequence[Head]) -> "Future[Mapping[str, Rouge]]":
    """By how much the conditions of an experiment, by their ids, are above the first of them."""
    return open_figure_process().recall(_above, settings().db, tuple(heads))


def _standing(url: str, head: Head) -> AnswersStanding:
    return _scored(url, head)[0]


def _above(url: str, heads: tuple[Head, ...]) -> Mapping[str, Rouge]:
    first, *others = heads
    return {head.id: above(_scored(url, first)[1], _scored(url, head)[1]) for head in others}


def _scored(url: str, head: Head) -> tuple[AnswersStanding, Scores]:
    if (known := _SCORED.find((url, head))) is None:
        known = scored(look(store_of(url), head.id))
        _SCORED.keep((url, head), known)
    return known
