"""The paragraphs of an e-book: its container, its package, and the pages of its spine in order (EPUB 3.3)."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from characterbox.crafting.sources.paragraphs import DEEPEST, Paragraph, cleaned, is_rule
from characterbox.crafting.sources.xml import local, page_root, xml_root
from characterbox.errors import SceneError
from characterbox.scenes.archives import Archive

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    *("p", "div", "section", "article", "aside", "main", "header", "footer", "blockquote", "figure", "figcaption"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "tbody", "thead", "tr", "td", "th", "pre", "body", "html", "hgroup"),
    *_HEADINGS,
}
_NOT_READ = {"head", "script", "style", "nav", "svg", "math", "rt", "rp", "template"}
_BLANKS = re.compile(r"\s+")


def epub_paragraphs(name: str, raw: bytes) -> Iterator[Paragraph]:
    """The paragraphs of the book; headings are those marked so, down to level 2. Raises SceneError.

    Each page is read once, however often the spine names it.
    """
    files = Archive(name, raw)
    package = _package(name, files)
    folder = posixpath.dirname(package)
    pages = dict.fromkeys(_path(folder, page) for page in _spine(xml_root(name, package, files[package])))
    if not pages:
        raise SceneError("{name}: {part}: it lists no pages to read; save the book again", name=name, part=package)
    _check_open(name, files, pages)
    for page in pages:
        if page not in files:
            raise SceneError(
                "{name}: the page {page!r} is missing; download or save the book again", name=name, page=page[:80]
            )
        root = page_root(name, page, files[page])
        if root is not None:
            reading = _Page()
            reading.read(root)
            yield from reading.found


def _package(name: str, files: Mapping[str, bytes]) -> str:
    if _CONTAINER not in files:
        raise SceneError("{name}: not an e-book ({part} is missing); save it as EPUB again", name=name, part=_CONTAINER)
    for node in xml_root(name, _CONTAINER, files[_CONTAINER]).iter():
        path = unquote(node.get("full-path") or "") if local(node) == "rootfile" else ""
        if path in files:
            return path
    raise SceneError(
        "{name}: {part}: the package file it refers to is missing; download or save the book again",
        name=name,
        part=_CONTAINER,
    )


def _spine(package: Any) -> list[str]:
    """The pages in the order in which they are read, without those that are only linked to."""
    pages = {
        node.get("id"): node.get("href") or ""
        for node in package.iter()
        if local(node) == "item" and node.get("media-type") in _PAGES
    }
    places = [node for node in package.iter() if local(node) == "itemref" and node.get("linear") != "no"]
    return [pages[node.get("idref")] for node in places if node.get("idref") in pages]


def _path(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference.partition("#")[0])))


def _check_open(name: str, files: Mapping[str, bytes], pages: Iterable[str]) -> None:
    if _ENCRYPTION not in files:
        return
    root = xml_root(name, _ENCRYPTION, files[_ENCRYPTION])
    locked = {_path("", node.get("URI") or "") for node in root.iter() if local(node) == "cipherreference"}
    if not locked.isdisjoint(pages):
        raise SceneError("{name}: its pages are encrypted (DRM); use a copy without DRM", name=name)


class _Page:
    """The paragraphs of a page, gathered while its elements are gone through."""

    def __init__(self) -> None:
        self.found: list[Paragraph] = []
        self._texts: list[str] = []
        self._apart = False

    def read(self, node: Any, level: int | None = None) -> None:
        """Gather what an element holds. `level` is that of the heading it is in."""
        kind = local(node)
        if not kind or kind in _NOT_READ:
            return
        if kind == "br":
            self._texts.append("\n")
        if kind in _BLOCKS or kind == "hr":
            self._end(level)
            self._apart = self._apart or kind == "hr"
            level = _HEADINGS.get(kind, level)
        self._texts.append(_BLANKS.sub(" ", node.text or ""))
        for child in node:
            self.read(child, level)
            self._texts.append(_BLANKS.sub(" ", child.tail or ""))
        if kind in _BLOCKS:
            self._end(level)

    def _end(self, level: int | None) -> None:
        """End the paragraph that stands before a border of a block."""
        lines = cleaned("".join(self._texts)).split("\n")
        self._texts.clear()
        if text := "\n".join(_BLANKS.sub(" ", line).strip() for line in lines).strip():
            drawn = is_rule(text)
            self.found.append(Paragraph(text, heading=bool(level and level <= DEEPEST), apart=self._apart or drawn))
            self._apart = False
