"""What a judge is shown: one character's part in a story, what its narrator decided, or its scene as it opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from annotations.rubric import Subject
from characterbox.play.agents import environment_block, people
from characterbox.play.events import Event
from characterbox.play.narration import narration
from characterbox.play.trajectory import as_text, trajectory
from characterbox.prompts import words
from characterbox.scenes.scene import Scene, slug_of


@dataclass(frozen=True, slots=True)
class Part:
    """One character's part in a story."""

    subject: ClassVar[Subject] = "character"
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
        return {
            **_opening(self.scene),
            "name": self.name,
            "profile": self.scene.profile(self.name).account,
            "trajectory": as_text(trajectory(self.events, self.name, language), language),
        }


@dataclass(frozen=True, slots=True)
class Narration:
    """All that the narrator decided in a story."""

    subject: ClassVar[Subject] = "narrator"
    scene: Scene
    events: Sequence[Event]
    name: None = None

    @property
    def place(self) -> str:
        """As of a part; no character's slug has a tilde."""
        return "~narrator"

    def shown(self) -> dict[str, str]:
        """As of a part."""
        return {**_opening(self.scene), "cast": people(self.scene), "record": narration(self.events, self.scene)}


@dataclass(frozen=True, slots=True)
class Opening:
    """A scene as it opens."""

    subject: ClassVar[Subject] = "scene"
    scene: Scene
    name: None = None

    @property
    def place(self) -> str:
        """As of a part; no character's slug has a tilde."""
        return "~scene"

    def shown(self) -> dict[str, str]:
        """As of a part. How the source goes on is shown where the scene tells it."""
        plot = self.scene.plot or words(self.scene.language).labels.unknown
        return {**_opening(self.scene), "cast": people(self.scene), "plot": plot}


Work = Part | Narration | Opening
"""What is judged."""


def works_of(scene: Scene, events: Sequence[Event], subject: Subject) -> list[Work]:
    """What there is to judge of a story: all its characters' parts, or the one thing that is asked for."""
    match subject:
        case "character":
            return [Part(scene, name, events) for name in scene.names]
        case "narrator":
            return [Narration(scene, events)]
        case "scene":
            return [Opening(scene)]


def _opening(scene: Scene) -> dict[str, str]:
    environment = environment_block(scene.environment, words(scene.language))
    return {"work": scene.work, "title": scene.title, "environment": environment}
