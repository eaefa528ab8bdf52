"""How a judge judges: all that its scores depend on besides the model that is asked (paper, section 3.3)."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from annotations.rubric import Rubric
from characterbox.judging.scores import rubric_text
from characterbox.prompts import template
from characterbox.values import Language, Value

Manner = Literal["critique", "direct", "brief"]
"""A critique first, which goes into the prompt for the scores; the scores at once, by the same rubric; or the scores at
once from a short prompt that only names the metrics, for models that were trained to score."""

Replies = Literal["one", "each"]
"""Whether one reply scores all metrics, or each metric has a reply of its own."""
Order = Literal["rubric", "shuffled"]
"""The order in which the metrics are asked for: the rubric's, or another for each trajectory, drawn by the seed."""
Spoken = Literal["scene", "en", "zh"]
"""The language of the prompts; the trajectory is in that of its scene."""
Temperature = Annotated[float, Field(ge=0, le=2)]

PROMPTS: Mapping[Manner, tuple[str, ...]] = {
    "critique": ("judge", "critique", "scores", "scores_of"),
    "direct": ("judge_directly", "score_directly"),
    "brief": ("judge_brief", "score_directly"),
}
"""The prompts of each manner."""


class Protocol(Value):
    """The settings of a judge. The defaults are those of the paper's GPT-4."""

    manner: Manner = "critique"
    replies: Replies = "one"
    order: Order = "rubric"
    language: Spoken = "scene"
    temperature: Temperature | None = None
    """None leaves it to the endpoint."""

    def spoken(self, scene: Language) -> Language:
        """The language of the prompts for a scene in this language."""
        return scene if self.language == "scene" else self.language

    def ordered(self, rubric: Rubric, seed: str) -> tuple[str, ...]:
        """The keys of the metrics in the order in which they are asked for."""
        if self.order == "rubric":
            return tuple(rubric.keys)
        return tuple(random.Random(seed).sample(rubric.keys, len(rubric.keys)))  # noqa: S311 - an order, no secret

    def asked_together(self, keys: Sequence[str]) -> list[tuple[str, ...]]:
        """The metrics of each reply."""
        return [tuple(keys)] if self.replies == "one" else [(key,) for key in keys]

    def prompts_digest(self, rubric: Rubric) -> str:
        """The version of the prompts: a fingerprint of their wording in both languages, and of the rubric."""
        texts = [template(name, language) for name in PROMPTS[self.manner] for language in ("en", "zh")]
        texts += [rubric_text(rubric, language, rubric.keys) for language in ("en", "zh")]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


PRESETS: Mapping[str, Protocol] = {
    "GPT-4": Protocol(),
    "CharacterRM": Protocol(manner="brief"),
    "ChatGLM": Protocol(manner="direct"),
}
"""The paper's judges: GPT-4 writes a critique first; CharacterRM was trained to score; ChatGLM, which it was made of,
is the baseline. Each can be asked at any endpoint."""
