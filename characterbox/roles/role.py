"""A role that a model is to speak like: its description, its catchphrases and its dialogues (RoleLLM, appendices C, H).

A role is a profile of a character that belongs to no scene. Each part of it says where it comes from, which model wrote
it if one did, and whether a person has verified it.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Self

from pydantic import Field, NonNegativeInt, model_validator

from annotations.i18n.messages import Message
from characterbox.scenes.scene import MOST_HEADING, MOST_NAME, Text, slug_of
from characterbox.values import Language, Value

FEWEST_TURNS = 25
"""Turns of a role below which its speech is known too little (RoleLLM, appendix C, 1)."""
MOST_ROUNDS = 20_000
LEVELS = (1, 2, 3, 4)
"""How distinct a way of speaking is: not, somewhat, very, extremely (RoleLLM, appendix I.3)."""
DISTINCT = 3
"""The level from which on the paper takes a role: the upper two."""

Name = Annotated[Text, Field(max_length=MOST_NAME)]


class Provenance(Value):
    """Where a part of a role comes from."""

    source: Annotated[Text, Field(max_length=MOST_HEADING)]
    """The file, work, story or person that it was taken from or written by."""
    model: Text | None = None
    """The model that wrote it; None for what people wrote, and what stands in the source."""
    verified: bool = False
    """Whether a person has checked it."""


class Turn(Value):
    """What somebody says at a time, with what they do meanwhile; or what is narrated."""

    speaker: Name | None = None
    """None for narration."""
    text: Text


class Round(Value):
    """Turns that follow one another and end with the role's own (RoleLLM, appendix B)."""

    act: NonNegativeInt = 0
    """Which part of the source it stands in: acts, scenes, episodes or chapters, counted from 1; 0 where there are
    none."""
    turns: Annotated[tuple[Turn, ...], Field(min_length=1)]

    @property
    def answer(self) -> str:
        """What the role says."""
        return self.turns[-1].text

    @property
    def before(self) -> tuple[Turn, ...]:
        """What was said and told before it; none where the role speaks first."""
        return self.turns[:-1]


class Dialogues(Value):
    """The rounds that were taken from one source, in its order."""

    provenance: Provenance
    rounds: Annotated[tuple[Round, ...], Field(min_length=1, max_length=MOST_ROUNDS)]


class Description(Value):
    """Who the role is, told to itself: in the second person."""

    text: Text
    provenance: Provenance


class Catchphrase(Value):
    """What the role is known to say."""

    text: Annotated[Text, Field(max_length=MOST_HEADING)]
    provenance: Provenance


class Distinctiveness(Value):
    """How distinct the role's way of speaking is, by its words alone (RoleLLM, appendix C, 1)."""

    level: Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])]
    reason: Text
    """Why."""
    provenance: Provenance


class Role(Value):
    """A role with all that is known of how it speaks."""

    id: Text
    """What the role is known by; no two roles of a file have the same."""
    name: Name
    language: Language
    """The language of all its texts."""
    work: Annotated[Text, Field(max_length=MOST_HEADING)]
    """The novel, play, film or life it belongs to."""
    author: Text | None = None
    """Who wrote the work."""
    other_names: tuple[Name, ...] = ()
    """Other names under which it speaks in its sources."""
    category: Text | None = None
    """What kind of figure it is, such as `detective`."""
    work_category: Text | None = None
    """What kind of work it belongs to, such as `tragedy`."""
    description: Description | None = None
    catchphrases: tuple[Catchphrase, ...] = ()
    dialogues: tuple[Dialogues, ...] = ()
    distinctiveness: Distinctiveness | None = None

    @model_validator(mode="after")
    def _rounds_end_with_the_role(self) -> Self:
        if not slug_of(self.name):
            raise ValueError(Message("the name {name!r} has no letter or digit", name=self.name))
        for number, part in enumerate(self.dialogues):
            for place, one in enumerate(part.rounds):
                if one.turns[-1].speaker != self.name:
                    where = f"dialogues[{number}].rounds[{place}]"
                    raise ValueError(
                        Message("{where}: a round has to end with a turn of {name!r}", where=where, name=self.name)
                    )
        return self

    @property
    def rounds(self) -> Iterator[Round]:
        """All rounds, source after source."""
        return chain.from_iterable(part.rounds for part in self.dialogues)

    @property
    def turns(self) -> int:
        """How many turns of the role itself are known."""
        return sum(turn.speaker == self.name for one in self.rounds for turn in one.turns)

    @property
    def provenances(self) -> tuple[Provenance, ...]:
        """Those of all its parts."""
        alone = (self.description, self.distinctiveness)
        parts = (*alone, *self.catchphrases, *self.dialogues)
        return tuple(part.provenance for part in parts if part is not None)

    @property
    def verified(self) -> bool:
        """Whether a person has checked all its parts; one without a description is not finished."""
        return self.description is not None and all(one.verified for one in self.provenances)
