"""What a rater's browser asks for ahead: the item that comes next, so that it is there at once."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from characterbox.accounts.account import Account
from characterbox.campaigns.desk import desk_of
from characterbox.components.rubric.view import Told, item_data
from characterbox.errors import CharacterBoxError
from characterbox.routes.guard import account_of
from characterbox.stage.stage import open_stage
from characterbox.store import Store
from characterbox.store.campaign import unknown_assignment
from characterbox.values import Language


async def item(request: Request) -> Response:
    """`GET /items/{item}?language=zh`: what the Annotate page is told of an item; 404 if the one who asks has none."""
    wanted = request.query_params.get("language")
    language: Language | None = "zh" if wanted == "zh" else "en" if wanted == "en" else None
    work = (open_stage().store, account_of(request), request.path_params["item"], language)
    try:
        told = await asyncio.to_thread(_told, *work)
    except CharacterBoxError as error:
        return JSONResponse({"error": str(error)}, status_code=404)
    return JSONResponse(told, headers={"Cache-Control": "no-store"})


def _told(store: Store, account: Account, id: str, language: Language | None) -> Told:
    assignment = store.campaigns.assignment(id)
    campaign = store.campaigns.campaign(assignment.campaign)
    if account.id not in (None, assignment.rater) or campaign.status == "draft":
        raise unknown_assignment(id)
    rater = store.accounts.find(assignment.rater)
    desk = desk_of(store, campaign, rater)
    return item_data(store, rater, desk, desk.row(id), language, local=account.id is None)
