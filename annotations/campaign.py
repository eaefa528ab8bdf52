"""What a campaign is set to: the rubric, how many experts rate each item, how they are trained and watched."""

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from annotations.rubric import Key, Text

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
