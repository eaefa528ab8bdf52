"""An example to train on: what was asked and what was answered, and where both come from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotations.i18n.messages import cited, to_say
from characterbox.errors import TrainingError
from characterbox.llm.request import ChatMessage
from characterbox.values import Language

StoryKind = Literal["narrator", "judge", "guided", "reflective"]
"""What is trained on stories: a narrator (CharacterNR), a judge (CharacterRM), a character that follows better models,
or one that follows what it has rewritten itself (paper, sections 5 and 6.4)."""
Kind = Literal[StoryKind, "role"]
"""What is trained: the same, or a model that plays roles by their profiles (RoCIT; RoleLLM, section 2.4)."""
Split = Literal["train", "validation", "test"]
Part = Literal["general", "specific"]
"""What a question to a role is about: anything, for its way of speaking, or what it alone knows (RoleLLM, 2.4)."""

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
class RoleProvenance:
    """Where an example of a role comes from."""

    role: str
    """The id of the role."""
    part: Part
    language: Language
    journal: str
    """What has the answer on record: the id of a journal, or the name of a benchmark."""
    path: str
    """The place of the answer in it; of a benchmark the file and the line."""
    take: int = 0
    models: Mapping[str, str] = field(default_factory=dict)
    """Who had which part in it, such as `instruction` or `answer`, and the model."""
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
    """The last one is an answer to be learnt."""
    provenance: Provenance | RoleProvenance
    last_alone: bool = False
    """Whether the answers before the last one are shown, and not learnt."""

    def as_json(self) -> dict[str, Any]:
        """As it stands in the files: the form that TRL, LLaMA-Factory and OpenAI's fine-tuning read. OpenAI's says by a
        weight of 0 that an answer is not learnt."""
        shown = [{"role": one.role, "content": one.content} for one in self.messages]
        if not self.last_alone:
            return {"messages": shown}
        before = [{**one, "weight": 0} if one["role"] == "assistant" else one for one in shown[:-1]]
        return {"messages": [*before, shown[-1]]}


def role_example(
    system: str, earlier: Iterable[tuple[str, str]], question: str, answer: str, provenance: RoleProvenance
) -> Example:
    """An example of a role: who it is, by a system instruction, earlier rounds of question and answer, which are shown
    and not learnt, and the question whose answer is learnt (RoleLLM, sections 2.4 and 4.3).

    Raises TrainingError for a text that is blank.
    """
    messages = [ChatMessage("system", system)]
    for asked, answered in (*earlier, (question, answer)):
        messages += [ChatMessage("user", asked), ChatMessage("assistant", answered)]
    for number, message in enumerate(messages, 1):
        if not message.content.strip():
            raise TrainingError(
                "example of role {role} ({journal}, {path}): message {number}, of the {speaker}, is blank; leave the"
                " example out, or write the text",
                role=cited(provenance.role),
                journal=cited(provenance.journal),
                path=cited(provenance.path),
                number=number,
                speaker=message.role,
            )
    return Example(tuple(messages), provenance, last_alone=True)
