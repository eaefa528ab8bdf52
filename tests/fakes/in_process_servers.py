"""Servers in this process, at addresses of their own: no socket is bound, and what is sent to them comes at once."""

import errno
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from starlette.types import ASGIApp

from characterbox.llm.rehearsal.transport import AppTransport
from tests.fakes.mock_server import MockServer

_ports = itertools.count(10_000)
_apps: dict[str, AppTransport] = {}
"""By host and port. Whoever listens on such a port hears nothing of it."""


class ToNearby(httpx2.AsyncBaseTransport):
    """Carries the calls of a client to the servers of this process; elsewhere, nobody answers."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, as soon as it has begun. Raises ConnectError where there is no server."""
        if (there := _apps.get(request.url.netloc.decode())) is None:
            raise httpx2.ConnectError("nobody is there") from ConnectionRefusedError(errno.ECONNREFUSED, "refused")
        return await there.handle_async_request(request)


@contextmanager
def nearby(app: ASGIApp) -> Iterator[str]:
    """An application as a server of this process; gives its address."""
    at = f"127.0.0.1:{next(_ports)}"
    _apps[at] = AppTransport(app)
    try:
        yield f"http://{at}"
    finally:
        del _apps[at]


@contextmanager
def nearby_mock(**behaviour: Any) -> Iterator[MockServer]:
    """The mock server, in this process."""
    mock = MockServer(**behaviour)
    with nearby(mock.app()) as address:
        mock.url = f"{address}/v1"
        yield mock
