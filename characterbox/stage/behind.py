"""What is behind the steps of a story: the replies, the prompts that they answer, and what was remembered for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from characterbox.llm.journal import Reply
from characterbox.llm.request import AGAIN, ChatMessage
from characterbox.play.paths import parse_path, step_path
from characterbox.play.recollection import Remembered, remembered
from characterbox.stage.recollection import recollect
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
        recollect(stories, story)
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
        recollect(stories, story)
        journal = stories.journal(story.id, under="r")
    for reply in journal:
        step = steps.setdefault(step_path(reply.path), {"takes": [], "memory": None})
        step["takes"].append({**_take(reply), "messages": [texts.message(message) for message in reply.messages]})
        if reply.path in steps and (told := _remembered(reply)) is not None:
            step["memory"] = [texts.memory(memory) for memory in told]
    return {"texts": texts.all, "steps": steps}


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
