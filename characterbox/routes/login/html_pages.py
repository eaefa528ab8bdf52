"""Pages of a few lines that need no script, and the forms that they send."""

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from math import ceil
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse

from annotations.i18n.messages import to_say
from annotations.i18n.translation import NAMES, say, tongue
from characterbox.accounts.account import ROLE_NAMES, Account
from characterbox.accounts.permissions import TITLES, pages_of
from characterbox.values import Language

NO_FORM = to_say("This form cannot be read. Reload the page.")
MAX_BODY = 16_384
"""Bytes of a form at most: a long password, with each letter escaped."""


def is_json(request: Request) -> bool:
    """Whether a program sent it, and wants to be answered as one."""
    return _kind(request) == "application/json"


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a form, or of a JSON object. Raises HTTPException for what is neither, or too large."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise HTTPException(413, say("The form is too large."))
    try:
        fields = _fields(_kind(request), body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise HTTPException(422, say(NO_FORM)) from None
    if fields is None:
        raise HTTPException(415, say(NO_FORM))
    return fields


def _fields(kind: str, text: str) -> Mapping[str, str] | None:
    """Raises ValueError for what is not of this kind."""
    if kind == "application/x-www-form-urlencoded":
        return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=10))
    if kind != "application/json":
        return None
    fields = json.loads(text)
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        raise ValueError("no object of texts")
    return fields


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


_STYLE = files(__package__).joinpath("html_pages.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; form-action 'self'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex",
}
"""Nothing of these pages is kept, or joined by anything from elsewhere; who may frame them, `security` says of all."""

_POLICY = "Content-Security-Policy"
_WITH_SCRIPT = {_POLICY: f"{HEADERS[_POLICY]}; script-src 'self'; connect-src 'self'"}


def plain_page(title: str, body: str, status: int = 200, script: str | None = None) -> HTMLResponse:
    """A page with this title and this HTML, in the language of the one who asks; it may run one script of the app."""
    language = tongue()
    other: Language = "en" if language == "zh" else "zh"
    run = "" if script is None else f'<script type="module" src="{script}"></script>'
    page = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)} · CharacterBox</title>'
        f'<link rel="icon" href="data:,"><style>{_STYLE}</style>{run}</head><body><main>'
        '<p class="house">CharacterBox</p>'
        f"<h1>{escape(title)}</h1>{body}</main>"
        f'<footer><a href="/language?to={other}" lang="{other}" hreflang="{other}">{NAMES[other]}</a></footer>'
        "</body></html>"
    )
    return HTMLResponse(page, status, HEADERS if script is None else HEADERS | _WITH_SCRIPT)


def heading(text: str) -> str:
    """A heading of a part of a page."""
    return f"<h2>{escape(text)}</h2>"


def link(address: str, text: str) -> str:
    """A paragraph that is a link."""
    return f'<p><a href="{escape(address)}">{escape(text)}</a></p>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text."""
    role = ' role="alert"' if kind == "fault" else ""
    return f'<p class="{kind}"{role}>{escape(text)}</p>'


def field(label: str, name: str, autocomplete: str, value: str = "", *, first: bool = False) -> str:
    """A line to write in: a password, unless it is a username. In the `first` one can write at once."""
    kind = "text" if autocomplete == "username" else "password"
    focus = " autofocus" if first else ""
    return (
        f'<label>{escape(label)}<input name="{name}" type="{kind}" autocomplete="{autocomplete}"'
        f' value="{escape(value)}" required{focus}></label>'
    )


def form(fields: str, button: str, action: str = "", kind: str = "") -> str:
    """A form that is sent to this address, or to that of the page."""
    to = f' action="{escape(action)}"' if action else ""
    return f'<form method="post"{to}>{fields}<button class="{kind}">{escape(button)}</button></form>'


def see_other(address: str, *cookies: str) -> RedirectResponse:
    """On to another page, with these cookies set."""
    response = RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})
    for cookie in cookies:
        response.headers.append("set-cookie", cookie)
    return response


def next_address(connection: HTTPConnection) -> str:
    """Where to go on after signing in: a place of this app, whatever the address says."""
    wanted = connection.query_params.get("next", "")
    alien = "\\" in wanted or any(letter.isspace() or not letter.isprintable() for letter in wanted)
    if not wanted.startswith("/") or wanted.startswith("//") or alien:
        return "/"
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return "/"
    return wanted if not parts.scheme and not parts.netloc else "/"


def refusal_page(account: Account) -> HTMLResponse:
    """Says that a page is not for this account, and which pages are."""
    told = say(
        "You are signed in as {name} ({role}). This page needs a different role.",
        name=account.name,
        role=say(ROLE_NAMES[account.role]),
    )
    ways = "".join(f'<li><a href="/{page}">{escape(say(TITLES[page]))}</a></li>' for page in pages_of(account))
    body = paragraph(told) + (paragraph(say("Pages available to you:")) + f"<ul>{ways}</ul>" if ways else "")
    return plain_page(say("Not available here"), body, 403)


def too_many(what: str, seconds: float) -> PlainTextResponse:
    """Refuses what an account asks for too much of (429), and says in how many seconds it may ask again."""
    return PlainTextResponse(what, 429, {"Retry-After": str(ceil(seconds)), "Cache-Control": "no-store"})
