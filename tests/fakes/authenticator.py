"""An authenticator in software: makes one passkey (ES256) and signs with it."""

import hashlib
import json
from base64 import urlsafe_b64encode

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec


def text_of(raw: bytes) -> str:
    """In base64url, without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


class Authenticator:
    """A device with one passkey; `count` is how often it has signed."""

    def __init__(self, id: bytes = b"a passkey", count: int = 0) -> None:
        self.id, self.count = id, count
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(self, challenge: str, origin: str, site: str = "localhost") -> str:
        """The answer to being asked for a new passkey."""
        public = self._key.public_key().public_numbers()
        key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: public.x.to_bytes(32, "big"), -3: public.y.to_bytes(32, "big")})
        about = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + key
        made = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": self._state(site, 0x45) + about})
        return self._answer(clientDataJSON=_told("webauthn.create", challenge, origin), attestationObject=made)

    def sign(self, challenge: str, origin: str, site: str = "localhost", flags: int = 0x05) -> str:
        """The answer to being asked to sign in."""
        self.count += 1
        told, state = _told("webauthn.get", challenge, origin), self._state(site, flags)
        signature = self._key.sign(state + hashlib.sha256(told).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=told, authenticatorData=state, signature=signature)

    def _state(self, site: str, flags: int) -> bytes:
        return hashlib.sha256(site.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _answer(self, **response: bytes) -> str:
        told = {name: text_of(raw) for name, raw in response.items()}
        return json.dumps({"id": text_of(self.id), "rawId": text_of(self.id), "type": "public-key", "response": told})


def _told(kind: str, challenge: str, origin: str) -> bytes:
    return json.dumps({"type": kind, "challenge": challenge, "origin": origin}).encode()
