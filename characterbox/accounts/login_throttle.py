"""How long one waits after failed sign-ins, by the network address from which they came."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from characterbox.accounts.account import name_key
from characterbox.accounts.credentials import digest

FREE_FOR_NAME = 5
"""How many failures in a row a name has before one waits, and so does a browser that knows the account."""
FREE_FOR_ADDRESS = 100
"""The same for an address: a whole laboratory may come from one, and sign in at the same moment."""
LONGEST_WAIT = timedelta(minutes=15)
"""The longest wait for one name, and for one browser that knows an account."""
LONGEST_FOR_ADDRESS = timedelta(seconds=5)
"""The same for an address: others come from there too. Guesses for one name are slowed down by its own wait besides."""
FORGOTTEN = timedelta(days=1)
"""Failures are counted anew when there was none for so long."""


def key_of_name(name: str) -> str:
    """Under which failures of a name are counted, whether or not there is an account."""
    return f"name:{digest(name_key(name))}"


def key_of_device(account: str, device: str) -> str:
    """Under which failures are counted in a browser that knows the account, in place of its name and of the address."""
    return f"device:{account}:{digest(device)}"


def key_of_address(host: str) -> str:
    """Under which failures from a network address are counted; of IPv6, one household has the first half."""
    try:
        address = ip_address(host)
    except ValueError:
        return f"address:{digest(host)}"
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return f"address:{IPv6Address(int(address) >> 64 << 64)}"
    return f"address:{host}"


def address_of(key: str) -> str | None:
    """The address whose failures are counted under this key; None if it is no address's."""
    kind, _, address = key.partition(":")
    return address if kind == "address" else None


def account_of_device(key: str) -> str | None:
    """The account that a browser knows whose failures are counted under this key; None if it is no browser's."""
    kind, _, device = key.partition(":")
    return device.partition(":")[0] if kind == "device" else None


def wait_for(key: str, failures: int, last: datetime, now: datetime) -> timedelta:
    """How long from now until the next try, after so many failures: 1 s, 2 s, 4 s, ... up to the longest wait."""
    address = key.startswith("address:")
    free, longest = (FREE_FOR_ADDRESS, LONGEST_FOR_ADDRESS) if address else (FREE_FOR_NAME, LONGEST_WAIT)
    if failures < free or now - last > FORGOTTEN:
        return timedelta(0)
    pause = min(timedelta(seconds=2 ** min(failures - free, 16)), longest)
    return max(last + pause - now, timedelta(0))


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
