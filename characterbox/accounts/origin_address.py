"""The network address from which something is asked for: it goes into the log without being passed through the code."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_known: ContextVar[str | None] = ContextVar("origin_address", default=None)
_asked: list[Callable[[], str | None]] = []


def origin_address() -> str | None:
    """Where it comes from: what `coming_from` says, else what one of those that `ask_origin` was given knows.

    None where nobody is at the other end, as for the command line.
    """
    known = _known.get()
    if known is not None:
        return known
    return next((found for ask in _asked if (found := ask()) is not None), None)


@contextmanager
def coming_from(address: str | None) -> Iterator[None]:
    """Have what is done in this thread or task come from an address, for as long as the context lasts."""
    token = _known.set(address)
    try:
        yield
    finally:
        _known.reset(token)


def ask_origin(ask: Callable[[], str | None]) -> None:
    """Have `origin_address` ask this where nothing was said; it gives None where it does not know."""
    if ask not in _asked:
        _asked.append(ask)
