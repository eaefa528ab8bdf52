"""What a judge is asked about one piece of work: a critique, where its protocol wants one, and scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.rubric import Rubric
from characterbox.judging.protocol import PROMPTS, Manner, Prompts, Protocol
from characterbox.judging.scores import rubric_text
from characterbox.judging.work import Work
from characterbox.llm.request import ChatMessage
from characterbox.prompts import render, template, variables
from characterbox.values import Language


@dataclass(frozen=True, slots=True)
class Questions:
    """All that a judge is asked about one piece of work."""

    judged: Work
    protocol: Protocol
    rubric: Rubric
    keys: Sequence[str]
    """The metrics, in the order in which they are asked for."""

    @property
    def language(self) -> Language:
        """The language of the prompts."""
        return self.protocol.spoken(self.judged.scene.language)

    @property
    def work(self) -> str:
        """All that is under judgement."""
        return "\n".join(self.judged.shown().values())

    def critique(self) -> tuple[ChatMessage, ...]:
        """The wish for a critique."""
        return self._rules("critique", self.keys), ChatMessage("user", self._wish(self._prompts.critique))

    def scores(self, keys: Sequence[str], critique: str | None) -> tuple[ChatMessage, ...]:
        """The wish for the scores of some metrics; `critique` is what the judge has written, if it has."""
        if critique is None:
            manner: Manner = "brief" if self.protocol.manner == "brief" else "direct"
            return self._rules(manner, keys), ChatMessage("user", self._wish(self._prompts.at_once, keys))
        task = self._prompts.scores if tuple(keys) == self.rubric.keys else self._prompts.scores_of
        return (*self.critique(), ChatMessage("assistant", critique), ChatMessage("user", self._wish(task, keys)))

    @property
    def _prompts(self) -> Prompts:
        return PROMPTS[self.judged.subject]

    def _rules(self, manner: Manner, keys: Sequence[str]) -> ChatMessage:
        language, prompt = self.language, self._prompts.rules[manner]
        if manner != "brief":
            return ChatMessage("system", render(prompt, language, rubric=rubric_text(self.rubric, language, keys)))
        listed = [f"{key} {self.rubric.metric(key).name.text(language)}" for key in keys]
        return ChatMessage("system", render(prompt, language, metrics=_listed(listed, language)))

    def _wish(self, task: str, keys: Sequence[str] = ()) -> str:
        """The prompt of a task, with as much of the work and the metrics as it takes."""
        language = self.language
        values = {**self.judged.shown(), "wanted": _listed([f'"{key}"' for key in keys], language)}
        taken = variables(template(task, language))
        return render(task, language, **{name: value for name, value in values.items() if name in taken})


def _listed(parts: Sequence[str], language: Language) -> str:
    return (", " if language == "en" else "、").join(parts)
