"""The steps of Algorithm 1: each asks one question and makes one event of the reply.

A reply that can't be read, also when asked for again, becomes a neutral event that is marked as degraded.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel

from characterbox.errors import ReplyError
from characterbox.llm.embeddings import Embedder
from characterbox.llm.replies.reading import read_prose
from characterbox.llm.request import Ask, Form, Request, answer
from characterbox.pause_reasons import Reason
from characterbox.play import events
from characterbox.play.embeddings import Embeddings
from characterbox.play.events import (
    Action,
    ActionInfluence,
    ByWhom,
    Dialogue,
    EnvironmentUpdate,
    InteractionResult,
    Reaction,
)
from characterbox.play.paths import path_of
from characterbox.play.perception import perceives
from characterbox.play.questions import Character, Narrator
from characterbox.play.replies import forms
from characterbox.play.replies.asked_forms import called_by
from characterbox.play.replies.form_reading import read_form
from characterbox.play.replies.readers import (
    PROSE_LABELS,
    read_action,
    read_influence,
    read_result,
    read_speech,
    read_updates,
)
from characterbox.play.settings import Settings
from characterbox.play.world import Chronicle, World
from characterbox.prompts import fill, words
from characterbox.scenes.scene import Scene

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


class Agents:
    """The narrator and the characters of a story, and the way to ask them."""

    def __init__(self, scene: Scene, ask: Ask, settings: Settings, embedder: Embedder | None = None) -> None:
        """`embedder` measures what characters recall; without one, letters do."""
        self.scene = scene
        self.ask = ask
        self.narrator = Narrator(scene, settings)
        self.words = words(scene.language)
        self._embeddings = None if embedder is None else Embeddings(embedder)
        self._characters = {name: Character(scene, name, settings, self._embeddings) for name in scene.names}

    async def question(self, name: str, path: str, task: str, now: Chronicle, *, form: Form | None = None) -> Request:
        """The request for one of a character's tasks, with what it remembers."""
        if self._embeddings is not None:
            await self._embeddings.measure(self._characters.values(), now, path)
        return self._characters[name].request(path, task, now, form=form)

    def others(self, name: str) -> tuple[str, ...]:
        """The names of the cast but one."""
        return tuple(other for other in self.scene.names if other != name)


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

    async def _read_form(self, request: Request, neutral: M) -> tuple[M, dict[str, Any]]:
        """The same of a reply that is all form."""
        return await self._read(request, partial(read_form, model=type(neutral)), neutral)


class Turn(_Steps):
    """The steps of one character's own turn."""

    def __init__(self, agents: Agents, round: int, actor: str) -> None:
        super().__init__(agents)
        self.actor = actor
        self._path = partial(path_of, round, actor)
        self._turn = {"round": round, "turn": actor}

    async def action(self, now: Chronicle) -> list[Action | Dialogue]:
        """PlanAndPerform: what the actor does, and what it says with it, unless the reply has no words.

        A character can only speak to those whom it has perceived, by the names that it has for them.
        """
        called = called_by(self.actor, now.world)
        form = forms.form_among("action", tuple(called))
        request = await self._agents.question(self.actor, self._path("action"), "action", now, form=form)
        neutral = forms.ActionReply(action=fill(self._neutral.action, name=self.actor), dialogue=None)
        read = partial(read_action, speaker=self.actor, names=called)
        reply, common = await self._read(request, read, neutral, partial(read, last=True))
        action = Action(**self._turn, **common, character=self.actor, text=reply.action, unseen=reply.unseen)
        if "dialogue" not in reply.model_fields_set:
            return [action]
        spoken = {"text": reply.dialogue or "", "to": reply.to}
        words = {**self._turn, **common, **spoken, "path": self._path("dialogue"), "character": self.actor}
        return [action, Dialogue(**words, whispered=reply.whispered)]

    async def action_alone(self, now: Chronicle) -> Action:
        """What the actor does, in stories that ask for words separately, whatever else the reply holds."""
        request = await self._agents.question(self.actor, self._path("action"), "action", now)
        neutral = fill(self._neutral.action, name=self.actor)
        text, common = await self._read(request, _prose("action", self.actor), neutral)
        return Action(**self._turn, **common, character=self.actor, text=text)

    async def dialogue(self, now: Chronicle) -> Dialogue:
        """What the actor says along with its action, where the reply to that has no words."""
        request = await self._agents.question(self.actor, self._path("dialogue"), "dialogue", now)
        text, common = await self._read(request, partial(read_speech, speaker=self.actor), "")
        return Dialogue(**self._turn, **common, character=self.actor, text=text)

    async def influence(self, now: Chronicle) -> ActionInfluence:
        """Whom the action touches most, and how; and who perceives it."""
        others = self._agents.others(self.actor)
        form = forms.form_among("influence", others)
        path = self._path("influence")
        request = self._agents.narrator.request(path, "influence", now, form=form, actor=self.actor)
        neutral = forms.InfluenceReply(affected=None, effect=fill(self._neutral.influence, name=self.actor))
        names, there = self._agents.scene.names, now.world.present(self.actor)
        read = partial(read_influence, actor=self.actor, names=names, there=there)
        reply, common = await self._read(request, read, neutral, partial(read, last=True))
        return ActionInfluence(
            **self._turn,
            **common,
            character=self.actor,
            affected=reply.affected,
            text=reply.effect,
            importance=reply.importance,
            seen_by=reply.seen_by,
            heard_by=reply.heard_by,
        )

    async def reaction(self, now: Chronicle, affected: str) -> Reaction:
        """What the affected character does in return."""
        path = self._path("reaction", affected)
        request = await self._agents.question(affected, path, "reaction", now)
        neutral = fill(self._neutral.reaction, name=affected)
        text, common = await self._read(request, _prose("reaction", affected), neutral)
        return Reaction(**self._turn, **common, character=affected, to=self.actor, text=text)

    async def result(self, now: Chronicle, affected: str) -> InteractionResult:
        """What comes of action and reaction."""
        agents, values = self._agents, {"actor": self.actor, "affected": affected}
        form = forms.form_among("result", agents.scene.names, () if agents.scene.masked else ("recognised",))
        request = agents.narrator.request(self._path("result"), "result", now, form=form, **values)
        neutral = forms.ResultReply(result=self._neutral.result)
        read = partial(read_result, names=agents.scene.names, there=now.world.present(affected))
        reply, common = await self._read(request, read, neutral, partial(read, last=True))
        result = InteractionResult(
            **self._turn,
            **common,
            character=self.actor,
            affected=affected,
            text=reply.result,
            importance=reply.importance,
            felt=reply.felt or "",
            seen_by=reply.seen_by,
        )
        recognised = tuple(_recognitions(reply, result, now.world))
        return result.model_copy(update={"recognised": recognised})

    async def updates(self, now: Chronicle, affected: str | None) -> list[events.CharacterUpdate | EnvironmentUpdate]:
        """Where and how the actor is after the turn, the one affected, and the environment; what the reply does not
        tell, or can't be read, is as it was."""
        agents = self._agents
        form = forms.form_among("updates", agents.scene.names, () if affected is not None else forms.OF_THE_AFFECTED)
        values = {"actor": self.actor, "affected": affected or agents.words.blocks.nobody_affected}
        request = agents.narrator.request(self._path("updates"), "updates", now, form=form, **values)
        read = partial(read_updates, names=agents.scene.names)
        reply, common = await self._read(request, read, forms.UpdatesReply(), partial(read, last=True))
        common = {**self._turn, **{name: value for name, value in common.items() if name != "path"}}
        told = [self._updated(now, common, self.actor, (reply.position, reply.state, reply.visible))]
        if affected is not None:
            other = (reply.other_position, reply.other_state, reply.other_visible)
            told.append(self._updated(now, common, affected, other))
        before = now.world.environment.model_dump()
        environment = {name: getattr(reply, name) or before[name] for name in before}
        hidden = None if reply.hidden is None else tuple(ByWhom(**one.model_dump()) for one in reply.hidden)
        path = self._path("environment")
        return [
            *told,
            EnvironmentUpdate(**common, **environment, path=path, concluded=reply.concluded, hidden=hidden),
        ]

    def _updated(
        self, now: Chronicle, common: dict[str, Any], name: str, told: tuple[str | None, str | None, str | None]
    ) -> events.CharacterUpdate:
        before, (position, state, visible) = now.world.characters[name], told
        return events.CharacterUpdate(
            **common,
            path=self._path("update", name),
            character=name,
            position=position or before.position,
            state=state or before.state,
            visible=before.visible if visible is None else visible,
        )

    async def update(self, now: Chronicle, name: str) -> events.CharacterUpdate:
        """Where and how a character is after the turn, in stories that ask for each: unchanged when the reply can't be
        read."""
        path = self._path("update", name)
        request = self._agents.narrator.request(path, "character_update", now, form=forms.CHARACTER_UPDATE, name=name)
        before = now.world.characters[name]
        unchanged = forms.CharacterUpdateReply(position=before.position, state=before.state)
        reply, common = await self._read_form(request, unchanged)
        return events.CharacterUpdate(**self._turn, **common, character=name, **reply.model_dump())

    async def environment(self, now: Chronicle) -> EnvironmentUpdate:
        """The environment after the turn, in stories that ask for each; unchanged when the reply can't be read."""
        narrator, form = self._agents.narrator, forms.ENVIRONMENT_UPDATE
        request = narrator.request(self._path("environment"), "environment_update", now, form=form)
        unchanged = forms.EnvironmentUpdateReply(**now.world.environment.model_dump())
        reply, common = await self._read_form(request, unchanged)
        return EnvironmentUpdate(**self._turn, **common, **reply.model_dump())


def _recognitions(reply: forms.ResultReply, result: InteractionResult, now: World) -> Iterator[ByWhom]:
    """Who is recognised: by those who perceive the result or that one, and do not know its name yet."""
    then = now.after(result)
    for one in reply.recognised or ():
        known = [
            name
            for name in one.by
            if now.names.name(name, one.who, now.known(name)) != one.who
            and (perceives(name, result, then) or name in now.present(one.who))
        ]
        if known:
            yield ByWhom(who=one.who, by=tuple(known))


class Beliefs(_Steps):
    """What the characters believe before the first round, and once a round is over (BDI; paper, section 3.2)."""

    async def of_self(self, now: Chronicle, name: str) -> events.SelfBelief:
        """Belief, desire and intention; those of the round before when the reply can't be read."""
        request = await self._of(name, "self-belief", "self_belief", now, forms.SELF_BELIEF)
        before = now.world.characters[name].self_belief
        fields = forms.SelfBeliefReply.model_fields
        kept = forms.SelfBeliefReply(**{one: getattr(before, one, self._neutral.belief) for one in fields})
        reply, common = await self._read_form(request, kept)
        return events.SelfBelief(**common, round=now.passage.round, character=name, **reply.model_dump())

    async def of_environment(self, now: Chronicle, name: str) -> events.EnvironmentBelief:
        """The view of others and scene and its bearing; that of the round before when the reply can't be read."""
        request = await self._of(name, "environment-belief", "environment_belief", now, forms.ENVIRONMENT_BELIEF)
        before = now.world.characters[name].environment_belief
        fields = forms.EnvironmentBeliefReply.model_fields
        kept = forms.EnvironmentBeliefReply(**{one: getattr(before, one, self._neutral.belief) for one in fields})
        reply, common = await self._read_form(request, kept)
        return events.EnvironmentBelief(**common, round=now.passage.round, character=name, **reply.model_dump())

    async def _of(self, name: str, step: str, task: str, now: Chronicle, form: Form) -> Request:
        return await self._agents.question(name, path_of(now.passage.round, name, step), task, now, form=form)


def _prose(task: str, name: str) -> Callable[[str], str]:
    return partial(read_prose, speaker=name, labels=PROSE_LABELS[task])
