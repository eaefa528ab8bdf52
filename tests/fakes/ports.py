"""Ports for servers that are told theirs: nobody else is given them meanwhile."""

import os
import random
import socket

FIRST, LAST = 20_000, 32_000
"""Below those that Linux gives to whoever asks for any port."""


def free_port() -> int:
    """A port of 127.0.0.1 on which nobody listens. Each process of the tests begins to look at a place of its own."""
    while True:
        port = _chosen.randrange(FIRST, LAST)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


_chosen = random.Random(os.getpid())
