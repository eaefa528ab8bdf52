"""Which language of the interface somebody wants: the one that was chosen, else the one that the browser likes best."""

from collections.abc import Mapping
from functools import lru_cache

from annotations.i18n.translation import TONGUES, Tongue

COOKIE = "characterbox_language"
"""Remembers what was chosen in the header."""
HOST_COOKIE = f"__Host-{COOKIE}"
"""The same under HTTPS, where no other host can set it."""

CODES: Mapping[Tongue, str] = {"en": "en", "zh": "zh-CN"}
"""As browsers name the languages."""


def tongue_named(text: str | None) -> Tongue | None:
    """The language with this code; None if there is none."""
    return next((one for one in TONGUES if one == text), None)


def wanted_tongue(cookies: Mapping[str, str], accept_language: str) -> Tongue:
    """The language to speak to who sends these cookies and this header, `Accept-Language`."""
    return tongue_named(cookies.get(HOST_COOKIE)) or tongue_named(cookies.get(COOKIE)) or _liked_best(accept_language)


@lru_cache(maxsize=256)
def _liked_best(accept_language: str) -> Tongue:
    liked: dict[str, float] = {}
    for part in accept_language.lower().split(","):
        tag, _, weight = part.strip().partition(";q=")
        base = tag.partition("-")[0]
        liked[base] = max(liked.get(base, 0), _weight(weight))
    return "zh" if liked.get("zh", 0) > liked.get("en", 0) else "en"


def _weight(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0
