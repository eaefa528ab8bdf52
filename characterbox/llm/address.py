"""Addresses of servers: where they lead, and which URLs can be none."""

import ipaddress
import re
from urllib.parse import SplitResult, unquote, urlsplit

import httpx2

from annotations.messages import Message

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
    return Message("calls add {path} by themselves; write {address} alone", path=asked[2], address=address)


def _fault_of_deployment(parts: SplitResult) -> Message | None:
    """What people are told who give what Azure's portal shows as the target URI."""
    if (deployed := _DEPLOYED.fullmatch(parts.path)) is None:
        return None
    return Message(
        "this is the target URI of a deployment of Azure OpenAI; its address is {address} alone, and the name of the "
        "deployment is what comes after /deployments/",
        address=f"{parts.scheme}://{parts.netloc}{deployed[1]}",
    )


def _fault_of_spelling(url: str, path: str, host: str) -> Message | None:
    if "#" in url:
        return Message("an address has no # in it; leave it out with what follows, as models have a field of their own")
    if {".", ".."} & set(unquote(path).split("/")):
        return Message("an address has no . or .. between slashes; write the path without them")
    if not _is_host(host):
        return Message("there is no such host: names of hosts have up to 253 characters, and 1 to 63 between two dots")
    url = url.strip()
    if " " not in url and url.isprintable() and not _is_read_alike(url, host):  # that is told of by itself
        return Message("the host can be read in more than one way; write it in letters, digits, dashes and plain dots")
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
