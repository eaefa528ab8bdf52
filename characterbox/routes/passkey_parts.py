"""What the plain pages show of passkeys, where there are any."""

import asyncio
from html import escape

from starlette.requests import Request

from annotations.wording import tongue
from characterbox.accounts.passkeys import Site, site_of
from characterbox.routes.guard import account_of, session_of
from characterbox.routes.plain import field, paragraph
from characterbox.routes.words import WORDS
from characterbox.settings import settings
from characterbox.stage.stage import open_stage
from characterbox.store.passkeys import Passkey

LONGEST_NAME = 40
"""The longest name of a passkey, in characters."""
SCRIPT = "/passkeys.js"
"""Where the script is that pages with passkeys run."""


def site_here(request: Request) -> Site | None:
    """The site for which passkeys are good; None where people come by an address that has none."""
    url = settings().url or f"http://{request.headers.get('host', '')}"
    return site_of(url) if settings().auth == "local" else None


def sign_in_part(request: Request, onward: str) -> str:
    """The way to sign in by a passkey, on the sign-in page; "" where there are none."""
    words = WORDS[tongue()]
    if site_here(request) is None:
        return ""
    return _script_form("passkey-sign-in", "", words["by_passkey"], onward)


async def account_part(request: Request) -> str:
    """The passkeys of one's own account, and a form to add one; "" where there are none."""
    words = WORDS[tongue()]
    if site_here(request) is None or session_of(request) is None:
        return ""
    passkeys = await asyncio.to_thread(open_stage().store.passkeys.of, account_of(request))
    listed = "".join(f"<li>{_line(one)}</li>" for one in passkeys)
    label = f'<label>{escape(words["passkey_name"])}<input name="label" maxlength="{LONGEST_NAME}" required></label>'
    fields = label + field(words["now"], "now", "current-password")
    return (
        f"<h2>{escape(words['passkeys'])}</h2>{paragraph(words['about_passkeys'])}"
        f"<ul>{listed}</ul>{_script_form('passkey-add', fields, words['add_passkey'], '/account')}"
    )


def _script_form(id: str, fields: str, button: str, onward: str) -> str:
    """A form that the script shows and sends: without one there are no passkeys."""
    failed = escape(WORDS[tongue()]["passkey_failed"])
    return (
        f'<form id="{id}" data-next="{escape(onward)}" data-failed="{failed}" hidden>{fields}'
        f'<p class="fault" role="alert" hidden></p><button class="second">{escape(button)}</button></form>'
    )


def _line(passkey: Passkey) -> str:
    words = WORDS[tongue()]
    used = f"{passkey.last_used_at:%Y-%m-%d}" if passkey.last_used_at else words["never"]
    told = words["passkey"].format(name=passkey.name, made=f"{passkey.created_at:%Y-%m-%d}", used=used)
    fields = f'<input type="hidden" name="id" value="{escape(passkey.id)}">'
    fields += field(words["now"], "now", "current-password")
    button = f'<button class="second">{escape(words["remove_passkey"])}</button>'
    form = f'<form method="post" action="/account/passkeys/remove">{fields}{button}</form>'
    return f"<details><summary>{escape(told)}</summary>{form}</details>"
