"""A small OpenID provider: whoever comes to it is `person`, and is sent back with a code for a signed token."""

import base64
import hashlib
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "characterbox", "a secret of the client"


@dataclass
class Provider:
    """The provider and whom it vouches for: the claims of `person`, all but issuer, audience and times."""

    person: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"}))
    forged: dict[str, Any] = field(default_factory=dict)
    """Claims that its tokens have in place of the right ones."""
    signs: Literal["right", "by another key", "not at all"] = "right"
    signs_out: bool = False
    """Whether it says where people sign out (OpenID Connect RP-Initiated Logout)."""
    signed_out: int = 0
    """How often somebody did."""
    codes: dict[str, tuple[dict[str, Any], str, str]] = field(default_factory=dict)
    """What each code is good for: claims, the address that it was sent to, and the challenge (RFC 7636)."""

    @property
    def app(self) -> Starlette:
        """The provider as an ASGI app."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._configuration),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/sign-out", self._sign_out),
            ]
        )

    async def _configuration(self, request: Request) -> Response:
        issuer = _issuer(request)
        more = {"end_session_endpoint": f"{issuer}/sign-out"} if self.signs_out else {}
        return JSONResponse(
            {
                **more,
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}/authorize",
                "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256", "none"],  # as many say that they do
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def _authorize(self, request: Request) -> Response:
        asked = request.query_params
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert "openid" in asked["scope"].split()
        code, now = secrets.token_urlsafe(), int(time.time())
        claims = {"iss": _issuer(request), "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        challenge = asked["code_challenge"] if asked.get("code_challenge_method") == "S256" else ""
        self.codes[code] = {**self.person, **claims, **self.forged}, asked["redirect_uri"], challenge
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}", 302)

    async def _token(self, request: Request) -> Response:
        sent = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        claims, redirect_uri, challenge = self.codes.pop(sent["code"], ({}, None, ""))
        proof = base64.urlsafe_b64encode(hashlib.sha256(sent.get("code_verifier", "").encode()).digest())
        if sent["redirect_uri"] != redirect_uri or (challenge and proof.rstrip(b"=").decode() != challenge):
            return JSONResponse({"error": "invalid_grant"}, 400)
        id_token = self._signed(claims)
        return JSONResponse({"access_token": "nothing", "token_type": "Bearer", "expires_in": 60, "id_token": id_token})

    async def _sign_out(self, request: Request) -> Response:
        assert request.query_params["id_token_hint"]
        self.signed_out += 1
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 302)

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.signs == "not at all":
            parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
            return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."
        key = self.key if self.signs == "right" else RSAKey.generate_key(2048, {"kid": "one"})
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


def _issuer(request: Request) -> str:
    return f"http://{request.headers['host']}"
