"""The paragraphs of a PDF that has text. It says where lines stand, not where paragraphs begin: that is worked out.

pypdf is slow (about fifty pages a second), but it is Python alone: a file made to break a reader breaks no memory.
"""

import io
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import quantiles
from typing import Literal

from pypdf import PdfReader

from characterbox.crafting.sources.paragraphs import Paragraph, cleaned, heading_key, is_rule, joint
from characterbox.errors import SceneError

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs what it stumbles over, and so the text of the file

MOST_PAGES = 5_000
_NEIGHBOURS = 5
"""Pages; left and right ones may have heads of their own."""
_FEWEST = 3
"""Pages on which a running head stands, at least."""
_NUMBER = re.compile(r"[-–—·\s]*(?:\d{1,4}|[ivxlc]{1,7})[-–—·\s]*")
_AT_AN_END = re.compile(r"^\d{1,4}\W+|(?<!\W)\W+\d{1,4}$")
_ENDS = re.compile(r"[.!?。！？…:：—”’」』\"')）*]\s*$")
_SPLIT_WORD = re.compile(r"[a-z]-$")
_SHORT = 0.9
"""The share of the usual width up to which a line ends before the margin."""


def pdf_paragraphs(name: str, raw: bytes) -> list[Paragraph]:
    """The paragraphs of the text, without page numbers and running heads. Raises SceneError."""
    pages = [[line for line in cleaned(page).split("\n") if line.strip()] for page in _pages(name, raw)]
    if not any(pages):
        raise _scanned(name)
    lines = [line.strip() for page in _without_heads(pages) for line in page]
    return _paragraphs(lines)


def pdf_lines(name: str, raw: bytes) -> list[str]:
    """The lines as they lie on the pages, with the blanks before them and the blank lines between, but without running
    heads: those of half of the pages. Of a screenplay, these tell who speaks. Raises SceneError."""
    pages = [cleaned(page).strip("\n").split("\n") for page in _pages(name, raw, as_laid_out=True)]
    if not any(line.strip() for page in pages for line in page):
        raise _scanned(name)
    keys = Counter(key for page in pages for key in {_head(line) for line in (page[0], page[-1])})
    often = {key for key, times in keys.items() if times >= max(_FEWEST, len(pages) / 2)}
    heads = {key for key in often if any(sign.isalpha() for sign in key)}
    found: list[str] = []
    for page in pages:
        ends = (0, len(page) - 1)
        found += [line for place, line in enumerate(page) if place not in ends or _head(line) not in heads]
        found.append("")
    return found


def _head(line: str) -> str:
    """What tells a running head of a screenplay from others: there, a full stop stands behind the number of a page."""
    return _without_number(line.strip().removesuffix("."))


def _scanned(name: str) -> SceneError:
    return SceneError(
        "{name}: its pages are images without text (a scan); use a PDF with text, or run text recognition (OCR)",
        name=name,
    )


def _pages(name: str, raw: bytes, *, as_laid_out: bool = False) -> list[str]:
    """The text of each page, with blanks and blank lines where the page has them if it is wanted as laid out."""
    mode: Literal["layout", "plain"] = "layout" if as_laid_out else "plain"
    if b"%PDF-" not in raw[:1024]:
        raise SceneError("{name}: not a PDF; download or save the file again", name=name)
    try:
        reader = PdfReader(io.BytesIO(raw))
        locked = reader.is_encrypted
        count = 0 if locked else len(reader.pages)
        pages = reader.pages if 0 < count <= MOST_PAGES else []
        texts = [page.extract_text(extraction_mode=mode) for page in pages]
    except Exception as error:  # what a damaged file makes pypdf raise has no bounds
        told = " ".join(cleaned(str(error)).split())[:120] or type(error).__name__
        raise SceneError(
            "{name}: the PDF is damaged ({error}); download or save the file again", name=name, error=told
        ) from error
    if locked:
        raise SceneError("{name}: the file has a password; save it without one", name=name)
    if count > MOST_PAGES:
        raise SceneError(
            "{name}: {count:,} pages exceed the limit of {most:,}; split the file",
            name=name,
            count=count,
            most=MOST_PAGES,
        )
    return texts


def _without_heads(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The lines without page numbers and running heads. Where one is the heading of a chapter, the first stays."""
    heads = _heads(pages)
    met: set[str] = set()
    found: list[list[str]] = []
    for page in pages:
        left: list[str] = []
        for place, line in enumerate(page):
            key = _without_number(line)
            running = place in (0, len(page) - 1) and (bool(_NUMBER.fullmatch(line)) or key in heads)
            if not running or (key in heads - met and heading_key(line) is not None):
                left.append(line)
            met.add(key)
        found.append(left)
    return found


def _heads(pages: Sequence[Sequence[str]]) -> set[str]:
    """What stands first or last on three of five pages in a row, but for their numbers."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        for key in {_without_number(line) for line in (*page[:1], *page[-1:])}:
            places[key].append(number)
    rows = {key: zip(numbers, numbers[2:], strict=False) for key, numbers in places.items()}
    return {
        key
        for key, row in rows.items()
        if any(sign.isalpha() for sign in key) and any(third - first < _NEIGHBOURS for first, third in row)
    }


def _without_number(line: str) -> str:
    """The line without the number of a page at its begin or end; that of a chapter stays."""
    bare = _AT_AN_END.sub("", line.strip(), count=1)
    return line.strip() if heading_key(line) is not None and heading_key(bare) is None else bare


def _paragraphs(lines: Sequence[str]) -> list[Paragraph]:
    """A paragraph ends with a sentence that ends before the margin; headings and drawn borders stand alone."""
    width = quantiles([len(line) for line in lines], n=10)[-1] if len(lines) > 1 else 0.0
    parts: list[list[str]] = []
    ended = True
    for line in lines:
        alone = is_rule(line) or heading_key(line) is not None
        if ended or alone:
            parts.append([line])
        elif _SPLIT_WORD.search(parts[-1][-1]) and line[0].islower():
            parts[-1][-1] = parts[-1][-1][:-1]
            parts[-1].append(line)
        else:
            parts[-1] += [joint(parts[-1][-1], line, full=True), line]
        ended = alone or (len(line) < _SHORT * width and bool(_ENDS.search(line)))
    texts = ["".join(pieces) for pieces in parts]
    return [Paragraph(text, apart=is_rule(text)) for text in texts]
