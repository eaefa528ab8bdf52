"""What the narrator and the characters are asked (paper, section 3.2), from the stable to the volatile.

Contracts and scene come first, then the profile, what is recalled, the record, and last the task. The record tells how
things stood before it, and what has happened since: within a round it only grows at its end. Where all of it is too
much for a context window, the same question can be put with less to remember.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from characterbox.llm.request import NARRATOR, ChatMessage, Form, Request
from characterbox.llm.vectors import Vector
from characterbox.play.memory import Memory, MemoryStream, Recalled, weigh, weighed
from characterbox.play.memory_record import Prompt, recollection
from characterbox.play.names import Onlooker
from characterbox.play.observations import Line, company, in_names_of, lasting
from characterbox.play.record import Record, Section, as_text, by_round
from characterbox.play.settings import Settings
from characterbox.play.world import Chronicle, Passage, World
from characterbox.prompts import Words, fill, render, words
from characterbox.scenes.scene import Environment, Profile, Scene
from characterbox.values import Language

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
    recalled: Sequence[Recalled]
    clock: int
    query: Sequence[str]
    """What a memory has to do with to be of use now."""
    model: str | None
    """The embedding model that measured how much what is recalled has to do with it; None where letters did."""
    task: str
    settings: Settings

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
        parts = list(self.profile)
        if recalled:
            lines = as_text(by_round([one.memory for one in recalled], self.language))
            parts.append(render("recalled", self.language, lines=lines))
        parts.append(render("record", self.language, lines=as_text(record)))
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
            sampling=self.settings.narrator if self.agent is NARRATOR else self.settings.characters,
        )

    def _recollection(self, prompt: Prompt, left_out: Sequence[Place]) -> str:
        """What there is to remember before the passage under way, the oldest first; how things stand is none."""
        places = [(_RECALLED, at) for at in range(len(self.recalled))]
        places += [place for place, line in reversed([*self._backwards()]) if line.topic is None]
        out = {place: number for number, place in enumerate(left_out)}
        told = [(self._at(place), place[0] == _RECALLED, out.get(place)) for place in places]
        measured = None if self.model is None else (self.model, [one.relevance or 0.0 for one in self.recalled])
        return recollection(prompt, self.clock, self.query, told, measured)

    @property
    def _droppable(self) -> int:
        """How many lines can be left out: the memories before the passage under way, and what is obsolete."""
        *before, under_way = self.record
        latest = frozenset[str]().union(*(section.topics for section in before)) - under_way.topics
        return len(self.recalled) + sum(len(section.lines) for section in before) - len(latest)

    def _least_useful(self) -> list[Place]:
        """Where all that can be left out stands, the least useful first; of equally useful lines the oldest first."""
        memories = {(_RECALLED, at): one.memory for at, one in enumerate(self.recalled)}
        obsolete: list[Place] = []
        known = set(self.record[-1].topics)
        for place, line in self._backwards():
            if line.topic is None:
                memories[place] = line.memory
            elif line.topic in known:
                obsolete.append(place)
            else:
                known.add(line.topic)
        use = dict.fromkeys(obsolete, 0.0) | dict(zip(memories, self._scores(memories), strict=True))
        return sorted(use, key=lambda place: (use[place], place))

    def _scores(self, memories: Mapping[Place, Memory]) -> list[float]:
        """How useful the memories at these places are. An embedding model has measured only what is recalled."""
        settings = self.settings.memory
        if self.model is None:
            weights = weighed(memories.values(), self.query, clock=self.clock, settings=settings)
            return [one.score for one in weights]
        return [
            self.recalled[at].score if number == _RECALLED else weigh(memory, None, self.clock, settings).score
            for (number, at), memory in memories.items()
        ]

    def _backwards(self) -> Iterator[tuple[Place, Line]]:
        """The lines before the passage under way, the latest first."""
        for number in reversed(range(len(self.record) - 1)):
            lines = self.record[number].lines
            yield from (((number, at), lines[at]) for at in reversed(range(len(lines))))

    def _at(self, place: Place) -> Memory:
        number, at = place
        return self.recalled[at].memory if number == _RECALLED else self.record[number].lines[at].memory


def _thinned(section: Section, number: int, left_out: Sequence[Place]) -> Section:
    kept = [line for at, line in enumerate(section.lines) if (number, at) not in left_out]
    return section if len(kept) == len(section.lines) else Section.of(section.title, kept)


class Measured(Protocol):
    """Vectors that an embedding model gave."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def vectors(self) -> Mapping[str, Vector]:
        """The vectors by text: all that are needed for a request, as soon as it is made."""


class Character:
    """One agent of the cast: its private profile and its memories of one story."""

    def __init__(self, scene: Scene, name: str, settings: Settings, measured: "Measured | None" = None) -> None:
        """`measured` are the vectors by which it recalls, where an embedding model gives them; else letters do."""
        self._scene = scene
        self._name = name
        self._settings = settings
        self._record = Record(scene, name, settings.memory.record_tokens)
        self._older = MemoryStream(settings.memory, None if measured is None else measured.vectors.__getitem__)
        self._model = None if measured is None else measured.model
        self._passages_perceived = 0
        self._lately: list[Memory] = []
        """What the record shows of the rounds before: it has not left it yet."""
        self._round: tuple[int, Sequence[str]] = (-1, ())
        """The clock and the query as the present round began."""
        self._recalled: tuple[int, Sequence[Recalled]] = (-1, ())
        """What is recalled in the round that began at a clock."""
        self._profile = profile_of(scene, name)
        self._system = opening("character", as_known_to(name, scene))

    def request(
        self, path: str, task: str, chronicle: Chronicle, *, form: Form | None = None, **values: str
    ) -> Request:
        """The request for one of the character's tasks, with the values that its prompt needs besides the name.

        Asked again and again, a character is asked along one story, whose chronicle grows.
        """
        language = self._scene.language
        record = self._record.sections(chronicle)
        clock, query = self._begin(chronicle)
        return Question(
            path=path,
            agent=self._name,
            language=language,
            form=form,
            system=self._system,
            profile=(self._profile,),
            record=record,
            recalled=self._remembering(),
            clock=clock,
            query=query,
            model=self._model,
            task=render(task, language, name=self._name, **values),
            settings=self._settings,
        ).request()

    def unmeasured(self, chronicle: Chronicle) -> Iterator[str]:
        """The texts whose vectors are needed before anything is asked in the round under way."""
        self._record.sections(chronicle)
        _, query = self._begin(chronicle)
        if self._older.recalls and self._recalled[0] != self._round[0]:
            yield from query
            yield from self._older.unmeasured

    def _begin(self, chronicle: Chronicle) -> tuple[int, Sequence[str]]:
        """The clock as the round under way began, and what was on the character's mind then: what it believes, where it
        is and what happened last. What it recalls by that stays for the round, so that its prompts share their
        beginning.
        """
        passages, number = chronicle.passages, chronicle.first_of(chronicle.passage.round)
        clock = passages[number].clock
        if self._round[0] != clock:
            self._forget(passages[:number])
            self._round = (clock, [line.memory.text for section in self._record.before for line in section.lines])
        return self._round

    def _remembering(self) -> Sequence[Recalled]:
        """What is recalled in the round that was begun."""
        clock, query = self._round
        if self._recalled[0] != clock:
            self._recalled = (clock, self._older.recall(query, clock=clock))
        return self._recalled[1]

    def _forget(self, passages: Sequence[Passage]) -> None:
        """Leave all that happened in these passages to be recalled, but for what the record still shows."""
        language, perceived = self._scene.language, self._lately
        for passage in passages[self._passages_perceived :]:
            perceived += lasting(self._name, passage, language)
        self._passages_perceived = len(passages)
        left = len(perceived) - self._record.lately
        self._older.remember(perceived[:left])
        self._lately = perceived[left:]


def profile_of(scene: Scene, name: str) -> str:
    """What a character is told of itself, and of those whom it sees or hears as the scene opens."""
    profile, phrases = scene.profile(name), words(scene.language)
    others = "\n".join(f"- {line}" for line in company(name, scene))
    return render(
        "character_profile",
        scene.language,
        name=name,
        gender=profile.gender or phrases.labels.unknown,
        description="\n".join([profile.own_account, *_mask(profile, phrases)]),
        others=others or phrases.blocks.nobody,
    )


def as_known_to(name: str, scene: Scene) -> Scene:
    """The scene with its environment in the names that a character knows."""
    return scene.model_copy(update={"environment": in_names_of(scene.environment, name, World.opening(scene))})


def _mask(profile: Profile, phrases: Words) -> Iterator[str]:
    """What those call a character who do not know it: without a word on who they are."""
    if aliases := dict.fromkeys(alias.name for alias in profile.known_as):
        yield fill(phrases.blocks.mask, alias=phrases.blocks.either.join(aliases))


def _masked(profile: Profile, scene: Scene, between: str) -> Iterator[str]:
    """What others who do not know its name call a character, as the narrator is told it, a line each."""
    blocks = words(scene.language).blocks
    for alias in profile.known_as:
        by = between.join(alias.by) or blocks.everybody
        yield fill(blocks.masked, name=profile.name, alias=alias.name, by=by)


def environment_block(environment: Environment, words: Words) -> str:
    """The environment as a block of text."""
    return fill(words.blocks.environment, **environment.model_dump()).strip()


def opening(task: str, scene: Scene, **values: str) -> ChatMessage:
    """The system message of the characters or the narrator: their contracts, and the scene as it opens.

    Its title is not told: a headline says what nobody there knows.
    """
    return ChatMessage(
        "system", render(task, scene.language, work=scene.work, **values, **scene.environment.model_dump())
    )


class Narrator:
    """The agent that knows every profile and decides what comes of what the characters do and say."""

    def __init__(self, scene: Scene, settings: Settings) -> None:
        self._scene = scene
        self._settings = settings
        phrases = words(scene.language)
        known = "\n".join(line for who in scene.cast for line in _masked(who, scene, phrases.blocks.comma))
        may_recognise = fill(phrases.blocks.may_recognise, masks=known) if known else ""
        self._system = opening("narrator", scene, cast=_everybody(scene), recognition=may_recognise)
        self._record = Record(scene, NARRATOR, settings.memory.record_tokens)

    def request(self, path: str, task: str, chronicle: Chronicle, *, form: Form, **values: str) -> Request:
        """The request for one of the narrator's tasks."""
        record = self._record.sections(chronicle)
        return Question(
            path=path,
            agent=NARRATOR,
            language=self._scene.language,
            form=form,
            system=self._system,
            profile=(),
            record=record,
            recalled=(),
            clock=chronicle.passage.clock,
            query=[line.memory.text for line in record[-1].lines],
            model=None,
            task=render(task, self._scene.language, **values),
            settings=self._settings,
        ).request()


def _everybody(scene: Scene) -> str:
    """The cast with all that is known of who everybody is, a paragraph each."""
    phrases = words(scene.language)
    return "\n".join(
        fill(
            phrases.blocks.person,
            name=who.name,
            gender=who.gender or phrases.labels.unknown,
            profile=who.account.replace("\n", "\n  "),
        )
        for who in scene.cast
    )
