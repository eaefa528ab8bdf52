"""The settings of a story that shape its prompts, and how its models draw their replies.

They are stored with the story. A story of before a setting has the value that it was played with then.
"""

from typing import Annotated, Any

from pydantic import Field, NonNegativeInt, PositiveInt

from characterbox.llm.sampling import UNSENT, Sampling
from characterbox.values import Value

PROMPTS = 2
"""The version of the prompts, raised with what they tell: 2 since characters are told only what they perceive."""

Weight = Annotated[float, Field(ge=0, le=10)]


class MemorySettings(Value):
    """What a character remembers for a request (paper, 3.2; Park et al., 2023)."""

    record_tokens: NonNegativeInt = 40
    """What the record holds of the rounds before the present one, at most, in tokens as estimated. What is older is
    recalled."""
    recalled: NonNegativeInt = 5
    """How many memories come back at once."""
    relevance: Weight = 1.0
    """The weight of how much a memory has to do with what happens."""
    recency: Weight = 1.0
    """The weight of how lately it was made."""
    importance: Weight = 0.1
    """The weight of how memorable the narrator held it to be."""
    half_life: Annotated[float, Field(gt=0, le=1000)] = 6.0
    """After how many turns of the story a memory is half as recent."""


class Settings(Value):
    """What shapes a story besides scene, cast, rounds and seed."""

    prompts: PositiveInt = PROMPTS
    """The version of the prompts that the story is played with."""
    narrator: Sampling = Sampling()
    characters: Sampling = Sampling()
    memory: MemorySettings = MemorySettings()
    last_beliefs: bool = True
    """Whether beliefs are formed once more after the last round, as the end of the story."""


FIRST = Settings(
    prompts=1,
    narrator=UNSENT,
    characters=UNSENT,
    memory=MemorySettings(recalled=6, importance=1.0, half_life=6.58),
)
"""What stories without settings were played with; their record began one or two rounds ago."""


def with_settings(script: Any) -> Any:
    """A stored script, or sweep, with the settings of its time where it has none: those of the first version of the
    prompts."""
    if isinstance(script, dict) and "settings" not in script:
        return {**script, "settings": FIRST}
    return script
