"""Names of hosts that lead where a test wants it, whatever they led to before."""

import socket
from typing import Any

import pytest


def leads_to(monkeypatch: pytest.MonkeyPatch, host: str, *answers: str) -> None:
    """Have a name lead to these addresses, one after the other, and to the last of them from then on."""
    rest, known = list(answers), socket.getaddrinfo

    def found(name: Any, port: Any, *more: Any, **options: Any) -> Any:
        if name in (host, host.encode()):
            return known(rest.pop(0) if len(rest) > 1 else rest[0], port, type=socket.SOCK_STREAM)
        return known(name, port, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", found)
