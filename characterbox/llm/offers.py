"""What an endpoint says that it offers: the models behind it, by `GET /models`."""

import json
from dataclasses import dataclass
from typing import Any

from characterbox.llm.trouble import Trouble
from characterbox.reasons import Reason


@dataclass(frozen=True, slots=True)
class Offer:
    """One model that is offered."""

    model: str
    context: int | None
    """Tokens of its context window, as vLLM tells it; that of its base for an adapter. None when not told."""


def read_offers(body: bytes) -> tuple[Offer, ...]:
    """The models in an answer to `GET /models`. Raises Trouble if it is no list of models."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    listed = content.get("data") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise Trouble(Reason("no_models"))
    models = {entry["id"]: entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)}
    return tuple(Offer(model, _context(entry, models)) for model, entry in models.items())


def _context(entry: dict[str, Any], models: dict[str, dict[str, Any]]) -> int | None:
    parent = entry.get("parent")
    base = models.get(parent, {}) if isinstance(parent, str) else {}
    told = [of.get("max_model_len") for of in (entry, base)]
    return next((tokens for tokens in told if type(tokens) is int and 0 < tokens < 2**31), None)
