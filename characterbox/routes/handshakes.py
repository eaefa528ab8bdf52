"""Handshakes of web sockets that are too long: they are answered, and the connection is closed.

uvicorn leaves such a connection open for as long as the other side likes, without a word and before anything asks who
that is: the answer (414 or 431) is made by the library beneath it, and not sent. And that library takes lines of 8 KiB
at most, while pages are given to browsers with longer cookies, as those of a sign-in elsewhere can be.
"""

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets import http11

from characterbox.routes.bounded import MOST_COOKIES

LONGEST_LINE = MOST_COOKIES + 1024
"""Bytes of a line of a handshake, at most: one that has all cookies."""
_received = WebSocketsSansIOProtocol.data_received


def answer_long_handshakes() -> None:
    """From now on no handshake is left without an answer."""
    http11.MAX_LINE_LENGTH = LONGEST_LINE
    WebSocketsSansIOProtocol.data_received = _data_received  # type: ignore[method-assign]


def _data_received(self: WebSocketsSansIOProtocol, data: bytes) -> None:
    _received(self, data)
    if self.conn.handshake_exc is not None and not self.handshake_initiated:
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
