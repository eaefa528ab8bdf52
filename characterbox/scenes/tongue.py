"""Which language a scene is written in, by its letters. Asked once, at the import; from then on it is a field."""

from annotations.letters import han_share, latin_share
from annotations.wording import say
from characterbox.values import Language

ENOUGH = 0.75
"""The share of letters from which on a text counts as written in one script."""


def language_by_letters(text: str) -> tuple[Language | None, str]:
    """The language that the letters speak for, and the evidence in words; None when they do not decide it."""
    try:
        han, latin = han_share(text), latin_share(text)
    except ValueError:
        return None, say("it has no letters")
    if han >= ENOUGH:
        return "zh", say("{han:.0%} of its letters are Han", han=han)
    if latin >= ENOUGH:
        return "en", say("{latin:.0%} of its letters are Latin", latin=latin)
    return None, say("{han:.0%} of its letters are Han, {latin:.0%} Latin", han=han, latin=latin)
