"""Reads a filled-in prompt back: the template that wrote it also tells where its values stand."""

import re
from dataclasses import dataclass
from functools import cache

from characterbox.prompts import template
from characterbox.values import Language

_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shape:
    """A template as the texts between its variables: `texts[0] $names[0] texts[1] ...`."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Shape":
        """The shape of a template."""
        parts = _VARIABLE.split(text)
        return cls(texts=tuple(parts[::2]), names=tuple(parts[1::2]))

    def read(self, text: str) -> dict[str, str] | None:
        """The values of the last place in `text` that has this shape; None if there is no such place.

        A variable at the very end reaches to the end of its line.
        """
        at = text.rfind(self.texts[0])
        if at < 0:
            return None
        values: dict[str, str] = {}
        start = at + len(self.texts[0])
        for name, following in zip(self.names, self.texts[1:], strict=True):
            end = text.find(following or "\n", start)
            if end < 0 and following:
                return None
            end = end if end >= 0 else len(text)
            values.setdefault(name, text[start:end])
            start = end + len(following)
        return values


@cache
def shape(task: str, language: Language) -> Shape:
    """The shape of a prompt."""
    return Shape.of(template(task, language))
