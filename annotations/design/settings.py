"""The settings of a campaign, and what its plan is made of: items, raters, design and assignments.

Ids are opaque: nothing is read out of them, and they are only ever compared.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from annotations.i18n.messages import Readable
from annotations.rubrics.rubric import Key, Text

FEWEST_REPEATS, MOST_REPEATS = 0.05, 0.10
"""The share of an expert's own items that come back unannounced, if any do."""

Status = Literal["draft", "running", "paused", "closed"]
"""Draft: it can still be changed, and nobody sees it. Running: it takes ratings. Paused: the experts see it, and it
takes none for now. Closed: it is over; it can be reopened."""
MOVES: dict[Status, tuple[Status, ...]] = {
    "draft": ("running",),
    "running": ("paused", "closed"),
    "paused": ("running", "closed"),
    "closed": ("running",),
}
"""What may come after what."""
Purpose = Literal["rate", "practice", "check"]
"""Why an expert has an item: to rate it; to learn from its gold scores; to show that it was read."""


class Settings(BaseModel):
    """The settings of a campaign. Once it has started, name and deadline can change and the raters per item grow; all
    else stays as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Annotated[Text, StringConstraints(max_length=120)]
    rubric: Key
    rubric_version: Text
    raters_per_item: Annotated[int, Field(ge=1, le=50)]
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)]
    """Of who rates what, and in which order."""
    repeats: Annotated[float, Field(ge=0, le=MOST_REPEATS)]
    """The share of hidden repeats."""
    practice: bool
    """Whether an expert must first qualify on the practice set."""
    threshold: Annotated[float, Field(ge=0.5, le=1)]
    """The share of practice scores that must lie within one point of the gold."""
    attempts: Annotated[int, Field(ge=1, le=5)]
    """How often an expert may try to qualify."""
    checks: Annotated[int, Field(ge=0, le=10)]
    """Attention checks among the items of each expert."""
    asks_model: bool
    """Whether the expert is asked, after each item, which model it was."""
    minutes: Annotated[float, Field(gt=0, le=120)]
    """How long an item is expected to take, in minutes."""
    deadline: AwareDatetime | None = None

    @model_validator(mode="after")
    def _repeats_in_range(self) -> Self:
        if 0 < self.repeats < FEWEST_REPEATS:
            raise ValueError(f"repeats: give 0, or from {FEWEST_REPEATS:g} to {MOST_REPEATS:g} of an expert's items")
        return self


Kin = tuple[str, str]
"""Scene and character: items that share both show the same role, and never come one after the other."""


@dataclass(frozen=True)
class Candidate:
    """An item that a campaign may have rated."""

    item: str
    scene: str
    character: str
    model: str
    language: str

    @property
    def kin(self) -> Kin:
        """The role that is played."""
        return self.scene, self.character


@dataclass(frozen=True)
class Rater:
    """An expert."""

    id: str
    languages: frozenset[str]
    """What they are given items in. Whoever has left has none: they keep what they have, and get nothing new."""


@dataclass(frozen=True)
class Names:
    """What sentences call raters, items and languages. Whatever has no name goes by its id."""

    raters: tuple[tuple[str, str], ...] = ()
    """Ids of raters, each with the name."""
    item: Callable[[str], Readable] = field(default=str, compare=False)
    """Gives the title of an item by its id; asked only where a sentence names one."""
    language: Callable[[str], Readable] = field(default=str, compare=False)
    """Gives the name of a language by its code."""

    def rater(self, id: str) -> str:
        """The name of a rater."""
        return dict(self.raters).get(id, id)


UNNAMED = Names()


@dataclass(frozen=True)
class Design:
    """What is asked of a plan."""

    raters_per_item: int
    seed: int
    """Decides everything that is left to chance; any whole number."""
    repeats: float = 0.0
    """Share of a rater's items that come a second time unannounced: 0, or 0.05 to 0.10."""
    rates_scenes: bool = False
    """Whether scenes themselves are rated: each is the work of one model, so that models have none in common."""


@dataclass(frozen=True)
class Assignment:
    """One item for one rater to rate."""

    rater: str
    item: str
    repeat: bool = False
    """Whether it is the hidden repeat of an item that the rater has had before."""
