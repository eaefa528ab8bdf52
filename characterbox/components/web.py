"""Components: web files of this package, joined to one script and one style sheet, and put on a Streamlit page.

Stories are set in Source Serif 4 (SIL Open Font License, see fonts/LICENSE), its Latin letters; Chinese in a serif of
the reader's own computer.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any

Hear = Callable[[object], None]
"""Takes what the browser says under a name. Anybody can send a message in its name."""
FAMILY = "Source Serif 4"
FONTS = {style: f"source-serif-4-latin-400-{style}.woff2" for style in ("normal", "italic")}
"""The files of the typeface, by the style of their letters."""


@cache
def web_text(*names: str) -> str:
    """The texts of some files of this package, such as `player/player.js`, one after the other."""
    return "\n".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


@dataclass(frozen=True)
class Component:
    """What runs in the browser. Its scripts are one ECMAScript module, of which the last gives the default export."""

    name: str
    scripts: tuple[str, ...]
    """Names of files, each after those that it needs; all share one scope."""
    styles: tuple[str, ...] = ()
    isolated: bool = True
    """Whether the style of the page around leaves it alone."""

    @property
    def js(self) -> str:
        """The module."""
        return web_text(*self.scripts)

    @property
    def css(self) -> str:
        """The style sheet."""
        return web_text(*self.styles)

    def mount(self, key: str, data: Mapping[str, Any], **hear: Hear) -> Any:
        """Put it on the Streamlit page that is running; `key` names this place of the page across reruns.

        What the browser says under a name is heard before the page is drawn again, and is an attribute of the result.
        """
        heard = {f"on_{name}_change": partial(_hear, key, name, one) for name, one in hear.items()}
        return _registered(self)(key=key, data=dict(data), **heard)


@cache
def _registered(component: Component) -> Callable[..., Any]:
    import streamlit as st  # noqa: PLC0415 - the export of a story, and the routes, work without Streamlit

    name = f"characterbox_{component.name}"
    isolated = component.isolated
    return st.components.v2.component(name, css=component.css or None, js=component.js, isolate_styles=isolated)


def _hear(key: str, name: str, hear: Hear) -> None:
    import streamlit as st  # noqa: PLC0415 - as above

    state: object = st.session_state.get(key)
    hear(state.get(name) if isinstance(state, Mapping) else None)


Told = Callable[[str, dict[str, Any]], None]
"""Takes the id of what a form is about, and the values of its fields, as a browser says them."""


def form_heard(told: Told) -> Hear:
    """Passes on what a form says if it has the right shape."""

    def hear(said: object) -> None:
        match said:
            case {"id": str(id), "values": dict(values)}:
                told(id, values)

    return hear


@cache
def font(name: str) -> bytes:
    """The content of one of the files of the typeface."""
    return files(__package__).joinpath(f"fonts/{name}").read_bytes()


@cache
def font_css(*, embedded: bool) -> str:
    """The style rules that bring the typeface: from the app's own route, or within the rules themselves."""
    rules = []
    for style, name in FONTS.items():
        source = f"data:font/woff2;base64,{b64encode(font(name)).decode()}" if embedded else f"/fonts/{name}"
        rules.append(
            f'@font-face{{font-family:"{FAMILY}";font-style:{style};font-weight:400;font-display:swap;'
            f'src:url({source}) format("woff2")}}'
        )
    return "".join(rules)
