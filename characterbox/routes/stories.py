"""What a browser asks of a story: its events, from any number on, and what happens from now on, as server-sent events;
and, for those who direct it, what is behind one step."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from annotations.i18n.translation import translate
from characterbox.components.figures.tables.text import costs_line
from characterbox.errors import StoryError
from characterbox.pause_reasons import Reason
from characterbox.play.events import event_adapter
from characterbox.processes.concurrency import Threads
from characterbox.routes.guard import account_of, still_may
from characterbox.routes.limits.fair_share import STREAMS, LiveResponse, no_room
from characterbox.scenes.scene import slug_of
from characterbox.stage.live.hub import Notice, Watcher
from characterbox.stage.live.notices import costs_notice, event_notices, status_notice
from characterbox.stage.live.visibility import Perspective, perspective_of, telling_of
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.step_details import behind_step
from characterbox.store.stories.story import OVER

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that a lost connection is noticed."""

LOOK = 1.0
"""Seconds between two looks at a story that is not played here: somebody may play it on elsewhere."""

READING = Threads("live", 2)
"""Read what has happened so far, for all streams: many that are opened at once keep nothing else waiting."""

RETRY = "retry: 1000\n\n"
"""Has a browser that lost the connection come back after so many milliseconds."""

MOST_DIGITS = 9
"""How long the number of an event can be."""


async def live(request: Request) -> Response:
    """`GET /stories/{story}/live?after=N`: the events behind number N, then what happens, until the story is over.

    A browser that comes back on its own says in `Last-Event-ID` what it had last. With `eyes=SLUG`, once for each of
    some characters, nothing is told that one of them does not perceive.
    """
    stage, id = open_stage(), request.path_params["story"]
    after = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    if not after.isdecimal() or len(after) > MOST_DIGITS:
        return PlainTextResponse("after: give the number of the last event that you have", status_code=400)
    if not STREAMS.have_room(account_of(request).id):
        return no_room()  # before anything is read for it
    try:
        story = await READING.run(stage.store.stories.story, id)
    except StoryError as error:
        return PlainTextResponse(translate(error), status_code=404)
    wanted = set(request.query_params.getlist("eyes"))
    eyes = perspective_of(name for name in story.script.scene.names if slug_of(name) in wanted)
    if len(eyes) != len(wanted):
        return PlainTextResponse("eyes: give characters of the story, as they stand in its paths", status_code=400)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    seen = _while_allowed(request, _seen(stage, id, int(after), eyes))
    return LiveResponse(seen, media_type="text/event-stream", headers=headers)


async def _while_allowed(request: Request, messages: AsyncGenerator[str, None]) -> AsyncIterator[str]:
    """The messages, until the one who asked is signed out, or may no longer watch; looks again every `HEARTBEAT`."""
    looked = time.monotonic()
    async with aclosing(messages):
        async for message in messages:
            if time.monotonic() - looked >= HEARTBEAT:
                looked = time.monotonic()
                if not await still_may(request):
                    return
            yield message


async def _seen(stage: Stage, id: str, after: int, eyes: Perspective) -> AsyncGenerator[str, None]:
    yield RETRY
    try:
        telling = await READING.run(telling_of, stage.store.stories, id, eyes, after)
    except StoryError:
        return  # it was deleted: the page learns that as it asks again
    async with aclosing(_stream(stage, id, after)) as stream:
        async for notice in stream:
            if notice is None:
                yield ": still here\n\n"
            elif notice.seq is not None:
                if notice.seq != telling.heard + 1:  # another take of a step
                    telling = await READING.run(telling_of, stage.store.stories, id, eyes, notice.seq - 1)
                for seq, content in telling.hear(event_adapter.validate_python(notice.content)):
                    yield _message(Notice("event", content, seq))
            elif (seen := telling.passed_on(notice)) is not None:
                yield _message(seen)


async def _stream(stage: Stage, id: str, after: int) -> AsyncGenerator[Notice | None, None]:
    """What there is to tell, in order; None after some time of silence."""
    stories, status, silent = stage.store.stories, None, 0.0
    with stage.hub.watching(id) as watcher:
        while True:
            # The status first: if it says that the story is over, its last event is among those that are read after it.
            try:
                now = await READING.run(status_notice, stories, id)
                read = await READING.run(event_notices, stories, id, after)
            except StoryError:
                return  # it was deleted: the page learns that as it asks again
            for notice in [*read, *([now] if now != status else [])]:
                yield notice
            if read or status is None:
                yield await READING.run(costs_notice, stories, id)
            status, after = now, after + len(read)
            while status.content["status"] not in OVER:
                patience = HEARTBEAT if stage.playing(id) else LOOK
                try:
                    heard = await _next(watcher, patience)
                except TimeoutError:
                    silent += patience
                    break  # to look whether anything has happened unheard
                silent = 0.0
                if heard is None:
                    return  # too slow, or the app closes: the browser comes back and reads on from what it has
                if heard in read or heard == status:
                    continue  # it happened while that was read
                if heard.kind == "event":
                    read = []  # what comes from now on is new, even if it is told in the same words
                status = heard if heard.kind == "status" else status
                after = heard.seq or after
                yield heard
            else:
                return
            if silent >= HEARTBEAT:
                silent = 0.0
                yield None


async def _next(watcher: Watcher, patience: float) -> Notice | None:
    async with asyncio.timeout(patience):
        return await watcher.next()


def _message(notice: Notice) -> str:
    number = f"id: {notice.seq}\n" if notice.seq is not None else ""
    content = notice.content
    if notice.kind == "costs":
        content = {"line": costs_line(content["costs"])}
    if notice.kind in ("status", "event") and content.get("reason"):
        content = {**content, "reason": translate(Reason.read(content["reason"]))}
    text = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace").decode()  # a piece may end in mid-letter
    return f"{number}event: {notice.kind}\ndata: {text}\n\n"


async def behind(request: Request) -> Response:
    """`GET /stories/{story}/behind?path=r1/ann/action`: replies, prompts and memories; nothing for a step without."""
    stories, id = open_stage().store.stories, request.path_params["story"]
    try:
        story = await asyncio.to_thread(stories.story, id)
    except StoryError as error:
        return PlainTextResponse(translate(error), status_code=404)
    found = await asyncio.to_thread(behind_step, stories, story, request.query_params.get("path", ""))
    return JSONResponse(found, headers={"Cache-Control": "no-store"})
