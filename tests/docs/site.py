"""The pages of the documentation as their Markdown has them: what a reader clicks, types, pastes and looks at."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotations.i18n.translation import TONGUES, Tongue

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
TUTORIALS = ("first-story", "blind-study", "judge-validity", "sweep", "crafting")

Kind = Literal["label", "value", "block", "picture"]


@dataclass(frozen=True)
class Piece:
    """Something of a page that its reader does more with than read it."""

    kind: Kind
    """A label (bold), a value to type or choose (inline code), a block of code, or a picture."""
    text: str
    """The words, the code, or the address of the picture."""
    line: int
    """Where it stands; of what stands in a paragraph, where that begins."""
    form: str = ""
    """The language that a block of code is said to be in."""
    name: str = ""
    """The name of the file that a block of code is."""


def pages(language: Tongue | None = None) -> list[Path]:
    """The pages of the site in a language, or in both."""
    folders = TONGUES if language is None else (language,)
    return sorted(page for folder in folders for page in (DOCS / folder).rglob("*.md"))


def told(page: Path) -> str:
    """A page's name, as a message about it has it."""
    return str(page.relative_to(REPOSITORY))


@cache
def pieces(page: Path) -> tuple[Piece, ...]:
    """What stands in a page, in its order."""
    return tuple(_pieces(parsed(page)))


def blocks(page: Path, *forms: str) -> Iterator[Piece]:
    """The blocks of code of a page that are said to be in one of these languages."""
    return (piece for piece in pieces(page) if piece.kind == "block" and piece.form in forms)


def _without_head(text: str) -> str:
    """The text with empty lines in the place of what it says of itself at its head."""
    head = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    return text if head is None else "\n" * head.group().count("\n") + text[head.end() :]


def parsed(page: Path) -> list[Token]:
    """A page as markdown-it reads it."""
    return MarkdownIt("commonmark").enable("table").parse(_without_head(page.read_text(encoding="utf-8")))


def _pieces(tokens: list[Token]) -> Iterator[Piece]:
    for token in tokens:
        line = 0 if token.map is None else token.map[0] + 1
        if token.type == "fence":
            form, _, rest = token.info.partition(" ")
            name = re.search(r'title="([^"]+)"', rest)
            yield Piece("block", token.content, line, form, "" if name is None else name.group(1))
        elif token.type == "inline":
            yield from _in_line(token.children or [], line)


def _in_line(tokens: list[Token], line: int) -> Iterator[Piece]:
    bold: list[str] | None = None
    for token in tokens:
        if token.type == "strong_open":
            bold = []
        elif token.type == "strong_close":
            yield Piece("label", "".join(bold or ()), line)
            bold = None
        elif bold is not None:
            bold.append(" " if token.type == "softbreak" else token.content)
        elif token.type == "code_inline":
            yield Piece("value", token.content, line)
        elif token.type == "image":
            yield Piece("picture", str(token.attrs["src"]), line)
