"""An example to train on: what was asked and what was answered, and where both come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from annotations.i18n.messages import to_say
from characterbox.llm.request import ChatMessage
from characterbox.values import Language

Kind = Literal["narrator", "judge", "guided", "reflective"]
"""What is trained: a narrator (CharacterNR), a judge (CharacterRM), a character that follows better models, or one that
follows what it has rewritten itself (paper, sections 5 and 6.4)."""
Split = Literal["train", "validation", "test"]

LeftOut = Literal[
    "other_model",
    "degraded",
    "asked_again",
    "written",
    "after_written",
    "other_prompt",
    "incomplete",
    "taken_over",
    "unscored",
    "no_critique",
    "refused",
    "unrewritten",
    "other_rewriter",
]
"""Why something is no example."""

WHY: Mapping[LeftOut, str] = {
    "other_model": to_say("another model than the chosen ones replied, before the story was branched"),
    "degraded": to_say("the reply could not be read"),
    "asked_again": to_say("the first reply could not be read, and the model was asked again"),
    "written": to_say("written by a person who has not agreed to training"),
    "after_written": to_say("asked after a person who has not agreed to training wrote in the story"),
    "other_prompt": to_say("the reply answers a prompt of another version of the app"),
    "incomplete": to_say("the reply lacks a field of its form"),
    "taken_over": to_say("the reply comes from another story of the dataset, of which this is a branch"),
    "unscored": to_say("some metric has no score"),
    "no_critique": to_say("the judge's critique is not recorded"),
    "refused": to_say("the rewriting was refused"),
    "unrewritten": to_say("the reply has not been rewritten"),
    "other_rewriter": to_say("rewritten by another model than the one that played"),
}
"""The same in words, to be said."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an example comes from."""

    story: str
    path: str
    """The place of the reply in the story; of scores by experts that of the trajectory."""
    take: int
    models: Mapping[str, str]
    """Who had which part in it: `narrator`, `character`, `judge` or `rewriter`, and the model."""
    prompt: str
    """The digest of the request; of a prompt that was made for the dataset its SHA-256."""
    scene: str
    language: Language
    improvised: bool = False
    """Whether the rehearsal or a sample wrote it: no language model did."""
    by_person: bool = False
    """Whether a person wrote the answer, who has agreed to training."""

    def as_json(self) -> dict[str, Any]:
        """As it stands in the files."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Example:
    """One example."""

    messages: tuple[ChatMessage, ...]
    """The last one is the answer to be learnt."""
    provenance: Provenance

    def as_json(self) -> dict[str, Any]:
        """As it stands in the files: the form that TRL, LLaMA-Factory and OpenAI's fine-tuning read."""
        return {"messages": [{"role": one.role, "content": one.content} for one in self.messages]}
