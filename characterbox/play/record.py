"""What an onlooker is told of a story: the round under way and, of what was before, as much as fits a budget."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from characterbox.llm.usage import estimated_tokens
from characterbox.play.memory import Memory
from characterbox.play.names import Onlooker
from characterbox.play.observations import Line, lasting, standing, told
from characterbox.play.world import Chronicle, Passage
from characterbox.prompts import Harmless, MemoryLines, fill, harmless, words
from characterbox.scenes.scene import Scene
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
    """What one onlooker is told of a story: the round under way and, of what was before, as much as fits a budget.

    It begins anew with each round, and grows only at its end until the next. Its sections are kept as long as they are
    shown: without, a call in a story of 20 rounds takes 0.8 ms more, and each further round adds to it.
    """

    def __init__(self, scene: Scene, onlooker: Onlooker, budget: int) -> None:
        self._scene = scene
        self._onlooker = onlooker
        self._budget = budget
        self._titles = words(scene.language).memory
        self._round: int | None = None
        self.lately = 0
        """How many memories of the rounds before are shown."""
        self.before: Sequence[Section] = ()
        """What happened last before the round, and how things stood as it began."""
        self._shown: dict[int, tuple[Passage, Section]] = {}
        """The sections by the number of their passage, each with the passage that it tells of."""

    def sections(self, chronicle: Chronicle) -> list[Section]:
        """What happened last before the round, how things stood as it began, each passage of it, and last the one under
        way.

        Passages that tell the onlooker nothing are left out, but for the one under way.
        """
        round, passages = chronicle.passage.round, chronicle.passages
        first = chronicle.first_of(round)
        if round != self._round:
            self._round = round
            self._begin(passages, first)
        numbers = range(first, len(passages))
        self._shown = {number: self._section(number, passages[number]) for number in numbers}
        *closed, under_way = [section for _, section in self._shown.values()]
        return [*self.before, *(section for section in closed if section.lines), under_way]

    def _begin(self, passages: Sequence[Passage], first: int) -> None:
        """Find what happened last before a round, as much as fits the budget, and how things stand as it begins."""
        lately: list[Memory] = []
        room: float = self._budget
        for memory in self._backwards(passages[:first]):
            room -= estimated_tokens(memory.text)
            if room < 0:
                break
            lately.insert(0, memory)
        self.lately = len(lately)
        stands = Section.of(self._titles.standing, standing(self._onlooker, passages[first], self._scene))
        self.before = [*by_round(lately, self._scene.language), stands]

    def _backwards(self, passages: Sequence[Passage]) -> Iterator[Memory]:
        """What is kept of these passages, the latest first."""
        for passage in reversed(passages):
            yield from reversed([*lasting(self._onlooker, passage, self._scene.language)])

    def _section(self, number: int, passage: Passage) -> tuple[Passage, Section]:
        shown = self._shown.get(number)
        if shown is not None and shown[0] is passage:
            return shown
        lines = told(self._onlooker, passage, self._scene.language)
        return passage, Section.of(heading_of(passage.round, self._titles), lines)


def heading_of(round: int, titles: MemoryLines) -> str:
    """The heading of what happened in a round; that of round 0 is of what was before the first."""
    return fill(titles.round, round=str(round)) if round else titles.opening


def as_text(sections: Iterable[Section]) -> Harmless:
    """The sections as the prompt shows them, with the title of each round once."""
    parts: list[str] = []
    title = None
    for section in sections:
        if section.lines:
            parts.append(section.text if section.title == title else f"{section.title}\n{section.text}")
            title = section.title
    return Harmless("\n\n".join(parts))


def by_round(memories: Sequence[Memory], language: Language) -> Iterator[Section]:
    for round, group in groupby(memories, key=lambda memory: memory.round):
        yield Section.of(heading_of(round, words(language).memory), map(Line, group))
