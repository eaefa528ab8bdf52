"""Keys of endpoints: known by name, read where they are when a call leaves, and masked in what comes back."""

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from pydantic import SecretStr

from characterbox.errors import EndpointError
from characterbox.llm.calls.address import is_private, origin
from characterbox.llm.server import Server
from characterbox.pause_reasons import Reason

Bound = Callable[[str, str], bool]
"""Whether an admin has entered for an origin the key of a name."""

_NAME = re.compile(r"[A-Za-z_]\w*_API_KEY", re.ASCII)
_PLACE = re.compile(r"at line \d+, column \d+|at end of document")


def nowhere(_origin: str, _key: str) -> bool:
    """No key is bound to any origin."""
    return False


def key_for(server: Server, bound: Bound = nowhere) -> SecretStr | None:
    """The key that may be sent to a server; None if it names none, or there is none of that name.

    Raises EndpointError if no admin has entered the key for the origin of its address, and if it would be sent
    unencrypted; and as `key_named` does.
    """
    if server.key is None:
        return None
    if not is_private(server.url):
        raise EndpointError(Reason("key_in_clear", key=server.key, origin=origin(server.url)))
    if not bound(origin(server.url), server.key):
        raise EndpointError(Reason("key_unbound", key=server.key, origin=origin(server.url)))
    return key_named(server.key)


def key_named(name: str) -> SecretStr | None:
    """The key of that name: an environment variable, or an entry at the top of Streamlit's secrets.toml.

    That file is looked for as Streamlit does: in `.streamlit` of the working folder, then of the home folder. None if
    there is no such key, or an empty one. Raises EndpointError if a file or the key can't be used, and ValueError for
    a name that does not end in _API_KEY: nothing else is ever read.
    """
    if not _NAME.fullmatch(name):
        raise ValueError("the name of a key ends in _API_KEY, like OPENAI_API_KEY")
    found = os.environ.get(name, "").strip() or _in_files(name)
    if found and not (found.isascii() and found.isprintable()):
        raise EndpointError(Reason("key_damaged", key=name))
    return SecretStr(found) if found else None


def _in_files(name: str) -> str:
    # each call comes by here, and objects of paths take their time
    for folder in (os.getcwd(), os.path.expanduser("~")):
        file = os.path.join(folder, ".streamlit", "secrets.toml")
        try:
            state = os.stat(file)
        except OSError:
            continue
        entries = _entries(file, state.st_mtime_ns, state.st_size)
        if name not in entries:
            continue
        if (value := entries[name]) is None:
            raise EndpointError(Reason("key_no_text", file=file, key=name))
        if found := value.get_secret_value().strip():
            return found
    return ""


@lru_cache(maxsize=4)
def _entries(file: str, changed: int, size: int) -> dict[str, SecretStr | None]:
    """The keys at the top of a file; None for what is no text.

    Read anew when it has changed: to read it for each call takes 0.3 ms.
    """
    try:
        content = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise EndpointError(Reason("keys_unread", file=file, error=type(error).__name__)) from None
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        told = Reason("keys_no_toml_at", file=file, place=place[0]) if place else Reason("keys_no_toml", file=file)
        raise EndpointError(told) from None
    keys = {name: value for name, value in content.items() if _NAME.fullmatch(name)}
    return {name: SecretStr(value) if isinstance(value, str) else None for name, value in keys.items()}


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
