"""Secrecy: keys that were sent are put out of sight wherever they come back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydantic import SecretStr

from characterbox.llm.server import Server

MASK = "***"
_SHORTEST = 8
"""Characters: what is shorter (`EMPTY`, `none`) is no secret, and would blot out words."""


class Keyring:
    """The keys of servers, looked up each time; all that were sent are remembered as long as the process runs."""

    def __init__(self, key_of: Callable[[Server], SecretStr | None]) -> None:
        self._key_of = key_of
        self._keys: tuple[str, ...] = ()
        """Those that are masked, the longest first."""

    def key(self, server: Server) -> str | None:
        """The key to send to a server; None if it needs none, or none is set."""
        secret = None if server.key is None else self._key_of(server)
        if secret is None:
            return None
        key = secret.get_secret_value()
        if len(key) >= _SHORTEST and key not in self._keys:
            self._keys = tuple(sorted({*self._keys, key}, key=len, reverse=True))
        return key

    def mask(self, text: str) -> str:
        """The text without any of the keys."""
        for key in self._keys:
            text = text.replace(key, MASK)
        return text

    @contextmanager
    def veiled(self, show: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
        """Shows a text that comes piece by piece: what may turn out as a key is held back until that is clear."""
        held = ""

        def piece(text: str) -> None:
            nonlocal held
            text = self.mask(held + text)
            clear = len(text) - max((_overlap(text, key) for key in self._keys), default=0)
            held = text[clear:]
            if clear:
                show(text[:clear])

        yield piece
        if held:
            show(held)


def _overlap(text: str, key: str) -> int:
    """The length of the longest end of the text that the key begins with."""
    tail = text[1 - len(key) :]
    return next((len(tail) - at for at in range(len(tail)) if key.startswith(tail[at:])), 0)
