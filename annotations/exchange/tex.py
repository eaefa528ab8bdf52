"""Texts as LaTeX that shows them, whatever they hold, and runs nothing."""

import re
import unicodedata
from collections.abc import Sequence

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
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_LIGATURE = re.compile(r"([-'`,!?])(?=[-'`,])")
"""Signs that LaTeX would draw together into another."""


def preamble(*packages: str) -> str:
    """What a file of tables says first: the packages that they need."""
    needed = " and ".join(rf"\usepackage{{{package}}}" for package in packages)
    return rf"""% Needs {needed}.
% Names in other than Latin letters need XeLaTeX or LuaLaTeX, and a font that has them (Chinese: \usepackage{{ctex}}).
"""


def fitted(tabular: str) -> str:
    """A tabular, made smaller where it is wider than the text; needs the package graphicx."""
    return rf"""\resizebox{{\ifdim\width>\linewidth\linewidth\else\width\fi}}{{!}}{{%
{tabular}}}"""


def table_of(caption: str, columns: str, head: str, groups: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """A table with its notes below; its groups of rows stand apart. All texts but the caption are LaTeX already.

    Needs the packages booktabs and graphicx.
    """
    body = "\n\\midrule\n".join("\n".join(rows) for rows in groups if rows)
    tabular = rf"""\begin{{tabular}}{{{columns}}}
\toprule
{head}
\midrule
{body}
\bottomrule
\end{{tabular}}"""
    return rf"""\begin{{table*}}[htbp]
\centering
\footnotesize
\caption{{{escaped(caption)}}}
\label{{tab:{_BETWEEN_WORDS.sub("-", caption.lower()).strip("-")}}}
{fitted(tabular)}

\smallskip
\begin{{minipage}}{{\linewidth}}
\raggedright
{(" " + chr(10)).join(notes)}
\end{{minipage}}
\end{{table*}}
"""


def escaped(text: str) -> str:
    """A text as LaTeX that shows it, on one line; control characters, which LaTeX refuses, become question marks."""
    line = " ".join(text.split())
    shown = "".join("?" if unicodedata.category(sign) in ("Cc", "Cs") else sign for sign in line)
    apart = _LIGATURE.sub("\\1\x00", shown)
    return "".join(_SPECIAL.get(sign, sign) for sign in apart).replace("\x00", "{}")
