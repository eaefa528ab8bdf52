"""What people read, in the language of the interface: English stands in the code, Chinese in a gettext catalogue.

Every text that a page shows is said with `say` or `say_count`; `make catalogue` takes them over into the catalogue.
Text of stories, scenes and people is data, and goes in as a value.
"""

import gettext
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from babel.dates import format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from annotations.i18n.messages import Bilingual, ForReader, Message

Tongue = Literal["en", "zh"]
"""A language of the interface."""

_DAY: Mapping[Tongue, str] = {"en": "dd MMM y", "zh": "y年M月d日"}
_MOMENT: Mapping[Tongue, str] = {"en": "dd MMM y, HH:mm 'UTC'", "zh": "y年M月d日 HH:mm 'UTC'"}
TONGUES: tuple[Tongue, ...] = get_args(Tongue)
NAMES: Mapping[Tongue, str] = {"en": "English", "zh": "中文"}
"""What each language calls itself."""
CATALOGUE = files(__package__) / "locale" / "zh" / "LC_MESSAGES" / "characterbox.po"

_spoken: ContextVar[Tongue | None] = ContextVar("tongue", default=None)
_asked: list[Callable[[], Tongue | None]] = []


def tongue() -> Tongue:
    """The language of the interface here: what `speaking` says, else what one of those that `heed` was given knows."""
    said = _spoken.get()
    if said is not None:
        return said
    return next((known for ask in _asked if (known := ask()) is not None), "en")


@contextmanager
def speaking(language: Tongue) -> Iterator[None]:
    """Have the interface speak a language, in this thread or task, for as long as the context lasts."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def heed(ask: Callable[[], Tongue | None]) -> None:
    """Have `tongue` ask this where nothing was said; it gives None where it does not know."""
    if ask not in _asked:
        _asked.append(ask)


def say(message: str, /, **values: object) -> str:
    """The message in the language of the interface, with the values in the places of their names in braces.

    A value that is a message, an error that carries one, or a moment, is shown in that language, too.

    Without values the places stay: for texts that get theirs in the browser.
    """
    text = _translations(tongue()).gettext(message) if message else ""  # the catalogue's head stands under ""
    return text.format_map({name: _shown(value) for name, value in values.items()}) if values else text


def say_count(one: str, many: str, count: int, **values: object) -> str:
    """One message or the other, by the count, which both can name as `{count}`."""
    shown = {name: _shown(value) for name, value in values.items()}
    return _translations(tongue()).ngettext(one, many, count).format_map({"count": count, **shown})


def sentence(message: Message | BaseException | str) -> str:
    """What is told as a sentence of its own: an error begins small and has no stop."""
    said = translate(message)
    begun = said[:1].upper() + said[1:]
    return begun if begun.endswith((".", "?", "!", "。", "？", "！")) else say("{sentence}.", sentence=begun)


def translate(message: Message | BaseException | str) -> str:
    """A message in the language of the interface, or that of an error that carries one; other text as it stands."""
    if isinstance(message, BaseException):
        carried = message.args[0] if message.args else ""
        return str(_shown(carried)) if isinstance(carried, Message | ForReader) else str(message)
    if isinstance(message, str):
        return message
    if message.many is None:
        return say(message.text, **message.values)
    values = dict(message.values)
    return say_count(message.text, message.many, int(str(values.pop("count"))), **values)


def translate_into(language: Tongue, message: Message | BaseException | str) -> str:
    """As `translate`, in this language: for processes in which nobody reads."""
    with speaking(language):
        return translate(message)


_PLAIN = frozenset({str, int, float})
"""Shown as they stand: to look whether they keep one of the protocols takes most of the time of a table of figures."""


def _shown(value: object) -> object:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, datetime):
        return say_moment(value)
    if isinstance(value, ForReader):
        value = value.for_reader()
    if isinstance(value, Bilingual) and not isinstance(value, Message):
        return value.text(tongue())
    return translate(value) if isinstance(value, Message | BaseException) else value


def say_moment(moment: datetime) -> str:
    """A day and a time of day in UTC, to the minute."""
    return format_datetime(moment.astimezone(UTC), _MOMENT[tongue()], locale=tongue())


def say_day(moment: datetime) -> str:
    """The day of a moment, in UTC."""
    return format_datetime(moment.astimezone(UTC), _DAY[tongue()], locale=tongue())


@cache
def _translations(language: Tongue) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    compiled = io.BytesIO()
    with CATALOGUE.open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)
