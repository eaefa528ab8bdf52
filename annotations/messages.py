"""Messages: a text of the catalogue with the values of its places, before anybody reads it.

What is computed, stored or raised carries messages, never sentences. `annotations.wording.translate` makes a sentence
of one, in the reader's language, where it is read: in routes, commands, components and pages.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from annotations.errors import AnnotationError


class Message:
    """A frozen text in English, which is its key in the catalogue, and what stands in its places in braces.

    A value may itself be a message, or a moment. Without values, braces in the text stay. As text it is English, for
    logs and for models.
    """

    __slots__ = ("many", "text", "values")

    text: str
    many: str | None
    """The text for other counts than one: `values["count"]` decides."""
    values: Mapping[str, object]

    def __init__(self, text: str, /, **values: object) -> None:
        self._set(text, None, values)

    def _set(self, text: str, many: str | None, values: Mapping[str, object]) -> None:
        for name, value in (("text", text), ("many", many), ("values", values)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a message is frozen: {name} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a message is frozen: {name} can't be deleted")

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.text, self.many, dict(self.values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.text, self.many, self.values) == (other.text, other.many, other.values)

    def __hash__(self) -> int:
        return hash((self.text, tuple(sorted(self.values))))

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"

    def __str__(self) -> str:
        text = self.text if self.many is None or self.values["count"] == 1 else self.many
        return (
            text.format_map({name: _in_english(value) for name, value in self.values.items()}) if self.values else text
        )


def count_message(one: str, many: str, count: int, **values: object) -> Message:
    """A message that reads differently for one and for several; both can name `{count}`."""
    return _restored(one, many, {"count": count, **values})


def joined(messages: Iterable[Message | str]) -> Message:
    """Several messages in one, with semicolons between.

    Raises:
        AnnotationError: There are none.
    """
    told: Message | str | None = None
    for message in messages:
        told = message if told is None else Message("{first}; {rest}", first=told, rest=message)
    if told is None:
        raise AnnotationError("no messages are joined; give one at least")
    return told if isinstance(told, Message) else _restored("{text}", None, {"text": told})


def _restored(text: str, many: str | None, values: Mapping[str, object]) -> Message:
    message = Message.__new__(Message)
    message._set(text, many, values)
    return message


def _in_english(value: object) -> object:
    return f"{value.astimezone(UTC):%d %b %Y, %H:%M} UTC" if isinstance(value, datetime) else value
