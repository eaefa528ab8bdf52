"""Accounts: who uses the app, and as what."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Literal, get_args

from annotations.i18n.messages import cited, to_say
from characterbox.errors import AccountError
from characterbox.values import Value

Role = Literal["admin", "researcher", "expert", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
ROLE_NAMES: Mapping[Role, str] = {
    "admin": to_say("admin"),
    "researcher": to_say("researcher"),
    "expert": to_say("expert"),
    "viewer": to_say("viewer"),
}
"""What they are called; to be said."""

MAX_NAME = 80
"""The longest name, in characters."""
MAX_EMAIL = 254
"""The longest address that mail can be sent to (RFC 5321)."""
LASTS_DAYS = 7
"""How many days one has to use an invitation, where nothing else is said."""


class Account(Value):
    """A person, and what the person may do."""

    id: str | None
    """Twelve hexadecimal digits; None for those who are in no database: `LOCAL` and `COMMAND_LINE`."""
    name: str
    role: Role
    email: str | None = None
    """In small letters; needed by those who sign in elsewhere (OpenID Connect)."""
    signs_in_by: Literal["password", "oidc"] | None = None
    """How the person proves to be the one; None as long as an invitation was not used, if there was one."""
    disabled_at: datetime | None = None
    created_at: datetime | None = None
    lends_writing: bool = False
    """Whether models may be trained on what the person writes in stories; only the person can say so."""


LOCAL = Account(id=None, name=to_say("whoever sits at this computer"), role="admin")
"""Everybody who uses an app that runs without accounts. The name is stored in English, and said where it is shown."""
NOBODY = Account(id=None, name=to_say("nobody who is signed in"), role="viewer")
"""Who fails to sign in, in the log. It signs in nowhere."""
THE_APP = Account(id=None, name=to_say("the app itself"), role="admin")
"""What the app does by itself, as it is set up to, in the log."""
COMMAND_LINE = Account(id=None, name="the command line", role="admin")
"""Whoever runs commands on the computer that has the database."""


def account_name(text: str) -> str:
    """A name as it is stored: NFC, without outer blanks and with single inner ones.

    Raises AccountError for an empty or overlong name, and for one with characters that cannot be seen.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if any(unicodedata.category(letter)[0] == "C" or letter in "\u2028\u2029" for letter in name):
        raise AccountError("the name contains a control character; use letters, digits and spaces")
    name = " ".join(name.split())
    if not name:
        raise AccountError("the name is missing; enter one")
    if len(name) > MAX_NAME:
        raise AccountError("the name has {count} characters; use at most {most}", count=len(name), most=MAX_NAME)
    if name_key(name) in {name_key(one.name) for one in (LOCAL, NOBODY, THE_APP, COMMAND_LINE)}:
        raise AccountError("{name}: this name is used for what no account has done; choose another one", name=name)
    return name


def account_role(text: str) -> Role:
    """A role as it is stored. Raises AccountError for what is none: a page can be sent anything for a choice."""
    for role in ROLES:
        if role == text:
            return role
    roles = ", ".join(ROLES)
    raise AccountError("unknown role {role!r}; choose one of {roles}", role=cited(text), roles=roles)


def name_key(name: str) -> str:
    """What names have in common that differ in blanks and in the case of letters only: an account has it alone.

    It is stored with each account: made in another way, it would no longer find those that are there.
    """
    composed = unicodedata.normalize("NFC", " ".join(name.split()))
    return unicodedata.normalize("NFC", composed.casefold())


def email_address(text: str) -> str:
    """An e-mail address as it is stored, in small letters. Raises AccountError for what can be none."""
    address = text.strip().lower()
    before, at, domain = address.rpartition("@")
    seen = address.isprintable() and not any(letter.isspace() for letter in address)
    if not (before and at and "." in domain.strip(".") and seen) or len(address) > MAX_EMAIL:
        written = text.strip()[:MAX_EMAIL]
        raise AccountError("{written!r} is not a valid e-mail address; enter one like ann@example.org", written=written)
    return address
