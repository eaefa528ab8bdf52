"""What is behind the steps of a story: the replies, the prompts that they answer, and what was remembered for them."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any

from characterbox.errors import CharacterBoxError, Interlude
from characterbox.llm.journal import Reply
from characterbox.llm.request import AGAIN, ChatMessage, Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event, StoryEnded
from characterbox.play.memory_record import Recollection, Remembered, remembered
from characterbox.play.paths import parse_path, reply_path, reply_paths, step_path
from characterbox.store.stories.stories import Story, StoryStore


def behind_step(stories: StoryStore, story: Story, path: str) -> dict[str, Any]:
    """What is behind the step at a path, as JSON-ready values::

        {"takes": [{"again": whether the question was put once more, "text", "author", "improvised": whether the
                    rehearsal is that model, "model", "attempts", "troubles", "refused": options it does not take,
                    "latency": in seconds, "promptTokens", "completionTokens", "cachedTokens", "price": US dollars,
                    "finish", "origin": the story it was taken over from, "messages": [{"role", "content"}, ...]}, ...],
         "memory": [a Remembered, ...], or null where it is not known, as prompts have changed since,
         "measured": the embedding model that measured the relevance, or null where letters did}

    The takes are in the order in which they came; the last one counts. What was remembered is that of the question as
    it was put first. Nothing is behind a path that is no step's, such as a judge's. Not to be called where an event
    loop runs.
    """
    try:
        places = reply_paths(path)
    except ValueError:
        return {"takes": [], "memory": None, "measured": None}
    path, takes = next(((place, takes) for place in places if (takes := stories.takes(story.id, place))), (path, []))
    again = stories.takes(story.id, path + AGAIN)
    told = None
    if takes:
        stored, asked = takes[-1].memory, {}
        if stored is None:  # of an older app: the story up to this step puts its question again
            before = takewhile(
                lambda event: isinstance(event, StoryEnded) or path not in reply_paths(event.path),
                stories.events(story.id),
            )
            asked = _questions(story, list(before), {})
        told = _remembered(takes[-1], story, asked)
    memory = None if told is None else [asdict(one) for one in told.memories]
    takes_told = [_take(reply) for reply in (*takes, *again)]
    return {"takes": takes_told, "memory": memory, "measured": told and told.model}


def behind_steps(stories: StoryStore, story: Story) -> dict[str, Any]:
    """What is behind all steps, with each text once, as JSON-ready values: `{"texts": [...], "steps": {path: ...},
    "shared": {path of an event: path of the step whose reply made it}}`.

    A step is as `behind_step` tells it, but its memories and the paragraphs of its messages are numbers of texts. Not
    to be called where an event loop runs.
    """
    numbers: dict[str, int] = {}

    def number(text: str) -> int:
        return numbers.setdefault(text, len(numbers))

    def numbered(message: ChatMessage) -> dict[str, Any]:
        return {"role": message.role, "content": [number(part) for part in message.content.split("\n\n")]}

    steps: dict[str, dict[str, Any]] = {}
    journal = stories.journal(story.id, under="r")
    last = {reply.path: reply for reply in journal}
    older = any(reply.memory is None for path, reply in last.items() if not parse_path(path)[1])
    asked = _questions(story, (), last) if older else {}
    for reply in journal:
        step = steps.setdefault(step_path(reply.path), {"takes": [], "memory": None, "measured": None})
        step["takes"].append({**_take(reply), "messages": [numbered(one) for one in reply.messages]})
        if reply.path in steps and (told := _remembered(reply, story, asked)) is not None:
            step["memory"] = [{**asdict(memory), "text": number(memory.text)} for memory in told.memories]
            step["measured"] = told.model
    shared = {
        event.path: place
        for event in stories.events(story.id)
        if not isinstance(event, StoryEnded) and (place := reply_path(event.path, steps)) != event.path
    }
    return {"texts": [*numbers], "steps": steps, "shared": shared}


@dataclass(frozen=True, slots=True)
class _Memory:
    """What was remembered for a reply."""

    memories: Sequence[Remembered]
    model: str | None
    """The embedding model that measured the relevance; None where letters did."""


def _remembered(reply: Reply, story: Story, asked: Mapping[str, Request]) -> _Memory | None:
    """What was remembered for a reply, as stored, or as today's question tells where an older app stored nothing.

    None where that is not known, as today's question is another one, or what is stored is of another prompt.
    """
    memory = reply.memory
    if memory is None and (request := asked.get(reply.path)) is not None:
        fewer = request.without(min(len(reply.dropped), request.droppable))
        memory = fewer.remember() if fewer.digest(story.script.seed) == reply.digest else None
    if memory is None:
        return None
    try:
        known = Recollection.read(memory)
        told = remembered(known, reply.messages, reply.dropped, story.script.settings.memory)
        return _Memory(told, known.model)
    except ValueError:
        return None


def _questions(story: Story, played: Sequence[Event], replies: Mapping[str, Reply]) -> dict[str, Request]:
    """What the story asks after the events that were played, by path: as far as these replies carry it, and then what
    it would ask next."""
    asked: dict[str, Request] = {}

    async def ask(request: Request) -> str:
        asked[request.path] = request
        if (reply := replies.get(request.path)) is None:
            raise Interlude(f"there is no reply at {request.path} yet")
        return reply.whole()

    async def emit(event: Event) -> None:
        pass

    with suppress(CharacterBoxError):
        asyncio.run(play(story.script, ask, emit, played))
    return asked


def _take(reply: Reply) -> Mapping[str, Any]:
    usage = reply.usage
    return {
        "again": parse_path(reply.path)[1],
        "text": reply.text,
        "author": reply.author,
        "improvised": reply.author == "model" and reply.endpoint.is_modelless,
        "model": str(reply.endpoint),
        "attempts": usage.attempts,
        "troubles": list(usage.troubles),
        "refused": list(usage.refused),
        "latency": usage.latency,
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "price": usage.price,
        "finish": reply.finish_reason,
        "origin": reply.origin,
        "messages": [{"role": message.role, "content": message.content} for message in reply.messages],
    }
