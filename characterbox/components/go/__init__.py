"""Goes to another page of the app: one entry more in the browser's history, and nothing is loaded anew.

What Streamlit's own `switch_page` does leaves an entry that was never seen: the old page with what the address of the
new one asks for.
"""

from functools import cache
from importlib.resources import files


@cache
def go_js() -> str:
    """The function `goTo(address)`, for scripts on a page of the app."""
    return files(__name__).joinpath("go.js").read_text(encoding="utf-8")
