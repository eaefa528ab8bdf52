"""What a reply takes: its usage, as it was measured, and a rough count of tokens beforehand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from characterbox.llm.request import ChatMessage

_LETTERS_PER_TOKEN = 3.2
"""English prose has 4 to 4.5 letters a token, but names, tags and JSON have fewer."""
_TOKENS_PER_HAN = 1.25
"""0.6 to 0.8 in the vocabularies of Qwen, GLM or GPT-4o, 1 to 1.3 in that of GPT-4."""
_FRAME = 8
"""Tokens around a message: the role and the marks of a chat template."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a reply took."""

    attempts: int = 0
    """How many times the call was sent for it, those counted that failed or were refused."""
    troubles: tuple[str, ...] = ()
    """What went wrong with the attempts before, one each, in order: `HTTP 429`, `option seed refused` ..."""
    latency: float = 0.0
    """Seconds from the last attempt to the end of the reply."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens served from the endpoint's cache, where it tells."""
    price: float | None = None
    """US dollars, by the prices known when the reply came; None where none is known, nor how many tokens it took."""


NO_USAGE = Usage()
"""That of what no model was asked for."""


def estimate(messages: Sequence[ChatMessage]) -> int:
    """Roughly how many tokens messages take: for choosing what fits, not for bills.

    It is on the safe side: most tokenizers make fewer of them. It is told from lengths alone. Each byte that UTF-8
    needs beyond one per character counts as half a Chinese character, as those need two more; letters with accents and
    Cyrillic ones are counted too high that way.
    """
    letters, han = 0.0, 0.0
    for message in messages:
        beyond = len(message.content.encode("utf-8", "replace")) - len(message.content)
        han += beyond / 2
        letters += max(0.0, len(message.content) - beyond / 2)
    return math.ceil(letters / _LETTERS_PER_TOKEN + han * _TOKENS_PER_HAN) + _FRAME * len(messages)
