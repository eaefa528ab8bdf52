"""Texts as LaTeX that shows them, whatever they hold, and runs nothing."""

import re
import unicodedata

_SPECIAL = {
    **{sign: rf"\{sign}" for sign in "{}_%&#$"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # which would be an argument at the start of a row
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
}
_LIGATURE = re.compile(r"([-'`,!?])(?=[-'`,])")
"""Signs that LaTeX would draw together into another."""


def preamble(*packages: str) -> str:
    """What a file of tables says first: the packages that they need."""
    needed = " and ".join(rf"\usepackage{{{package}}}" for package in packages)
    return rf"""% Needs {needed}.
% Names in other than Latin letters need XeLaTeX or LuaLaTeX, and a font that has them (Chinese: \usepackage{{ctex}}).
"""


def escaped(text: str) -> str:
    """A text as LaTeX that shows it, on one line; control characters, which LaTeX refuses, become question marks."""
    line = " ".join(text.split())
    shown = "".join("?" if unicodedata.category(sign) in ("Cc", "Cs") else sign for sign in line)
    apart = _LIGATURE.sub("\\1\x00", shown)
    return "".join(_SPECIAL.get(sign, sign) for sign in apart).replace("\x00", "{}")
