"""Speaks as a role without a language model: its catchphrases, and lines that fit any conversation."""

from collections.abc import Sequence
from functools import cache

from characterbox.llm.rehearsal.brief import Shape, Turn
from characterbox.llm.rehearsal.grammar import Chance, grammar
from characterbox.prompts import fill, template, variables, words
from characterbox.values import LANGUAGE_CODES, Language


def in_role(turns: Sequence[Turn], model: str, seed: int | None) -> str | None:
    """What a role says next; None if the request makes nobody a role. What it has said already comes last."""
    system = "\n".join(turn.content for turn in turns if turn.role == "system")
    for language in LANGUAGE_CODES:
        if (told := _read(system, language)) is not None:
            own = {key: told[key] for key in ("name", "other")}
            frames = [frame for frame in grammar(language).lines if variables(frame) <= own.keys()]
            lines = [fill(frame, **{key: own[key] for key in variables(frame)}) for frame in frames]
            none = words(language).role.no_catchphrases
            phrases = [phrase for phrase in told["catchphrases"].splitlines() if phrase != none]
            said = "\n".join(turn.content for turn in turns if turn.role == "assistant")
            order = Chance(model, str(seed), *(turn.content for turn in turns)).shuffled("line", [*phrases, *lines])
            return next((line for line in order if line not in said), order[0])
    return None


def _read(system: str, language: Language) -> dict[str, str] | None:
    """What a system instruction tells that makes a model a role. Its description may begin as the whole does."""
    before, between, after = _parts(language)
    rules, _, tag = before.rpartition("\n\n")
    head, _, rest = system.partition(tag)
    told = Shape.of("\n" + rules).read("\n" + head)
    return told and {**told, "catchphrases": rest.partition(between)[2].partition(after)[0]}


@cache
def _parts(language: Language) -> tuple[str, str, str]:
    """What stands before the description, between it and the catchphrases, and behind those."""
    before, _, rest = template("role", language).partition("$profile")
    between, _, after = rest.partition("$catchphrases")
    return before, between, after.rstrip()
