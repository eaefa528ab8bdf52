"""What one onlooker is told of the story: how things stood when a round began, and what has happened since.

A record only grows at its end, so that a prompt which begins with it shares that beginning with the next one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from characterbox.play.chronicle import Chronicle, Passage
from characterbox.play.perception import Line, Onlooker, standing, told
from characterbox.prompts import Harmless, fill, harmless, words
from characterbox.values import Language


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that stand together, under the title of their round."""

    title: str
    lines: tuple[Line, ...]
    text: Harmless
    """The lines as the prompt shows them."""
    topics: frozenset[str]
    """The topics of the lines."""

    @classmethod
    def of(cls, title: str, lines: Iterable[Line]) -> "Section":
        """The section of these lines. A text of several lines keeps its shape, with all but the first moved in."""
        kept = tuple(lines)
        text = "\n".join("- " + "\n  ".join(one.memory.text.splitlines()) for one in kept)
        return cls(title, kept, harmless(text), frozenset(one.topic for one in kept if one.topic is not None))


class Record:
    """The record of one onlooker of a story, with its sections kept as long as they are shown."""

    def __init__(self, language: Language, onlooker: Onlooker) -> None:
        self._language = language
        self._onlooker = onlooker
        self._titles = words(language).memory
        self._since = 0
        self._standing: Section
        self._shown: dict[int, tuple[Passage, Section]] = {}
        """The sections by the number of their passage, each with the passage that it tells of."""

    def sections(self, chronicle: Chronicle, since: int) -> list[Section]:
        """How things stood when the round `since` began, each passage from then on, and last the one under way.

        Passages that tell the onlooker nothing are left out, but for the one under way.
        """
        passages = chronicle.since(since)
        if since != self._since:
            self._since, self._standing = since, self._standing_at(passages[0])
        first = len(chronicle.passages) - len(passages)
        self._shown = {number: self._section(number, passage) for number, passage in enumerate(passages, first)}
        *closed, under_way = [section for _, section in self._shown.values()]
        return [self._standing, *(section for section in closed if section.lines), under_way]

    def _section(self, number: int, passage: Passage) -> tuple[Passage, Section]:
        shown = self._shown.get(number)
        if shown is not None and shown[0] is passage:
            return shown
        title = fill(self._titles.round, round=str(passage.round))
        return passage, Section.of(title, told(self._onlooker, passage, self._language))

    def _standing_at(self, passage: Passage) -> Section:
        title = fill(self._titles.standing, round=str(passage.round))
        return Section.of(title, standing(self._onlooker, passage, self._language))


def as_text(sections: Iterable[Section]) -> Harmless:
    """The sections as the prompt shows them, with the title of each round once."""
    parts: list[str] = []
    title = None
    for section in sections:
        if section.lines:
            parts.append(section.text if section.title == title else f"{section.title}\n{section.text}")
            title = section.title
    return Harmless("\n\n".join(parts))
