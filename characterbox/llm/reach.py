"""Reach: to which addresses connections may go. It is judged by the address that is really connected to.

Names are not judged: what a name leads to can change from one look to the next, and a number can be spelled in many
ways (`2130706433`, `0x7f.1`, `127.1`). Only what stands in front of the socket is certain.
"""

import asyncio
import errno
import ipaddress
import socket
from dataclasses import dataclass
from typing import Any, Literal

from characterbox.reasons import InnerAddress, Reason

Reach = Literal["anywhere", "network", "loopback", "public"]
"""Any address; public ones, those of private networks and of this computer; public ones and those of this computer;
public ones alone."""
Place = Literal["public", "private", "loopback", "special"]
"""Where an address is. Special are those that no server has: link-local, multicast, unspecified, reserved ..."""

_ALLOWED: dict[Reach, frozenset[Place]] = {
    "anywhere": frozenset({"public", "private", "loopback", "special"}),
    "network": frozenset({"public", "private", "loopback"}),
    "loopback": frozenset({"public", "loopback"}),
    "public": frozenset({"public"}),
}
_REASONS: dict[Place, str] = {
    "private": "leads_inside",
    "loopback": "leads_to_this_computer",
    "special": "leads_nowhere",
}
_PRIVATE = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"))
)
_OF_CLOUDS = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "168.63.129.16", "fd00:ec2::254")))
"""Where clouds tell a machine its own secrets, besides 169.254.169.254, which is link-local."""
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""What Python's ipaddress takes for global, or took in some version."""
_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All of IPv6 that is given out to the public."""
_WITH_IPV4 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
"""Addresses that end in one of IPv4, to which they lead: those of NAT64, and an older form."""


class NotReached(OSError):
    """An address to which no connection may go."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(errno.EACCES, "no connection may go there")
        self.reason = reason
        """Why, and what can be done."""


def place_of(address: str) -> Place:
    """Where an IP address is; one of IPv6 that leads to one of IPv4 is where that is."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "special"
    if isinstance(found, ipaddress.IPv6Address) and not found.is_loopback and (inner := _inner(found)) is not None:
        found = inner
    if found in _OF_CLOUDS:
        return "special"
    if found.is_loopback:
        return "loopback"
    if any(found in network for network in _PRIVATE):
        return "private"
    if found.is_multicast or not found.is_global or any(found in network for network in _SPECIAL):
        return "special"
    return "public" if found.version == 4 or found in _UNICAST else "special"


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The address of IPv4 to which one of IPv6 leads; None if it leads to none."""
    if any(address in network for network in _WITH_IPV4):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


@dataclass(frozen=True, slots=True)
class Guard:
    """Stands before the connections to one host."""

    host: str
    reach: Reach

    def socket(self, found: Any) -> socket.socket:
        """A socket for an address as `getaddrinfo` tells it. Raises NotReached if no connection may go there."""
        family, kind, protocol, _, to = found
        self._check(to[0])
        return socket.socket(family, kind, protocol)

    async def resolve(self, port: int | None) -> None:
        """Look up where the host leads, for a connection that a proxy makes. Raises NotReached if one may not go there.

        The proxy looks it up again, which nothing here can prevent. A host that only the proxy knows can't be judged.
        """
        try:
            found = await asyncio.get_running_loop().getaddrinfo(self.host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            if self.reach == "network":
                return
            raise NotReached(Reason("unresolved", host=self.host)) from None
        for *_, to in found:
            self._check(str(to[0]))

    def _check(self, address: str) -> None:
        if (place := place_of(address)) not in _ALLOWED[self.reach]:
            raise NotReached(Reason(_REASONS[place], host=self.host, address=InnerAddress(address)))
