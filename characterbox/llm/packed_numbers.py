"""Whole numbers in few bytes: seven bits of one in each byte, the lowest first, as prompts and memories are stored."""

from collections.abc import Iterable, Iterator


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers from 0 on, one after the other."""
    raw = bytearray()
    for number in numbers:
        left = number
        while left > 0x7F:
            raw.append(left & 0x7F | 0x80)
            left >>= 7
        raw.append(left)
    return bytes(raw)


def unpacked(raw: bytes) -> Iterator[int]:
    """The numbers that were packed."""
    number = shift = 0
    for byte in raw:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0


def folded(number: int) -> int:
    """A number that may be negative as one that is not: the nearer to 0, the smaller."""
    return 2 * number if number >= 0 else -2 * number - 1


def unfolded(number: int) -> int:
    """The number that was folded."""
    return number // 2 if number % 2 == 0 else -(number // 2) - 1
