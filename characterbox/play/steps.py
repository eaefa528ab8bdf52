"""The steps of Algorithm 1: each asks one question and makes one event of the reply.

A reply that can't be read, also when asked for again, becomes a neutral event that is marked as degraded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from characterbox.errors import ReplyError
from characterbox.llm.reading import read_prose
from characterbox.llm.request import Ask, Request, answer
from characterbox.play import events, replies
from characterbox.play.character import Character
from characterbox.play.events import Action, ActionInfluence, Dialogue, Event, InteractionResult, Reaction
from characterbox.play.narrator import Narrator, told
from characterbox.play.world import World
from characterbox.prompts import fill, words
from characterbox.scenes.scene import Scene, slug_of

T = TypeVar("T")


class Agents:
    """The narrator and the characters of a story, and the way to ask them."""

    def __init__(self, scene: Scene, ask: Ask) -> None:
        self.scene = scene
        self.ask = ask
        self.narrator = Narrator(scene)
        self.characters = {name: Character(scene, name) for name in scene.names}
        self.words = words(scene.language)


@dataclass(frozen=True, slots=True)
class Moment:
    """The point of the story at which a turn, or the round of beliefs, begins."""

    round: int
    clock: int
    world: World
    so_far: tuple[Event, ...]
    """The events of this round up to now."""


class _Steps:
    def __init__(self, agents: Agents, moment: Moment) -> None:
        self._agents = agents
        self._moment = moment
        self._neutral = agents.words.neutral

    def _of(self, name: str, path: str, task: str, **values: Any) -> Request:
        """The request for a task of the character called `name`."""
        now = self._moment
        character = self._agents.characters[name]
        return character.request(path, task, now.world, round=now.round, clock=now.clock, **values)

    async def _read(
        self, request: Request, read: Callable[[str], T], neutral: T, read_last: Callable[[str], T] | None = None
    ) -> tuple[T, dict[str, Any]]:
        """What was read, or the neutral outcome, with the fields that all events have."""
        common = {"path": request.path, "round": self._moment.round}
        try:
            return await answer(self._agents.ask, request, read, read_last), common
        except ReplyError as error:
            return neutral, {**common, "degraded": True, "reason": str(error)}


class Turn(_Steps):
    """The steps of one character's own turn."""

    def __init__(self, agents: Agents, moment: Moment, actor: str) -> None:
        super().__init__(agents, moment)
        self._actor = actor
        self._place = f"r{moment.round}/{slug_of(actor)}"

    async def action(self) -> Action:
        """PlanAndPerform: what the actor does."""
        request = self._of(self._actor, f"{self._place}/action", "action")
        neutral = fill(self._neutral.action, name=self._actor)
        text, common = await self._read(request, _prose("action", self._actor), neutral)
        return Action(**common, turn=self._actor, character=self._actor, text=text)

    async def dialogue(self, action: Action) -> Dialogue:
        """What the actor says along with it."""
        request = self._of(self._actor, f"{self._place}/dialogue", "dialogue", action=action.text)
        text, common = await self._read(request, self._speech, "")
        return Dialogue(**common, turn=self._actor, character=self._actor, text=text)

    async def influence(self, action: Action) -> ActionInfluence:
        """Whom the action touches most, and how."""
        narrator, names = self._agents.narrator, self._agents.scene.names
        values = {"actor": self._actor, "action": action.text, "others": narrator.choices(self._actor)}
        request = self._ask_narrator("influence", "influence", form=replies.INFLUENCE, **values)
        neutral = replies.InfluenceReply(affected=None, effect=fill(self._neutral.influence, name=self._actor))
        read = partial(replies.read_influence, actor=self._actor, names=names)
        reply, common = await self._read(request, read, neutral, partial(read, last=True))
        return ActionInfluence(
            **common,
            turn=self._actor,
            character=self._actor,
            affected=reply.affected,
            text=reply.effect,
            importance=reply.importance,
        )

    async def reaction(self, action: Action, dialogue: Dialogue, influence: ActionInfluence) -> Reaction:
        """What the affected character does in return."""
        affected = _affected(influence)
        request = self._of(
            affected,
            f"{self._place}/reaction/{slug_of(affected)}",
            "reaction",
            actor=self._actor,
            action=action.text,
            dialogue=dialogue.text or self._agents.words.silence,
            influence=influence.text,
        )
        neutral = fill(self._neutral.reaction, name=affected)
        text, common = await self._read(request, _prose("reaction", affected), neutral)
        return Reaction(**common, turn=self._actor, character=affected, to=self._actor, text=text)

    async def result(
        self, action: Action, dialogue: Dialogue, influence: ActionInfluence, reaction: Reaction
    ) -> InteractionResult:
        """What comes of action and reaction."""
        affected = _affected(influence)
        request = self._ask_narrator(
            "result",
            "result",
            form=replies.RESULT,
            actor=self._actor,
            action=action.text,
            dialogue=dialogue.text or self._agents.words.silence,
            affected=affected,
            influence=influence.text,
            reaction=reaction.text,
        )
        neutral = replies.ResultReply(result=self._neutral.result)
        read_last = partial(replies.read_result, last=True)
        reply, common = await self._read(request, replies.read_result, neutral, read_last)
        return InteractionResult(
            **common,
            turn=self._actor,
            character=self._actor,
            affected=affected,
            text=reply.result,
            importance=reply.importance,
        )

    async def update(self, name: str, happened: Sequence[Event]) -> events.CharacterUpdate:
        """Where and how a character is after what happened; unchanged when the reply can't be read."""
        request = self._ask_narrator(
            f"update/{slug_of(name)}",
            "character_update",
            form=replies.CHARACTER_UPDATE,
            name=name,
            happened=told(happened, self._agents.scene),
        )
        now = self._moment.world.characters[name]
        unchanged = replies.CharacterUpdateReply(position=now.position, state=now.state)
        reply, common = await self._read(request, replies.read_character_update, unchanged)
        return events.CharacterUpdate(**common, turn=self._actor, character=name, **reply.model_dump())

    async def environment(self, happened: Sequence[Event]) -> events.EnvironmentUpdate:
        """The environment after what happened; unchanged when the reply can't be read."""
        request = self._ask_narrator(
            "environment",
            "environment_update",
            form=replies.ENVIRONMENT_UPDATE,
            happened=told(happened, self._agents.scene),
        )
        unchanged = replies.EnvironmentUpdateReply(**self._moment.world.environment.model_dump())
        reply, common = await self._read(request, replies.read_environment_update, unchanged)
        return events.EnvironmentUpdate(**common, turn=self._actor, **reply.model_dump())

    def _ask_narrator(self, place: str, task: str, **values: Any) -> Request:
        now = self._moment
        return self._agents.narrator.request(f"{self._place}/{place}", task, now.world, now.so_far, **values)

    def _speech(self, text: str) -> str:
        """The words spoken; empty for the agreed sign of silence, and for nothing else."""
        speech = _prose("dialogue", self._actor)(text)
        bare = speech.strip(" ()（）[].。").casefold()
        return "" if bare in {words(language).silence.strip("()（）") for language in ("en", "zh")} else speech


class Beliefs(_Steps):
    """What the characters believe once a round is over (BDI; paper, section 3.2)."""

    async def of_self(self, name: str) -> events.SelfBelief:
        """Belief, desire and intention; those of the round before when the reply can't be read."""
        path = f"r{self._moment.round}/{slug_of(name)}/self-belief"
        request = self._of(name, path, "self_belief", form=replies.SELF_BELIEF)
        before = self._moment.world.characters[name].self_belief
        kept = {field: getattr(before, field, self._neutral.belief) for field in replies.SelfBeliefReply.model_fields}
        reply, common = await self._read(request, replies.read_self_belief, replies.SelfBeliefReply(**kept))
        return events.SelfBelief(**common, character=name, **reply.model_dump())

    async def of_environment(self, name: str) -> events.EnvironmentBelief:
        """The view of others and scene and its bearing; that of the round before when the reply can't be read."""
        path = f"r{self._moment.round}/{slug_of(name)}/environment-belief"
        request = self._of(name, path, "environment_belief", form=replies.ENVIRONMENT_BELIEF)
        before = self._moment.world.characters[name].environment_belief
        fields = replies.EnvironmentBeliefReply.model_fields
        kept = replies.EnvironmentBeliefReply(**{one: getattr(before, one, self._neutral.belief) for one in fields})
        reply, common = await self._read(request, replies.read_environment_belief, kept)
        return events.EnvironmentBelief(**common, character=name, **reply.model_dump())


def _prose(task: str, name: str) -> Callable[[str], str]:
    return partial(read_prose, speaker=name, labels=replies.PROSE_LABELS[task])


def _affected(influence: ActionInfluence) -> str:
    if influence.affected is None:
        raise ValueError("nobody is affected, so nobody reacts")
    return influence.affected
