"""The live view of a story: its events, from any number on, and what happens from now on, as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from characterbox.errors import StoryError
from characterbox.stage.hub import Notice
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.view import event_notices, status_notice

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that a lost connection is noticed."""

MOST_DIGITS = 9
"""How long the number of an event can be."""


async def live(request: Request) -> Response:
    """`GET /stories/{story}/live?after=N`: the events behind number N, then what happens, until the story rests.

    A browser that comes back on its own says in `Last-Event-ID` what it had last.
    """
    stage, id = open_stage(), request.path_params["story"]
    after = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    if not after.isdecimal() or len(after) > MOST_DIGITS:
        return PlainTextResponse("after: give the number of the last event that you have", status_code=400)
    try:
        await asyncio.to_thread(stage.store.stories.story, id)
    except StoryError as error:
        return PlainTextResponse(str(error), status_code=404)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_stream(stage, id, int(after)), media_type="text/event-stream", headers=headers)


async def _stream(stage: Stage, id: str, after: int) -> AsyncIterator[str]:
    with stage.hub.watching(id) as watcher:
        # The status first: if it says that the story rests, then its last event is among those that are read after it.
        status = await asyncio.to_thread(status_notice, stage.store.stories, id)
        told = await asyncio.to_thread(event_notices, stage.store.stories, id, after)
        for notice in told:
            yield _message(notice)
        yield _message(status)
        while status.content["status"] == "running":
            try:
                notice_or_none = await asyncio.wait_for(watcher.next(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if notice_or_none is None:
                return  # too slow, or the app closes: the browser comes back and reads on from what it has
            if notice_or_none.kind == "status":
                status = notice_or_none
            if notice_or_none not in told:  # what happened while the events were read is among them
                yield _message(notice_or_none)


def _message(notice: Notice) -> str:
    number = f"id: {notice.seq}\n" if notice.seq is not None else ""
    return f"{number}event: {notice.kind}\ndata: {json.dumps(notice.content, ensure_ascii=False)}\n\n"
