"""Handshakes and messages of web sockets that are too long, with the running app.

Without an answer, such handshakes took a place for good.
"""

import socket

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from characterbox.routes.bounded import MOST_MESSAGE
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
