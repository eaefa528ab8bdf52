"""From the bytes of a text file to its text. The encoding is known or it is not: nothing is guessed by likelihood."""

import re
from typing import Literal

from annotations.wording import say
from characterbox.errors import SceneError
from characterbox.scenes.tongue import ENOUGH, han_in, han_share

Encoding = Literal["UTF-8", "UTF-16", "GB18030"]
_MARKS = (b"\xff\xfe", b"\xfe\xff")
_ASCII = re.compile(r"[\x00-\x7f]+")
_COMMON = re.compile("[的一是不了人我在有他之来大上个到说道也你這來個說為]")
"""In Chinese prose one Han character in ten or more is one of these; in text that was read wrongly, next to none."""
_COMMON_SHARE = 0.03
_LEAST = 0.2
"""The share of Han among all letters below which a text is in another language, with the names of fields or without."""
_SAMPLE = 200_000


def decode(name: str, raw: bytes) -> tuple[str, Encoding]:
    """The text of the file `name`, in UTF-8, UTF-16 with its byte order mark, or GB18030 (of which GBK and GB2312 are
    parts) where that makes Chinese of it; and which it is. Raises SceneError for anything else."""
    if raw.startswith(_MARKS):
        return _utf_16(name, raw), "UTF-16"
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _chinese(name, raw, error), "GB18030"
    if "\x00" in text:
        raise SceneError(
            say(
                "{name}: it is no text, or UTF-16 without a byte order mark; save the file in the encoding UTF-8",
                name=name,
            )
        )
    return text, "UTF-8"


def _utf_16(name: str, raw: bytes) -> str:
    try:
        text = raw.decode("utf-16")
    except UnicodeDecodeError as error:
        told = say(
            "{name}: byte {byte} is not UTF-16, as which the file begins; save the file in the encoding UTF-8",
            name=name, byte=error.start + 1,
        )  # fmt: skip
        raise SceneError(told) from error
    if "\x00" in text:
        raise SceneError(
            say("{name}: it is no text in UTF-16, as which it begins; save the file in the encoding UTF-8", name=name)
        )
    return text


def _chinese(name: str, raw: bytes, not_utf8: UnicodeDecodeError) -> str:
    told = say(
        "{name}: byte {byte} is not UTF-8, and the file is no Chinese in GB18030 either; save the file in the encoding"
        " UTF-8",
        name=name, byte=not_utf8.start + 1,
    )  # fmt: skip
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError as error:
        raise SceneError(told) from error
    if "\x00" in text or not _reads_as_chinese(text[:_SAMPLE]):
        raise SceneError(told)
    return text


def _reads_as_chinese(text: str) -> bool:
    """Nearly any bytes can be read as GB18030: Big5 and Windows texts make rare characters then.

    Whatever the encoding, ASCII is ASCII, such as the names of the fields of a scene: most is told by the rest.
    """
    beyond = _ASCII.sub("", text)
    try:
        if han_share(beyond) < ENOUGH or han_share(text) < _LEAST:
            return False
    except ValueError:
        return False
    return len(_COMMON.findall(beyond)) >= _COMMON_SHARE * len(han_in(beyond))
