"""Web sockets, as far as uvicorn leaves them open: handshakes that are too long, and messages.

uvicorn leaves a connection with a handshake that is too long open for as long as the other side likes, without a word
and before anything asks who that is: the answer (414 or 431) is made by the library beneath it, and not sent. And that
library takes lines of 8 KiB at most, while pages are given to browsers with longer cookies, as those of a sign-in
elsewhere can be. Of messages it takes as much as Streamlit sends, and keeps what has come until all is there.
"""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets import http11

from characterbox.routes.bounded import MOST_COOKIES, MOST_MESSAGE

LONGEST_LINE = MOST_COOKIES + 1024
"""Bytes of a line of a handshake, at most: one that has all cookies."""
_connected = WebSocketsSansIOProtocol.connection_made
_received = WebSocketsSansIOProtocol.data_received


def bound_web_sockets() -> None:
    """From now on no handshake is left without an answer, and no message is taken in that is too long: 1009."""
    http11.MAX_LINE_LENGTH = LONGEST_LINE
    WebSocketsSansIOProtocol.connection_made = _connection_made  # type: ignore[method-assign]
    WebSocketsSansIOProtocol.data_received = _data_received  # type: ignore[method-assign]


def _connection_made(self: WebSocketsSansIOProtocol, transport: Any) -> None:
    _connected(self, transport)
    self.conn.max_message_size = MOST_MESSAGE


def _data_received(self: WebSocketsSansIOProtocol, data: bytes) -> None:
    _received(self, data)
    if self.conn.handshake_exc is not None and not self.handshake_initiated:
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
