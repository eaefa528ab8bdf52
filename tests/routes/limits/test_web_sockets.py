"""Handshakes and messages of web sockets that are too long, with the running app.

Without an answer, such handshakes took a place for good.
"""

import socket
import time
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from characterbox.routes.limits.size_limits import MOST_MESSAGE
from tests.browser.app import App, running

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with running(tmp_path_factory.mktemp("web_sockets") / "app.db") as app:
        yield app


def shaken(app: App, path: str = "/_stcore/stream", more: str = "") -> bytes:
    """The first line of the answer."""
    head = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{app.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{more}\r\n"
    )
    with socket.create_connection(("127.0.0.1", app.port), timeout=30) as line:
        line.sendall(head.encode())
        return line.recv(10_000).partition(b"\r\n")[0]


def test_one_with_cookies_as_long_as_pages_take_them_is_let_in(served):
    assert b" 101 " in shaken(served, more=f"Cookie: a={'b' * 31_000}\r\n")


@pytest.mark.parametrize("more", [f"Cookie: a={'b' * 40_000}\r\n", f"X: {'y' * 40_000}\r\n", "X: y\r\n" * 300])
def test_one_with_too_much_is_refused(served, more):
    assert b" 431 " in shaken(served, more=more)


def test_one_of_a_long_address_is_refused(served):
    assert b" 414 " in shaken(served, f"/_stcore/stream?a={'b' * 40_000}")


def test_a_message_that_is_too_long_is_not_taken_in(served):
    """No more than its head is read: with what had come of such messages, pages held all the memory there was."""
    with connect(f"ws://127.0.0.1:{served.port}/_stcore/stream", origin=served.url, max_size=None) as page:
        page.send(b"\x00" * MOST_MESSAGE)
        page.socket.sendall(b"\x82\xff" + (MOST_MESSAGE + 1).to_bytes(8, "big") + b"mask")
        with pytest.raises(ConnectionClosedError) as closed:  # noqa: PT012 - it may have said something before
            while True:
                page.recv(timeout=30)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("frames", [b"\x89\x80mask", b"\x8a\x80mask", b"\x00\x80mask"], ids=["ping", "pong", "part"])
def test_too_many_frames_that_are_no_messages_keep_nobody_waiting_and_the_page_is_closed(served, frames):
    """200,000 pings: worked off as they came, nobody else was answered for ten seconds."""
    with connect(f"ws://127.0.0.1:{served.port}/_stcore/stream", origin=served.url, max_size=None) as page:
        if frames[0] == 0:
            page.socket.sendall(b"\x02\x80mask")
        with pytest.raises((ConnectionClosedError, OSError)):  # noqa: PT012 - it is closed while it is sent, or after
            for _ in range(10):
                page.socket.sendall(frames * 20_000)
                begun = time.monotonic()
                assert shaken(served).startswith(b"HTTP/1.1 101")
                assert time.monotonic() - begun < 2
            while True:
                page.recv(timeout=30)
    assert shaken(served).startswith(b"HTTP/1.1 101")


def test_frames_behind_a_handshake_that_is_not_answered_yet_are_not_taken_in(served):
    head = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: https://evil.example\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as line, suppress(OSError):
        line.sendall(head.encode() + b"\x89\x80mask" * 100_000)
        while line.recv(10_000):
            pass
    assert shaken(served).startswith(b"HTTP/1.1 101")
    assert "Traceback" not in served.db.with_suffix(".log").read_text(encoding="utf-8")
