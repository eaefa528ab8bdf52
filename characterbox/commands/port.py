"""Whether a port of this machine is free."""

import os
import socket

from characterbox.errors import CharacterBoxError


def check_free(port: int) -> None:
    """Raises CharacterBoxError if nothing can be served on this port of 127.0.0.1."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        raise CharacterBoxError(f"port {port}: {os.strerror(error.errno or 0)}; give another one with --port") from None
