"""The steps of Algorithm 1: each asks one question and makes one event of the reply.

A reply that can't be read, also when asked for again, becomes a neutral event that is marked as degraded.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import read_prose
from characterbox.llm.request import Ask, Form, Request, answer
from characterbox.pause_reasons import Reason
from characterbox.play import events, replies
from characterbox.play.events import Action, ActionInfluence, Dialogue, InteractionResult, Reaction
from characterbox.play.paths import path_of
from characterbox.play.questions import Character, Narrator
from characterbox.play.world import Chronicle, Script
from characterbox.prompts import fill, words

T = TypeVar("T")


class Agents:
    """The narrator and the characters of a story, and the way to ask them."""

    def __init__(self, script: Script, ask: Ask) -> None:
        scene, settings = script.scene, script.settings
        self.scene = scene
        self.ask = ask
        self.narrator = Narrator(scene, settings.narrator)
        self.characters = {name: Character(scene, name, settings.characters) for name in scene.names}
        self.words = words(scene.language)
        self.others = {name: tuple(other for other in scene.names if other != name) for name in scene.names}
        self.influences = {name: replies.influence_form(others) for name, others in self.others.items()}


class _Steps:
    """Steps take the chronicle of the story up to the moment at which their question is put."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._neutral = agents.words.neutral

    async def _read(
        self, request: Request, read: Callable[[str], T], neutral: T, read_last: Callable[[str], T] | None = None
    ) -> tuple[T, dict[str, Any]]:
        """What was read, or the neutral outcome, with the fields by which it can be told how it came about."""
        common: dict[str, Any] = {"path": request.path}
        try:
            return await answer(self._agents.ask, request, read, read_last), common
        except ReplyError as error:
            return neutral, {**common, "degraded": True, "reason": Reason.of(error)}


class Turn(_Steps):
    """The steps of one character's own turn."""

    def __init__(self, agents: Agents, round: int, actor: str) -> None:
        super().__init__(agents)
        self._actor = actor
        self._path = partial(path_of, round, actor)
        self._turn = {"round": round, "turn": actor}

    async def action(self, now: Chronicle) -> Action:
        """PlanAndPerform: what the actor does."""
        request = self._agents.characters[self._actor].request(self._path("action"), "action", now)
        neutral = fill(self._neutral.action, name=self._actor)
        text, common = await self._read(request, _prose("action", self._actor), neutral)
        return Action(**self._turn, **common, character=self._actor, text=text)

    async def dialogue(self, now: Chronicle) -> Dialogue:
        """What the actor says along with it."""
        request = self._agents.characters[self._actor].request(self._path("dialogue"), "dialogue", now)
        text, common = await self._read(request, self._speech, "")
        return Dialogue(**self._turn, **common, character=self._actor, text=text)

    async def influence(self, now: Chronicle) -> ActionInfluence:
        """Whom the action touches most, and how."""
        others, form = self._agents.others[self._actor], self._agents.influences[self._actor]
        choices = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in (*others, None))
        values = {"actor": self._actor, "choices": choices}
        request = self._agents.narrator.request(self._path("influence"), "influence", now, form=form, **values)
        neutral = replies.InfluenceReply(affected=None, effect=fill(self._neutral.influence, name=self._actor))
        read = partial(replies.read_influence, actor=self._actor, names=self._agents.scene.names)
        reply, common = await self._read(request, read, neutral, partial(read, last=True))
        return ActionInfluence(
            **self._turn,
            **common,
            character=self._actor,
            affected=reply.affected,
            text=reply.effect,
            importance=reply.importance,
        )

    async def reaction(self, now: Chronicle, affected: str) -> Reaction:
        """What the affected character does in return."""
        path = self._path("reaction", affected)
        request = self._agents.characters[affected].request(path, "reaction", now, actor=self._actor)
        neutral = fill(self._neutral.reaction, name=affected)
        text, common = await self._read(request, _prose("reaction", affected), neutral)
        return Reaction(**self._turn, **common, character=affected, to=self._actor, text=text)

    async def result(self, now: Chronicle, affected: str) -> InteractionResult:
        """What comes of action and reaction."""
        values = {"actor": self._actor, "affected": affected}
        request = self._agents.narrator.request(self._path("result"), "result", now, form=replies.RESULT, **values)
        neutral = replies.ResultReply(result=self._neutral.result)
        read_last = partial(replies.read_result, last=True)
        reply, common = await self._read(request, replies.read_result, neutral, read_last)
        return InteractionResult(
            **self._turn,
            **common,
            character=self._actor,
            affected=affected,
            text=reply.result,
            importance=reply.importance,
        )

    async def update(self, now: Chronicle, name: str) -> events.CharacterUpdate:
        """Where and how a character is after the turn; unchanged when the reply can't be read."""
        path = self._path("update", name)
        request = self._agents.narrator.request(path, "character_update", now, form=replies.CHARACTER_UPDATE, name=name)
        before = now.world.characters[name]
        unchanged = replies.CharacterUpdateReply(position=before.position, state=before.state)
        reply, common = await self._read(request, replies.read_character_update, unchanged)
        return events.CharacterUpdate(**self._turn, **common, character=name, **reply.model_dump())

    async def environment(self, now: Chronicle) -> events.EnvironmentUpdate:
        """The environment after the turn; unchanged when the reply can't be read."""
        path = self._path("environment")
        request = self._agents.narrator.request(path, "environment_update", now, form=replies.ENVIRONMENT_UPDATE)
        unchanged = replies.EnvironmentUpdateReply(**now.world.environment.model_dump())
        reply, common = await self._read(request, replies.read_environment_update, unchanged)
        return events.EnvironmentUpdate(**self._turn, **common, **reply.model_dump())

    def _speech(self, text: str) -> str:
        """The words spoken; empty for the agreed sign of silence, and for nothing else."""
        speech = _prose("dialogue", self._actor)(text)
        bare = speech.strip(" ()（）[].。").casefold()
        return "" if bare in {words(language).silence.strip("()（）") for language in ("en", "zh")} else speech


class Beliefs(_Steps):
    """What the characters believe once a round is over (BDI; paper, section 3.2)."""

    async def of_self(self, now: Chronicle, name: str) -> events.SelfBelief:
        """Belief, desire and intention; those of the round before when the reply can't be read."""
        request = self._of(name, "self-belief", "self_belief", now, replies.SELF_BELIEF)
        before = now.world.characters[name].self_belief
        kept = {field: getattr(before, field, self._neutral.belief) for field in replies.SelfBeliefReply.model_fields}
        reply, common = await self._read(request, replies.read_self_belief, replies.SelfBeliefReply(**kept))
        return events.SelfBelief(**common, round=now.passage.round, character=name, **reply.model_dump())

    async def of_environment(self, now: Chronicle, name: str) -> events.EnvironmentBelief:
        """The view of others and scene and its bearing; that of the round before when the reply can't be read."""
        request = self._of(name, "environment-belief", "environment_belief", now, replies.ENVIRONMENT_BELIEF)
        before = now.world.characters[name].environment_belief
        fields = replies.EnvironmentBeliefReply.model_fields
        kept = replies.EnvironmentBeliefReply(**{one: getattr(before, one, self._neutral.belief) for one in fields})
        reply, common = await self._read(request, replies.read_environment_belief, kept)
        return events.EnvironmentBelief(**common, round=now.passage.round, character=name, **reply.model_dump())

    def _of(self, name: str, step: str, task: str, now: Chronicle, form: Form) -> Request:
        path = path_of(now.passage.round, name, step)
        return self._agents.characters[name].request(path, task, now, form=form)


def _prose(task: str, name: str) -> Callable[[str], str]:
    return partial(read_prose, speaker=name, labels=replies.PROSE_LABELS[task])
