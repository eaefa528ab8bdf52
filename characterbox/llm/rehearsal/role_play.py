"""Speaks as a role without a language model: its catchphrases, and lines that fit any conversation."""

from collections.abc import Sequence
from functools import cache

from characterbox.llm.rehearsal.brief import Shape, Turn
from characterbox.llm.rehearsal.grammar import Chance, grammar
from characterbox.prompts import fill, template, variables, words
from characterbox.values import LANGUAGE_CODES, Language

_PROFILE, _PHRASES, _END = "\n<role>\n", "\n<catchphrases>\n", "\n</catchphrases>"
"""What stands around the parts of a system instruction that makes a model a role."""


def in_role(turns: Sequence[Turn], model: str, seed: int | None) -> str | None:
    """What a role says next; None if the request makes nobody a role. What it has said already comes last."""
    system = "\n".join(turn.content for turn in turns if turn.role == "system")
    head, _, rest = system.partition(_PROFILE)
    for language in LANGUAGE_CODES:
        if (told := _head(language).read(f"\n{head}")) is not None:
            own = {key: told[key] for key in ("name", "other")}
            frames = [frame for frame in grammar(language).lines if variables(frame) <= own.keys()]
            lines = [fill(frame, **{key: own[key] for key in variables(frame)}) for frame in frames]
            known = rest.partition(_PHRASES)[2].partition(_END)[0].splitlines()
            phrases = [phrase for phrase in known if phrase != words(language).role.no_catchphrases]
            said = "\n".join(turn.content for turn in turns if turn.role == "assistant")
            order = Chance(model, str(seed), *(turn.content for turn in turns)).shuffled("line", [*phrases, *lines])
            return next((line for line in order if line not in said), order[0])
    return None


@cache
def _head(language: Language) -> Shape:
    """What such an instruction begins with, at the start of a line: sentences within it begin alike."""
    return Shape.of("\n" + template("role", language).partition(_PROFILE)[0])
