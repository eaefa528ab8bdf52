"""How much of each prompt is new: not covered by the longest common prefix with an earlier prompt of the story."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from characterbox.llm.request import Request

_TOKEN = re.compile(r" ?[A-Za-z]{1,9}|[\u2e80-\uffff]| ?\d{1,3}|\s+|.", re.DOTALL)
"""A rough tokenizer that needs no download. On English prompts of ours it counts what Qwen's counts, within 4 %, mostly
above it; on Chinese ones a third more, as Qwen's has words of two letters."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """Tokens of all prompts of a story."""

    total: int
    new: int


def count(requests: Sequence[Request]) -> Prompts:
    """Count what is sent, and what of it an earlier prompt does not begin with too."""
    tree: dict[str, dict] = {}
    total = new = 0
    for request in requests:
        tokens = [token for message in request.messages for token in [f"<{message.role}>", *tokens_of(message.content)]]
        node, known = tree, True
        for token in tokens:
            known = known and token in node
            new += not known
            node = node.setdefault(token, {})
        total += len(tokens)
    return Prompts(total, new)


def tokens_of(text: str) -> list[str]:
    """The tokens of a text."""
    return _TOKEN.findall(text)
