"""Screenwriter, director and evaluator behind one address, whose replies are written beforehand."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.fakes.mock_server import key_of

METRICS = ("creativity", "coherence", "conformity", "detail")


def written(title: str, *names: str, note: str = "") -> dict[str, Any]:
    """A draft as the models write it."""
    return {
        "title": title,
        "time": "Midnight",
        "location": "The lobby of a hotel",
        "description": f"An open safe, a bell, and rain against the door. {note}".strip(),
        "characters": [
            {
                "name": name,
                "gender": "female",
                "public_face": f"A woman with key number {number}.",
                "known_as": [{"name": f"the woman with key {number}", "by": []}],
                "description": f"{name} keeps the keys and wants the watch back before the guests come down.",
                "knowledge": [f"{name} knows who was at the desk."],
                "unaware": [f"{name} does not know what the safe held."],
                "position": f"Step {number} of the stairs",
                "state": f"Awake for {number} hours",
            }
            for number, name in enumerate(names, 1)
        ],
        "plot": "It was in the pocket of the porter.",
    }


@dataclass
class Crew:
    """What the three roles say, and what they were asked."""

    drafts: list[Mapping[str, Any] | str]
    """The screenwriter's, one after the other; the last one again and again."""
    scores: list[int]
    """What the evaluator gives on each metric, one evaluation after the other; the last one again and again."""
    reasons: str = "The stakes are not clear: say what is lost if nobody acts."
    answered: Counter[str] = field(default_factory=Counter)
    """How often each request was answered, by its messages: each is paid."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    silent_from: int | None = None
    """From which call on all are refused."""
    hangs_from: int | None = None
    """From which call on nobody answers any more."""
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def app(self) -> Starlette:
        """The application."""
        return Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])

    def asked(self, model: str) -> list[str]:
        """The last message of each request to a model."""
        return [str(body["messages"][-1]["content"]) for body in self.bodies if body["model"] == model]

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        with self._lock:
            self.bodies.append(body)
            if self.silent_from is not None and len(self.bodies) > self.silent_from:
                return JSONResponse({"error": {"message": "overloaded"}}, status_code=400)
            hangs = self.hangs_from is not None and len(self.bodies) > self.hangs_from
        if hangs:
            await asyncio.sleep(60)
        with self._lock:
            text = self._text(body)
            self.answered[key_of(body["messages"])] += 1
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return JSONResponse({**head, "choices": [choice], "usage": usage})

    def _text(self, body: dict[str, Any]) -> str:
        number = sum(one["model"] == body["model"] for one in self.bodies) - 1
        match body["model"]:
            case "screenwriter":
                draft = self.drafts[min(number, len(self.drafts) - 1)]
                return draft if isinstance(draft, str) else json.dumps(draft)
            case "director":
                shown = json.loads(str(body["messages"][-1]["content"]).split("<draft>")[1].split("</draft>")[0])
                return json.dumps({**shown, "description": f"{shown['description']} The clock strikes."})
        score = self.scores[min(number, len(self.scores) - 1)]
        return json.dumps({"reasons": self.reasons, **dict.fromkeys(METRICS, score)})
