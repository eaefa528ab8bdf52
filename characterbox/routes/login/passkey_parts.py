"""What the plain pages show of passkeys, where there are any."""

import asyncio
from html import escape

from starlette.requests import Request

from annotations.i18n.translation import say
from characterbox.accounts.passkeys import Site, site_of
from characterbox.routes.guard import account_of, session_of
from characterbox.routes.login.html_pages import field, heading, paragraph
from characterbox.settings import settings
from characterbox.stage.stage import open_stage
from characterbox.store.accounts.passkeys import Passkey

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
    if site_here(request) is None:
        return ""
    return _script_form("passkey-sign-in", "", say("Sign in with a passkey"), onward)


async def account_part(request: Request) -> str:
    """The passkeys of one's own account, and a form to add one; "" where there are none."""
    if site_here(request) is None or session_of(request) is None:
        return ""
    passkeys = await asyncio.to_thread(open_stage().store.passkeys.of, account_of(request))
    listed = "".join(f"<li>{_line(one)}</li>" for one in passkeys)
    name = say("Passkey name")
    label = f'<label>{escape(name)}<input name="label" maxlength="{LONGEST_NAME}" required></label>'
    fields = label + field(say("Current password"), "now", "current-password")
    return (
        heading(say("Passkeys"))
        + paragraph(say("With a passkey on your phone or computer, you sign in without a password."))
        + f"<ul>{listed}</ul>"
        + _script_form("passkey-add", fields, say("Add passkey"), "/account")
    )


def _script_form(id: str, fields: str, button: str, onward: str) -> str:
    """A form that the script shows and sends: without one there are no passkeys."""
    failed = escape(say("The passkey was not accepted. Try again."))
    return (
        f'<form id="{id}" data-next="{escape(onward)}" data-failed="{failed}" hidden>{fields}'
        f'<p class="fault" role="alert" hidden></p><button class="second">{escape(button)}</button></form>'
    )


def _line(passkey: Passkey) -> str:
    used = f"{passkey.last_used_at:%Y-%m-%d}" if passkey.last_used_at else say("never")
    told = say(
        "{name}, created {made}, last used {used}", name=passkey.name, made=f"{passkey.created_at:%Y-%m-%d}", used=used
    )
    fields = f'<input type="hidden" name="id" value="{escape(passkey.id)}">'
    fields += field(say("Current password"), "now", "current-password")
    remove = say("Remove")
    button = f'<button class="second">{escape(remove)}</button>'
    form = f'<form method="post" action="/account/passkeys/remove">{fields}{button}</form>'
    return f"<details><summary>{escape(told)}</summary>{form}</details>"
