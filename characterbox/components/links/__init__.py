"""Ways to other places of the app: one entry more in the browser's history, and nothing is loaded anew.

What Streamlit's own `switch_page` does leaves an entry that was never seen: the old page with what the address of the
new one asks for.
"""

from characterbox.components.web import Component

_LINKS = Component("links", ("links/go.js", "links/linked.js"), isolated=False)


def go(address: str) -> None:
    """Have the browser go to an address of the app as soon as it hears of it."""
    _LINKS.mount("go", {"address": address})


def show_linked(html: str, key: str) -> None:
    """Put HTML on the page, in the page's own style; its links are addresses of the app."""
    _LINKS.mount(key, {"html": html})
