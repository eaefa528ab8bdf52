"""Web sockets, as far as uvicorn leaves them open: handshakes and messages that are too long, and too many frames.

uvicorn leaves a connection with a handshake that is too long open for as long as the other side likes, without a word
and before anything asks who that is: the answer (414 or 431) is made by the library beneath it, and not sent. And that
library takes lines of 8 KiB at most, while pages are given to browsers with longer cookies, as those of a sign-in
elsewhere can be. Of messages it takes as much as Streamlit sends, and keeps what has come until all is there. Frames
that are no messages, as pings, it works off as they come: 40,000 in a row, in which nobody else is answered.
"""

import asyncio
from math import inf
from typing import Any
from weakref import WeakKeyDictionary

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets import http11

from characterbox.routes.bounded import MOST_COOKIES, MOST_MESSAGE
from characterbox.routes.lanes import Budget
from characterbox.routes.read_ahead import BEFORE_CLOSING

LONGEST_LINE = MOST_COOKIES + 1024
"""Bytes of a line of a handshake, at most: one that has all cookies."""
FRAMES_AT_ONCE, FRAMES_A_SECOND = 1_000.0, 50.0
"""Frames of one web socket, at most: a page sends some in a second, and one of 8 MiB in parts some hundreds."""
PORTION = 4096
"""Bytes that are worked off before the frames in them are counted."""
_connected = WebSocketsSansIOProtocol.connection_made
_received = WebSocketsSansIOProtocol.data_received
_frames: "WeakKeyDictionary[WebSocketsSansIOProtocol, Budget]" = WeakKeyDictionary()


def bound_web_sockets() -> None:
    """From now on no handshake is left without an answer, no message is taken in that is too long (1009), and a web
    socket with too many frames is closed."""
    http11.MAX_LINE_LENGTH = LONGEST_LINE
    WebSocketsSansIOProtocol.connection_made = _connection_made  # type: ignore[method-assign]
    WebSocketsSansIOProtocol.data_received = _data_received  # type: ignore[method-assign]


def _connection_made(self: WebSocketsSansIOProtocol, transport: Any) -> None:
    _connected(self, transport)
    self.conn.max_message_size = MOST_MESSAGE
    frames = _frames[self] = Budget(FRAMES_AT_ONCE, FRAMES_A_SECOND)
    take = self.conn.events_received

    def taken() -> Any:
        events = take()
        frames.spend(len(events))
        return events

    self.conn.events_received = taken  # type: ignore[method-assign]


def _data_received(self: WebSocketsSansIOProtocol, data: bytes) -> None:
    frames = _frames[self]
    for start in range(0, len(data), PORTION):
        if self.transport.is_closing() or frames.behind():
            return
        if self.handshake_initiated and not self.handshake_complete:
            self.transport.abort()  # browsers wait until they are let in
            return
        _received(self, data[start : start + PORTION])
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()
        elif frames.behind():
            frames.spend(inf)  # nothing more is taken in
            self.transport.pause_reading()
            asyncio.get_running_loop().call_later(BEFORE_CLOSING, self.transport.abort)
