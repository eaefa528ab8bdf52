"""What people send with a form of the plain pages, or a program in its place."""

import json
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from annotations.wording import say, to_say

NO_FORM = to_say("This form cannot be read. Open the page anew.")
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
