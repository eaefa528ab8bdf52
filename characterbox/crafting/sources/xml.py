"""XML from outside: no entity is declared or expanded, and nothing is fetched."""

import html
import re
from typing import Any

from lxml import etree

from annotations.i18n.messages import to_say
from characterbox.errors import SceneError
from characterbox.scenes.file_reading import MEGABYTE

LARGEST_PART = 100 * MEGABYTE
"""Bytes that a part of an archive may have, unpacked."""
LARGEST_PAGE = 10 * MEGABYTE
"""Bytes of a page that is read as browsers do, in which an attribute may be two bytes."""
MOST_NODES = 3_000_000
"""Tags, attributes and entities of a part: more than the longest novels have; their tree fits in 1 GiB."""
_BEGINS = (b"<", b"=", b"&")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OWN = {"amp", "lt", "gt", "quot", "apos"}
_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0?\0": "utf-16-le",
    b"\0<\0?": "utf-16-be",
}  # fmt: skip
"""How a page begins whose codec shows: with a byte order mark, or a declaration in letters of two bytes."""
_XML = re.compile(rb"""<\?xml\s[^>]{0,99}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})""")
_HTML = re.compile(rb"""<meta\s[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})""", re.IGNORECASE)
_HEAD = 1024
"""Bytes of a page in which browsers look for its encoding."""
_MEANT = {
    **dict.fromkeys(("utf8", "utf-16", "utf-16le", "utf-16be"), "utf-8"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("iso-8859-1", "latin1", "us-ascii"), "windows-1252"),
}
"""As which browsers read what is declared (WHATWG, Encoding). UTF-16 is not, where its name can be read so far."""
_CODECS = {
    *("utf-8", "gb18030", "big5hkscs", "shift_jis", "euc-jp", "euc-kr", "koi8-r", "koi8-u"),
    *(f"windows-{number}" for number in range(1250, 1259)),
    *(f"iso-8859-{number}" for number in (*range(2, 11), *range(13, 17))),
}


def xml_root(name: str, part: str, raw: bytes) -> Any:
    """The root of an XML file in the archive `name`. Raises SceneError if it is damaged or declares entities."""
    _check(name, part, raw)
    try:
        return etree.fromstring(raw, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        told = " ".join(str(getattr(error, "msg", error)).split())
        raise SceneError(
            "{name}: {part}: its XML is damaged ({error}); save the file again",
            name=name,
            part=part,
            error=told,
        ) from error


def page_root(name: str, part: str, raw: bytes) -> Any:
    """The root of a page of a book: XHTML, or what was meant to be, read as browsers do. None for an empty page.
    Raises SceneError as `xml_root` does, and if it is not in the encoding that it declares or, if in none, in UTF-8."""
    _check(name, part, raw)
    text = _text(name, part, raw)
    try:
        return etree.fromstring(_NAMED.sub(_by_number, text).encode(), _parser(encoding="utf-8"))
    except (etree.XMLSyntaxError, ValueError):
        pass
    _check_size(name, part, raw, LARGEST_PAGE)
    try:
        return etree.fromstring(text.encode(), etree.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def local(node: Any) -> str:
    """The name of an element without its namespace; nothing for a comment or an instruction."""
    return node.tag.rpartition("}")[2].lower() if isinstance(node.tag, str) else ""


def _parser(encoding: str | None = None) -> etree.XMLParser:
    """Reads in this encoding, whatever is declared, or in the one that is declared."""
    return etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, encoding=encoding)


def _check(name: str, part: str, raw: bytes) -> None:
    """Also for UTF-16, in which every other byte is 0. Raises SceneError before a tree is made, which may be a hundred
    times as large as what it is made from."""
    _check_size(name, part, raw, LARGEST_PART)
    if sum(map(raw.count, _BEGINS)) > MOST_NODES:
        told = {"name": name, "part": part, "most": MOST_NODES}
        raise SceneError("{name}: {part}: it has more than {most:,} elements; split the file", **told)
    if b"<!ENTITY" in raw.replace(b"\x00", b""):
        raise SceneError(
            "{name}: {part}: it declares entities, which are not supported; save the file without them",
            name=name,
            part=part,
        )


def _check_size(name: str, part: str, raw: bytes, most: int) -> None:
    if len(raw) > most:
        told = {"name": name, "part": part, "size": len(raw), "most": most}
        raise SceneError("{name}: {part}: {size:,} bytes exceed the limit of {most:,}; split the file", **told)


def _by_number(found: re.Match[str]) -> str:
    """The names that HTML has for signs, which XML does not know without a file from the network."""
    sign = html.unescape(found[0])
    known = found[1] not in _OWN and not sign.endswith(";")
    return "".join(f"&#{ord(one)};" for one in sign) if known else found[0]


def _text(name: str, part: str, raw: bytes) -> str:
    """The text of a page: nothing of it is guessed, left out or replaced."""
    declared, codec = _encoding(raw)
    told = {"name": name, "part": part, "encoding": declared}
    if codec not in {*_CODECS, *_MARKS.values()}:
        wrong = to_say("{name}: {part}: the declared encoding {encoding} is not supported; save the book in UTF-8")
        raise SceneError(wrong, **told)
    try:
        return raw.decode(codec)
    except UnicodeDecodeError as error:
        wrong = (
            to_say(
                "{name}: {part}: byte {byte} is not valid UTF-8, and no encoding is declared; save the book in UTF-8"
            )
            if declared is None
            else to_say(
                "{name}: {part}: byte {byte} is not valid in the declared encoding {encoding}; save the book in UTF-8"
            )
        )
        raise SceneError(wrong, **told, byte=error.start + 1) from error


def _encoding(raw: bytes) -> tuple[str | None, str]:
    """The encoding that a page declares, and the codec that is meant.

    UTF-8 needs no declaration (EPUB 3.3, section 3.9); what can be read so was often declared before it was converted.
    """
    for begins, codec in _MARKS.items():
        if raw.startswith(begins):
            return codec.upper(), codec
    found = _XML.match(raw) or (None if _is_utf_8(raw) else _HTML.search(raw[:_HEAD]))
    if found is None:
        return None, "utf-8"
    declared = found[1].decode("ascii", "replace")
    return declared, _MEANT.get(declared.lower(), declared.lower())


def _is_utf_8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
