"""Passwords, tokens in links and cookies, and links of invitation. The database has digests only."""

import hashlib
import secrets
import unicodedata
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadSignature, URLSafeSerializer
from zxcvbn import zxcvbn

from characterbox.accounts.account import name_key
from characterbox.processes.concurrency import Threads

SHORTEST, LONGEST = 10, 1_000
"""How many characters a password has."""
Fault = Literal["short", "long", "name", "easy", "broken"]
"""Too short, too long, the same as the name, easily guessed, or no text at all."""
_SAFE = 2
"""The score from which zxcvbn holds a password to withstand guesses that are slowed down, as they are here."""
_SCORED = 24
"""Characters that are looked at for that, from the start: of more, zxcvbn can take seconds."""

_HASHER = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=4)
"""Argon2id with the second choice of RFC 9106: 64 MiB."""
_NOBODYS = "$argon2id$v=19$m=65536,t=3,p=4$ceZeZZmwpGs4y26barBbfg$dEjWlJKBMXlwb9Whrli2vXzqBdBld1gaKQ10i5h1544"
"""What a password is compared with where there is no account, so that this takes the same time."""
_AT_WORK = Threads("passwords", 2)
"""Two at a time: a hash takes 64 MiB and a tenth of a second of all cores, and a score up to a quarter of a second."""


async def password_fault(password: str, name: str) -> Fault | None:
    """What would be wrong with this password for somebody of this name; None if nothing."""
    if len(password) < SHORTEST:
        return "short"
    if len(password) > LONGEST:
        return "long"
    if not _encodable(password):
        return "broken"
    if name_key(password) == name_key(name):
        return "name"
    return "easy" if await _AT_WORK.run(_is_easy, password, name) else None


async def hash_of(password: str) -> str:
    """The hash that is kept in place of a password."""
    return await _AT_WORK.run(_HASHER.hash, _as_kept(password))


async def is_right(password: str, kept: str | None) -> bool:
    """Whether this is the password of the hash. It takes as long where there is no hash."""
    return await _AT_WORK.run(_is_right, password, kept)


def _is_easy(password: str, name: str) -> bool:
    known: int = zxcvbn(password[:_SCORED], user_inputs=[name[:_SCORED]])["score"]
    return known < _SAFE


def _is_right(password: str, kept: str | None) -> bool:
    if len(password) > LONGEST or not _encodable(password):
        password = ""  # nosec B105 # it is nobody's
    try:
        return _HASHER.verify(kept or _NOBODYS, _as_kept(password)) and kept is not None
    except (VerificationError, InvalidHashError):
        return False


def _as_kept(password: str) -> str:
    """Keyboards write the same letter in more than one way."""
    return unicodedata.normalize("NFC", password)


def _encodable(password: str) -> bool:
    """Whether it is text: half of a pair of surrogates has no UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in password)


COOKIE = "characterbox_session"
"""The name of the cookie that keeps a person signed in."""

_SALT = "session"


def cookie_name(name: str, *, https: bool) -> str:
    """The name of a cookie where the app has HTTPS or not.

    With `__Host-`, browsers take it from this very host alone, and over HTTPS: another host of the same domain could
    set it with the plain name, which therefore counts for nothing there.
    """
    return f"__Host-{name}" if https else name


def session_name(*, https: bool) -> str:
    """The name of the cookie that keeps a person signed in."""
    return cookie_name(COOKIE, https=https)


def new_token() -> str:
    """256 random bits, to be put into a link or a cookie."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is kept of a token: its SHA-256, in hexadecimal."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def signed(token: str, key: str) -> str:
    """The token with its signature, for a cookie."""
    return URLSafeSerializer(key, salt=_SALT).dumps(token)


def unsigned(value: str, key: str) -> str | None:
    """The token in a cookie; None if it was not signed with this key."""
    if not value.isascii():
        return None
    try:
        token = URLSafeSerializer(key, salt=_SALT).loads(value)
    except BadSignature:
        return None
    return token if isinstance(token, str) else None


HERE = "http://127.0.0.1:8501"
"""Where the app is, as long as nobody has said otherwise."""


def invitation_link(url: str | None, token: str) -> str:
    """Where an invitation is used; `url` is the app's address in people's browsers."""
    return f"{url or HERE}/invitation/{token}"


def sign_in_link(url: str | None) -> str:
    """Where one signs in."""
    return f"{url or HERE}/sign-in"
