"""How much a character repeats itself: what the rehearsal's judges go by."""

import re
from functools import cache
from typing import get_args

from characterbox.prompts import fill, words
from characterbox.values import Language

_LETTERS = re.compile(r"[^\W_]+")


def repetition(trajectory: str) -> float | None:
    """The share of a character's own lines that say what an earlier one said: at least 0, and less than 1.

    The trajectory is that of `characterbox.play.trajectory.as_text`, in either language. What the character did, said
    and how it reacted are lines of its own; silence is none. Case, spaces and punctuation make no difference. None
    where there is no such line.
    """
    said = [plain for line in own_lines(trajectory) if (plain := _plainly(line)) not in _nothing()]
    return 1 - len(set(said)) / len(said) if said else None


def own_lines(trajectory: str) -> list[str]:
    """What the character did and said, and how it reacted, in order."""
    beginning, own = _patterns()
    steps = beginning.split(trajectory)
    return [step[found.end() :].strip() for step in steps if (found := own.match(step))]


def _plainly(line: str) -> str:
    return "".join(_LETTERS.findall(line.casefold()))


@cache
def _nothing() -> frozenset[str]:
    """Lines that say nothing, so that they repeat nothing either."""
    return frozenset({"", *(_plainly(words(language).silence) for language in get_args(Language))})


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Where a step or a round begins, and how a step of the character's own begins, in all languages."""
    phrases = [words(language) for language in get_args(Language)]
    labels = [one.trajectory for one in phrases]
    own = "|".join(re.escape(name) for one in labels for name in (one.action, one.dialogue, one.reaction))
    seen = "|".join(re.escape(one.observation) for one in labels)
    rounds = "|".join(re.escape(fill(one.memory.round, round="0")).replace("0", r"\d+") for one in phrases)
    beginning = re.compile(rf"^(?=- (?:{own}|{seen}): |(?:{rounds})$)", re.MULTILINE)
    return beginning, re.compile(rf"- (?:{own}): ")
