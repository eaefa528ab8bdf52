"""The paragraphs of a Word file (ECMA-376, part 1, 17.3), with what was inserted, and without what was deleted.

It is read from its XML: python-docx passes over words in tracked insertions, content controls and smart tags, which
Word uses for the names of people and places.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from characterbox.crafting.sources.paragraphs import DEEPEST, Paragraph, cleaned, is_rule
from characterbox.crafting.sources.xml import local, xml_root
from characterbox.errors import SceneError
from characterbox.scenes.archives import Archive

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_COMPOUND = b"\xd0\xcf\x11\xe0"
_MAIN = "word/document.xml"
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "nobreakhyphen": "-"}
_NOT_READ = {"del", "movefrom", "fallback"}
"""What was deleted or moved away, and what stands in for a drawing that is read already."""


def docx_paragraphs(name: str, raw: bytes) -> Iterator[Paragraph]:
    """The paragraphs of the text; headings are those that are styled so, down to level 2. Raises SceneError."""
    if raw.startswith(_COMPOUND):
        raise SceneError(
            "{name}: the file has a password or is an old Word file; save it as .docx without a password", name=name
        )
    files = Archive(name, raw)
    main = _main_part(name, files)
    folder = main.rpartition("/")[0]
    levels = _levels(name, files.get(f"{folder}/styles.xml"))
    body = xml_root(name, main, files[main])
    for node, text in _texts(body):
        level = _level(node, levels)
        if text and level is not _CONTENTS:
            yield Paragraph(text, heading=level is not None and level < DEEPEST, apart=is_rule(text))


_CONTENTS = -1
"""The level of the lines of a table of contents."""
_NUMBER, _HEADING = re.compile(r"\d{1,3}"), re.compile(r"heading \d{1,3}")


def _main_part(name: str, files: Mapping[str, bytes]) -> str:
    if "_rels/.rels" in files:
        for link in xml_root(name, "_rels/.rels", files["_rels/.rels"]):
            if (link.get("Type") or "").endswith("/officeDocument"):
                main = (link.get("Target") or "").lstrip("/")
                if main in files:
                    return main
    if _MAIN in files:
        return _MAIN
    raise SceneError("{name}: not a Word file ({part} is missing); save it as .docx again", name=name, part=_MAIN)


def _levels(name: str, styles: bytes | None) -> dict[str, int | None]:
    """The level of the headings that each style makes, from 0; None for a style of other paragraphs.

    A style that says none has that of the one it is based on. Each is looked at once: they may stand on each other by
    the hundred thousand.
    """
    if styles is None:
        return {}
    nodes = {node.get(f"{_W}styleId"): node for node in xml_root(name, "styles.xml", styles).iter(f"{_W}style")}
    found: dict[str, int | None] = {}
    for style in nodes:
        silent: list[str] = []
        one, level = style, None
        while level is None and one in nodes and one not in found:
            found[one] = None
            silent.append(one)
            level = _own_level(nodes[one])
            one = _value(nodes[one], "basedOn") or ""
        found |= dict.fromkeys(silent, found.get(one) if level is None else level)
    return found


def _own_level(style: Any) -> int | None:
    called = (_value(style, "name") or "").lower()
    if called.startswith("toc "):
        return _CONTENTS
    outline = _outline(style)
    return int(called[8:]) - 1 if outline is None and _HEADING.fullmatch(called) else outline


def _level(paragraph: Any, levels: Mapping[str, int | None]) -> int | None:
    outline = _outline(paragraph)
    return levels.get(_value(paragraph, f"pPr/{_W}pStyle") or "") if outline is None else outline


def _outline(node: Any) -> int | None:
    outline = _value(node, f"pPr/{_W}outlineLvl") or ""
    return int(outline) if _NUMBER.fullmatch(outline) else None


def _value(node: Any, path: str) -> str | None:
    found = node.find(f"{_W}{path}")
    value: str | None = None if found is None else found.get(f"{_W}val")
    return value


def _texts(node: Any) -> Iterator[tuple[Any, str]]:
    """Each paragraph in or below a node, with its text; the text boxes in a paragraph come after it."""
    for child in node:
        if local(child) == "p" and child.tag.startswith(_W):
            yield child, cleaned("".join(_signs(child))).strip()
            yield from _texts(child)
        elif local(child) not in _NOT_READ:
            yield from _texts(child)


def _signs(node: Any) -> Iterator[str]:
    for child in node:
        kind = local(child)
        if kind == "t":
            yield child.text or ""
        elif kind in _SIGNS:
            yield _SIGNS[kind]
        elif kind not in _NOT_READ and kind not in ("p", "ppr", "rpr"):
            yield from _signs(child)
