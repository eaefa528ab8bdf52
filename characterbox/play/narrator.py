"""What the narrator, the model of the world, is asked (paper, section 3.2 and appendix D.1)."""

from collections.abc import Sequence

from characterbox.llm.request import NARRATOR, Form, Message, Request
from characterbox.play.character import environment_block, opening
from characterbox.play.events import Event
from characterbox.play.perception import line
from characterbox.play.world import World
from characterbox.prompts import fill, render, words
from characterbox.scenes.scene import Scene


class Narrator:
    """The agent that knows every profile and decides what comes of what the characters do."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._words = words(scene.language)
        self._system = opening("narrator", scene, cast=self._people())

    def request(
        self, path: str, task: str, world: World, so_far: Sequence[Event], *, form: Form, **values: str
    ) -> Request:
        """The request for one of the narrator's tasks; `so_far` are the events of this round up to now."""
        language = self.scene.language
        now = render(
            "narrator_now",
            language,
            history=told(so_far, self.scene),
            environment=environment_block(world.environment, self._words),
            cast=self._standing(world),
        )
        content = "\n\n".join([now, render(task, language, **values)])
        return Request(path, NARRATOR, language, (self._system, Message("user", content)), form)

    def choices(self, actor: str) -> str:
        """The names that an influence may fall on, a line each."""
        names = [name for name in self.scene.names if name != actor]
        lines = [fill(self._words.blocks.choice, name=name) for name in names]
        return "\n".join(lines) or self._words.labels.nobody

    def _standing(self, world: World) -> str:
        block = self._words.blocks.standing
        now = world.characters
        return "\n".join(
            fill(block, name=name, position=now[name].position, state=now[name].state) for name in self.scene.names
        )

    def _people(self) -> str:
        return "\n".join(
            fill(
                self._words.blocks.person,
                name=who.name,
                gender=who.gender or self._words.labels.unknown,
                profile=who.description,
                position=who.position,
                state=who.state,
            ).strip()
            for who in self.scene.cast
        )


def told(events: Sequence[Event], scene: Scene) -> str:
    """The events as lines of text, in order."""
    lines = [text for event in events if (text := line(event, scene.language)) is not None]
    return "\n".join(f"- {text}" for text in lines) or words(scene.language).labels.nothing
