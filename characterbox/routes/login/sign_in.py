"""Signing in and out."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from html import escape
from math import ceil
from typing import Literal

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.accounts.credentials import cookie_name, is_right
from characterbox.accounts.login_throttle import key_of_address, key_of_device, key_of_name
from characterbox.accounts.session_user import DEVICE_COOKIE, Visitor, device_of
from characterbox.components.streamlit_session import LOGOUT, read_claims, ways_to_sign_in
from characterbox.routes.login.authentication import known_device, no_session_cookie, session_cookie
from characterbox.routes.login.html_pages import (
    field,
    form,
    is_json,
    next_address,
    paragraph,
    plain_page,
    read_form,
    see_other,
)
from characterbox.routes.login.passkey_parts import SCRIPT, sign_in_part
from characterbox.routes.security import check_origin
from characterbox.settings import settings
from characterbox.stage.stage import open_stage
from characterbox.store import Store

Answer = Callable[[Request], Awaitable[Response]]
"""A route."""

FIRST_ADMIN = "characterbox invite NAME --role admin"

NO_PASSWORDS = to_say("This app does not use passwords.")
_REFUSALS = {
    "wrong": to_say("Wrong name or password."),
    "wait": to_say("Too many failed attempts. Try again in {wait}."),
    "disabled": to_say("This account is disabled. Ask an admin to enable it."),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody was not signed in."""

    kind: Literal["wrong", "wait", "disabled"]
    wait: timedelta = timedelta(0)
    """How long until the next try."""

    @property
    def status(self) -> int:
        """The status of the answer."""
        return 429 if self.kind == "wait" else 401

    @property
    def headers(self) -> dict[str, str]:
        """What the answer says to programs."""
        return {"Retry-After": str(ceil(self.wait.total_seconds()))} if self.kind == "wait" else {}


@dataclass(frozen=True, slots=True)
class Proven:
    """Whose password it was."""

    account: str
    device: str
    """The header by which this browser is told the cookie by which it knows the account from now on."""


def saying(answer: Answer) -> Answer:
    """A route that says what it refuses (HTTPException) in the way that it was asked: see `said`."""

    @wraps(answer)
    async def answer_or_say(request: Request) -> Response:
        try:
            return await answer(request)
        except HTTPException as refusal:
            return said(request, refusal.status_code, str(refusal.detail))

    return answer_or_say


async def show_sign_in(request: Request) -> Response:
    """`GET /sign-in?next=...`: a form, or the ways to sign in elsewhere; on at once for those who are signed in."""
    if request.scope["visitor"] is not None:
        return see_other(next_address(request))
    if settings().auth == "oidc":
        return _elsewhere(request)
    empty = await asyncio.to_thread(open_stage().store.accounts.is_empty)
    return _page(request, note=_no_accounts(request) if empty else "")


@saying
async def sign_in(request: Request) -> Response:
    """`POST /sign-in`: sign in with name and password, sent by the form or as JSON.

    The form goes on to the next page (303); JSON is answered with 204. 401 says that name or password is wrong, and 429
    that one has to wait.
    """
    check_origin(request)
    if settings().auth != "local":
        raise HTTPException(404, say(NO_PASSWORDS))
    fields = await read_form(request)
    name = fields.get("name", "")
    outcome = await attempt(request, name, fields.get("password", ""))
    if isinstance(outcome, Refusal):
        told = in_words(outcome)
        response = said(request, outcome.status, told) if is_json(request) else _page(request, outcome, name)
        response.headers.update(outcome.headers)
        return response
    session = session_cookie(await asyncio.to_thread(open_stage().store.sessions.start, outcome.account, "password"))
    cookies = session, outcome.device
    if not is_json(request):
        return see_other(next_address(request), *cookies)
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    for cookie in cookies:
        response.headers.append("set-cookie", cookie)
    return response


@saying
async def sign_out(request: Request) -> Response:
    """`POST /sign-out`: end the session of this browser."""
    check_origin(request)
    visitor: Visitor = request.scope["visitor"]
    if visitor.session is None:
        account = visitor.account
        if account.id is not None:
            told = account, "session.ended", account.id, {"name": account.name}
            await asyncio.to_thread(open_stage().store.audit.add, *told)
        return _on_to_provider()
    await asyncio.to_thread(open_stage().store.sessions.end, visitor.session)
    return see_other("/sign-in", no_session_cookie())


async def attempt(request: Request, name: str, password: str) -> Proven | Refusal:
    """Try a password. Failures slow down name and address; in a browser that knows the account, this browser alone.

    What is asked and in which order is the same whether or not there is an account.
    """
    store: Store = open_stage().store
    found = await asyncio.to_thread(store.accounts.password_of, name)
    account, kept = (None, None) if found is None else found
    key = await asyncio.to_thread(store.sessions.key)
    sent = request.cookies.get(cookie_name(DEVICE_COOKIE, https=settings().https), "")
    device = device_of(sent, str(account and account.id), kept or "", key)
    if account is None or device is None:
        counted = [key_of_name(name), key_of_address(request.client.host if request.client else "")]
    else:
        counted = [key_of_device(str(account.id), device)]
    wait = await asyncio.to_thread(store.throttles.attempt, *counted)
    if wait:
        return Refusal("wait", wait)
    if not await is_right(password, kept) or account is None or kept is None:
        await asyncio.to_thread(store.failed_sign_ins.failed, account)
        return Refusal("wrong")
    await asyncio.to_thread(store.throttles.succeeded, *counted)
    if account.disabled_at is not None:
        await asyncio.to_thread(store.failed_sign_ins.failed, account)
        return Refusal("disabled")
    return Proven(str(account.id), known_device(account, kept, key, device))


def in_words(refusal: Refusal) -> str:
    """What somebody is told who was not signed in."""
    seconds = ceil(refusal.wait.total_seconds())
    wait = say("{n} s", n=seconds) if seconds < 60 else say("{n} min", n=ceil(seconds / 60))
    return say(_REFUSALS[refusal.kind], wait=wait)


def said(request: Request, status: int, reason: str) -> Response:
    """One sentence to whoever sent a form."""
    if is_json(request):
        return JSONResponse({"error": reason}, status, {"Cache-Control": "no-store"})
    return plain_page(say("Sign in"), paragraph(reason, "fault"), status)


def _page(request: Request, refusal: Refusal | None = None, name: str = "", note: str = "") -> Response:
    fault = "" if refusal is None else paragraph(in_words(refusal), "fault")
    fields = field(say("Your name"), "name", "username", name, first=not name)
    fields += field(say("Password"), "password", "current-password", first=bool(name))
    body = (
        note
        + fault
        + form(fields, say("Sign in"))
        + "<br>"
        + paragraph(say("Forgot your password? An admin can create a new link for you."), "quiet")
    )
    passkeys = sign_in_part(request, next_address(request))
    status = 200 if refusal is None else refusal.status
    return plain_page(say("Sign in"), body + passkeys, status, SCRIPT if passkeys else None)


def _no_accounts(request: Request) -> str:
    return (
        paragraph(say("There are no accounts yet. Whoever runs the app creates the first one on the command line:"))
        + f"<p><code>{FIRST_ADMIN}</code></p>"
    )


def _elsewhere(request: Request) -> Response:
    claims = read_claims(request.cookies)
    if claims is not None:  # signed in there, and yet nobody here
        who = (
            str(claims.get("email"))
            if claims.get("email_verified") is True
            else say("a user whose e-mail address is not verified")
        )
        body = paragraph(
            say(
                "You have signed in with your provider as {who}, but you have not been invited to this app. Ask"
                " an admin for an invitation.",
                who=who,
            ),
            "fault",
        ) + _way(LOGOUT, say("Sign in with another account"))
        return plain_page(say("Sign in"), body, 403)
    ways = ((provider or say("your organization"), address) for provider, address in ways_to_sign_in().items())
    buttons = [_way(address, say("Sign in with {provider}", provider=provider)) for provider, address in ways]
    return plain_page(say("Sign in"), "".join(buttons))


def _on_to_provider() -> Response:
    """A page from which the browser goes on by itself: a form may lead to this app alone, and browsers hold also what
    it is sent on to against that (Content-Security-Policy), but the provider may want to know of it."""
    label = say("Sign out")
    page = plain_page(label, _way(LOGOUT, label))
    page.headers["Refresh"] = f"0; url={LOGOUT}"
    return page


def _way(address: str, label: str) -> str:
    return f'<a class="button" href="{escape(address)}">{escape(label)}</a>'
