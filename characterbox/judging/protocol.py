"""How a judge judges: all that its scores depend on besides the model that is asked (paper, section 3.3)."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from annotations.rubric import Rubric, Subject
from characterbox.judging.scores import rubric_text
from characterbox.prompts import template
from characterbox.values import Language, Value

Manner = Literal["critique", "direct", "brief"]
"""A critique first, which goes into the prompt for the scores; the scores at once, by the same rubric; or the scores at
once from a short prompt that only names the metrics, for models that were trained to score."""

Replies = Literal["one", "each"]
"""Whether one reply scores all metrics, or each metric has a reply of its own."""
Order = Literal["rubric", "shuffled"]
"""The order in which the metrics are asked for: the rubric's, or another for each item, drawn by the seed."""
Spoken = Literal["scene", "en", "zh"]
"""The language of the prompts; what is judged is in that of its scene."""
Temperature = Annotated[float, Field(strict=True, ge=0, le=2)]


@dataclass(frozen=True, slots=True)
class Prompts:
    """The names of the prompts by which something is judged."""

    rules: Mapping[Manner, str]
    """The system message of each manner."""
    critique: str
    scores: str
    """After a critique: all metrics in the order of the rubric."""
    scores_of: str
    """After a critique: some metrics, or all in another order."""
    at_once: str
    """Scores without a critique."""

    def of(self, manner: Manner) -> tuple[str, ...]:
        """All prompts of a manner."""
        rest = (self.critique, self.scores, self.scores_of) if manner == "critique" else (self.at_once,)
        return tuple(dict.fromkeys((self.rules[manner], *rest)))


def _prompts_of(subject: Subject) -> Prompts:
    """The prompts for what is no character: one set of rules serves with and without a critique."""
    rules: dict[Manner, str] = {
        "critique": f"judge_{subject}",
        "direct": f"judge_{subject}",
        "brief": f"judge_{subject}_brief",
    }
    after = f"scores_{subject}"
    return Prompts(rules, f"critique_{subject}", after, after, f"score_{subject}")


PROMPTS: Mapping[Subject, Prompts] = {
    "character": Prompts(
        {"critique": "judge", "direct": "judge_directly", "brief": "judge_brief"},
        "critique",
        "scores",
        "scores_of",
        "score_directly",
    ),
    "narrator": _prompts_of("narrator"),
    "scene": _prompts_of("scene"),
}
"""By what is judged."""


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
        draw = random.Random(seed)  # noqa: S311 # nosec B311 # an order, no secret
        return tuple(draw.sample(rubric.keys, len(rubric.keys)))

    def asked_together(self, keys: Sequence[str]) -> list[tuple[str, ...]]:
        """The metrics of each reply."""
        return [tuple(keys)] if self.replies == "one" else [(key,) for key in keys]

    def prompts_digest(self, rubric: Rubric) -> str:
        """The version of the prompts: a fingerprint of their wording in both languages, and of the rubric."""
        names = PROMPTS[rubric.subject].of(self.manner)
        texts = [template(name, language) for name in names for language in ("en", "zh")]
        texts += [rubric_text(rubric, language, rubric.keys) for language in ("en", "zh")]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


PRESETS: Mapping[str, Protocol] = {
    "GPT-4": Protocol(),
    "CharacterRM": Protocol(manner="brief"),
    "ChatGLM": Protocol(manner="direct"),
}
"""The paper's judges: GPT-4 writes a critique first; CharacterRM was trained to score; ChatGLM, which it was made of,
is the baseline. Each can be asked at any endpoint."""
