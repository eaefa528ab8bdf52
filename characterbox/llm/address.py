"""Where an address leads: to this computer, or over the network."""

import ipaddress
from urllib.parse import urlsplit


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
