"""The text of one field of a JSON reply, shown as it streams."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic_core import from_json

_LONGEST = 8_000
"""Characters of a reply that are read piece by piece: what is shown while it comes needs no more."""


@dataclass(slots=True)
class StreamedField:
    """Takes the pieces of a JSON reply, and shows what is new in the text of the field.

    A reply that is no JSON shows nothing: it is read as a whole later.
    """

    name: str
    show: Callable[[str], None]
    _reply: str = field(default="", init=False)
    _shown: str = field(default="", init=False)

    def add(self, piece: str) -> None:
        """Take one more piece."""
        if len(self._reply) > _LONGEST:
            return
        self._reply += piece
        start = self._reply.find("{")
        if start < 0:
            return
        try:
            content = from_json(self._reply[start:], allow_partial="trailing-strings")
        except ValueError:
            return
        text = content.get(self.name)
        if isinstance(text, str) and len(text) > len(self._shown) and text.startswith(self._shown):
            new, self._shown = text[len(self._shown) :], text
            self.show(new)
