"""A model behind an address that writes questions to roles, and answers as them, as a test has it written."""

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Body = dict[str, Any]


def triplet(question: str, confidence: str = "high", answer: str = "So it was.", rationale: str = "It says all."):
    """A candidate as a model writes it."""
    return {"question": question, "rationale": rationale, "confidence": confidence, "answer": answer}


def triplets(*those: Any) -> str:
    """A reply with these candidates."""
    return json.dumps({"triplets": [*those]}, ensure_ascii=False)


def asked_key(body: Body) -> str:
    """Tells a request from all others, another draw of the same question included."""
    told = [[one["role"], one["content"]] for one in body["messages"]], body.get("seed")
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@dataclass
class InstructingModel:
    """Answers by `says`; counts what it was asked, and what was paid."""

    says: Callable[[Body, int], str]
    """Gives the reply to a request, which is the one of this number, from 0."""
    finish: Callable[[Body], str] = lambda _: "stop"
    bodies: list[Body] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    """How often each request was answered."""
    hangs_from: int | None = None
    """From which request on nobody answers any more."""
    refuses: Callable[[Body], bool] = lambda _: False
    """Which requests it has an error for."""
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def app(self) -> Starlette:
        """The application."""
        return Starlette(routes=[Route("/v1/chat/completions", self._chat, methods=["POST"])])

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        with self._lock:
            number = len(self.bodies)
            self.bodies.append(body)
            hangs = self.hangs_from is not None and number >= self.hangs_from
        if hangs:
            await asyncio.sleep(60)
        if self.refuses(body):
            return JSONResponse({"error": {"message": "not this one"}}, status_code=400)
        with self._lock:
            self.answered[asked_key(body)] += 1
        message = {"role": "assistant", "content": self.says(body, number)}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        choice = {"index": 0, "message": message, "finish_reason": self.finish(body)}
        head = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return JSONResponse({**head, "choices": [choice], "usage": usage})


def last(body: Body) -> str:
    """The last message of a request."""
    return str(body["messages"][-1]["content"])


def is_form(body: Body) -> bool:
    """Whether candidates are asked for."""
    return "response_format" in body


WORDS = ["amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "iris", "jade", "kelp", "lotus"]


def distinct(number: int) -> str:
    """A question that shares no word with that of another number."""
    return " ".join(f"{word}{number}" for word in WORDS[:6]) + "?"
