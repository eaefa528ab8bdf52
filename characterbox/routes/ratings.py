"""The click of a rater."""

import asyncio

from pydantic import StrictInt, StrictStr, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from annotations.errors import RatingError
from annotations.rubric import load_rubric
from characterbox.components.rubric.view import milliseconds
from characterbox.errors import StoryError
from characterbox.judging.parts import find_part, rater_name
from characterbox.stage.stage import open_stage
from characterbox.store import Store
from characterbox.store.ratings import rating_of
from characterbox.values import Value

MAX_BODY = 4096
"""Bytes of a click at most; a real one has about 150."""

WITHDRAWN = "withdrawn by the rater"


class Click(Value):
    """What a rater's browser sends."""

    item: StrictStr
    rater: StrictStr
    metric: StrictStr
    score: StrictInt | None
    """None takes back what was scored by mistake."""


async def rate(request: Request) -> Response:
    """`POST /ratings`: store one score; 201 once it is committed. What is refused is refused with one sentence."""
    try:
        _check_origin(request)
        click = _click(await _body(request))
        await asyncio.to_thread(_store_click, open_stage().store, click)
    except HTTPException as refusal:
        return JSONResponse({"error": refusal.detail}, status_code=refusal.status_code)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody hears it; the rater's browser sends the score again
    return JSONResponse({**click.model_dump(), "at": milliseconds()}, status_code=201)


def _check_origin(request: Request) -> None:
    """Refuse what another site makes a rater's browser send."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    same_host = origin is not None and origin.partition("://")[2] == request.headers.get("host")
    if site not in (None, "same-origin") or not same_host:
        raise HTTPException(
            403, "a score is taken from the app's own pages only; open the Annotate page and score there"
        )


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "a score is sent as application/json")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"a score takes at most {MAX_BODY} bytes")
    return bytes(body)


def _click(body: bytes) -> Click:
    try:
        click = Click.model_validate_json(body)
        return click.model_copy(update={"rater": rater_name(click.rater)})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the score"
        raise HTTPException(422, f"{place}: {first['msg']}") from None
    except RatingError as error:
        raise HTTPException(422, str(error)) from None


def _store_click(store: Store, click: Click) -> None:
    """Append the click; raises HTTPException if it cannot be one."""
    try:
        part = find_part(store.stories, click.item)
        load_rubric().metric(click.metric)
        if store.ratings.of_rater(click.item, click.rater, "judge"):
            raise RatingError(f"rater: {click.rater} is the name of an automatic judge; use another name")
        reason = WITHDRAWN if click.score is None else None
        said = click.model_dump(include={"rater", "metric", "score"})
        store.ratings.add([rating_of(part.story, part.name, kind="expert", reason=reason, **said)])
    except StoryError as error:
        raise HTTPException(404, str(error)) from None
    except RatingError as error:
        raise HTTPException(422, str(error)) from None
