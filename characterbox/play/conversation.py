"""Dialogues with roles: two take turns to speak, and nothing else happens (RoleLLM, section 2.2).

A dialogue is a story whose rounds have one turn of each, and whose turns are words alone: so it is branched, edited,
resumed, shown, shared, rated and paid like any other.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from characterbox.errors import ReplyError, RoleError
from characterbox.llm.request import Ask, ChatMessage, Request, answer
from characterbox.llm.sampling import Sampling
from characterbox.pause_reasons import Reason
from characterbox.play.events import Dialogue, Event, StoryEnded
from characterbox.play.paths import END, path_of
from characterbox.play.replies.readers import read_speech
from characterbox.play.world import Script
from characterbox.prompts import fill, words
from characterbox.roles.dialogue import Conversation, dialogue_scene
from characterbox.roles.prompting import Said, Strategy, messages_of
from characterbox.roles.retrieval import Example, examples_of
from characterbox.roles.role import Role
from characterbox.scenes.scene import slug_of

WITH_PERSON = 100
"""Rounds of a dialogue with a person, at most: the person ends it."""


def with_person(role: Role, person: str, persona: str | None, strategy: Strategy) -> Script:
    """A dialogue of a person with a role. Raises RoleError for a name that can't be told from the role's."""
    if not slug_of(person) or slug_of(person) == slug_of(role.name):
        raise RoleError("enter a name with letters or digits that is not the role's")
    conversation = Conversation(strategy=strategy, roles=(role,), persona=persona)
    return Script(scene=dialogue_scene([role], person, persona), rounds=WITH_PERSON, conversation=conversation)


def of_roles(roles: tuple[Role, Role], rounds: int, strategy: Strategy) -> Script:
    """A dialogue of two roles, of which the first begins. Raises RoleError if they can't talk with each other."""
    first, second = roles
    if first.language != second.language or slug_of(first.name) == slug_of(second.name):
        raise RoleError("both roles must speak the same language, and have different names")
    conversation = Conversation(strategy=strategy, roles=roles)
    return Script(scene=dialogue_scene(roles), rounds=rounds, conversation=conversation)


async def converse(
    script: Script, ask: Ask, emit: Callable[[Event], Awaitable[None]], played: Sequence[Event] = ()
) -> None:
    """Let both speak in turns, for the rounds of a script that has a conversation, or until there is nothing more to
    say: a person stays silent, or two roles both do. Raises as `play` does.
    """
    talk, known = _Talk(script, ask), deque(played)
    for round in range(1, script.rounds + 1):
        for name in script.scene.names:
            event: Event = known.popleft() if known else await talk.turn(round, name)
            talk.said.append(Said(name, getattr(event, "text", "")))
            talk.unread.append(event.degraded)
            await emit(event)
            if talk.over(name):
                return await _end(emit, round, "concluded")
    return await _end(emit, script.rounds, "rounds")


async def _end(emit: Callable[[Event], Awaitable[None]], round: int, because: str) -> None:
    await emit(StoryEnded.model_validate({"path": END, "round": round, "because": because}))


class _Talk:
    """A dialogue as far as it has come."""

    def __init__(self, script: Script, ask: Ask) -> None:
        self.said: list[Said] = []
        self.unread: list[bool] = []
        """Of each turn, whether the reply could not be read: that is no silence."""
        self._script = script
        self._ask = ask

    async def turn(self, round: int, name: str) -> Dialogue:
        """What the one called `name` says next."""
        path = path_of(round, name, "dialogue")
        common: dict[str, Any] = {"path": path, "round": round, "turn": name, "character": name}
        request = question(self._script, self.said, path, name)
        try:
            text = await answer(self._ask, request, partial(read_speech, speaker=name))
        except ReplyError as error:
            return Dialogue(**common, text="", degraded=True, reason=Reason.of(error))
        return Dialogue(**common, text=text)

    def over(self, name: str) -> bool:
        """Whether there is nothing more to say, now that the one called `name` has spoken."""
        silent = [not one.text and not unread for one, unread in zip(self.said, self.unread, strict=True)]
        conversation = self._script.conversation
        person = conversation is not None and conversation.role(name) is None
        return silent[-1] and (person or (len(silent) > 1 and silent[-2]))


def question(script: Script, said: Sequence[Said], path: str, name: str) -> Request:
    """What is asked of the one who speaks next. A person is asked with what was said last, and no role.

    Raises ValueError for a script without a conversation.
    """
    scene, conversation, sampling = script.scene, script.conversation, script.settings.characters
    if conversation is None:
        raise ValueError("there is no conversation in this script")
    role = conversation.role(name)
    other = next(one for one in scene.names if one != name)
    if role is None:
        phrases = words(scene.language).role
        told = [fill(phrases.said, speaker=one.speaker, text=one.text) for one in said[-1:]]
        begin = told or [fill(phrases.begin, other=other)]
        return Request(path, name, scene.language, (ChatMessage("user", begin[0]),), sampling=sampling)
    shown = shown_examples(conversation, said, role)
    asked = _Asked(role, _other(conversation, other), tuple(said), conversation.strategy, tuple(shown))
    return asked.request(path, sampling)


def shown_examples(conversation: Conversation, said: Sequence[Said], role: Role) -> list[Example]:
    """The rounds of a role that are shown to its model as it answers what was said last, the best first."""
    if conversation.strategy == "zsp" or not said:
        return []
    return examples_of(role).nearest(said[-1].text)


def _other(conversation: Conversation, name: str) -> str:
    """Who the other one is, as a role is told it."""
    if conversation.persona is None or conversation.role(name) is not None:
        return name
    phrase = words(conversation.roles[0].language).role.persona
    return fill(phrase, name=name, persona=conversation.persona)


@dataclass(frozen=True)
class _Asked:
    """A question to a model that speaks as a role."""

    role: Role
    other: str
    said: tuple[Said, ...]
    strategy: Strategy
    examples: tuple[Example, ...]
    dropped: tuple[str, ...] = ()

    def request(self, path: str, sampling: Sampling) -> Request:
        return Request(
            path,
            self.role.name,
            self.role.language,
            messages_of(self.role, self.other, self.said, self.strategy, self.examples),
            droppable=len(self.examples) + max(len(self.said) - 1, 0),
            drop=lambda count: self._without(count).request(path, sampling),
            dropped=self.dropped,
            sampling=sampling,
        )

    def _without(self, count: int) -> "_Asked":
        """The question without what is least useful: examples, those that fit worst first, then what was said first."""
        examples = self.examples[: max(len(self.examples) - count, 0)]
        gone = count - (len(self.examples) - len(examples))
        left_out = [one.round.answer for one in reversed(self.examples[len(examples) :])]
        left_out += [one.text for one in self.said[:gone]]
        kept = (self.role, self.other, self.said[gone:], self.strategy, examples)
        return _Asked(*kept, dropped=(*self.dropped, *left_out))


def said_in(events: Sequence[Event]) -> list[Said]:
    """What was said in a dialogue so far."""
    return [Said(str(one.turn), one.text) for one in events if isinstance(one, Dialogue)]
