"""What is behind the steps of a story: the replies, the prompts that they answer, and what was remembered for them."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from characterbox.errors import CharacterBoxError, Interlude
from characterbox.llm.journal import Reply
from characterbox.llm.request import AGAIN, ChatMessage, Request
from characterbox.play.events import Event
from characterbox.play.paths import parse_path, step_path
from characterbox.play.performance import play
from characterbox.play.recollection import Remembered, remembered
from characterbox.stage.players import record_of
from characterbox.store.stories import Story, StoryStore


def behind_step(stories: StoryStore, story: Story, path: str) -> dict[str, Any]:
    """What is behind the step at a path, as JSON-ready values::

        {"takes": [{"again": whether the question was put once more, "text", "author", "improvised": whether the
                    rehearsal is that model, "model", "attempts", "troubles",
                    "latency": in seconds, "promptTokens", "completionTokens", "cachedTokens", "price": US dollars,
                    "finish", "origin": the story it was taken over from, "messages": [{"role", "content"}, ...]}, ...],
         "memory": [a Remembered, ...], or null where it is not known, as prompts have changed since}

    The takes are in the order in which they came; the last one counts. What was remembered is that of the question as
    it was put first. Nothing is behind a path that is no step's, such as a judge's.
    """
    try:
        parse_path(path)
    except ValueError:
        return {"takes": [], "memory": None}
    takes, again = stories.takes(story.id, path), stories.takes(story.id, path + AGAIN)
    if takes and takes[-1].memory is None:
        _recollect(stories, story.id, stories.extent(story.id))
        takes = stories.takes(story.id, path)
    told = _remembered(takes[-1]) if takes else None
    memory = None if told is None else [asdict(one) for one in told]
    return {"takes": [_take(reply) for reply in (*takes, *again)], "memory": memory}


def behind_steps(stories: StoryStore, story: Story) -> dict[str, Any]:
    """What is behind all steps, with each text once, as JSON-ready values: `{"texts": [...], "steps": {path: ...}}`.

    A step is as `behind_step` tells it, but its memories and the paragraphs of its messages are numbers of texts.
    """
    texts = _Texts()
    steps: dict[str, dict[str, Any]] = {}
    journal = stories.journal(story.id, under="r")
    last = {reply.path: reply for reply in journal if not parse_path(reply.path)[1]}
    if any(reply.memory is None for reply in last.values()):
        _recollect(stories, story.id, stories.extent(story.id))
        journal = stories.journal(story.id, under="r")
    for reply in journal:
        step = steps.setdefault(step_path(reply.path), {"takes": [], "memory": None})
        step["takes"].append({**_take(reply), "messages": [texts.message(message) for message in reply.messages]})
        if reply.path in steps and (told := _remembered(reply)) is not None:
            step["memory"] = [texts.memory(memory) for memory in told]
    return {"texts": texts.all, "steps": steps}


@lru_cache(maxsize=8)
def _recollect(stories: StoryStore, id: str, _extent: tuple[int, int]) -> None:
    """Find out what was remembered at all replies of a story, and store it. Not to be called where an event loop runs.

    Stories of older apps come without it, also in files, as long as there are such files: so it can't be found out once
    for all. The story is played over its record for it. A record that belongs to other prompts than those of today
    tells nothing from there on: without the cache, each look at it would take as long as playing the story, some
    seconds; it is tried again when the story has grown.
    """
    story = stories.story(id)
    record = replace(record_of(stories, story), on_mismatch="stop")
    found: dict[tuple[str, int], str] = {}

    async def ask(request: Request) -> str:
        known = record.find(request)
        if known.reply is None:
            raise Interlude(f"there is no reply at {request.path} yet")
        if not known.inherited and known.reply.memory is None and (memory := known.request.remember()) is not None:
            found[request.path, known.reply.take] = memory
        return known.reply.whole()

    async def emit(event: Event) -> None:
        pass

    with suppress(CharacterBoxError):
        asyncio.run(play(story.script, ask, emit))
    stories.add_memories(id, found)


class _Texts:
    """Texts by their numbers, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def all(self) -> list[str]:
        return list(self._numbers)

    def message(self, message: ChatMessage) -> dict[str, Any]:
        return {"role": message.role, "content": self._numbered(message.content.split("\n\n"))}

    def memory(self, memory: Remembered) -> dict[str, Any]:
        (number,) = self._numbered([memory.text])
        return {**asdict(memory), "text": number}

    def _numbered(self, texts: Iterable[str]) -> Sequence[int]:
        return [self._numbers.setdefault(text, len(self._numbers)) for text in texts]


def _remembered(reply: Reply) -> list[Remembered] | None:
    """What was remembered for a reply; None where that is not known, or what is stored is of another prompt."""
    if reply.memory is None:
        return None
    try:
        return remembered(reply.memory, reply.messages, reply.dropped)
    except ValueError:
        return None


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
        "latency": usage.latency,
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "price": usage.price,
        "finish": reply.finish_reason,
        "origin": reply.origin,
        "messages": [{"role": message.role, "content": message.content} for message in reply.messages],
    }
