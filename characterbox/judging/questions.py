"""What a judge is asked about one character's part in a story."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.rubric import Rubric
from characterbox.judging.protocol import Protocol
from characterbox.judging.scores import rubric_text
from characterbox.llm.request import Message
from characterbox.play.character import environment_block
from characterbox.play.events import Event
from characterbox.play.trajectory import as_text, trajectory
from characterbox.prompts import render, words
from characterbox.scenes.scene import Scene
from characterbox.values import Language


@dataclass(frozen=True, slots=True)
class Part:
    """What a judge is shown: one character's part in a story."""

    scene: Scene
    name: str
    events: Sequence[Event]

    def work(self) -> dict[str, str]:
        """The work under judgement, in the language of its scene: the variables of the prompts that show it."""
        scene, language = self.scene, self.scene.language
        return {
            "work": scene.work,
            "title": scene.title,
            "environment": environment_block(scene.environment, words(language)),
            "name": self.name,
            "profile": scene.profile(self.name).description,
            "trajectory": as_text(trajectory(self.events, self.name, language), language),
        }


@dataclass(frozen=True, slots=True)
class Questions:
    """What a judge is asked about a part: a critique, where its protocol wants one, and scores."""

    part: Part
    protocol: Protocol
    rubric: Rubric
    keys: Sequence[str]
    """The metrics, in the order in which they are asked for."""

    @property
    def language(self) -> Language:
        """The language of the prompts."""
        return self.protocol.spoken(self.part.scene.language)

    @property
    def work(self) -> str:
        """All that is under judgement."""
        return "\n".join(self.part.work().values())

    def critique(self) -> tuple[Message, ...]:
        """The wish for a critique."""
        shown = render("judge", self.language, rubric=rubric_text(self.rubric, self.language, self.keys))
        return Message("system", shown), Message("user", render("critique", self.language, **self.part.work()))

    def scores(self, keys: Sequence[str], critique: str | None) -> tuple[Message, ...]:
        """The wish for the scores of some metrics; `critique` is what the judge has written, if it has."""
        if critique is None:
            return self._scores_at_once(keys)
        if tuple(keys) == self.rubric.keys:
            wish = render("scores", self.language, name=self.part.name)
        else:
            wish = render("scores_of", self.language, name=self.part.name, wanted=self._wanted(keys))
        return (*self.critique(), Message("assistant", critique), Message("user", wish))

    def _scores_at_once(self, keys: Sequence[str]) -> tuple[Message, ...]:
        language = self.language
        if self.protocol.manner == "brief":
            names = {key: self.rubric.metric(key).name.text(language) for key in keys}
            listed = [f"{key} {name}" for key, name in names.items()]
            told = render("judge_brief", language, metrics=_listed(listed, language))
        else:
            told = render("judge_directly", language, rubric=rubric_text(self.rubric, language, keys))
        wish = render("score_directly", language, **self.part.work(), wanted=self._wanted(keys))
        return Message("system", told), Message("user", wish)

    def _wanted(self, keys: Sequence[str]) -> str:
        return _listed([f'"{key}"' for key in keys], self.language)


def _listed(parts: Sequence[str], language: Language) -> str:
    return (", " if language == "en" else "、").join(parts)
