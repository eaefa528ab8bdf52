"""What a judge is shown (a part in a story, what its narrator decided, or a scene as it opens) and asked about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from annotations.rubrics.rubric import Rubric, Subject
from characterbox.judging.presentation import cast_text, judged_person, listed, person, person_text
from characterbox.judging.protocol import PROMPTS, Manner, Prompts, Protocol, guide_texts, rubric_text
from characterbox.llm.request import ChatMessage
from characterbox.play.events import Event
from characterbox.play.questions import environment_block
from characterbox.play.trajectory import as_text, narration, trajectory
from characterbox.play.world import Script
from characterbox.prompts import render, template, variables, words
from characterbox.scenes.scene import Scene, slug_of
from characterbox.values import Language

JudgeRubric = Literal["character", "narrator", "narrator_steps", "scene"]
"""The bundled rubrics by which judges score: each says what is judged, and versions of judges are counted by it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One character's part in a story."""

    subject: ClassVar[Subject] = "character"
    rubric: ClassVar[JudgeRubric] = "character"
    scene: Scene
    name: str
    events: Sequence[Event]

    @property
    def place(self) -> str:
        """Where a judge's replies about it are filed, within the judge's place."""
        return slug_of(self.name)

    def shown(self) -> dict[str, str]:
        """The work under judgement, in the language of its scene: the variables of the prompts that show it."""
        language = self.scene.language
        steps = trajectory(self.events, self.name, self.scene)
        others = [name for name in self.scene.names if name != self.name]
        return {
            **_opening(self.scene),
            "name": self.name,
            "profile": person_text(judged_person(self.scene, self.name), language, others),
            "trajectory": as_text(steps, language),
        }


@dataclass(frozen=True, slots=True)
class Narration:
    """All that the narrator decided in a story."""

    subject: ClassVar[Subject] = "narrator"
    rubric: ClassVar[JudgeRubric] = "narrator"
    scene: Scene
    events: Sequence[Event]
    name: None = None

    @property
    def place(self) -> str:
        """As of a part; no character's slug has a tilde."""
        return "~narrator"

    def shown(self) -> dict[str, str]:
        """As of a part."""
        return {
            **_opening(self.scene),
            "cast": _cast(self.scene),
            "record": as_text(narration(self.events, self.scene), self.scene.language),
        }


@dataclass(frozen=True, slots=True)
class NarrationBySteps(Narration):
    """The same, scored for each kind of step by itself."""

    rubric: ClassVar[JudgeRubric] = "narrator_steps"

    @property
    def place(self) -> str:
        """As of a part: beside what is said of all of it."""
        return "~narrator/steps"


@dataclass(frozen=True, slots=True)
class Opening:
    """A scene as it opens."""

    subject: ClassVar[Subject] = "scene"
    rubric: ClassVar[JudgeRubric] = "scene"
    scene: Scene
    name: None = None

    @property
    def place(self) -> str:
        """As of a part; no character's slug has a tilde."""
        return "~scene"

    def shown(self) -> dict[str, str]:
        """As of a part. How the source goes on is not shown: experts judge what can be played."""
        return {**_opening(self.scene), "cast": _cast(self.scene)}


Work = Part | Narration | Opening
"""What is judged."""


def works_of(scene: Scene, events: Sequence[Event], rubric: JudgeRubric) -> list[Work]:
    """What there is to judge of a story by a rubric: all its characters' parts, or the one thing that it is for."""
    match rubric:
        case "character":
            return [Part(scene, name, events) for name in scene.names]
        case "narrator":
            return [Narration(scene, events)]
        case "narrator_steps":
            return [NarrationBySteps(scene, events)]
        case "scene":
            return [Opening(scene)]


def works_in(script: Script, events: Sequence[Event], rubric: JudgeRubric) -> list[Work]:
    """The same of what was played: of a dialogue the parts of its roles, as nobody narrates it, or wrote its scene."""
    if script.conversation is None:
        return works_of(script.scene, events, rubric)
    return [Part(script.scene, name, events) for name in script.rated] if rubric == "character" else []


def metrics_asked(work: Work, rubric: Rubric) -> frozenset[str]:
    """The metrics that can be scored: of those that ask of one kind of step, those of which the story has a step."""
    steps = frozenset() if isinstance(work, Opening) else frozenset(event.kind for event in work.events)
    return frozenset(metric.key for metric in rubric.metrics if metric.of is None or metric.of.step in steps)


def _opening(scene: Scene) -> dict[str, str]:
    environment = environment_block(scene.environment, words(scene.language))
    return {"work": scene.work, "title": scene.title, "environment": environment}


def _cast(scene: Scene) -> str:
    return cast_text((person(who, scene.language) for who in scene.cast), scene.language)


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
            told = {**guide_texts(self.rubric, language), "rubric": rubric_text(self.rubric, language, keys)}
            return ChatMessage("system", render(prompt, language, **told))
        named = [f"{key} {self.rubric.metric(key).name.text(language)}" for key in keys]
        return ChatMessage("system", render(prompt, language, metrics=listed(named, language)))

    def _wish(self, task: str, keys: Sequence[str] = ()) -> str:
        """The prompt of a task, with as much of the work and the metrics as it takes."""
        language = self.language
        values = {**self.judged.shown(), "wanted": listed([f'"{key}"' for key in keys], language)}
        taken = variables(template(task, language))
        return render(task, language, **{name: value for name, value in values.items() if name in taken})
