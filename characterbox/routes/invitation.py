"""A link of invitation: says who is invited as what, and sets the password."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from annotations.wording import say, to_say
from characterbox.accounts.account import ROLE_NAMES, Account
from characterbox.accounts.passwords import hash_of
from characterbox.errors import AccountError
from characterbox.routes.choosing import fault_of, password_fields
from characterbox.routes.cookie import known_device, session_cookie
from characterbox.routes.forms import read_form
from characterbox.routes.plain import form, link, paragraph, plain_page, see_other
from characterbox.routes.same_origin import check_origin
from characterbox.routes.sign_in import saying
from characterbox.stage.stage import open_stage
from characterbox.store.invitations import Invitation

_STATES = {
    "used": to_say(
        "This invitation has been used, or a newer one has been made. If you have a password, sign in with it; if not,"
        " ask whoever invited you for a new link."
    ),
    "expired": to_say("This invitation has expired. Ask whoever invited you for a new link."),
    "unknown": to_say("There is no such invitation. Check that the link is complete, or ask for a new one."),
}


async def show_invitation(request: Request) -> Response:
    """`GET /invitation/{token}`: for whom it is, as what, and a form for the password; or why it can't be used."""
    invitation = await _invitation(request)
    if invitation is None or invitation.state != "open":
        return _useless(request, invitation)
    return _page(request, invitation.account)


@saying
async def accept_invitation(request: Request) -> Response:
    """`POST /invitation/{token}`: set the password, sign in, and go on to the app. An invitation is used once."""
    check_origin(request)
    fields = await read_form(request)
    invitation = await _invitation(request)
    if invitation is None or invitation.state != "open":
        return _useless(request, invitation)
    fault = await fault_of(fields, invitation.account.name)
    if fault is not None:
        return _page(request, invitation.account, fault)
    kept = await hash_of(fields["password"])
    store = open_stage().store
    try:
        cookie = await asyncio.to_thread(store.accounts.accept, request.path_params["token"], kept)
    except AccountError:  # somebody was faster with the same link
        return _useless(request, await _invitation(request))
    return see_other("/", session_cookie(cookie), known_device(invitation.account, kept, store.sessions.key()))


async def _invitation(request: Request) -> Invitation | None:
    return await asyncio.to_thread(open_stage().store.invitations.find, request.path_params["token"])


def _page(request: Request, account: Account, fault: str | None = None) -> Response:
    told = paragraph(
        say("You have been invited as {role}. Choose a password to start.", role=say(ROLE_NAMES[account.role]))
    )
    fields = password_fields(first=True)
    body = told + ("" if fault is None else paragraph(fault, "fault")) + form(fields, say("Set the password and start"))
    status = 200 if fault is None else 422
    return plain_page(say("Welcome, {name}", name=account.name), body, status)


def _useless(request: Request, invitation: Invitation | None) -> Response:
    state, status = ("unknown", 404) if invitation is None else (invitation.state, 410)
    body = paragraph(say(_STATES[state])) + link("/sign-in", say("Sign in"))
    return plain_page(say("This link cannot be used"), body, status)
