"""XML from outside: no entity is declared or expanded, and nothing is fetched."""

import html
import re
from typing import Any

from lxml import etree

from annotations.wording import say
from characterbox.errors import SceneError
from characterbox.scenes.reading import MEGABYTE

LARGEST_PART = 100 * MEGABYTE
"""Bytes that a part of an archive may have, unpacked."""
LARGEST_PAGE = 10 * MEGABYTE
"""Bytes of a page that is read as browsers do, in which an attribute may be two bytes."""
MOST_NODES = 3_000_000
"""Tags, attributes and entities of a part: more than the longest novels have; their tree fits in 1 GiB."""
_BEGINS = (b"<", b"=", b"&")
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_OWN = {b"amp", b"lt", b"gt", b"quot", b"apos"}


def xml_root(name: str, part: str, raw: bytes) -> Any:
    """The root of an XML file in the archive `name`. Raises SceneError if it is damaged or declares entities."""
    _check(name, part, raw)
    try:
        return etree.fromstring(raw, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        told = " ".join(str(getattr(error, "msg", error)).split())
        raise SceneError(
            say(
                "{name}: {part}: the XML in it is damaged ({error}); save the file again",
                name=name,
                part=part,
                error=told,
            )
        ) from error


def page_root(name: str, part: str, raw: bytes) -> Any:
    """The root of a page of a book: XHTML, or what was meant to be, read as browsers do. None for an empty page.
    Raises SceneError as `xml_root` does."""
    _check(name, part, raw)
    try:
        return etree.fromstring(_NAMED.sub(_by_number, raw), _parser())
    except (etree.XMLSyntaxError, ValueError):
        pass
    _check_size(name, part, raw, LARGEST_PAGE)
    try:
        return etree.fromstring(raw, etree.HTMLParser(encoding=_encoding(raw), no_network=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, LookupError):
        return None


def local(node: Any) -> str:
    """The name of an element without its namespace; nothing for a comment or an instruction."""
    return node.tag.rpartition("}")[2].lower() if isinstance(node.tag, str) else ""


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)


def _check(name: str, part: str, raw: bytes) -> None:
    """Also for UTF-16, in which every other byte is 0. Raises SceneError before a tree is made, which may be a hundred
    times as large as what it is made from."""
    _check_size(name, part, raw, LARGEST_PART)
    if sum(map(raw.count, _BEGINS)) > MOST_NODES:
        told = {"name": name, "part": part, "most": MOST_NODES}
        raise SceneError(
            say("{name}: {part}: its elements are more than the {most:,} that are read; split the file", **told)
        )
    if b"<!ENTITY" in raw.replace(b"\x00", b""):
        raise SceneError(
            say(
                "{name}: {part}: it declares entities, which are not read; save the file without them",
                name=name,
                part=part,
            )
        )


def _check_size(name: str, part: str, raw: bytes, most: int) -> None:
    if len(raw) > most:
        told = {"name": name, "part": part, "size": len(raw), "most": most}
        raise SceneError(
            say("{name}: {part}: {size:,} bytes are more than the {most:,} that are read; split the file", **told)
        )


def _by_number(found: re.Match[bytes]) -> bytes:
    """The names that HTML has for signs, which XML does not know without a file from the network."""
    sign = html.unescape(found[0].decode())
    known = found[1] not in _OWN and not sign.endswith(";")
    return "".join(f"&#{ord(one)};" for one in sign).encode() if known else found[0]


def _encoding(raw: bytes) -> str:
    declared = re.search(rb"""(?:encoding|charset)=["']?([A-Za-z0-9_-]{1,20})""", raw[:1024])
    return declared[1].decode() if declared else "utf-8"
