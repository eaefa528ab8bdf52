"""A source: the text of a novel, play or film script from which scenes are crafted, and its chapters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from annotations.exchange.decoding import Encoding, as_utf8
from annotations.i18n.messages import listed
from characterbox.crafting.sources.docx import docx_paragraphs
from characterbox.crafting.sources.epub import epub_paragraphs
from characterbox.crafting.sources.paragraphs import Paragraph, markdown_paragraphs, plain_paragraphs, with_headings
from characterbox.crafting.sources.pdf import pdf_paragraphs
from characterbox.errors import SceneError
from characterbox.scenes.archives import LARGEST
from characterbox.scenes.file_reading import decode, read_bytes
from characterbox.scenes.scene import MOST_HEADING

MOST_CHARACTERS = 20_000_000
"""Of a text: three times those of the longest novels."""
_ENDINGS = (".txt", ".md", ".docx", ".epub", ".pdf")
_GAP, _WIDE_GAP = "\n\n", "\n\n\n"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter, with its heading: the first character in the text, and the one after the last."""

    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file."""

    name: str
    """The file's name, without its folder."""
    text: str
    """Paragraphs with a blank line between them, and two where the file leaves a wider gap or draws a line."""
    chapters: tuple[Chapter, ...]
    """In their order, one right after the other up to the end. What stands before the first is in none."""


def read_source(path: Path, encoding: Encoding | None = None) -> Source:
    """The text of a file: txt, md, docx, epub or pdf, by its ending. Of txt and md the encoding may be named.

    Raises SceneError with one line: the file, what is wrong, and what to do; and EncodingError where it is not in that
    encoding.
    """
    return read_source_bytes(path.name, as_utf8(path.name, read_bytes(path), encoding))


def read_source_bytes(name: str, raw: bytes) -> Source:
    """As `read_source`, for a file that is already in memory, such as an upload. `name` is the file's name."""
    if len(raw) > LARGEST:
        raise SceneError(
            "{name}: {size:,} bytes exceed the limit of {most:,}; split the file",
            name=name,
            size=len(raw),
            most=LARGEST,
        )
    if not raw:
        raise SceneError("{name}: the file is empty; download or save it again", name=name)
    return _source(name, with_headings(_bounded(name, _paragraphs(name, raw))))


def pasted_source(name: str, text: str) -> Source:
    """A text that somebody pasted, as if it were a txt file. Raises SceneError if it has no word, or too many."""
    return _source(name, with_headings(_bounded(name, plain_paragraphs(text))))


def _paragraphs(name: str, raw: bytes) -> Iterable[Paragraph]:
    match Path(name).suffix.lower():
        case ".txt":
            return plain_paragraphs(decode(name, raw)[0])
        case ".md" | ".markdown":
            return markdown_paragraphs(decode(name, raw)[0])
        case ".docx":
            return docx_paragraphs(name, raw)
        case ".epub":
            return epub_paragraphs(name, raw)
        case ".pdf":
            return pdf_paragraphs(name, raw)
    known = listed(_ENDINGS)
    raise SceneError(
        "{name}: the file extension must be one of {endings}; save the text in one of these formats",
        name=name,
        endings=known,
    )


def _bounded(name: str, paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """The paragraphs, none of which is read beyond the bound."""
    found: list[Paragraph] = []
    length = 0
    for one in paragraphs:
        length += len(one.text) + len(_GAP)
        if length > MOST_CHARACTERS:
            raise SceneError(
                "{name}: it has more than {most:,} characters; split it",
                name=name,
                most=MOST_CHARACTERS,
            )
        found.append(one)
    return found


def _source(name: str, paragraphs: Sequence[Paragraph]) -> Source:
    pieces: list[str] = []
    headings: list[tuple[str, int]] = []
    length = 0
    for one in paragraphs:
        gap = "" if not pieces else _WIDE_GAP if one.apart else _GAP
        if one.heading:
            headings.append((" ".join(one.text.split())[:MOST_HEADING], length + len(gap)))
        pieces += [gap, one.text]
        length += len(gap) + len(one.text)
    if not any(sign.isalnum() for one in paragraphs for sign in one.text):
        raise SceneError("{name}: it contains no text; choose a file with the text of a work", name=name)
    borders = pairwise([*headings, ("", length)])
    return Source(name, "".join(pieces), tuple(Chapter(title, start, end) for (title, start), (_, end) in borders))
