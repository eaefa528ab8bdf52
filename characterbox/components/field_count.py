"""How many fields a protobuf message has, found without reading what is in them.

To read a message of 8 MiB that is full of empty fields takes most of a second, in which nobody else is answered.
"""

from google.protobuf.descriptor import Descriptor


def has_few_fields(message: bytes, kind: Descriptor, most: int) -> bool:
    """Whether a message of a kind has at most so many fields, those in messages within it too. False where it can't be
    read, as far as it was looked at."""
    try:
        return _left(memoryview(message), kind, most) >= 0
    except (IndexError, ValueError):
        return False


def _left(message: memoryview, kind: Descriptor, most: int) -> int:
    """What is left of `most`; below 0 as soon as there are more fields. Raises IndexError or ValueError for none."""
    place = 0
    while place < len(message) and most >= 0:
        tag, place = _varint(message, place)
        most -= 1
        match tag & 7:
            case 0:
                _, place = _varint(message, place)
            case 1:
                place += 8
            case 5:
                place += 4
            case 2:
                size, place = _varint(message, place)
                field = kind.fields_by_number.get(tag >> 3)
                if field is not None and field.message_type is not None:
                    most = _left(message[place : place + size], field.message_type, most)
                place += size
            case other:
                raise ValueError(f"a field of kind {other}")
    if place > len(message):
        raise ValueError("it ends within a field")
    return most


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """The number at a place, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        byte = message[place + shift // 7]
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place + shift // 7 + 1
    raise ValueError("a number of more than ten bytes")
