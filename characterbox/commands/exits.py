"""How a command ends: its exit statuses, the one line that says why, and what ends it before it has begun."""

import os
import socket
import sys

from characterbox.errors import CharacterBoxError

DIFFERENT = 1
NONE_ACCEPTED = 1
BAD_INPUT = 2
ENDPOINT_FAILED = 3
AWAITS_PEOPLE = 4
INTERRUPTED = 130


def say(message: str) -> None:
    """One line to standard error: standard output is for results."""
    print(f"characterbox: {' '.join(message.split())}", file=sys.stderr)


def check_free(port: int) -> None:
    """Raises CharacterBoxError if nothing can be served on this port of 127.0.0.1."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        raise CharacterBoxError(f"port {port}: {os.strerror(error.errno or 0)}; give another one with --port") from None
