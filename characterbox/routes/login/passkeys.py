"""Passkeys: signing in by one, and adding and removing those of one's own account."""

import asyncio
import logging
from collections.abc import Mapping
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from annotations.i18n.translation import say, translate
from characterbox.accounts.account import Account
from characterbox.accounts.passkeys import (
    Challenges,
    Made,
    PasskeyFault,
    Site,
    id_of,
    made,
    signed_by,
    to_add,
    to_sign_in,
)
from characterbox.errors import AccountError
from characterbox.routes.guard import account_of
from characterbox.routes.login.authentication import known_device, session_cookie
from characterbox.routes.login.html_pages import read_form
from characterbox.routes.login.passkey_parts import LONGEST_NAME, site_here
from characterbox.routes.login.sign_in import Refusal, attempt, in_words, said, saying
from characterbox.routes.security import check_origin
from characterbox.stage.stage import open_stage
from characterbox.store.accounts.passkeys import Passkey
from characterbox.store.tables.columns import now

log = logging.getLogger(__name__)

CHALLENGES = Challenges()
_SOURCE = files(__package__).joinpath("passkeys.js").read_bytes()


async def script(_: Request) -> Response:
    """`GET /passkeys.js`: what the pages run that offer passkeys."""
    kept = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
    return Response(_SOURCE, media_type="text/javascript", headers=kept)


@saying
async def ask_to_sign_in(request: Request) -> Response:
    """`POST /passkeys/ask`: a challenge for whoever has a passkey."""
    check_origin(request)
    site = _site(request)
    ticket = CHALLENGES.new("sign in")
    return _json({"ticket": ticket, "ask": to_sign_in(site, CHALLENGES.challenge_of(ticket, "sign in"))})


@saying
async def sign_in_by_passkey(request: Request) -> Response:
    """`POST /passkeys/sign-in`: sign in by the answer to a challenge (204). 401 says that it proves nothing."""
    try:
        check_origin(request)
        site = _site(request)
        fields = await read_form(request)
        account = await asyncio.to_thread(_proven, site, fields.get("ticket", ""), fields.get("credential", ""))
    except PasskeyFault as fault:
        log.warning("a passkey was refused: %s", fault)
        await asyncio.to_thread(open_stage().store.failed_sign_ins.failed, None)
        return said(request, 401, "passkey_failed")
    store = open_stage().store
    if account.disabled_at is not None:
        await asyncio.to_thread(store.failed_sign_ins.failed, account)
        return said(request, 401, "disabled")
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    session = await asyncio.to_thread(store.sessions.start, str(account.id), "passkey")
    response.headers.append("set-cookie", session_cookie(session))
    found = await asyncio.to_thread(store.accounts.password_of, account.name)
    if found is not None and (kept := found[1]) is not None:
        response.headers.append("set-cookie", known_device(account, kept, store.sessions.key()))
    return response


@saying
async def ask_to_add(request: Request) -> Response:
    """`POST /account/passkeys/ask`: a challenge for a new passkey, for whoever knows the password."""
    account = account_of(request)
    site, _ = await _allowed(request)
    there = [one.id for one in await asyncio.to_thread(open_stage().store.passkeys.of, account)]
    ticket = CHALLENGES.new("add", str(account.id))
    challenge = CHALLENGES.challenge_of(ticket, "add", str(account.id))
    return _json({"ticket": ticket, "ask": to_add(site, account, challenge, there)})


@saying
async def add_passkey(request: Request) -> Response:
    """`POST /account/passkeys`: keep the passkey that was made for a challenge (204)."""
    account = account_of(request)
    try:
        check_origin(request)
        site = _site(request)
        fields = await read_form(request)
        await asyncio.to_thread(_add, site, account, fields)
    except PasskeyFault as fault:
        log.warning("a new passkey was refused: %s", fault)
        return said(request, 422, "passkey_failed")
    except AccountError as error:
        return said(request, 409, translate(error))
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@saying
async def remove_passkey(request: Request) -> Response:
    """`POST /account/passkeys/remove`: remove a passkey, for whoever knows the password; back to the account."""
    account = account_of(request)
    _, fields = await _allowed(request)
    await asyncio.to_thread(open_stage().store.passkeys.remove, account, fields.get("id", ""))
    return Response(status_code=303, headers={"Location": "/account", "Cache-Control": "no-store"})


def _site(request: Request) -> Site:
    site = site_here(request)
    if site is None:
        raise HTTPException(
            404, say("Passkeys are not available: the app needs HTTPS and a domain name in its address.")
        )
    return site


async def _allowed(request: Request) -> tuple[Site, Mapping[str, str]]:
    """The site and the fields.

    Raises HTTPException unless a page of ours sent this, with the password of the one who is signed in.
    """
    check_origin(request)
    site = _site(request)
    fields = await read_form(request)
    outcome = await attempt(request, account_of(request).name, fields.get("now", ""))
    if isinstance(outcome, Refusal):
        raise HTTPException(outcome.status, in_words(outcome))
    return site, fields


def _proven(site: Site, ticket: str, credential: str) -> Account:
    """Whose passkey has answered. Raises PasskeyFault."""
    passkeys = open_stage().store.passkeys
    challenge = CHALLENGES.challenge_of(ticket, "sign in")
    found = passkeys.find(id_of(credential))
    if found is None:
        raise PasskeyFault("nobody has this passkey")
    passkey, account = found
    known = Made(passkey.id, passkey.public_key, passkey.sign_count)
    count = signed_by(site, challenge, credential, known)
    CHALLENGES.use(challenge)
    if not passkeys.used(passkey, count):
        raise PasskeyFault("it has signed twice at once")
    return account


def _add(site: Site, account: Account, fields: Mapping[str, str]) -> None:
    challenge = CHALLENGES.challenge_of(fields.get("ticket", ""), "add", str(account.id))
    new = made(site, challenge, fields.get("credential", ""))
    CHALLENGES.use(challenge)
    words = "".join(letter for letter in fields.get("name", "") if letter.isprintable() or letter.isspace()).split()
    name = " ".join(words)[:LONGEST_NAME] or "passkey"
    passkey = Passkey(
        id=new.id,
        account=str(account.id),
        public_key=new.public_key,
        sign_count=new.sign_count,
        name=name,
        created_at=now(),
        last_used_at=None,
    )
    open_stage().store.passkeys.add(account, passkey)


def _json(value: object) -> Response:
    return JSONResponse(value, headers={"Cache-Control": "no-store"})
