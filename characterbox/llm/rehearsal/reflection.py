"""Looks back on a part without a language model: finds by chance what could be better, and adds a touch to each reply.

A rewriting is the original with a sentence more, so that it fits what follows. Now and then it is left as it is, or
loses the words that were spoken, which no rewriting may; and now and then the check says no.
"""

import json
import re

from characterbox.llm.rehearsal.brief import Brief, shape
from characterbox.llm.rehearsal.grammar import Chance, Frames, grammar
from characterbox.prompts import fill, variables, words

_MOST_FOUND = 3
_SAME_IN, _SILENT_IN, _UNFIT_IN = 9, 8, 12
"""One rewriting in nine is the original, one in eight of those with words loses them, one in twelve does not fit."""
_NUMBERED = re.compile(r"^- \[(\d{1,6})\] ", re.MULTILINE)
_TOUCHED = ("action", "dialogue", "belief", "desire", "intention", "others", "scene", "bearing")


def reflected(brief: Brief, model: str, seed: int | None) -> str | None:
    """The reply to a task of a model that looks back on its part; None if it is another task."""
    chance = Chance(model, str(seed), brief.told)
    match brief.task:
        case "reflect_inconsistencies":
            return _found(brief, chance)
        case "reflect_rewrite":
            return _rewritten(brief, chance)
        case "reflect_check":
            speech = grammar(brief.language).reflection
            fits = chance.number("fits", _UNFIT_IN) > 0
            reason = chance.pick("reason", speech.fits if fits else speech.unfit)
            return json.dumps({"fits": fits, "reason": reason}, ensure_ascii=False)
        case _:
            return None


def _found(brief: Brief, chance: Chance) -> str:
    shown = shape("reflect_trajectory", brief.language).read(brief.told) or {}
    numbers = [*dict.fromkeys(map(int, _NUMBERED.findall(shown.get("trajectory", ""))))]
    wrong = chance.shuffled("what", grammar(brief.language).reflection.found)
    chosen = sorted(chance.shuffled("which", numbers)[: min(_MOST_FOUND, len(wrong))])
    found = [{"step": number, "what": what} for number, what in zip(chosen, wrong, strict=False)]
    return json.dumps({"found": found}, ensure_ascii=False)


def _rewritten(brief: Brief, chance: Chance) -> str:
    original = brief.values.get("original", "")
    if chance.number("same", _SAME_IN) == 0 or original == words(brief.language).silence:
        return original
    try:
        fields = json.loads(original)
    except ValueError:
        frames = grammar(brief.language).reflection
        told = f"\n{brief.told}"
        return _touched(original, frames.spoken if _is_speech(brief, told) else frames.gestures, brief, chance)
    touched = {name: text for name, text in fields.items() if name in _TOUCHED and text}
    chosen = chance.pick("field", [*touched])
    fields[chosen] = _touched(touched[chosen], _frames(chosen, brief), brief, chance)
    if touched.get("dialogue") and chance.number("silent", _SILENT_IN) == 0:
        fields["dialogue"] = None
    return json.dumps(fields, ensure_ascii=False)


def _is_speech(brief: Brief, told: str) -> bool:
    """Whether the trajectory has the reply as words that were said."""
    labels, number = words(brief.language).trajectory, brief.values.get("number", "")
    label = fill(words(brief.language).reflection.numbered, number=number, kind=labels.dialogue)
    return "\n" + fill(labels.step, kind=label, text="") in told


def _frames(field: str, brief: Brief) -> Frames:
    speech = grammar(brief.language).reflection
    return {"action": speech.gestures, "dialogue": speech.spoken}.get(field, speech.thoughts)


def _touched(text: str, frames: Frames, brief: Brief, chance: Chance) -> str:
    """The text with a sentence more, which it does not have yet."""
    speech, name = grammar(brief.language), brief.values.get("name", "")
    more = (fill(frame, name=name) if variables(frame) else frame for frame in chance.shuffled("touch", frames))
    return speech.followed(text, next((one for one in more if one not in text), ""))
