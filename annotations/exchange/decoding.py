"""From the bytes of a text file to its text. The encoding is certain, or people say which it is: nothing is guessed."""

import re
from codecs import getincrementaldecoder
from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal, get_args

from annotations.blinding.folded_text import han_in, han_share
from annotations.errors import EncodingError
from annotations.i18n.messages import Message, Readable, joined, listed, to_say

Encoding = Literal["UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "GB18030", "Big5", "Windows-1252"]
"""GBK and GB2312 are parts of GB18030. UTF-16 has a byte order mark, the other two have none."""
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
_CODECS: Mapping[Encoding, str] = {
    "UTF-8": "utf-8-sig", "UTF-16": "utf-16", "UTF-16LE": "utf-16-le", "UTF-16BE": "utf-16-be", "GB18030": "gb18030",
    "Big5": "big5hkscs", "Windows-1252": "cp1252",
}  # fmt: skip
_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE = 4
"""One byte in so many is 0 where ASCII is written in UTF-16, which is UTF-8, too, as far as it goes."""
_TEXTS = (".txt", ".md", ".markdown", ".csv", ".json", ".yaml", ".yml")
"""TOML is not among them: it is UTF-8 by its definition."""
_NO_TEXTS = (b"\x89PNG", b"PK\x03\x04", b"PAR1")
"""How pictures, archives and Parquet begin, whatever their name ends in."""
_UNKNOWN = "\ufffd"
"""Stands where bytes are no letter."""
_LETTERS = 5
"""Letters beyond ASCII for each fault from which on an encoding is not mistaken: the file is damaged, or cut short."""
_LETTERWISE: tuple[Encoding, ...] = ("UTF-8", "GB18030", "Big5")
"""Where a letter beyond ASCII takes several bytes, within which a file can end."""
_ASCII = re.compile(r"[\x00-\x7f]+")
_COMMON = re.compile("[的一是不了人我在有他之来大上个到说道也你這來個說為]")
"""In Chinese prose one Han character in ten or more is one of these; in text that was read wrongly, next to none."""
_COMMON_SHARE = 0.03
_SURE = 20
"""Han characters from which on a text is long enough to tell by these."""
_LEAST = 0.2
"""The share of Han among all letters below which a text is in another language, with the names of fields or without."""
_ENOUGH = 0.75
"""The share of Han among all letters that are not ASCII from which on a text counts as Chinese."""
_SAMPLE = 200_000
_LINES, _WIDEST = 3, 80
"""Of a text as it would read: the lines, and the characters of each, that are shown."""

_OTHER = to_say("byte {byte} (line {line}) is not {encoding}; save the file as UTF-8")
_DAMAGED = to_say(
    "byte {byte} (line {line}) is not {encoding}; the file may be truncated or damaged: download it again, or"
    " fix this line"
)


def decode(raw: bytes, encoding: Encoding | None = None) -> tuple[str, Encoding]:
    """The text of a file, and its encoding: the one that is named, else the one that is certain.

    Raises EncodingError where the file is not in that encoding, and where none is named and none is certain.
    """
    certain = encoding or certain_encoding(raw)
    if certain is None:
        raise EncodingError(_uncertain(raw))
    try:
        text = raw.decode(_CODECS[certain])
    except UnicodeDecodeError as error:
        told = _DAMAGED if _is_damaged(raw, certain) else _OTHER
        place = {"byte": error.start + 1, "line": _line(raw, error.start)}
        raise EncodingError(told, encoding=certain, **place) from error
    if "\x00" in text and (certain != "UTF-8" or _is_wide(raw)):  # in UTF-8 it is a letter that does not belong there
        raise EncodingError("this is not {encoding} text; save the file as UTF-8", encoding=certain)
    return text.removeprefix("\ufeff"), certain


def is_utf8(raw: bytes) -> bool:
    """Whether a file is whole UTF-8, which takes no time to see; for any other, its bytes are weighed."""
    return _first_fault(raw) is None and not _is_wide(raw)


def uncertain_readings(raw: bytes) -> tuple[dict[Encoding, list[str]], list[Message]] | None:
    """The `readings` of a file and how it would be `cut_short`, for people to choose by; None where its encoding is
    certain."""
    return (readings(raw), cut_short(raw)) if certain_encoding(raw) is None else None


def certain_encoding(raw: bytes) -> Encoding | None:
    """UTF-16 by its byte order mark, UTF-8, or GB18030 where it makes Chinese of the bytes; None if none is certain.

    It is certain of a file, too, that is cut short or has some damage, and so can't be read.
    """
    if raw.startswith(_MARKS):
        return "UTF-16"
    if _first_fault(raw) is None or _has_few_faults(raw.decode("utf-8", "replace")):
        return None if _is_wide(raw) else "UTF-8"
    text = raw.decode("gb18030", "replace")
    return "GB18030" if "\x00" not in text and _has_few_faults(text) and _is_chinese(text[:_SAMPLE]) else None


def readings(raw: bytes) -> dict[Encoding, list[str]]:
    """How the first lines beyond ASCII would read, in each encoding in which the file may be."""
    wide = b"\x00" in raw  # as in UTF-16 every letter of ASCII has it, and every break of a line
    possible = ("UTF-16LE", "UTF-16BE") if wide else tuple(one for one in ENCODINGS if not one.startswith("UTF"))
    return {one: _first_lines(raw.decode(_CODECS[one])) for one in possible if _reads(raw, one)}


def cut_short(raw: bytes) -> list[Message]:
    """For each encoding in which the file may be but for its end, within a letter: that it is cut short then."""
    return [
        Message(
            "if the file is {encoding}, it is cut off within the character at byte {byte} (line {line}):"
            " download it again",
            encoding=one, byte=start + 1, line=_line(raw, start),
        )
        for one in _LETTERWISE
        if (start := _unfinished(raw, one)) is not None
    ]  # fmt: skip


def is_text(name: str, raw: bytes) -> bool:
    """Whether a file is plain text, whose encoding is written nowhere in it."""
    return PurePath(name).suffix.lower() in _TEXTS and not raw.startswith(_NO_TEXTS)


def as_utf8(name: str, raw: bytes, encoding: Encoding | None) -> bytes:
    """The file `name` in UTF-8, where its encoding is named; else as it is. Raises EncodingError with the name."""
    if encoding is None:
        return raw
    if not is_text(name, raw):
        raise EncodingError("{name}: this is not a plain text file; do not specify an encoding for it", name=name)
    try:
        return decode(raw, encoding)[0].encode()
    except EncodingError as error:
        raise EncodingError("{file}: {error}", file=name, error=error) from error


def _is_damaged(raw: bytes, encoding: Encoding) -> bool:
    """Whether a file that can't be read in this encoding is in it nevertheless."""
    return certain_encoding(raw) == encoding or _unfinished(raw, encoding) is not None


def _unfinished(raw: bytes, encoding: Encoding) -> int | None:
    """Where the letter begins, from 0, within which the file ends, if all before can be read; None otherwise."""
    decoder = getincrementaldecoder(_CODECS[encoding])()
    try:
        read = decoder.decode(raw)
    except UnicodeError:
        return None
    return len(raw) - len(left) if (left := decoder.getstate()[0]) and not read.isascii() else None


def _has_few_faults(text: str) -> bool:
    beyond = _ASCII.sub("", text)
    return len(beyond) > _LETTERS * beyond.count(_UNKNOWN)


def _is_wide(raw: bytes) -> bool:
    """Whether it is ASCII in UTF-16, rather than UTF-8."""
    return raw.count(0) * _WIDE > len(raw)


def _reads(raw: bytes, encoding: Encoding) -> bool:
    try:
        return "\x00" not in raw.decode(_CODECS[encoding])
    except UnicodeDecodeError:
        return False


def _first_lines(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").splitlines()
    beyond = [line for line in lines if not line.isascii()] or lines
    return [line.strip()[:_WIDEST] for line in beyond[:_LINES]]


def _uncertain(raw: bytes) -> Message:
    possible, cut = listed(readings(raw)), cut_short(raw)
    if not possible and not cut:
        return Message("this is not text in any supported encoding; save the file as UTF-8")
    return joined([_choice(raw, possible), *cut] if possible else cut)


def _choice(raw: bytes, possible: Readable) -> Message:
    if b"\x00" in raw:
        return Message(
            "this is not text, or it is UTF-16 without a byte order mark; choose one of {possible} (on the"
            " command line with --encoding), or save the file as UTF-8",
            possible=possible,
        )
    start = _first_fault(raw) or 0
    return Message(
        "byte {byte} (line {line}) is not UTF-8, and no other encoding is certain; choose one of {possible} (on"
        " the command line with --encoding), or save the file as UTF-8",
        byte=start + 1, line=_line(raw, start), possible=possible,
    )  # fmt: skip


def _first_fault(raw: bytes) -> int | None:
    """The first byte that is not UTF-8, from 0."""
    try:
        raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return error.start
    return None


def _line(raw: bytes, at: int) -> int:
    return raw.count(b"\n", 0, at) + 1


def _is_chinese(text: str) -> bool:
    """Nearly any bytes can be read as GB18030: Big5 and Windows texts make rare characters then.

    Whatever the encoding, ASCII is ASCII, such as the names of the fields of a scene: most is told by the rest.
    """
    beyond = _ASCII.sub("", text)
    han = len(han_in(beyond))
    if han < _SURE or han_share(beyond) < _ENOUGH or han_share(text) < _LEAST:
        return False
    return len(_COMMON.findall(beyond)) >= _COMMON_SHARE * han
