"""What a dataset holds, and what was left out of it and why."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from annotations.i18n.messages import Message, count_message
from characterbox.training.datasets.example import WHY, LeftOut, Part, Split
from characterbox.training.datasets.recipe import WHY_NOT_CHOSEN, DatasetRecipe, NotChosen, RoleRecipe
from characterbox.values import Language, Value


class SplitReport(Value):
    """One split."""

    examples: int
    tokens: int
    """Of prompts and answers together, as they are estimated."""
    models: Mapping[str, int]
    """How many examples each model has a part in."""
    languages: Mapping[Language, int]
    improvised: int
    """Examples that the rehearsal or a sample wrote some of."""
    by_people: int
    """Examples whose answer a person wrote, who has agreed to that."""
    repeated_answers: int
    """Long answers that stand among those that are learnt, word for word; 0 for the split that is learnt."""
    parts: Mapping[Part, int] = {}
    """Of roles: how many examples belong to each part."""


class DatasetReport(Value):
    """All of it."""

    recipe: Annotated[DatasetRecipe | RoleRecipe, Field(discriminator="kind")]
    stories: int
    """How many were chosen; none for roles."""
    not_chosen: Mapping[NotChosen, int]
    """How many were not, by the reason."""
    splits: Mapping[Split, SplitReport]
    left_out: Mapping[LeftOut, int]
    """What is no example, by the reason."""
    scenes: Mapping[Split, tuple[str, ...]]
    """The ids of the scenes; of a dataset of roles, those of the roles."""
    near_scenes: tuple[tuple[str, str, float], ...]
    """Scenes that read nearly alike, and were kept in one split, with their similarity."""
    over_cutoff: int
    """Examples with more tokens than the cutoff, as they are estimated; they are listed, and never cut."""

    @property
    def examples(self) -> int:
        """How many there are in all."""
        return sum(split.examples for split in self.splits.values())

    @property
    def roles(self) -> set[str]:
        """The ids of all roles in a dataset of roles."""
        return {role for split in self.scenes.values() for role in split} if self.recipe.kind == "role" else set()

    @property
    def improvised(self) -> bool:
        """Whether no language model wrote some of it."""
        return any(split.improvised for split in self.splits.values())

    @property
    def why_nothing(self) -> Message:
        """Why nothing is left to be learnt: the commonest reason."""
        reasons = [(count, WHY[why]) for why, count in self.left_out.items()]
        reasons += [(count, WHY_NOT_CHOSEN[why]) for why, count in self.not_chosen.items()]
        if not reasons:
            return Message("the chosen stories have no such replies, or all of their scenes are tested with")
        count, why = max(reasons)
        return count_message("{count} left out: {why}", "{count} left out: {why}", count, why=Message(why))

    def as_json(self) -> dict[str, Any]:
        """As it stands in `dataset.json`."""
        return {"kind": self.recipe.kind, **self.model_dump(mode="json")}
