"""What a reply takes: its usage, and its price by tables of dollars per million tokens."""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from annotations.errors import EncodingError
from annotations.exchange.decoding import decode
from annotations.i18n.messages import Message
from characterbox.errors import CharacterBoxError
from characterbox.llm.request import ChatMessage
from characterbox.values import Value

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
    refused: tuple[str, ...] = ()
    """The options, such as `temperature`, that shape a reply, and that the model does not take: it was asked without,
    and its own default held."""
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
    return math.ceil(sum(estimated_tokens(message.content) for message in messages)) + _FRAME * len(messages)


def estimated_tokens(text: str) -> float:
    """Roughly how many tokens a text takes."""
    beyond = len(text.encode("utf-8", "replace")) - len(text)
    letters = max(0.0, len(text) - beyond / 2)
    return letters / _LETTERS_PER_TOKEN + beyond / 2 * _TOKENS_PER_HAN


_BUNDLED = Path(__file__).with_name("prices.toml")
_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$")
"""The date behind a model's name: 2024-08-06, 20240806 or 0613."""

Dollars = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class Price(Value):
    """What a million tokens of a model cost, in US dollars."""

    input: Dollars
    """Tokens of prompts."""
    cached: Dollars | None = None
    """Tokens of prompts that the endpoint had in its cache; as `input` where None."""
    output: Dollars
    """Tokens of replies, thinking included."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of models by their names."""

    of: Mapping[str, Price] = field(default_factory=dict)

    @classmethod
    def load(cls, own: Path | None = None) -> "Prices":
        """The bundled prices, and those in a file of one's own, which win; a file that is not there has none.

        Raises CharacterBoxError, naming the file and the line or the entry, if something in it can't be used.
        """
        return cls({**_read(_BUNDLED), **(_read(own) if own is not None and own.exists() else {})})

    def price(
        self, model: str, prompt_tokens: int | None, cached_tokens: int | None, completion_tokens: int | None
    ) -> float | None:
        """What a call cost, in US dollars. None where the price of the model or a count is not known: never 0 then.

        `cached_tokens` are those among the `prompt_tokens` that came from the cache; None counts as no such token.
        A name with a date behind it costs what the name without it does, unless it has a price of its own.
        """
        price = self.of.get(model) or self.of.get(_DATE.sub("", model))
        if price is None or prompt_tokens is None or completion_tokens is None:
            return None
        cached = min(cached_tokens or 0, prompt_tokens)
        per_cached = price.input if price.cached is None else price.cached
        return ((prompt_tokens - cached) * price.input + cached * per_cached + completion_tokens * price.output) / 1e6


def _read(file: Path) -> dict[str, Price]:
    try:
        content = tomllib.loads(decode(file.read_bytes(), "UTF-8")[0])
    except (OSError, EncodingError) as error:
        raise CharacterBoxError("prices: {file}: the file cannot be read ({error})", file=file, error=error) from error
    except tomllib.TOMLDecodeError as error:
        raise CharacterBoxError("prices: {file}: not valid TOML: {error}", file=file, error=error) from error
    return {model: _entry(file, model, entry) for model, entry in content.items()}


def _entry(file: Path, model: str, entry: Any) -> Price:
    if isinstance(entry, dict) and any(isinstance(value, dict) for value in entry.values()):
        told = Message(
            'prices: {file}: [{model}...]: put a name with dots in quotes, as in ["gpt-4.1"]', file=file, model=model
        )
        raise CharacterBoxError(told)
    try:
        return Price.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"[{model}] {'.'.join(str(part) for part in first['loc'])}".rstrip()
        raise CharacterBoxError(f"prices: {file}: {where}: {first['msg']}") from None
