"""A judge whose scores are written beforehand, in the place of a client: it counts what it is asked."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from characterbox.errors import EndpointError
from characterbox.llm.calls.answers import Completion
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Request

Score = Callable[[Request, str, int], int]
"""Tells the score of a request on a metric, with a seed."""


@dataclass
class ScriptedJudge:
    """Stands where a client does."""

    score: Score
    asked: list[Request] = field(default_factory=list)
    fails_at: str | None = None
    """A part of a path at which it breaks off."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """What it replies instead, by the end of a path."""
    seeds: list[tuple[str, int]] = field(default_factory=list)
    """The path and seed of each request."""

    def prompt_room(self, endpoint: Endpoint) -> None:
        """Any prompt fits."""

    async def complete(self, endpoint: Endpoint, request: Request, *, seed: int, **_: Any) -> Completion:
        """The reply."""
        if self.fails_at is not None and self.fails_at in request.path:
            raise EndpointError("it is down")
        self.asked.append(request)
        self.seeds.append((request.path, seed))
        instead = [reply for end, reply in self.unreadable.items() if request.path.endswith(end)]
        if instead:
            text = instead[0]
        elif request.form is None:
            text = "She is herself throughout."
        else:
            text = json.dumps({key: self.score(request, key, seed) for key in request.form.schema["required"]})
        return Completion(text, "stop")


def chance(*of: object) -> int:
    """A whole number from 1 to 5 that depends on nothing else."""
    return 1 + hashlib.sha256(repr(of).encode()).digest()[0] % 5
