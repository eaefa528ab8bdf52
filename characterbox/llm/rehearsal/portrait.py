"""Writes about a role, and takes what it says out of a passage, without a language model.

What is written of a role is stock. Of a passage, a speech counts as the role's where its paragraph has its name; one
round in five gets a sentence that does not stand there, so that what is rejected, and why, can be seen.
"""

import json
import re
from collections.abc import Iterator

from characterbox.llm.rehearsal.brief import ROLE_MAKING, Brief
from characterbox.llm.rehearsal.grammar import Chance, Portrait, grammar
from characterbox.prompts import fill, variables, words

_SPEECH = re.compile(r"[“「『]([^“”「」『』]{1,2000})[”」』]|\"([^\"\n]{1,2000})\"")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
_ADDED_IN = 5
_PHRASES, _SHORT = 3, 40


def portrayed(brief: Brief, model: str, seed: int | None) -> str | None:
    """The reply to a task by which a role is made; None if it is another task."""
    if brief.task not in ROLE_MAKING:
        return None
    chance, stock = Chance(model, str(seed), brief.told), grammar(brief.language).portrait
    match brief.task:
        case "role_question":
            frame = chance.pick("answer", stock.answers)
            reply = fill(frame, **{key: brief.values.get(key, "").strip() for key in variables(frame)})
        case "role_describe":
            reply = chance.pick("description", stock.described)
        case "role_address":
            told = brief.values.get("description", "").strip()
            reply = stock.addressed[stock.described.index(told) if told in stock.described else 0]
        case "role_catchphrases":
            reply = _json({"catchphrases": chance.shuffled("phrases", _phrases(brief, stock))[:_PHRASES]})
        case "role_distinctiveness":
            level = chance.number("level", len(stock.levels))
            reply = _json({"reason": stock.levels[level], "level": level + 1})
        case _:
            reply = _json({"rounds": [*_rounds(brief, chance, stock)]})
    return reply


def _phrases(brief: Brief, stock: Portrait) -> list[str]:
    """What the role says in the lines that are shown, as far as it is short, and some stock."""
    begins = fill(words(brief.language).role.said, speaker=brief.values.get("name", "").strip(), text="")
    own = (line.removeprefix(begins) for line in brief.values.get("lines", "").splitlines() if line.startswith(begins))
    return [*dict.fromkeys(line for line in own if 0 < len(line) <= _SHORT), *stock.phrases]


def _rounds(brief: Brief, chance: Chance, stock: Portrait) -> Iterator[dict[str, object]]:
    name, passage = brief.values.get("name", "").strip(), brief.values.get("passage", "")
    before: list[dict[str, str]] = []
    between = grammar(brief.language).space
    for number, paragraph in enumerate(_PARAGRAPH.split(passage)):
        said = between.join(filter(None, ("".join(parts).strip() for parts in _SPEECH.findall(paragraph))))
        if said and name and name in paragraph:
            made_up = chance.number(f"added {number}", _ADDED_IN) == 0
            own = {"speaker": name, "text": f"{said}{between}{stock.added}" if made_up else said}
            yield {"turns": [*before, own]}
            before = []
        elif said:
            before = [{"speaker": grammar(brief.language).someone, "text": said}]


def _json(answer: dict[str, object]) -> str:
    return json.dumps(answer, ensure_ascii=False)
