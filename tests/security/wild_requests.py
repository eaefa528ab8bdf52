"""Requests of all routes, for hypothesis: each as a browser sends it, but for up to three parts, which are wild."""

import re
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer, URLSafeTimedSerializer
from starlette.routing import BaseRoute, WebSocketRoute

from characterbox.accounts.credentials import COOKIE
from characterbox.accounts.session_user import DEVICE_COOKIE
from tests.security.matrix import METHODS, VIEWS
from tests.security.raw_requests import Asked
from tests.security.shared_server import NOBODY
from tests.security.wild import BODY, IN_ADDRESS, IN_HEADER, KIND, TEXT, encoded, marks, passkey_answers, queries

PAGES = ""
"""The path of Streamlit's last route, which has the pages and the files that they are made of."""
STREAM = "/_stcore/stream"
RAW = "(no request at all)"
FORM, JSON = b"application/x-www-form-urlencoded", b"application/json"
PARTS = ("method", "path", "query", "headers", "cookies", "host", "origin", "length", "body", "kind")
NAMED: Mapping[str, str] = {
    "story": "{{story}}", "item": "{{item}}", "token": "{{invitation}}", "name": "{{font}}",
    "session_id": "{{session}}", "file_id": "{{uuid}}", "media": "{{media}}",
    "bidi-components": "characterbox_player/player.js", "component": "characterbox_player/index.html",
}  # fmt: skip
"""What is in the places of paths, by their names, or by what stands before one that takes all the rest."""
ELSE = ("{{foreign session}}", "{{used invitation}}", "{{campaign}}", "{{account}}", "{{rater}}")
QUERIES: Mapping[str, tuple[str, ...]] = {
    "/stories/{story}/live": ("after", "eyes", "language"), "/stories/{story}/behind": ("path", "language"),
    "/items/{item}": ("language",), "/find": ("text", "language"), "/sign-in": ("next", "language"),
    "/language": ("to", "language"),
    "/_stcore/metrics": ("families",), "/auth/login": ("provider",), "/oauth2callback": ("code", "state", "error"),
    PAGES: tuple(sorted({name for views in VIEWS.values() for view in views for name in view} | {"at", "q",
    "language"})),
}  # fmt: skip
WELL: Mapping[str, bytes] = {
    "/stories/{story}/live": b"?after=0", "/stories/{story}/behind": b"?path=r1/narrator/environment",
    "/language": b"?to=zh", "/find": b"?text=the", "/items/{item}": b"?language=en",
}  # fmt: skip
_MARK = (
    b'{"item": "{{item}}", "rater": "{{rater}}", "click": "{{uuid}}",'
    b' "mark": {"kind": "score", "metric": "KA", "score": 4}}'
)
_SET = b"password={{password}}&again={{password}}"
_FILE = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a.json"\r\n\r\n{}\r\n--x--\r\n'
BODIES: Mapping[str, tuple[bytes, bytes]] = {
    "/marks": (JSON, _MARK),
    "/sign-in": (FORM, b"name=WHO&password={{password}}"),
    "/invitation/{token}": (FORM, _SET),
    "/account": (FORM, b"now={{password}}&" + _SET),
    "/passkeys/sign-in": (JSON, b'{"ticket": "{{ticket of WHO}}", "credential": "{{credential of WHO}}"}'),
    "/account/passkeys/ask": (JSON, b'{"now": "{{password}}"}'),
    "/account/passkeys": (
        JSON, b'{"ticket": "{{new ticket of WHO}}", "name": "a key", "credential": "{{new credential of WHO}}"}',
    ),
    "/account/passkeys/remove": (FORM, b"now={{password}}&id=none"),
    "/_stcore/upload_file/{session_id}/{file_id}": (b"multipart/form-data; boundary=x", _FILE),
}  # fmt: skip
"""What is sent to a route as its own pages do: of which kind, and what."""
_UPGRADE = [
    (b"Connection", b"Upgrade"), (b"Upgrade", b"websocket"), (b"Sec-WebSocket-Version", b"13"),
    (b"Sec-WebSocket-Key", b"AAAAAAAAAAAAAAAAAAAAAA=="), (b"Sec-WebSocket-Protocol", b"streamlit, {{xsrf}}"),
]  # fmt: skip
_HEADERS = (
    b"X-Forwarded-For", b"X-Forwarded-Proto", b"X-Forwarded-Host", b"Forwarded", b"X-Real-IP", b"Range",
    b"If-None-Match", b"If-Modified-Since", b"If-Range", b"Accept", b"Accept-Language", b"Accept-Encoding", b"Referer",
    b"User-Agent", b"Authorization", b"Sec-Fetch-Site", b"Sec-Fetch-Mode", b"Last-Event-ID", b"X-Xsrftoken",
    b"X-HTTP-Method-Override", b"Upgrade", b"Connection", b"Expect", b"TE", b"Sec-WebSocket-Key",
    b"Sec-WebSocket-Protocol",
    b"Sec-WebSocket-Extensions", b"Content-Encoding",
    b"Access-Control-Request-Method", b"Access-Control-Request-Headers", b"Host", b"Cookie", b"X-\xff",
)  # fmt: skip
_VALUES = st.one_of(
    IN_HEADER,
    st.sampled_from([
        b"127.0.0.1", b"127.0.0.1, 10.0.0.1", b"https", b"evil.example", b"for=unknown;proto=http", b"bytes=0-", b"*",
        b"bytes=-1", b"bytes=9-1", b"bytes=0-0,2-3," + b"4-5," * 900, b'"abc"', b"text/html", b"zh-CN,zh;q=0.9,en;q=x",
        b"zh;q=" + b"9" * 400, b",".join([b"en"] * 2_000), b"same-origin", b"cross-site", b"{{xsrf}}",
        b"{{own}}/scenes",
        b"{{own}}//x", b"websocket", b"Upgrade", b"gzip, br;q=0", b"100-continue", b"application/x-protobuf", b"GET",
        b"9",
        b"999999999", b"http://[", b"Thu, 01 Jan 1970 00:00:00 GMT", b"Basic Og==", b"chunked",
        b"permessage-deflate; client_max_window_bits=99", b"streamlit, a, {{session}}, b",
    ]),
)  # fmt: skip


def asked_of(routes: Sequence[BaseRoute]) -> list[tuple[str, str]]:
    """The routes of an app by path and method; those that take any are asked by GET and by POST."""
    found: dict[tuple[str, str], None] = {}
    for route in routes:
        if isinstance(route, WebSocketRoute):
            found[route.path, "GET"] = None
            continue
        methods = getattr(route, "methods", None) or {"GET"}
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS") if len(methods) < 6 else ("GET", "POST"):
            if method in methods:
                found[getattr(route, "path", PAGES), method] = None
    return list(found)


def _well_path(path: str) -> bytes:
    def put(place: re.Match[str]) -> str:
        name, all_the_rest = place[1], place[2]
        return NAMED[path.strip("/").split("/")[-2] if all_the_rest else name]

    return re.sub(r"\{(\w+)(:path)?\}", put, path).encode()


@st.composite
def _path(draw: st.DrawFn, path: str, wild: bool) -> bytes:
    if path == PAGES:
        pages = [f"/{page}".encode() for page in (*VIEWS, "", "index.html", "favicon.png", "static/css/x.css")]
        return b"/" + draw(IN_ADDRESS) if wild else draw(st.sampled_from(pages))
    if not wild:
        return _well_path(path)
    parts = re.split(r"(\{[^}]*\})", path)
    strange = st.one_of(IN_ADDRESS, IN_ADDRESS, st.sampled_from([text.encode() for text in ELSE]))
    said = b"".join(draw(strange) if part.startswith("{") else part.encode() for part in parts)
    if len(parts) == 1 or draw(st.integers(0, 4)) == 0:
        said += draw(st.sampled_from([b"/", b"//", b"/.", b"/..", b"%2f", b"%00", b";a=b", b"\\"]) | IN_ADDRESS)
    return said


def _forged(text: str) -> bytes:
    raw = encoded(text).decode("latin-1")
    session = URLSafeSerializer("another key", salt="session").dumps(raw)
    device = URLSafeTimedSerializer("another key", salt="device").dumps(raw)
    return f"{COOKIE}={session}; {DEVICE_COOKIE}={device}".encode()


@st.composite
def _cookies(draw: st.DrawFn) -> bytes:
    said = draw(IN_HEADER)
    cookie = f"{COOKIE}=".encode()
    return draw(
        st.sampled_from([
            cookie + said, said, cookie + said + b"." + said, cookie * 400,
            DEVICE_COOKIE.encode() + b"=" + said, b"_streamlit_user=" + said, b"_streamlit_xsrf=" + said,
            b"_streamlit_xsrf=2|" + said, b"characterbox_language=" + said, b"a=" + b"b" * 40_000, b";" * 3_000,
            b"=" * 500, b'a="' + said,
        ])
        | TEXT.map(_forged)
    )  # fmt: skip


@st.composite
def _body(draw: st.DrawFn, path: str) -> bytes:
    if path == "/marks" and draw(st.integers(0, 3)):
        return draw(marks())
    if "passkeys" in path and draw(st.integers(0, 3)):
        new = b"new " if path.startswith("/account") else b""
        ticket = draw(st.just(b"{{" + new + b"ticket of WHO}}") | IN_ADDRESS)
        answer = draw(passkey_answers())
        text = answer.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "replace")
        return b'{"ticket": "' + ticket + b'", "now": "{{password}}", "credential": "' + text + b'"}'
    kind, well = BODIES.get(path, (b"", b""))
    if kind == FORM and draw(st.booleans()):
        pairs = [pair.partition(b"=") for pair in well.split(b"&")]
        one = draw(st.integers(0, len(pairs) - 1))
        return b"&".join(
            name + b"=" + (draw(IN_ADDRESS) if place == one else value) for place, (name, _, value) in enumerate(pairs)
        )
    return draw(BODY)


_LENGTHS = st.one_of(
    st.sampled_from([b"1", b"0", b"-1", b"99999", b"10000000000", b"x", b"", b"9" * 30, b"+1", b"0x1"]).map(
        lambda length: [(b"Content-Length", length)]
    ),
    st.just([(b"Transfer-Encoding", b"chunked")]),
    st.just([(b"Content-Length", b"{length}"), (b"Transfer-Encoding", b"chunked")]),
)
"""How long a body is said to be that is not."""


@st.composite
def _headers(draw: st.DrawFn, path: str, kind: bytes, wild: set[str]) -> list[tuple[bytes, bytes]]:
    by_name = b" by name" if "passkeys" in path or path in ("/account", "/sign-in") else b""
    hosts = st.sampled_from([b"evil.example", b"localhost", b"127.0.0.1:1", b"[::1]", b"", b"a@b"]) | IN_HEADER
    origins = st.sampled_from([b"null", b"http://evil.example"]) | IN_HEADER
    headers = [
        (b"Host", draw(hosts) if "host" in wild else b"{{host" + by_name + b"}}"),
        (b"Cookie", draw(_cookies()) if "cookies" in wild else b"{{cookies of WHO}}"),
        (b"Origin", draw(origins) if "origin" in wild else b"{{own" + by_name + b"}}"),
        (b"Sec-Fetch-Site", b"same-origin"),
        (b"X-Xsrftoken", b"{{xsrf}}"),
        (b"Accept", draw(st.sampled_from([b"*/*", b"text/html"]))),
    ]
    kind = draw(KIND) if "kind" in wild else kind
    if kind:
        headers.append((b"Content-Type", kind))
    if "headers" in wild:
        headers += draw(st.lists(st.tuples(st.sampled_from(_HEADERS), _VALUES), min_size=1, max_size=4))
    return [*headers, *(_UPGRADE if path == STREAM else [(b"Connection", b"close")])]


@st.composite
def requests(draw: st.DrawFn, routes: Sequence[tuple[str, str]], roles: Sequence[str]) -> Asked:
    """A request of one of these routes by somebody of one of these roles."""
    path, method = draw(st.sampled_from(routes))
    who = draw(st.sampled_from(roles))
    wild = draw(st.sets(st.sampled_from(PARTS), max_size=3))
    target = draw(_path(path, "path" in wild))
    target += b"?" + draw(queries(QUERIES.get(path, ()))) if "query" in wild else WELL.get(path, b"")
    kind, body = BODIES.get(path, (b"", b"")) if method in ("POST", "PUT") else (b"", b"")
    body = draw(_body(path)) if "body" in wild else body
    headers = draw(_headers(path, kind, wild))
    whole = "length" not in wild and not _holds_up(headers, path)
    if "length" in wild:
        headers += draw(_LENGTHS)
    elif body or method in ("POST", "PUT"):
        headers.append((b"Content-Length", b"{length}"))
    if "method" in wild:
        method = draw(st.sampled_from([*METHODS, "TRACE", "CONNECT", "PROPFIND", "PURGE", "get", "FOO", "A" * 300, ""]))
        whole = whole and method in METHODS
    mine = who.encode()
    return Asked(
        path, who, method.encode(), target.replace(b"WHO", mine),
        tuple((name, value.replace(b"WHO", mine)) for name, value in headers),
        body.replace(b"name=WHO", b"name=" + mine.title()).replace(b"WHO", mine), whole,
    )  # fmt: skip


def _holds_up(headers: Sequence[tuple[bytes, bytes]], path: str) -> bool:
    """Whether the app may wait for more, having read these: not a fault of its own."""
    names = [name for name, _ in headers]
    return b"Expect" in names or (path != STREAM and b"Upgrade" in names) or names.count(b"Connection") > 1


_PIECES = st.sampled_from([
    b"GET / HTTP/1.1\r\n", b"GET /\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n",
    b"\x16\x03\x01\x02\x00",
    b"POST /sign-in HTTP/1.1\r\n", b"Host: {{host}}\r\n", b"Host {{host}}\r\n", b" folded\r\n",
    b"Cookie: {{cookies of admin}}\r\n",
    b"Content-Length: 5\r\n", b"Content-Length: 6\r\n", b"Content-Length : 5\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked, identity\r\n", b"transfer-encoding:\x0bchunked\r\n", b"\r\n", b"\n", b"\r", b"\x00",
    b"5\r\nhello\r\n", b"FFFFFFFFFFFFFFFF1\r\n", b"-1\r\n", b"0\r\n\r\n", b"5;ext=\"" + b"a" * 9_000, b"hello",
    b"X: " + b"a" * 70_000 + b"\r\n", b"X: y\r\n" * 2_000, b"GET " + b"a" * 70_000 + b" HTTP/1.1\r\n",
    b"OPTIONS * HTTP/1.1\r\n", b"GET http://evil.example/ HTTP/1.1\r\n", b"CONNECT evil.example:443 HTTP/1.1\r\n",
    b"Origin: {{own}}\r\n", b"Content-Type: application/x-www-form-urlencoded\r\n", b"Expect: 100-continue\r\n",
])  # fmt: skip
"""What requests are made of, well and badly."""
_SHAKEN = (
    b"GET /_stcore/stream HTTP/1.1\r\nHost: {{host}}\r\nOrigin: {{own}}\r\nCookie: {{cookies of viewer}}\r\n"
    + b"".join(name + b": " + value + b"\r\n" for name, value in _UPGRADE)
)
_FRAMES = st.sampled_from([
    b"\x82\x85\x00\x00\x00\x00hello", b"\x82\x05hello", b"\x81\x81\x00\x00\x00\x00\xff", b"\xf2\x80\x00\x00\x00\x00",
    b"\x82\xff" + b"\xff" * 8 + b"\x00" * 4, b"\x82\xff\x00\x00\x00\x00\x7f\xff\xff\xff\x00\x00\x00\x00",
    b"\x89\xfe\x01\x00",
    b"\x88\x81\x00\x00\x00\x00\x03", b"\x88\x82\x00\x00\x00\x00\xff\xff", b"\x00\x80\x00\x00\x00\x00",
    b"\x83\x80\x00\x00\x00\x00",
    b"\x02\x81\x00\x00\x00\x00a", b"\xc2\x85\x00\x00\x00\x00" + b"\xaa" * 5, b"\x8a\x80\x00\x00\x00\x00" * 300,
])  # fmt: skip
"""Frames of a web socket, damaged or out of place."""
NO_REQUESTS: st.SearchStrategy[Asked] = st.builds(
    lambda pieces: Asked(RAW, NOBODY, b"", b"", (), whole=False, raw=b"".join(pieces)),
    st.lists(_PIECES | st.binary(max_size=20), min_size=1, max_size=7)
    | st.lists(_FRAMES | st.binary(max_size=20), max_size=5).map(lambda frames: [_SHAKEN, b"\r\n", *frames]),
)
"""What is no request, or several, or is broken off; or no frame of a web socket."""
