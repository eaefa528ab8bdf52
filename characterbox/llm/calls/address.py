"""Addresses of servers: where they lead, which URLs can be none, and to which connections may go.

Names are not judged: what a name leads to can change from one look to the next, and a number can be spelled in many
ways (`2130706433`, `0x7f.1`, `127.1`). Only what stands in front of the socket is certain.
"""

import asyncio
import errno
import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import SplitResult, unquote, urlsplit

import httpx2

from annotations.i18n.messages import Message
from characterbox.pause_reasons import InnerAddress, Reason

_ASKED = re.compile(r"(.*?)(/(?:chat/)?completions|/responses)/*")
"""The path of an address, and what a call adds to it."""
_DEPLOYED = re.compile(r"(?>(.*?)/openai/deployments(?=/|\Z))(?:/.*)?")
"""The path of a resource of Azure, and that of a deployment below it."""
_BELOW_A_RESOURCE = re.compile(r"(?<!/)/openai(?:/v1)?$")
"""The path that openai's client puts below a resource of Azure by itself, and that Azure shows with many addresses."""
_LONGEST_HOST = 253
_HOST = re.compile(r"[\w.-]+|[0-9a-f:.]+")


def is_local(url: str) -> bool:
    """Whether a URL is on this computer, so that no proxy of the environment stands before it.

    That is `localhost`, and all that ends in `.localhost`, and every loopback address such as 127.0.0.1 and [::1].
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def origin(url: str) -> str:
    """The scheme, host and port of a URL, always spelled alike: who answers there gets what is sent there."""
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" if parts.port in (None, usual) else f"{parts.scheme}://{host}:{parts.port}"


def is_private(url: str) -> bool:
    """Whether nobody in between can read what is sent to a URL: it goes over HTTPS, or stays on this computer."""
    return urlsplit(url).scheme == "https" or is_local(url)


def resource(url: str) -> str:
    """The address of a resource of Azure, whatever of the path below it was given with it."""
    return _BELOW_A_RESOURCE.sub("", url)


def spelled(url: str) -> str:
    """A URL with its host in lower case, by which others that lead to the same place are known."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.lower()).geturl()


def fault(url: str) -> Message | None:
    """Why a URL can't be the address that people mean, and what to write instead; None if it can be, or is no URL.

    What comes behind a `?` is not repeated, and nothing is said of a URL with an @: they can hold a secret.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    if parts.hostname is None or "@" in url:
        return None
    return _fault_of_call(parts) or _fault_of_spelling(url, parts.path, parts.hostname)


def fault_on_azure(url: str) -> Message | None:
    """Why a URL can't be the address of a resource of Azure, where it is that of a deployment; None if it can be."""
    return _fault_of_deployment(urlsplit(url))


def _fault_of_call(parts: SplitResult) -> Message | None:
    """What people are told who give the URL that a call goes to."""
    asked = _ASKED.fullmatch(parts.path)
    if (asked or parts.query) and (told := _fault_of_deployment(parts)):
        return told
    if asked is None:
        return None
    address = f"{parts.scheme}://{parts.netloc}{asked[1]}"
    return Message("{path} is added automatically; enter only {address}", path=asked[2], address=address)


def _fault_of_deployment(parts: SplitResult) -> Message | None:
    """What people are told who give what Azure's portal shows as the target URI."""
    if (deployed := _DEPLOYED.fullmatch(parts.path)) is None:
        return None
    return Message(
        "this is the target URI of an Azure OpenAI deployment; enter only {address} as the address; the"
        " deployment name is the part after /deployments/",
        address=f"{parts.scheme}://{parts.netloc}{deployed[1]}",
    )


def _fault_of_spelling(url: str, path: str, host: str) -> Message | None:
    if "#" in url:
        return Message("an address cannot contain #; remove it and what follows; enter models in their own field")
    if {".", ".."} & set(unquote(path).split("/")):
        return Message("an address cannot have . or .. between slashes; write the path without them")
    if not _is_host(host):
        return Message(
            "not a valid host name; a host name has at most 253 characters, with 1 to 63 characters between dots"
        )
    url = url.strip()
    if " " not in url and url.isprintable() and not _is_read_alike(url, host):  # that is told of by itself
        return Message("the host name is ambiguous; use only letters, digits, dashes and plain dots")
    return None


def _is_read_alike(url: str, host: str) -> bool:
    """Whether whoever makes the connection reads the same host from a URL as all that is decided by it here."""
    if _HOST.fullmatch(host) is None:
        return False
    try:
        if httpx2.URL(f"http://[{host}]" if ":" in host else f"http://{host}").host != host:
            return False
    except httpx2.InvalidURL:
        return False
    try:
        return httpx2.URL(url).host == host
    except httpx2.InvalidURL:  # by its port: nobody can ask there
        return True


def _is_host(name: str) -> bool:
    try:
        return len(name.removesuffix(".").encode("idna")) <= _LONGEST_HOST
    except UnicodeError:
        return False


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
