"""What is behind one step of a story, for those who direct it."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from characterbox.errors import StoryError
from characterbox.stage.behind import behind_step
from characterbox.stage.stage import open_stage


async def behind(request: Request) -> Response:
    """`GET /stories/{story}/behind?path=r1/ann/action`: replies, prompts and memories; nothing for a step without."""
    stories, id = open_stage().store.stories, request.path_params["story"]
    try:
        story = await asyncio.to_thread(stories.story, id)
    except StoryError as error:
        return PlainTextResponse(str(error), status_code=404)
    found = await asyncio.to_thread(behind_step, stories, story, request.query_params.get("path", ""))
    return JSONResponse(found, headers={"Cache-Control": "no-store"})
