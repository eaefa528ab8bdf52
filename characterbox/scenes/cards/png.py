"""Cards in pictures: texts in the chunks of a PNG file (PNG specification, third edition, sections 5 and 11.3.3)."""

import re
import struct
import zlib
from collections.abc import Iterator, Mapping

from annotations.i18n.messages import Message, Readable
from characterbox.errors import SceneError
from characterbox.scenes.file_reading import MEGABYTE

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LARGEST = 50 * MEGABYTE
"""Bytes that a picture may have."""
MOST_TEXT = 20 * MEGABYTE
"""Bytes that a compressed text may unpack to."""
KEYWORDS = ("ccv3", "chara")
"""What the texts with a card are called: V3, which goes ahead, then V2 and V1."""
_MOST_CHUNKS = 100_000
_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_ITXT = re.compile(rb"(.)(.)[^\0]*\0[^\0]*\0(.*)", re.DOTALL)
"""Whether it is compressed and how, its language and the keyword in it, and the text."""

Chunk = tuple[bytes, bytes]
"""A chunk's type and its content."""


def texts(name: str, raw: bytes) -> dict[str, bytes]:
    """The texts of the picture that may hold a card, by keyword; of equal ones the first counts.

    Raises SceneError if the picture is damaged or too large, or a text in it is.
    """
    found: dict[str, bytes] = {}
    for kind, content in _chunks(name, raw):
        keyword = _keyword(kind, content)
        if keyword in KEYWORDS and keyword not in found:
            found[keyword] = _text(
                Message("{where}: {what}", where=name, what=keyword), kind, content.partition(b"\0")[2]
            )
    return found


def with_texts(name: Readable, raw: bytes, written: Mapping[str, bytes]) -> bytes:
    """The picture with those texts in place of the cards that it holds. Raises SceneError as `texts` does."""
    chunks = [chunk for chunk in _chunks(name, raw) if _keyword(*chunk) not in KEYWORDS]
    chunks[-1:-1] = [(b"tEXt", keyword.encode() + b"\0" + text) for keyword, text in written.items()]
    return _joined(chunks)


def plain_picture() -> bytes:
    """A picture for a card that has none: an upright area of one colour, as large as portraits on cards are."""
    width, height, blue_grey = 400, 600, b"\x5b\x6b\x7f"
    head = struct.pack(">IIBBBBB", width, height, 1, 3, 0, 0, 0)
    row = b"\0" + bytes(width // 8)
    return _joined([(b"IHDR", head), (b"PLTE", blue_grey), (b"IDAT", zlib.compress(row * height, 9)), (b"IEND", b"")])


def _joined(chunks: list[Chunk]) -> bytes:
    parts = [SIGNATURE]
    for kind, content in chunks:
        parts += [struct.pack(">I", len(content)), kind, content, struct.pack(">I", zlib.crc32(kind + content))]
    return b"".join(parts)


def _chunks(name: Readable, raw: bytes) -> list[Chunk]:
    if len(raw) > LARGEST:
        raise SceneError(
            "{name}: {size:,} bytes exceed the limit of {most:,}; use a smaller image",
            name=name,
            size=len(raw),
            most=LARGEST,
        )
    if not raw.startswith(SIGNATURE):
        raise SceneError(
            "{name}: not a PNG file; choose the original image of the card, not a converted one", name=name
        )
    found = []
    for chunk in _walk(name, raw):
        found.append(chunk)
        if len(found) > _MOST_CHUNKS:
            raise SceneError(
                "{name}: it has more than {most:,} PNG chunks; save it again",
                name=name,
                most=_MOST_CHUNKS,
            )
    if found[0][0] != b"IHDR":
        raise SceneError("{name}: the image does not begin with its header; download or save it again", name=name)
    return found


def _walk(name: Readable, raw: bytes) -> Iterator[Chunk]:
    """The chunks up to the last one; what comes after it is no part of the picture."""
    start = len(SIGNATURE)
    while True:
        kind = raw[start + 4 : start + 8]
        length = int.from_bytes(raw[start : start + 4], "big")
        end = start + 8 + length
        if end + 4 > len(raw):
            raise SceneError(
                "{name}: byte {byte:,}: the image ends unexpectedly; download or save it again",
                name=name,
                byte=start + 1,
            )
        content = raw[start + 8 : end]
        if zlib.crc32(content, zlib.crc32(kind)) != int.from_bytes(raw[end : end + 4], "big"):
            told = {"name": name, "byte": start + 1, "part": kind.decode("latin-1")}
            raise SceneError(
                "{name}: byte {byte:,}: the chunk {part!a} is damaged (wrong checksum); download or save the"
                " image again",
                **told,
            )
        yield kind, content
        if kind == b"IEND":
            return
        start = end + 4


def _keyword(kind: bytes, content: bytes) -> str:
    """What a text is called, in lower case; nothing for a chunk that is no text."""
    return content.partition(b"\0")[0][:80].decode("latin-1").lower() if kind in _TEXTS else ""


def _text(place: Readable, kind: bytes, content: bytes) -> bytes:
    if kind == b"tEXt":
        return content
    compressed = True
    if kind == b"iTXt":
        parts = _ITXT.fullmatch(content)
        if parts is None:
            raise SceneError("{place}: the text in the image is damaged; download or save it again", place=place)
        compressed, content = parts[1] == b"\1", parts[3]
    else:
        content = content[1:]
    return _unpacked(place, content) if compressed else content


def _unpacked(place: Readable, content: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(content, MOST_TEXT + 1)
    except zlib.error as error:
        raise SceneError(
            "{place}: the text in the image is damaged ({error}); download or save it again",
            place=place,
            error=error,
        ) from error
    if len(text) > MOST_TEXT:
        raise SceneError(
            "{place}: it is larger than {most:,} bytes when unpacked; shorten the card", place=place, most=MOST_TEXT
        )
    if not unpacking.eof:
        raise SceneError("{place}: the text in the image is incomplete; download or save it again", place=place)
    return text
