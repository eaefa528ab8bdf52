"""One's own account: who one is here, another password, signing out."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from annotations.wording import say
from characterbox.accounts.account import ROLE_NAMES, Account
from characterbox.accounts.passwords import hash_of
from characterbox.routes.choosing import fault_of, password_fields
from characterbox.routes.cookie import known_device
from characterbox.routes.forms import read_form
from characterbox.routes.guard import account_of, session_of
from characterbox.routes.passkey_parts import SCRIPT, account_part
from characterbox.routes.plain import field, form, heading, link, paragraph, plain_page
from characterbox.routes.same_origin import check_origin
from characterbox.routes.sign_in import NO_PASSWORDS, Refusal, attempt, in_words, saying
from characterbox.stage.stage import open_stage


async def show_account(request: Request) -> Response:
    """`GET /account`: who one is, with forms for another password and for signing out."""
    return await _page(request, account_of(request))


@saying
async def change_password(request: Request) -> Response:
    """`POST /account`: keep another password, if the one until now is right; all other sessions end.

    The new one is looked at only then: who has no password here is not to keep the app busy with that.
    """
    account, session = account_of(request), session_of(request)
    check_origin(request)
    if session is None:
        raise HTTPException(404, say(NO_PASSWORDS))
    fields = await read_form(request)
    outcome = await attempt(request, account.name, fields.get("now", ""))
    if isinstance(outcome, Refusal):
        response = await _page(request, account, paragraph(in_words(outcome), "fault"), outcome.status)
        response.headers.update(outcome.headers)
        return response
    if (fault := await fault_of(fields, account.name)) is not None:
        return await _page(request, account, paragraph(fault, "fault"), 422)
    kept = await hash_of(fields["password"])
    store = open_stage().store
    await asyncio.to_thread(store.accounts.change_password, session, kept)
    response = await _page(
        request, account, paragraph(say("The password is changed. Everywhere else you have been signed out."))
    )
    device = known_device(account, kept, store.sessions.key())
    response.headers.append("set-cookie", device)  # what it knew was the account with the old password
    return response


async def _page(request: Request, account: Account, told: str = "", status: int = 200) -> Response:
    role = say(ROLE_NAMES[account.role])
    body = [told, paragraph(say("You are signed in as {name}, {role}.", name=account.name, role=role))]
    body.append(link("/", say("To the app")))
    body.append(form("", say("Sign out"), "/sign-out", "second"))
    if session_of(request) is not None:
        fields = field(say("Password now"), "now", "current-password") + password_fields()
        body.append(heading(say("Change your password")) + form(fields, say("Change it")))
    passkeys = await account_part(request)
    return plain_page(say("Your account"), "".join(body) + passkeys, status, SCRIPT if passkeys else None)
