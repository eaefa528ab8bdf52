"""What a character is asked: its requests, from the stable to the volatile, so that prompts share a prefix.

Of the others it is told where they are. How they are is for the narrator alone: a state holds what nobody can see.
"""

from collections.abc import Sequence

from characterbox.llm.request import Form, Message, Request
from characterbox.play.events import EnvironmentBelief, SelfBelief
from characterbox.play.memory import Memory, MemoryStream
from characterbox.play.world import World
from characterbox.prompts import Words, fill, render, words
from characterbox.scenes.scene import Environment, Scene


class Character:
    """One agent of the cast: its private profile and its memories."""

    def __init__(self, scene: Scene, name: str) -> None:
        self.scene = scene
        self.profile = scene.profile(name)
        self.memory = MemoryStream()
        self._words = words(scene.language)
        self._system = opening("character", scene, cast=_seen(World.opening(scene), scene.names, self._words))

    def request(
        self, path: str, task: str, world: World, *, round: int, clock: int, form: Form | None = None, **values: str
    ) -> Request:
        """The request for one of the character's tasks, with the values that its prompt needs besides the name."""
        language, name = self.scene.language, self.profile.name
        question = render(task, language, name=name, **values)
        now = self._now(world, " ".join(values.values()), round=round, clock=clock)
        content = "\n\n".join([self._private(), self._memories(round), now, question])
        return Request(path, name, language, (self._system, Message("user", content)), form)

    def _private(self) -> str:
        return render(
            "character_profile",
            self.scene.language,
            name=self.profile.name,
            gender=self.profile.gender or self._words.labels.unknown,
            description=self.profile.description,
        )

    def _memories(self, round: int) -> str:
        recent = self.memory.recent(round)
        return render("memories", self.scene.language, lines=_by_round(recent, self._words))

    def _now(self, world: World, happening: str, *, round: int, clock: int) -> str:
        me = world.characters[self.profile.name]
        query = f"{happening} {me.position} {me.state} {world.environment.location}"
        recalled = [one.memory for one in self.memory.recall(query, round=round, clock=clock)]
        others = [name for name in self.scene.names if name != self.profile.name]
        return render(
            "character_now",
            self.scene.language,
            environment=environment_block(world.environment, self._words),
            position=me.position,
            state=me.state,
            self_belief=_self_belief(me.self_belief, self._words),
            environment_belief=_environment_belief(me.environment_belief, self._words),
            others=_seen(world, others, self._words),
            recalled=_by_round(recalled, self._words),
        )


def environment_block(environment: Environment, words: Words) -> str:
    """The environment as a block of text."""
    return fill(words.blocks.environment, **environment.model_dump()).strip()


def opening(task: str, scene: Scene, *, cast: str) -> Message:
    """The system message of the characters or the narrator: their contracts, and the scene as it opens."""
    prompt = render(
        task, scene.language, work=scene.work, title=scene.title, cast=cast, **scene.environment.model_dump()
    )
    return Message("system", prompt)


def _seen(world: World, names: Sequence[str], words: Words) -> str:
    lines = [fill(words.blocks.seen, name=name, position=world.characters[name].position) for name in names]
    return "\n".join(lines) or words.labels.nobody


def _by_round(memories: list[Memory], words: Words) -> str:
    lines: list[str] = []
    for number, memory in enumerate(memories):
        if number == 0 or memories[number - 1].round != memory.round:
            lines.append(fill(words.memory.round, round=str(memory.round)))
        lines.append(f"- {memory.text}")
    return "\n".join(lines) or words.labels.nothing


def _self_belief(belief: SelfBelief | None, words: Words) -> str:
    if belief is None:
        return words.labels.nothing
    return fill(
        words.blocks.self_belief, belief=belief.belief, desire=belief.desire, intention=belief.intention
    ).strip()


def _environment_belief(belief: EnvironmentBelief | None, words: Words) -> str:
    if belief is None:
        return words.labels.nothing
    return fill(
        words.blocks.environment_belief, others=belief.others, scene=belief.scene, bearing=belief.bearing
    ).strip()
