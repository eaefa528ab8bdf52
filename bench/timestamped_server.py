"""A model server whose replies say when they were sent, in a process of its own.

What a reader sees shows how late it is. Actions, speech and reactions are streamed, a stamp in each piece; other
replies come in one, with a stamp in each text.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bench.server import server
from tests.fakes.mock_server import reply_text

PIECES = 60
"""Of a streamed reply."""
RATE = 30.0
"""Pieces per second, as a model on a good machine sends tokens."""
FIRST = 1 / RATE
"""Seconds before the first of them, unless the server is told others: a model reads its prompt meanwhile."""
WHOLE = 0.8
"""Seconds that a reply takes that is not streamed."""
_MARK = re.compile(r"mark-[0-9a-f]{12}")


def stamp() -> str:
    """The time in milliseconds, as a word."""
    return f"t{int(time.time() * 1000)}"


def stamped_server(first: float = FIRST) -> AbstractContextManager[str]:
    """The server on a free port; gives its base URL."""
    return server("bench.timestamped_server", str(first))


async def _chat(request: Request) -> Response:
    body = await request.json()
    if body.get("stream"):
        return StreamingResponse(_streamed(request.app.state.first), media_type="text/event-stream")
    await asyncio.sleep(WHOLE if "response_format" in body else PIECES / RATE)
    text = _MARK.sub(stamp(), reply_text(body, "json"))
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return JSONResponse({"choices": [choice], "usage": _usage()})


async def _streamed(first: float) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    due = loop.time() + first - 1 / RATE
    for _ in range(PIECES):
        due += 1 / RATE
        await asyncio.sleep(due - loop.time())
        yield _event(choices=[{"index": 0, "delta": {"content": f"{stamp()} "}, "finish_reason": None}])
    yield _event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
    yield _event(choices=[], usage=_usage())
    yield "data: [DONE]\n\n"


def _event(**content: Any) -> str:
    return f"data: {json.dumps({'object': 'chat.completion.chunk', **content})}\n\n"


def _usage() -> dict[str, int]:
    return {"prompt_tokens": 1000, "completion_tokens": PIECES, "total_tokens": 1000 + PIECES}


if __name__ == "__main__":
    _app = Starlette(routes=[Route("/v1/chat/completions", _chat, methods=["POST"])])
    _app.state.first = float(sys.argv[2])
    uvicorn.run(_app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
