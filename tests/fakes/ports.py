"""Ports for servers that are told theirs: nobody else is given them meanwhile."""

import socket

FIRST, LAST = 20_000, 32_000
"""Below those that Linux gives to whoever asks for any port."""


def free_port() -> int:
    """A port of 127.0.0.1 on which nobody listens, kept for this process of the tests until it ends.

    It is bound, which the same call in any other process steps over, though not listened on, so that a server that
    reuses addresses, as all here do, can have it, and have it again when it is started once more.
    """
    for port in range(FIRST, LAST):
        keeping = socket.socket()
        try:
            keeping.bind(("127.0.0.1", port))
        except OSError:
            keeping.close()
            continue
        keeping.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeping.detach()
        return port
    raise RuntimeError(f"all ports from {FIRST} to {LAST} are taken")
