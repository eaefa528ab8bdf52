"""Passkeys (WebAuthn): what a browser is asked, and whether what it answers proves who it is.

A challenge is answered once, within five minutes, for what it was made for. It is signed with a key of this process:
after a restart, those from before are void.
"""

import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from characterbox.accounts.account import Account

T = TypeVar("T")

Purpose = Literal["sign in", "add"]

ANSWERED_WITHIN = 300
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Site:
    """For which site a passkey is good."""

    id: str
    """Its host (the id of the relying party)."""
    origin: str


class PasskeyFault(Exception):
    """What a browser sent proves nothing. For logs; people are told no more than that it failed."""


def site_of(url: str) -> Site | None:
    """The site at this address; None where there are no passkeys: an address of numbers, or no HTTPS."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        ip_address(host)
    except ValueError:
        local = host == "localhost"
        return Site(host, f"{parts.scheme}://{parts.netloc}") if local or parts.scheme == "https" else None
    return None


class Challenges:
    """Makes challenges, and takes each once."""

    def __init__(self) -> None:
        self._serializer = URLSafeTimedSerializer(secrets.token_hex(32), salt="passkey")
        self._lock = threading.Lock()
        self._used: dict[str, float] = {}
        """When each was answered, oldest first; what nobody can answer any more is left out."""

    def new(self, purpose: Purpose, account: str = "") -> str:
        """A ticket, which holds a challenge for this purpose, and for this account where one is known."""
        return str(self._serializer.dumps([secrets.token_urlsafe(32), purpose, account]))

    def challenge_of(self, ticket: str, purpose: Purpose, account: str = "") -> bytes:
        """The challenge in a ticket. Raises PasskeyFault if it is too old, used, or for something else."""
        try:
            match self._serializer.loads(ticket, max_age=ANSWERED_WITHIN):
                case [str(challenge), to, of] if (to, of) == (purpose, account) and challenge not in self._used:
                    return base64url_to_bytes(challenge)
        except (BadSignature, UnicodeError) as error:
            raise PasskeyFault(str(error)) from None
        raise PasskeyFault("the challenge was used, or made for something else")

    def use(self, challenge: bytes) -> None:
        """Take a challenge that was answered well. Raises PasskeyFault if somebody was faster."""
        name, now = bytes_to_base64url(challenge), time.time()
        with self._lock:
            while self._used and now - next(iter(self._used.values())) > ANSWERED_WITHIN + 1:
                del self._used[next(iter(self._used))]
            if name in self._used:
                raise PasskeyFault("the challenge was used")
            self._used[name] = now


def to_add(site: Site, account: Account, challenge: bytes, there: list[str]) -> Any:
    """What a browser is asked in order to make a passkey; `there` are the ids of those that the account has."""
    options = generate_registration_options(
        rp_id=site.id,
        rp_name="CharacterBox",
        user_id=str(account.id).encode(),
        user_name=account.name,
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=base64url_to_bytes(id)) for id in there],
    )
    return json.loads(options_to_json(options))


def to_sign_in(site: Site, challenge: bytes) -> Any:
    """What a browser is asked in order to sign in, with whichever passkey of this site it has."""
    required = UserVerificationRequirement.REQUIRED
    options = generate_authentication_options(rp_id=site.id, challenge=challenge, user_verification=required)
    return json.loads(options_to_json(options))


@dataclass(frozen=True, slots=True)
class Made:
    """A passkey that a browser has made."""

    id: str
    public_key: str
    sign_count: int


def made(site: Site, challenge: bytes, credential: str) -> Made:
    """The passkey that a browser has made. Raises PasskeyFault if it is none for this challenge and site."""
    verified = _verified(verify_registration_response, site, challenge, credential)
    key = bytes_to_base64url(verified.credential_public_key)
    return Made(bytes_to_base64url(verified.credential_id), key, verified.sign_count)


def _verified(verify: Callable[..., T], site: Site, challenge: bytes, credential: str, **known: Any) -> T:
    """What one of the library's checks finds. Raises PasskeyFault for all that the library raises.

    Of what is damaged, it raises whatever comes of that: it looks for keys in numbers, and reads as deep as it is told.
    """
    try:
        return verify(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.id,
            expected_origin=site.origin,
            require_user_verification=True,
            **known,
        )
    except (WebAuthnException, ValueError, TypeError, LookupError, RecursionError) as error:
        raise PasskeyFault(str(error)) from error


def id_of(credential: str) -> str:
    """The id that a browser says its passkey has. Raises PasskeyFault if it says none."""
    try:
        match json.loads(credential):
            case {"id": str(id)} if id.isascii() and id.isprintable():
                return id
    except (ValueError, RecursionError):
        pass
    raise PasskeyFault("this is no passkey's answer")


def signed_by(site: Site, challenge: bytes, credential: str, known: Made) -> int:
    """How often the passkey has signed by now.

    Raises PasskeyFault unless it has signed this challenge for this site, and more often than it was known to.
    """
    verified = _verified(
        verify_authentication_response,
        site,
        challenge,
        credential,
        credential_public_key=base64url_to_bytes(known.public_key),
        credential_current_sign_count=known.sign_count,
    )
    if bytes_to_base64url(verified.credential_id) != known.id:
        raise PasskeyFault("another passkey has signed")
    return verified.new_sign_count
