"""Values as no browser sends them, for hypothesis: texts, their encodings, JSON, CBOR and bodies."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_from_bytes, urlencode

import cbor2
from hypothesis import strategies as st

from tests.fakes.authenticator import text_of

_STRANGE = "\x00\x01\r\n\t\x7f\x85\u200b\u200e\u202e\u2066\ufeff\u2028\ud800\udfff\U0001f469\u200d\U0001f680雨夜のİıßﷺ"
SPECIAL = [
    "", "..", ".", "../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd", "//evil.example/", "\x00", "a\x00b",
    "%00", "%2e%2e", "%", "%zz", "%u0041", "-1", "0", "1e999", "NaN", "null", "true", "[]", "{}", "' OR 1=1 --",
    "<script>alert(1)</script>", "${7*7}", "{0.__class__}", "$name", "\ud800", "雨夜的旅馆", "\u202egnp.exe", "\ufeff",
    "9" * 40, "a" * 300, "b" * 2_100, "雨" * 700, "\u0301" * 500, "((((" * 60, "bundled:holmes-study", "rehearsal",
    "%s%n", "\r\nSet-Cookie: a=b", "１２３", "²", "٣",
]  # fmt: skip
"""Texts that have broken programs before."""
TEXT = st.one_of(
    st.sampled_from(SPECIAL),
    st.text(st.sampled_from(_STRANGE + "ab/.%?#&=;+'\"<> "), max_size=30),
    st.text(max_size=20),
)
HUGE = st.builds(lambda piece, times: piece * times, TEXT, st.sampled_from([1, 1, 1, 10, 100, 3_000]))
NUMBER = st.one_of(
    st.integers(), st.floats(), st.sampled_from([-1, 0, 2**31, 2**63, -(2**63), 10**40, 1e308, float("nan")])
)
SCALAR = st.one_of(st.none(), st.booleans(), NUMBER, TEXT)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=8
)


def encoded(text: str) -> bytes:
    """In UTF-8, with what has none in it, such as half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")


def _percent(text: bytes, how: str) -> bytes:
    match how:
        case "all":
            return b"".join(b"%%%02X" % one for one in text)
        case "needed":
            return quote_from_bytes(text, safe="").encode()
        case "path":
            return quote_from_bytes(text, safe="/%.;=&+").encode()
        case "twice":
            return quote_from_bytes(quote_from_bytes(text, safe="").encode(), safe="").encode()
        case _:
            return bytes(one if 33 <= one < 127 and one not in b"#?" else 95 for one in text)


IN_ADDRESS: st.SearchStrategy[bytes] = st.builds(
    _percent, TEXT.map(encoded) | st.binary(max_size=12), st.sampled_from(["all", "needed", "path", "twice", "bare"])
)
_CONTROL = bytes([*range(9), *range(10, 32), 127])
"""What no header may have in it: of that, the raw requests are made."""
IN_HEADER = (HUGE.map(encoded) | st.binary(max_size=30)).map(lambda raw: raw.translate(None, _CONTROL)[:70_000])


@st.composite
def queries(draw: st.DrawFn, known: tuple[str, ...]) -> bytes:
    """What follows the ? of an address: names that the route knows and others, again and again, or no names at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(IN_ADDRESS)
    names = st.sampled_from([name.encode() for name in known]) if known else IN_ADDRESS
    pairs = draw(st.lists(st.tuples(names | IN_ADDRESS if draw(st.booleans()) else names, IN_ADDRESS), max_size=4))
    query = b"&".join(name + b"=" + value for name, value in pairs)
    return query * draw(st.sampled_from([1, 1, 1, 1, 2, 50]))


def _deep(piece: str, times: int) -> bytes:
    return (piece * times).encode()


_DEEP = st.builds(_deep, st.sampled_from(["[", '{"a":', "[[]", "1", '"', "{"]), st.sampled_from([10, 900, 5_000]))
_MULTIPART = st.builds(
    lambda name, file, data, end: (
        b"--x\r\nContent-Disposition: form-data; name=\"" + name + b"\"; filename=\"" + file + b"\"\r\n"
        b"Content-Type: text/plain\r\n\r\n" + data + end
    ),
    IN_HEADER.map(lambda raw: raw[:200]),
    IN_HEADER.map(lambda raw: raw[:200]),
    st.binary(max_size=50),
    st.sampled_from([b"\r\n--x--\r\n", b"\r\n--x", b"--x--", b"", b"\r\n--y--\r\n", b"\r\n--x\r\n\r\n\r\n--x--"]),
)  # fmt: skip
BODY = st.one_of(
    st.just(b""),
    st.binary(max_size=200),
    _DEEP,
    JSON.map(lambda value: json.dumps(value).encode("utf-8", "replace")),
    st.lists(st.tuples(TEXT, TEXT), max_size=12).map(
        lambda pairs: urlencode([(encoded(name), encoded(value)) for name, value in pairs]).encode()
    ),
    _MULTIPART,
    st.builds(lambda piece, times: piece * times, st.binary(min_size=1, max_size=8), st.sampled_from([100, 9_000])),
)
KIND = st.one_of(
    st.sampled_from(
        [
            b"application/json", b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x",
            b"multipart/form-data", b'multipart/form-data; boundary="', b"multipart/form-data; boundary=" + b"x" * 200,
            b"text/plain", b"application/json; charset=utf-16", b"application/cbor", b"/", b"",
        ]
    ),
    IN_HEADER.map(lambda raw: raw[:100]),
)  # fmt: skip
_CBOR = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=40), st.text(max_size=10)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["fmt", "attStmt", "authData", "x5c", "sig", "alg", 1, 3, -1, -2]), inner, max_size=5
        )
    ),
    max_leaves=8,
)
_BASE64URL = st.one_of(
    st.binary(max_size=120).map(text_of), _CBOR.map(cbor2.dumps).map(text_of), TEXT,
    JSON.map(lambda value: text_of(json.dumps(value).encode("utf-8", "replace"))),
    st.sampled_from([
        cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": bytes(37)}),
        cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": bytes(32) + b"\x45" + bytes(22) + b"\xff\xff"}),
        cbor2.dumps({"fmt": "packed", "attStmt": {"alg": -7, "sig": b"", "x5c": [b"x"]}, "authData": bytes(200)}),
        b"\x81" * 3_000, b"\x9f" * 500, b"\xbf\xff", b"\x5b" + b"\xff" * 8, b"\xd8\x1c" * 400,
    ]).map(text_of),
)  # fmt: skip


@st.composite
def passkey_answers(draw: st.DrawFn) -> str:
    """What answers a challenge: in the form of a passkey, with nonsense in it."""
    response: dict[str, Any] = {"clientDataJSON": "{{client data}}"}
    for name in ("attestationObject", "authenticatorData", "signature", "userHandle", "transports"):
        if draw(st.booleans()):
            response[name] = draw(_BASE64URL | JSON)
    id = draw(_BASE64URL)
    answer = {"id": id, "rawId": draw(st.just(id) | JSON), "type": "public-key", "response": response}
    for name in draw(st.sets(st.sampled_from(sorted(answer)), max_size=1)):
        answer[name] = draw(JSON)
    return json.dumps(answer)


_MARK_FIELDS: Mapping[str, tuple[str, ...]] = {
    "score": ("metric", "score"), "evidence": ("metric", "steps"), "comment": ("text",), "flag": ("unknown_work",),
    "skip": ("reason",), "submit": (), "guess": ("model",), "time": ("reading", "idle"),
}  # fmt: skip


@st.composite
def marks(draw: st.DrawFn) -> bytes:
    """What a rater's browser sends, in its form, with wild values in it."""
    kind = draw(st.sampled_from(sorted(_MARK_FIELDS)))
    mark: dict[str, Any] = {"kind": kind}
    for name in _MARK_FIELDS[kind]:
        mark[name] = draw(st.sampled_from(["KA", 4, [0, 1], True, "text", 1_000, None]) | JSON)
    if draw(st.integers(0, 5)) == 0:
        mark[draw(TEXT)] = draw(JSON)
    sent = {"item": "{{item}}", "rater": "{{rater}}", "click": "{{uuid}}", "mark": mark}
    for name in draw(st.sets(st.sampled_from(sorted(sent)), max_size=1)):
        sent[name] = draw(JSON)
    return json.dumps(sent).encode("utf-8", "replace")
