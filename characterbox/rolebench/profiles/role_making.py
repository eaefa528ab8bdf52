"""A role made with a model's help: audit, description, catchphrases, distinctiveness; rounds out of a novel.

As in RoleLLM (2.2, appendix C, 1 and 2, appendix I.3 and I.4): an audit asks the model basic questions about the role,
whose answers a person checks; then it describes the role, in the third person and once more addressed to it, names its
catchphrases, and says with the reason how distinct its way of speaking is. The paper lets it say so twice, the second
time by work and name alone, and takes the upper two levels; here it judges by work and name, and by what the role
says, where that is known. All that comes of it are proposals: a role has them once somebody accepts them.

Of a novel, the model takes the rounds of the role out of each passage; what is not in the passage is not taken.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from annotations.i18n.messages import Message
from characterbox.crafting.request import Piece
from characterbox.crafting.sources.passages import split, text_of
from characterbox.crafting.sources.source import Source
from characterbox.errors import RoleError
from characterbox.llm.endpoint import named
from characterbox.llm.replies.reading import read_prose
from characterbox.llm.request import Ask, ChatMessage, Form, Request, answer
from characterbox.llm.sampling import Sampling
from characterbox.prompts import fill, render, words
from characterbox.rolebench.context_instruct import SAMPLING
from characterbox.rolebench.generation import Generation, Known, Task, Unread
from characterbox.rolebench.profiles.excerpts import ROUNDS, Excerpt, Refusal, RejectedRound, letters, read_excerpt
from characterbox.rolebench.profiles.proposals import (
    CATCHPHRASES,
    LEVEL,
    read_catchphrases,
    read_description,
    read_level,
)
from characterbox.rolebench.segments import LONGEST_SEGMENT, length
from characterbox.roles.prompting import told
from characterbox.roles.role import (
    DISTINCT,
    Catchphrase,
    Description,
    Dialogues,
    Distinctiveness,
    Provenance,
    Role,
    Turn,
)
from characterbox.scenes.scene import MOST_HEADING
from characterbox.values import Language

QUESTIONS = ("identity", "work", "world", "people", "wish", "event", "ending", "speech")
"""What the audit asks; in the words of a language under `audit`."""
PASSAGE: dict[Language, int] = {"en": 4_000, "zh": 1_500}
"""Characters of a passage, at most: what is said in it fits into a reply."""
_SPOKEN = re.compile(r"[“‘「『«\"]|[曰道云][：:]")
"""Stands in a passage in which somebody speaks; in older Chinese prose without quotation marks."""
Part = Literal["description", "catchphrases", "distinctiveness"]
"""What is proposed for a role."""
Basis = Literal["named", "shown"]
BASES: tuple[Basis, ...] = ("named", "shown")
"""By what the distinctiveness is judged: by work and name alone, or by what the role says."""


class Audited(NamedTuple):
    """A question of the audit; what is checked is whether the model knows the role."""

    question: str
    answer: str | Unread | None
    """None where it is not asked yet."""


class ProposedPhrase(NamedTuple):
    """A catchphrase that is proposed."""

    phrase: Catchphrase
    times: int
    """In how many rounds the role says it: the model may have made up one that is in none."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model has come to so far for a role."""

    role: Role
    """As it was given, with the rounds that were found in the novel."""
    audit: tuple[Audited, ...]
    description: Description | None
    catchphrases: tuple[ProposedPhrase, ...] | None
    """None where they are not told, or could not be read; empty where the model knows of none."""
    distinctiveness: dict[Basis, Distinctiveness]
    """Those that could be read."""
    rejected: tuple[RejectedRound, ...]
    """Rounds of the novel that are not taken."""
    unread: dict[str, Unread]
    """The tasks of which nothing could be read, by name."""

    @property
    def reasons(self) -> Counter[Refusal]:
        """How many rounds were rejected for which reason."""
        return Counter(one.reason for one in self.rejected)

    @property
    def judged(self) -> Distinctiveness | None:
        """What is proposed as the role's: that by what it says, where there is one."""
        return self.distinctiveness.get("shown") or self.distinctiveness.get("named")

    @property
    def distinct(self) -> bool | None:
        """Whether the paper would choose the role: each time one of the upper two levels; None if none is known."""
        levels = [one.level for one in self.distinctiveness.values()]
        return all(level >= DISTINCT for level in levels) if levels else None

    def accepted(self, parts: Iterable[Part]) -> Role:
        """The role with these proposals, as the model made them. Raises RoleError where one is not there."""
        phrases = None if self.catchphrases is None else [one.phrase for one in self.catchphrases]
        known = {one.text for one in self.role.catchphrases}
        proposed = {
            "description": self.description,
            "catchphrases": phrases and (*self.role.catchphrases, *(one for one in phrases if one.text not in known)),
            "distinctiveness": self.judged,
        }
        for part in parts:
            if not proposed[part]:
                raise RoleError("{part}: the model has proposed none that can be read; leave it out", part=part)
        return self.role.model_copy(update={part: proposed[part] for part in parts})


class RoleMaking(Generation):
    """What a model is to write for a role, and out of which passages it is to take its rounds."""

    way: Literal["role"] = "role"
    role: Role
    """What is known of it: its name, language and work at least."""
    passages: tuple[Piece, ...] = ()
    """Of a novel, in its order."""
    sampling: Sampling = Field(default=SAMPLING)

    @model_validator(mode="after")
    def _speaks_as_the_role(self) -> Self:
        if self.role.language != self.language:
            raise ValueError(Message("the role {id!r} is of another language", id=self.role.id))
        return self

    @property
    def by_model(self) -> Provenance:
        """Where a proposal comes from."""
        return Provenance(source=named(self.model)[:MOST_HEADING], model=named(self.model))

    def tasks(self, known: Known) -> Iterator[Task]:
        """The audit and the passages; and when all passages are read, what rests on the rounds in them."""
        for key in QUESTIONS:
            yield Task(f"audit/{key}", partial(self._audited, key))
        yield Task("distinctiveness/named", partial(self._judged, "named", self._no_lines))
        places = [f"passage/{number}" for number in range(1, len(self.passages) + 1)]
        for place, piece in zip(places, self.passages, strict=True):
            yield Task(place, partial(self._excerpt, place, piece))
        if all(place in known for place in places):
            lines = self._lines(self.with_rounds(known))
            yield Task("description", partial(self._described, lines))
            yield Task("catchphrases", partial(self._phrases, lines))
            if lines != self._no_lines:
                yield Task("distinctiveness/shown", partial(self._judged, "shown", lines))

    def with_rounds(self, known: Known) -> Role:
        """The role with the rounds that were found in the passages so far, those of each from a source of its own."""
        found = [
            Dialogues(provenance=Provenance(source=self._place(piece)), rounds=excerpt.rounds)
            for number, piece in enumerate(self.passages, 1)
            if isinstance(excerpt := known.get(f"passage/{number}"), Excerpt) and excerpt.rounds
        ]
        return self.role.model_copy(update={"dialogues": (*self.role.dialogues, *found)})

    def result(self, known: Known) -> Proposal:
        """What has been proposed so far."""
        role, phrases, description = self.with_rounds(known), known.get("catchphrases"), known.get("description")
        return Proposal(
            role,
            tuple(Audited(self._question(key), known.get(f"audit/{key}")) for key in QUESTIONS),
            Description(text=description, provenance=self.by_model) if isinstance(description, str) else None,
            None
            if not isinstance(phrases, tuple) or isinstance(phrases, Unread)
            else tuple(self._found(phrases, role)),
            {basis: judged for basis in BASES if (judged := self._level(known.get(f"distinctiveness/{basis}")))},
            tuple(one for each in known.values() if isinstance(each, Excerpt) for one in each.rejected),
            {name: one for name, one in known.items() if isinstance(one, Unread)},
        )

    def _found(self, phrases: Iterable[str], role: Role) -> Iterator[ProposedPhrase]:
        said = [letters(one.answer).casefold() for one in role.rounds]
        for text in phrases:
            wanted = letters(text).casefold().rstrip(".!?。！？…")
            times = sum(wanted in one for one in said) if wanted else 0
            yield ProposedPhrase(Catchphrase(text=text, provenance=self.by_model), times)

    def _level(self, outcome: Any) -> Distinctiveness | None:
        if outcome is None or isinstance(outcome, Unread):
            return None
        level, reason = outcome
        return Distinctiveness(level=level, reason=reason, provenance=self.by_model)

    def _place(self, piece: Piece) -> str:
        """Where rounds come from that a model took out of a passage."""
        passage = piece.passage
        place = f"{passage.source}, {passage.chapter}" if passage.chapter else passage.source
        told_of = {"start": f"{passage.start + 1:,}", "end": f"{passage.end:,}", "model": named(self.model)}
        return fill(words(self.language).role.passage, place=place[: MOST_HEADING // 2], **told_of)[:MOST_HEADING]

    @property
    def _no_lines(self) -> str:
        return words(self.language).role.no_lines

    def _lines(self, role: Role) -> str:
        """What the role says, with what was said before: rounds from all over its dialogues, as many as fit."""
        return told(evidence_of(role), role.language) or self._no_lines

    def _question(self, key: str) -> str:
        return fill(getattr(words(self.language).audit, key), name=self.role.name)

    async def _audited(self, key: str, ask: Ask) -> str:
        task = self._task("role_question", question=self._question(key))
        return await answer(ask, self._asked(f"audit/{key}", "role_auditor", task), read_prose)

    async def _described(self, lines: str, ask: Ask) -> str:
        first = self._asked("description", "role_writer", self._task("role_describe", lines=lines))
        told_of = await answer(ask, first, read_description)
        task = render("role_address", self.language, description=told_of)
        return await answer(ask, self._asked("description/addressed", "role_writer", task), read_description)

    async def _phrases(self, lines: str, ask: Ask) -> tuple[str, ...]:
        task = self._task("role_catchphrases", lines=lines)
        return await answer(ask, self._asked("catchphrases", "role_writer", task, CATCHPHRASES), read_catchphrases)

    async def _judged(self, basis: Basis, lines: str, ask: Ask) -> tuple[int, str]:
        task = self._task("role_distinctiveness", lines=lines)
        return await answer(ask, self._asked(f"distinctiveness/{basis}", "role_writer", task, LEVEL), read_level)

    async def _excerpt(self, path: str, piece: Piece, ask: Ask) -> Excerpt:
        phrases, names = words(self.language), (self.role.name, *self.role.other_names)
        others = phrases.blocks.comma.join(self.role.other_names) or phrases.role.no_other_names
        task = self._task("role_passage", others=others, passage=piece.text)
        request = self._asked(path, "role_reader", task, ROUNDS)
        return await answer(ask, request, partial(read_excerpt, passage=piece.text, names=names))

    def _task(self, name: str, **more: str) -> str:
        return render(name, self.language, work=self.role.work, name=self.role.name, **more)

    def _asked(self, path: str, system: str, task: str, form: Form | None = None) -> Request:
        messages = (ChatMessage("system", render(system, self.language)), ChatMessage("user", task))
        return Request(path, self.agent, self.language, messages, form, sampling=self.sampling)


def passages_of(source: Source, language: Language) -> tuple[tuple[Piece, ...], int]:
    """The passages of a novel in which somebody speaks, and how many others there are.

    Raises RoleError where there is none.
    """
    all = split(source, PASSAGE[language])
    pieces = tuple(Piece(passage=one, text=text) for one in all if _SPOKEN.search(text := text_of(source, one)))
    if not pieces:
        raise RoleError("{name}: nobody speaks in it, as far as quotation marks tell; choose a novel", name=source.name)
    return pieces, len(all) - len(pieces)


def evidence_of(role: Role) -> tuple[Turn, ...]:
    """Turns by which a model can judge how a role speaks: whole rounds, spread evenly over all of its dialogues, of no
    more words, in Chinese characters, than a segment of Context-Instruct has."""
    rounds = [*role.rounds]
    sizes = [sum(length(turn.text, role.language) for turn in one.turns) for one in rounds]
    if (whole := sum(sizes)) <= LONGEST_SEGMENT:
        return tuple(turn for one in rounds for turn in one.turns)
    count = max(len(rounds) * LONGEST_SEGMENT // whole, 1)
    chosen, left = [], LONGEST_SEGMENT
    for at in range(count):
        place = at * len(rounds) // count
        if sizes[place] <= left:
            chosen.append(rounds[place])
            left -= sizes[place]
    return tuple(turn for one in chosen for turn in one.turns)
