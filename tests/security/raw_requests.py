"""What is asked of a running app byte by byte, as no browser would, and what it answers."""

import re
import shlex
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse

PATIENCE = 20.0
"""Seconds after which an answer counts as none."""
SILENCE = 0.05
"""Seconds that the app has for what was sent by half, until the line is cut."""
NO_ANSWER = 0
"""The status of what the app left without an answer, and closed."""
PLACE = re.compile(rb"\{\{([\w ]+)\}\}")
"""Where something stands that is only known as it is sent, such as the id of a story."""
LONGEST_TOLD = 5_000
"""Bytes of one part of a request, as it is told of, at most."""
Fill = Callable[[str], bytes]


@dataclass(frozen=True)
class Asked:
    """A request. Each of its parts may be wild, and may have places to be filled as it is sent."""

    route: str
    """The route for which it is meant."""
    who: str
    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""
    whole: bool = True
    """Whether an answer can be asked for: it is not when the head promises more than is sent."""
    raw: bytes | None = None
    """All that is sent, where it is not even a request."""

    def filled(self, fill: Fill) -> bytes:
        """What goes over the line."""

        if self.raw is not None:
            return filled(self.raw, fill)
        body = filled(self.body, fill)
        head = [self.method + b" " + filled(self.target, fill) + b" HTTP/1.1"]
        head += [
            name + b": " + filled(value, fill).replace(b"{length}", b"%d" % len(body)) for name, value in self.headers
        ]
        return b"\r\n".join(head) + b"\r\n\r\n" + body


@dataclass(frozen=True)
class Told:
    """The answer."""

    status: int
    seconds: float
    body: bytes = b""
    headers: Mapping[str, str] | None = None

    @property
    def leads_to_sign_in(self) -> bool:
        """Whether that is all that it does: it refuses."""
        return self.headers is not None and self.headers.get("location", "").startswith("/sign-in?")


class Unanswered(Exception):
    """Raised when a request that is whole gets no answer in time."""


def filled(text: bytes, fill: Fill) -> bytes:
    """The text with its places filled."""
    return PLACE.sub(lambda place: fill(place[1].decode()), text)


def ask(port: int, sent: bytes, *, whole: bool = True) -> Told:
    """The answer to what is sent; of a live stream its first bytes. Raises Unanswered."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        try:
            line.sendall(sent)
            if not whole:
                line.settimeout(SILENCE)
            return _read(line, sent.partition(b" ")[0], begun)
        except TimeoutError:
            if whole:
                raise Unanswered(f"nothing was answered within {PATIENCE:.0f} s") from None
            return Told(NO_ANSWER, 0.0)
        except (ConnectionError, HTTPException, ValueError):
            return Told(NO_ANSWER, time.monotonic() - begun)


def _read(line: socket.socket, method: bytes, begun: float) -> Told:
    answer = HTTPResponse(line, method=method.decode("latin-1"))
    answer.begin()
    live = answer.headers.get_content_type() == "text/event-stream"
    upgraded = answer.status == 101
    body = b"" if upgraded else answer.read1(2_000) if live else answer.read()
    return Told(answer.status, time.monotonic() - begun, body, dict(answer.headers.items()))


def as_command(port: int, asked: Asked, fill: Fill) -> str:
    """The request as it can be sent again from a shell."""
    if asked.raw is not None:
        return f"printf %b {_escaped(asked.filled(fill))} | nc -q 3 127.0.0.1 {port}"
    head, _, body = asked.filled(fill).partition(b"\r\n\r\n")
    first, *headers = head.split(b"\r\n")
    target = first.removeprefix(asked.method + b" ").removesuffix(b" HTTP/1.1")
    words = ["curl", "-i", "--path-as-is", "-X", _quoted(asked.method)]
    for header in headers:
        words += ["-H", _quoted(header)]
    words.append(_quoted(b"http://127.0.0.1:%d" % port + target))
    return " ".join(["printf %b", _escaped(body), "|", *words, "--data-binary", "@-"] if body else words)


def _quoted(text: bytes) -> str:
    text = _shortened(text)
    if text.isascii() and text.decode().isprintable():
        return shlex.quote(text.decode())
    return f"${_escaped(text)}"


def _escaped(text: bytes) -> str:
    known = "".join(chr(one) if 32 <= one < 127 and one not in b"'\\%" else f"\\x{one:02x}" for one in _shortened(text))
    return f"'{known}'"


def _shortened(text: bytes) -> bytes:
    return text if len(text) <= LONGEST_TOLD else text[:LONGEST_TOLD] + b"... (%d bytes)" % len(text)
