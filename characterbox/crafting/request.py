"""What scenes are to be crafted: from what, how, by whom, and what they must reach."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from annotations.i18n.messages import Message
from annotations.rubrics.rubric import load_rubric
from characterbox.llm.endpoint import Endpoint, named
from characterbox.llm.sampling import Sampling
from characterbox.scenes.scene import MOST_HEADING, Crafted, Passage, Text, slug_of
from characterbox.values import Language, Value

Way = Literal["extract", "generate"]
Method = Literal["three-stage", "direct"]
Role = Literal["screenwriter", "director", "evaluator", "translator"]
ROLES: tuple[Role, ...] = ("screenwriter", "director", "evaluator")
"""Who takes part in crafting a scene; a translator works alone (see characterbox/crafting/translation.py)."""
MOST_SCENES = 100
MOST_CAST = 8
RUBRIC = load_rubric("scene")


class Roles(Value):
    """Who plays the roles; each may be another model, anywhere."""

    screenwriter: Endpoint
    director: Endpoint
    evaluator: Endpoint


class Piece(Value):
    """What one scene rests on: a passage of the source, which alone of it is shown to the models."""

    passage: Passage
    text: Text


class Wish(Value):
    """What is to be crafted."""

    way: Way
    language: Language
    work: Annotated[Text, Field(max_length=MOST_HEADING)]
    author: Text | None = None
    """Who wrote the work."""
    count: Annotated[int, Field(ge=1, le=MOST_SCENES)] = 1
    fewest: Annotated[int, Field(ge=1, le=MOST_CAST)] = 2
    most: Annotated[int, Field(ge=1, le=MOST_CAST)] = 4
    """Characters of each scene."""
    method: Method = "three-stage"
    """Direct: the screenwriter's draft is taken as it is, as a baseline for the three stages."""
    threshold: Annotated[float, Field(ge=RUBRIC.scale.low, le=RUBRIC.scale.high)] = 3.5
    """The mean over the metrics from which on the evaluator's scores accept a scene."""
    returns: Annotated[int, Field(ge=0, le=9)] = 2
    """How often a scene that is not accepted goes back to the screenwriter, at most."""
    roles: Roles
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    sampling: Sampling = Sampling()
    """How all roles draw their replies."""
    further: tuple[int, ...] = ()
    """Scenes that a person sent back once more, each as often as that was: above what `returns` allows."""
    pieces: tuple[Piece, ...] = ()
    """One for each scene, in their order; none where scenes are generated without a source."""

    @model_validator(mode="after")
    def _fits_together(self) -> "Wish":
        if self.fewest > self.most:
            raise ValueError(
                Message(
                    "the minimum of {fewest} characters is above the maximum of {most}; change one of them",
                    fewest=self.fewest,
                    most=self.most,
                )
            )
        if self.pieces and len(self.pieces) != self.count:
            told = Message(
                "{count} scenes need one passage each, but there are {pieces} passages",
                count=self.count,
                pieces=len(self.pieces),
            )
            raise ValueError(told)
        if self.way == "extract" and not self.pieces:
            raise ValueError(Message("extracting scenes needs a source; choose one"))
        return self

    @property
    def crafted(self) -> Crafted:
        """How the scenes come to be, as they tell it themselves."""
        models = {role: named(one) for role, one in self.endpoints.items()}
        return Crafted(method=self.method, temperature=self.sampling.temperature, **models)

    @property
    def endpoints(self) -> dict[Role, Endpoint]:
        """Who plays the roles that there are."""
        roles: tuple[Role, ...] = ("screenwriter",) if self.method == "direct" else ROLES
        return {role: getattr(self.roles, role) for role in roles}

    @property
    def improvised(self) -> bool:
        """Whether no language model plays one of the roles: what comes of it is no result."""
        return any(endpoint.is_modelless for endpoint in self.endpoints.values())

    def attempts(self, number: int) -> int:
        """How often scene `number`, from 1, is written, at most."""
        return 1 + self.returns + self.further.count(number)

    def piece(self, number: int) -> Piece | None:
        """What scene `number`, from 1, rests on."""
        return self.pieces[number - 1] if self.pieces else None


def place_of(number: int) -> str:
    """Where the replies about scene `number` are filed in the journal of its crafting."""
    return f"scene-{number}"


def scene_id(wish: Wish, crafting: str, number: int) -> str:
    """The id of scene `number` of a crafting."""
    return f"{slug_of(wish.work) or wish.language}-{crafting.casefold()}-{number}"
