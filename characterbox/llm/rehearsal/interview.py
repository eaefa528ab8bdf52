"""Asks roles what can be asked of anybody, and answers in their place, without a language model.

One question in three is doubted and one answer in twelve is not ended, so that what is dropped, and why, can be seen.
"""

import json

from characterbox.llm.rehearsal.brief import INTERVIEW, Brief
from characterbox.llm.rehearsal.grammar import Chance, grammar
from characterbox.prompts import fill

_DOUBTED_IN, _UNENDED_IN = 3, 12
_MOST = 20
"""Questions that a reply has at most, however many are asked for."""


def interviewed(brief: Brief, model: str, seed: int | None) -> str | None:
    """The reply to a task that asks for questions to a role; None if it is another task."""
    if brief.task not in INTERVIEW:
        return None
    told = brief.values.get("count", "")
    count = min(int(told), _MOST) if told.isdigit() else 1
    chance = Chance(model, str(seed), brief.told)
    triplets = [_triplet(brief, chance, f"triplet {number}") for number in range(count)]
    return json.dumps({"triplets": triplets}, ensure_ascii=False)


def _triplet(brief: Brief, chance: Chance, purpose: str) -> dict[str, str]:
    speech = grammar(brief.language).interview
    doubted = chance.number(f"{purpose} doubted", _DOUBTED_IN) == 0
    about = chance.pick(f"{purpose} topic", speech.topics)
    name = brief.values.get("name", "").strip()
    return {
        "question": fill(chance.pick(f"{purpose} question", speech.questions), name=name, about=about),
        "rationale": chance.pick(f"{purpose} why", speech.low if doubted else speech.high),
        "confidence": "low" if doubted else "high",
        "answer": _ended(fill(chance.pick(f"{purpose} answer", speech.answers), about=about), chance, purpose),
    }


def _ended(text: str, chance: Chance, purpose: str) -> str:
    """The text, now and then without its end."""
    return text[:-1] if chance.number(f"{purpose} ends", _UNENDED_IN) == 0 else text
