"""Invitations, passwords and one's own account."""

import asyncio
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.accounts.account import ROLE_NAMES, Account
from characterbox.accounts.credentials import LONGEST, SHORTEST, hash_of, password_fault
from characterbox.errors import AccountError
from characterbox.routes.guard import account_of, session_of
from characterbox.routes.login.authentication import known_device, session_cookie
from characterbox.routes.login.html_pages import (
    NO_FORM,
    field,
    form,
    heading,
    link,
    paragraph,
    plain_page,
    read_form,
    see_other,
)
from characterbox.routes.login.passkey_parts import SCRIPT, account_part
from characterbox.routes.login.sign_in import NO_PASSWORDS, Refusal, attempt, in_words, saying
from characterbox.routes.security import check_origin
from characterbox.stage.stage import open_stage
from characterbox.store.accounts.invitations import Invitation

_FAULTS = {
    "short": to_say("The password must have at least {shortest} characters."),
    "long": to_say("The password can have at most {longest} characters."),
    "name": to_say("The password is the same as your name. Choose another one."),
    "easy": to_say("The password is easy to guess. Choose another one, such as a few unrelated words."),
    "broken": to_say("The password cannot be read. Enter it again."),
}


def password_fields(*, first: bool = False) -> str:
    """The two fields, and what is asked of a password; in the `first` ones of a page one can write at once."""
    chosen = field(say("New password"), "password", "new-password", first=first)
    again = field(say("Repeat the new password"), "again", "new-password")
    return (
        chosen
        + again
        + paragraph(
            say(
                "At least {shortest} characters and hard to guess. A sentence is easier to remember than symbols.",
                shortest=SHORTEST,
            ),
            "quiet",
        )
    )


async def fault_of(fields: Mapping[str, str], name: str) -> str | None:
    """What is wrong with what somebody of this name has written, in words; None if nothing."""
    password = fields.get("password", "")
    fault = await password_fault(password, name)
    if fault is not None:
        return say(_FAULTS[fault], shortest=SHORTEST, longest=LONGEST)
    return say("The passwords do not match. Enter both again.") if fields.get("again") != password else None


_STATES = {
    "used": to_say(
        "This invitation has been used or replaced by a newer one. If you have a password, sign in with it. If"
        " not, ask the person who invited you for a new link."
    ),
    "expired": to_say("This invitation has expired. Ask the person who invited you for a new link."),
    "unknown": to_say("This invitation does not exist. Check that the link is complete, or ask for a new one."),
}


async def show_invitation(request: Request) -> Response:
    """`GET /invitation/{token}`: for whom it is, as what, and a form for the password; or why it can't be used."""
    invitation = await _invitation(request)
    if invitation is None or invitation.state != "open":
        return _useless(request, invitation)
    return _invitation_page(request, invitation.account)


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
        return _invitation_page(request, invitation.account, fault)
    kept = await hash_of(fields["password"])
    store = open_stage().store
    try:
        cookie = await asyncio.to_thread(store.accounts.accept, request.path_params["token"], kept)
    except AccountError:  # somebody was faster with the same link
        return _useless(request, await _invitation(request))
    return see_other("/", session_cookie(cookie), known_device(invitation.account, kept, store.sessions.key()))


async def _invitation(request: Request) -> Invitation | None:
    return await asyncio.to_thread(open_stage().store.invitations.find, request.path_params["token"])


def _invitation_page(request: Request, account: Account, fault: str | None = None) -> Response:
    told = paragraph(
        say("You have been invited as {role}. Choose a password to start.", role=say(ROLE_NAMES[account.role]))
    )
    fields = password_fields(first=True)
    body = told + ("" if fault is None else paragraph(fault, "fault")) + form(fields, say("Set password and start"))
    status = 200 if fault is None else 422
    return plain_page(say("Welcome, {name}", name=account.name), body, status)


def _useless(request: Request, invitation: Invitation | None) -> Response:
    state, status = ("unknown", 404) if invitation is None else (invitation.state, 410)
    body = paragraph(say(_STATES[state])) + link("/sign-in", say("Sign in"))
    return plain_page(say("This link cannot be used"), body, status)


async def show_account(request: Request) -> Response:
    """`GET /account`: who one is, with forms for another password, for what one writes, and for signing out."""
    return await _account_page(request, account_of(request))


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
        response = await _account_page(request, account, paragraph(in_words(outcome), "fault"), outcome.status)
        response.headers.update(outcome.headers)
        return response
    if (fault := await fault_of(fields, account.name)) is not None:
        return await _account_page(request, account, paragraph(fault, "fault"), 422)
    kept = await hash_of(fields["password"])
    store = open_stage().store
    await asyncio.to_thread(store.accounts.change_password, session, kept)
    response = await _account_page(
        request,
        account,
        paragraph(say("Your password has been changed. All your other sessions have been signed out.")),
    )
    device = known_device(account, kept, store.sessions.key())
    response.headers.append("set-cookie", device)  # what it knew was the account with the old password
    return response


@saying
async def lend_writing(request: Request) -> Response:
    """`POST /account/writing`: whether models may be trained on what one writes in stories: `lends` is yes or no."""
    check_origin(request)
    lends = (await read_form(request)).get("lends")
    if lends not in ("yes", "no"):
        raise HTTPException(422, say(NO_FORM))
    await asyncio.to_thread(open_stage().store.accounts.lend_writing, account_of(request), lends == "yes")
    return see_other("/account")


async def _account_page(request: Request, account: Account, told: str = "", status: int = 200) -> Response:
    role = say(ROLE_NAMES[account.role])
    body = [told, paragraph(say("You are signed in as {name} ({role}).", name=account.name, role=role))]
    body.append(link("/", say("Open the app")))
    body.append(form("", say("Sign out"), "/sign-out", "second"))
    if session_of(request) is not None:
        fields = field(say("Current password"), "now", "current-password") + password_fields()
        body.append(heading(say("Change your password")) + form(fields, say("Change password")))
    body.append(_writing_part(account))
    passkeys = await account_part(request)
    return plain_page(say("Your account"), "".join(body) + passkeys, status, SCRIPT if passkeys else None)


def _writing_part(account: Account) -> str:
    """Whether models may be trained on what the person writes, and the button that says otherwise."""
    if account.lends_writing:
        state, other, button = say("On: your writing may be used for training."), "no", say("Turn off training use")
    else:
        state, other, button = say("Off: your writing is not used for training."), "yes", say("Allow training use")
    told = say(
        "With your permission, what you write here (answers for a character or the narrator, and edited replies) may be"
        " used to train models, including what you have written so far. It is off unless you turn it on, and you can"
        " turn it off at any time; training datasets made before then keep what they have."
    )
    fields = f'<input type="hidden" name="lends" value="{other}">'
    return (
        heading(say("Your writing and training"))
        + paragraph(told)
        + paragraph(state)
        + form(fields, button, "/account/writing", "second")
    )
