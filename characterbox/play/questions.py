"""What the narrator and the characters are asked (paper, section 3.2), from the stable to the volatile.

Contracts and scene come first, then the profile, the record, what is recalled, and last the task. The record tells how
things stood when a round began, and what has happened since: it only grows at its end. Where all of it is too much for
a context window, the same question can be put with less to remember.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from characterbox.llm.request import NARRATOR, ChatMessage, Form, Request
from characterbox.llm.sampling import UNSENT, Sampling
from characterbox.play.memory import Memory, MemoryStream, weighed
from characterbox.play.memory_record import Prompt, recollection
from characterbox.play.perception import Line, Onlooker, memories, standing, told
from characterbox.play.world import Chronicle, Passage
from characterbox.prompts import Harmless, Words, fill, harmless, render, words
from characterbox.scenes.scene import Environment, Scene
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
    """The record of one onlooker of a story, with its sections kept as long as they are shown.

    Without, a call in a story of 20 rounds takes 0.8 ms more, and each further round adds to it.
    """

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


Place = tuple[int, int]
"""Where a line stands: the number of its section, _RECALLED for what is recalled, and its number there."""
_RECALLED = -1


@dataclass(frozen=True, slots=True)
class Question:
    """All that a request is made of."""

    path: str
    agent: Onlooker
    language: Language
    form: Form | None
    system: ChatMessage
    profile: tuple[str, ...]
    """The paragraphs about the one who is asked; none for the narrator."""
    record: Sequence[Section]
    """The last section is under way: nothing of it is ever left out."""
    recalled: Sequence[Memory]
    clock: int
    query: Sequence[str]
    """What a memory has to do with to be of use now."""
    task: str
    sampling: Sampling = UNSENT

    def request(self) -> Request:
        """The question with all there is to remember."""
        return self._without(0)

    def _without(self, count: int) -> Request:
        """The question without the `count` least useful lines."""
        left_out = self._least_useful()[:count] if count else []
        record, recalled = self.record, self.recalled
        if left_out:
            record = [_thinned(section, number, left_out) for number, section in enumerate(record)]
            recalled = [one for at, one in enumerate(recalled) if (_RECALLED, at) not in left_out]
        parts = [*self.profile, render("record", self.language, lines=as_text(record))]
        if recalled:
            parts.append(render("recalled", self.language, lines=as_text(_by_round(recalled, self.language))))
        messages = (self.system, ChatMessage("user", "\n\n".join([*parts, self.task])))
        dropped = tuple(self._at(place).text for place in left_out)
        return Request(
            self.path,
            self.agent,
            self.language,
            messages,
            self.form,
            droppable=self._droppable - count,
            drop=lambda more: self._without(count + more),
            dropped=dropped,
            remember=lambda: self._recollection(Prompt(messages, dropped), left_out),
            sampling=self.sampling,
        )

    def _recollection(self, prompt: Prompt, left_out: Sequence[Place]) -> str:
        """What there is to remember before the passage under way, the oldest first; how things stand is none."""
        places = [(_RECALLED, at) for at in range(len(self.recalled))]
        places += [place for place, line in reversed([*self._backwards()]) if line.topic is None]
        out = {place: number for number, place in enumerate(left_out)}
        told = [(self._at(place), place[0] == _RECALLED, out.get(place)) for place in places]
        return recollection(prompt, self.clock, self.query, told)

    @property
    def _droppable(self) -> int:
        """How many lines can be left out: the memories before the passage under way, and what is obsolete."""
        *before, under_way = self.record
        latest = frozenset[str]().union(*(section.topics for section in before)) - under_way.topics
        return len(self.recalled) + sum(len(section.lines) for section in before) - len(latest)

    def _least_useful(self) -> list[Place]:
        """Where all that can be left out stands, the least useful first; of equally useful lines the oldest first."""
        memories = {(_RECALLED, at): memory for at, memory in enumerate(self.recalled)}
        obsolete: list[Place] = []
        known = set(self.record[-1].topics)
        for place, line in self._backwards():
            if line.topic is None:
                memories[place] = line.memory
            elif line.topic in known:
                obsolete.append(place)
            else:
                known.add(line.topic)
        weights = weighed(memories.values(), self.query, clock=self.clock)
        use = dict.fromkeys(obsolete, 0.0) | {place: one.score for place, one in zip(memories, weights, strict=True)}
        return sorted(use, key=lambda place: (use[place], place))

    def _backwards(self) -> Iterator[tuple[Place, Line]]:
        """The lines before the passage under way, the latest first."""
        for number in reversed(range(len(self.record) - 1)):
            lines = self.record[number].lines
            yield from (((number, at), lines[at]) for at in reversed(range(len(lines))))

    def _at(self, place: Place) -> Memory:
        number, at = place
        return self.recalled[at] if number == _RECALLED else self.record[number].lines[at].memory


def _thinned(section: Section, number: int, left_out: Sequence[Place]) -> Section:
    kept = [line for at, line in enumerate(section.lines) if (number, at) not in left_out]
    return section if len(kept) == len(section.lines) else Section.of(section.title, kept)


def _by_round(memories: Sequence[Memory], language: Language) -> Iterator[Section]:
    for round, group in groupby(memories, key=lambda memory: memory.round):
        title = fill(words(language).memory.round, round=str(round))
        yield Section.of(title, map(Line, group))


def record_start(round: int) -> int:
    """The round with which a character's record begins: one or two rounds ago.

    It moves every second round only, so that the prompts of two rounds share their beginning.
    """
    return max(1, round // 2 * 2 - 1)


class Character:
    """One agent of the cast: its private profile and its memories of one story."""

    def __init__(self, scene: Scene, name: str, sampling: Sampling) -> None:
        self._scene = scene
        self._sampling = sampling
        self._name = name
        self._record = Record(scene.language, name)
        self._older = MemoryStream()
        self._passages_forgotten = 0
        profile, phrases = scene.profile(name), words(scene.language)
        self._profile = render(
            "character_profile",
            scene.language,
            name=name,
            gender=profile.gender or phrases.labels.unknown,
            description=profile.own_account,
        )
        seen = [fill(phrases.blocks.seen, name=who.name, position=who.position) for who in scene.cast]
        self._system = opening("character", scene, cast="\n".join(f"- {line}" for line in seen))

    def request(
        self, path: str, task: str, chronicle: Chronicle, *, form: Form | None = None, **values: str
    ) -> Request:
        """The request for one of the character's tasks, with the values that its prompt needs besides the name.

        Asked again and again, a character is asked along one story, whose chronicle grows.
        """
        language, clock = self._scene.language, chronicle.passage.clock
        since = record_start(chronicle.passage.round)
        record = self._record.sections(chronicle, since)
        me = chronicle.world.characters[self._name]
        here = f"{me.position} {me.state} {chronicle.world.environment.location}"
        query = [*(line.memory.text for line in record[-1].lines), here]
        self._forget(chronicle, since)
        return Question(
            path=path,
            agent=self._name,
            language=language,
            form=form,
            system=self._system,
            profile=(self._profile,),
            record=record,
            recalled=[one.memory for one in self._older.recall(query, clock=clock)],
            clock=clock,
            query=query,
            task=render(task, language, name=self._name, **values),
            sampling=self._sampling,
        ).request()

    def _forget(self, chronicle: Chronicle, since: int) -> None:
        """Leave what happened before the round `since` to be recalled."""
        shown = len(chronicle.passages) - len(chronicle.since(since))
        left = chronicle.passages[self._passages_forgotten : shown]
        language = self._scene.language
        self._older.remember([memory for passage in left for memory in memories(self._name, passage, language)])
        self._passages_forgotten = shown


def environment_block(environment: Environment, words: Words) -> str:
    """The environment as a block of text."""
    return fill(words.blocks.environment, **environment.model_dump()).strip()


def opening(task: str, scene: Scene, *, cast: str) -> ChatMessage:
    """The system message of the characters or the narrator: their contracts, and the scene as it opens."""
    prompt = render(
        task, scene.language, work=scene.work, title=scene.title, cast=cast, **scene.environment.model_dump()
    )
    return ChatMessage("system", prompt)


class Narrator:
    """The agent that knows every profile and decides what comes of what the characters do."""

    def __init__(self, scene: Scene, sampling: Sampling) -> None:
        self._scene = scene
        self._sampling = sampling
        self._record = Record(scene.language, NARRATOR)
        self._system = opening("narrator", scene, cast=people(scene))

    def request(self, path: str, task: str, chronicle: Chronicle, *, form: Form, **values: str) -> Request:
        """The request for one of the narrator's tasks; its record is that of the round."""
        now = chronicle.passage
        record = self._record.sections(chronicle, now.round)
        return Question(
            path=path,
            agent=NARRATOR,
            language=self._scene.language,
            form=form,
            system=self._system,
            profile=(),
            record=record,
            recalled=(),
            clock=now.clock,
            query=[line.memory.text for line in record[-1].lines],
            task=render(task, self._scene.language, **values),
            sampling=self._sampling,
        ).request()


def people(scene: Scene) -> str:
    """The cast with all that is known of everybody, a paragraph each."""
    phrases = words(scene.language)
    return "\n".join(
        fill(
            phrases.blocks.person,
            name=who.name,
            gender=who.gender or phrases.labels.unknown,
            profile=who.account,
            position=who.position,
            state=who.state,
        ).strip()
        for who in scene.cast
    )
