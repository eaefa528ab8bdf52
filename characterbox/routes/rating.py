"""What a rater's browser sends and asks for: each click, and ahead of time the item that comes next."""

import asyncio
from collections.abc import Mapping
from uuid import UUID

from pydantic import StrictStr, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from annotations.errors import RatingError
from annotations.i18n.messages import wrong_with
from annotations.i18n.translation import say, tongue, translate
from annotations.marking.marks import MOST_TEXT, Mark
from characterbox.accounts.account import Account
from characterbox.campaigns.accept_mark import taking_of
from characterbox.campaigns.workload import workload_of
from characterbox.components.rubric_panel import Told, item_data, milliseconds
from characterbox.errors import CampaignError, CampaignPaused, CampaignUnreadable, CharacterBoxError
from characterbox.routes.guard import account_of
from characterbox.routes.security import check_origin
from characterbox.stage.stage import open_stage
from characterbox.store import Store
from characterbox.store.campaigns.campaign import unknown_assignment
from characterbox.store.tables.columns import now
from characterbox.values import Value

MAX_BODY = 4096 + 8 * MOST_TEXT
"""Bytes of a mark at most; a score has about 150, and a comment up to 4 bytes a character, more where it is escaped."""

LATER: Mapping[type[CampaignError], int] = {CampaignPaused: 423, CampaignUnreadable: 503}
"""What may be taken later, and the statuses for which the browser keeps a mark and sends it again."""


class Click(Value):
    """What a rater's browser sends."""

    item: StrictStr
    """The opaque name of the assignment."""
    rater: StrictStr
    """The account for which the page was drawn: another one may have signed in since in the same browser."""
    click: UUID
    mark: Mark


async def mark(request: Request) -> Response:
    """`POST /marks`: append one mark; 201 once it is committed. What is refused is refused with one sentence."""
    try:
        check_origin(request)
        click = _click(await _body(request))
        store = open_stage().store
        account = account_of(request)
        if account.id not in (None, click.rater):
            fault = say("another account is signed in now; sign in again to send your ratings")
            raise HTTPException(401, fault)
        check = taking_of(store).check(account)
        receipt = await store.marks.append(click.item, click.click, click.mark, check)
    except HTTPException as refusal:
        return JSONResponse({"error": refusal.detail}, status_code=refusal.status_code)
    except RatingError as error:
        return JSONResponse({"error": translate(error)}, status_code=422)
    except CampaignError as error:
        return JSONResponse({"error": translate(error)}, status_code=LATER.get(type(error), 409))
    except ClientDisconnect:
        return Response(status_code=400)  # nobody hears it; the rater's browser sends the mark again
    return JSONResponse({"revision": receipt.revision, "at": milliseconds(now())}, status_code=201)


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, say("a rating must be sent as application/json"))
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise HTTPException(413, say("a rating can have at most {most} bytes", most=MAX_BODY))
    return bytes(body)


def _click(body: bytes) -> Click:
    try:
        return Click.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or say("the rating")
        raise HTTPException(422, say("{name}: {what}", name=place, what=wrong_with(first))) from None


async def item(request: Request) -> Response:
    """`GET /items/{item}?language=zh`: what the Annotate page is told of an item; 404 if the one who asks has none."""
    work = (open_stage().store, account_of(request), request.path_params["item"])
    try:
        told = await asyncio.to_thread(_told, *work)
    except CharacterBoxError as error:
        return JSONResponse({"error": translate(error)}, status_code=404)
    return JSONResponse(told, headers={"Cache-Control": "no-store"})


def _told(store: Store, account: Account, id: str) -> Told:
    assignment = store.campaigns.assignment(id)
    campaign = store.campaigns.campaign(assignment.campaign)
    if account.id not in (None, assignment.rater) or campaign.status == "draft":
        raise unknown_assignment(id)
    rater = store.accounts.find(assignment.rater)
    desk = workload_of(store, campaign, rater)
    return item_data(store, rater, desk, desk.row(id), tongue(), local=account.id is None)
