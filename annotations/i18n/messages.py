"""Messages: a text of the catalogue with the values of its places, before anybody reads it.

What is computed, stored or raised carries messages, never sentences. `annotations.i18n.translation.translate` makes a
sentence of one, in the reader's language, where it is read: in routes, commands, components and pages.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, runtime_checkable

MOST_CITED = 200
"""Characters of a text from elsewhere that a message repeats, at most."""


@runtime_checkable
class ForReader(Protocol):
    """A value of which `translate` tells what the one who reads may read."""

    def for_reader(self) -> "Message | str":
        """What is told of it here and now."""


@runtime_checkable
class Bilingual(Protocol):
    """A text in both languages; as text it is English."""

    def text(self, language: Literal["en", "zh"], /) -> str:
        """The text in a language."""


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

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.text)

    def __hash__(self) -> int:
        return hash((self.text, tuple(sorted(self.values))))

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"

    def __str__(self) -> str:
        text = self.text if self.many is None or self.values["count"] == 1 else self.many
        return (
            text.format_map({name: _in_english(value) for name, value in self.values.items()}) if self.values else text
        )


class MessageError(Exception):
    """An error with a message: a text of the catalogue and the values of its places, or a message that is made.

    `translate` tells it in the language of whoever reads; as text it is English.
    """

    def __init__(self, message: Message | ForReader | str, **values: object) -> None:
        super().__init__(Message(message, **values) if isinstance(message, str) else message)

    @property
    def message(self) -> Message:
        """The message that it carries."""
        carried = self.args[0]
        return carried if isinstance(carried, Message) else Message("{what}", what=carried)


Readable = Message | str
"""What people read: a message, or a name or another text that is the same in all languages."""


def count_message(one: str, many: str, count: int, **values: object) -> Message:
    """A message that reads differently for one and for several; both can name `{count}`."""
    return _restored(one, many, {"count": count, **values})


def to_say(message: str) -> str:
    """The message as it stands, for constants that name a text of the catalogue."""
    return message


def cited(text: str) -> str:
    """A text from elsewhere as it may stand in a message, however long it is: its beginning, in one line."""
    if len(text) <= MOST_CITED and "\n" not in text:
        return text
    line = " ".join(text[: 2 * MOST_CITED].split())
    return line if len(line) <= MOST_CITED and len(text) <= 2 * MOST_CITED else line[: MOST_CITED - 1] + "…"


SEMICOLON = Message("; ")
COMMA = Message(", ")
AND = Message(" and ")
OR = Message(" or ")


def joined(messages: Iterable[Readable], between: Message = SEMICOLON) -> Message:
    """Several messages in one, with something between each two of them."""
    values = {f"item{number}": message for number, message in enumerate(messages)}
    text = "{between}".join(f"{{{name}}}" for name in values)
    return _restored(text, None, {**values, "between": between})


def listed(messages: Iterable[Readable]) -> Message:
    """Several messages or names in one, with commas between."""
    return joined(messages, COMMA)


def all_of(messages: Iterable[Readable], before_last: Message = AND) -> Readable:
    """Several messages or names as they stand in a sentence: commas between, and "and" before the last."""
    *others, last = messages
    return joined([listed(others), last], before_last) if others else last


def any_of(expected: str) -> Readable:
    """What pydantic expects, such as `'a', 'b' or 'c'`."""
    return all_of(re.split(", | or ", expected), OR)


def wrong_with(fault: Mapping[str, Any]) -> Readable:
    """What pydantic finds wrong with a value: the message of ours that was raised, else in the words of pydantic."""
    error = fault.get("ctx", {}).get("error")
    carried = error.args[0] if isinstance(error, ValueError) and error.args else None
    return carried if isinstance(carried, Message) else str(fault["msg"]).removeprefix("Value error, ")


def _restored(text: str, many: str | None, values: Mapping[str, object]) -> Message:
    message = Message.__new__(Message)
    message._set(text, many, values)
    return message


def _in_english(value: object) -> object:
    if isinstance(value, Message):
        return str(value)
    return f"{value.astimezone(UTC):%d %b %Y, %H:%M} UTC" if isinstance(value, datetime) else value
