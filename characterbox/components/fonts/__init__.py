"""The typeface in which stories are set: Source Serif 4 (SIL Open Font License, see LICENSE), its Latin letters.

Chinese is set in a serif of the reader's own computer.
"""

from base64 import b64encode
from functools import cache
from importlib.resources import files

FAMILY = "Source Serif 4"
FONTS = {style: f"source-serif-4-latin-400-{style}.woff2" for style in ("normal", "italic")}
"""The files by the style of their letters."""


@cache
def font(name: str) -> bytes:
    """The content of one of the files."""
    return files(__name__).joinpath(name).read_bytes()


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
