"""What a model is asked that is to speak as a role: zero-shot, or with examples of how the role speaks (RoleLLM, 2.2).

zsp tells who the role is; fsp shows examples in the prompt, before what was said last; fsd as earlier turns of the
conversation. The wording is this project's own, the form is that of the paper (Box 2.2, appendix I.1).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from characterbox.llm.request import ChatMessage
from characterbox.prompts import fill, harmless, render, words
from characterbox.roles.retrieval import Example, examples_of
from characterbox.roles.role import Role, Turn
from characterbox.values import Language

Strategy = Literal["zsp", "fsp", "fsd"]
STRATEGIES: tuple[Strategy, ...] = ("zsp", "fsp", "fsd")


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in a dialogue, in its order; an empty text is silence."""

    speaker: str
    text: str


def profile_of(role: Role) -> str:
    """What a model is told of who the role is."""
    phrases = words(role.language).role
    return phrases.no_description if role.description is None else role.description.text


def catchphrases_of(role: Role) -> str:
    """The catchphrases, a line each."""
    phrases = words(role.language).role
    return "\n".join(one.text for one in role.catchphrases) or phrases.no_catchphrases


def system_message(role: Role, other: str) -> ChatMessage:
    """The system instruction by which a model becomes the role; `other` is who talks with it."""
    about = {"name": role.name, "work": role.work, "other": other}
    values = {"profile": profile_of(role), "catchphrases": catchphrases_of(role)}
    return ChatMessage("system", render("role", role.language, **about, **values))


def messages_of(
    role: Role, other: str, said: Sequence[Said], strategy: Strategy, examples: Sequence[Example] = ()
) -> tuple[ChatMessage, ...]:
    """All that a model is asked as its role has to speak next. `other` is who the other one is, `said` what was said
    so far, of which the last is the other one's, and `examples` the best first: the best stands nearest to what was
    said."""
    turns = history(role, other, said)
    system = system_message(role, other)
    shown = [*reversed(examples)]
    if not shown or strategy == "zsp":
        return system, *turns
    if strategy == "fsd":
        pairs = [message for one in shown for message in _as_turns(one, role)]
        return system, *pairs, *turns
    *before, last = turns
    shown_so = "\n\n".join(f"{told(one.round.before, role.language)}\n{one.round.answer}" for one in shown)
    asked = render("role_examples", role.language, name=role.name, examples=shown_so, said=last.content)
    return system, *before, ChatMessage("user", asked)


def question_prompt(role: Role, strategy: Strategy) -> Callable[[str], tuple[ChatMessage, ...]]:
    """What makes of a single question all that a model is asked which is to answer it as the role, with the examples
    that suit the question."""
    found = cache(partial(examples_of, role))

    def asked(question: str) -> tuple[ChatMessage, ...]:
        visitor = words(role.language).role.visitor
        examples = [] if strategy == "zsp" else found().nearest(question)
        return messages_of(role, visitor, [Said(visitor, question)], strategy, examples)

    return asked


def history(role: Role, other: str, said: Sequence[Said]) -> tuple[ChatMessage, ...]:
    """What was said, as the turns of a chat in which the role is the assistant."""
    phrases = words(role.language).role
    turns = []
    for one in said:
        if one.speaker == role.name:
            turns.append(ChatMessage("assistant", one.text or words(role.language).silence))
        else:
            phrase = phrases.said if one.text else phrases.quiet
            values = {"speaker": one.speaker} | ({"text": one.text} if one.text else {})
            turns.append(ChatMessage("user", harmless(fill(phrase, **values))))
    if not turns or turns[-1].role == "assistant" or turns[0].role == "assistant":
        begin = ChatMessage("user", harmless(fill(phrases.begin, other=other)))
        turns = [begin, *turns] if turns else [begin]
    return tuple(turns)


def _as_turns(example: Example, role: Role) -> tuple[ChatMessage, ChatMessage]:
    asked = harmless(told(example.round.before, role.language))
    return ChatMessage("user", asked), ChatMessage("assistant", harmless(example.round.answer))


def told(turns: Sequence[Turn], language: Language) -> str:
    """What was said and narrated, a line each."""
    phrases = words(language).role
    return "\n".join(
        fill(phrases.narrated, text=turn.text)
        if turn.speaker is None
        else fill(phrases.said, speaker=turn.speaker, text=turn.text)
        for turn in turns
    )
