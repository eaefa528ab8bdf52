"""The models of the rehearsal, each worse than the one before, so that comparisons of models can be tried out."""

from collections.abc import Mapping

from characterbox.llm.endpoint import REHEARSAL_MODELS
from characterbox.llm.rehearsal.voice import Voice
from characterbox.prompts import fill, variables

MODELS: Mapping[str, int] = dict(zip(REHEARSAL_MODELS, (0, 55, 95), strict=True))
"""The models, the best first, and how many in a hundred of a character's acts, words and reactions are stock.

Any other name stands for one that plays like the first.
"""


def stock(model: str, voice: Voice) -> str | None:
    """What a character does or says whatever the scene is; None where the model thinks of something better."""
    speech = voice.grammar
    frames = {"action": speech.stock_acts, "dialogue": speech.stock_lines, "reaction": speech.stock_acts}
    if voice.brief.task not in frames or voice.chance.number("stock", 100) >= MODELS.get(model, 0):
        return None
    frame = voice.chance.pick("which stock", frames[voice.brief.task])
    return fill(frame, **{key: voice.value(key) for key in variables(frame)})
