"""A sweep: what is played with what, who judges it, and how much it may cost; and the stories that come of it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints, field_validator, model_validator

from annotations.i18n.messages import Message
from characterbox import prompts
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Casting, Endpoint, embedding_model
from characterbox.play import settings as story_settings
from characterbox.play.world import Script
from characterbox.scenes.scene import Scene, slug_of
from characterbox.values import Value

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**31)]

T = TypeVar("T")
_JUDGES = ("critique", "judge", "score")
"""What the names of prompts begin with that only judges are asked."""
MOST_STORIES = 100_000
"""Of a sweep: more are more than one plan, and one page, can tell of."""


class Settings(Value):
    """How a sweep is called and played. Numbers are taken as such alone: true is no budget of one dollar."""

    name: Name
    """What people call it; what runs under the name of another sweep takes its place."""
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (1,)
    repeats: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    """How often each is played with the same seed: models that honour seeds say the same again."""
    rounds: Annotated[int, Field(strict=True, ge=1, le=100)] = 3
    may_conclude: Annotated[bool, Field(strict=True)] = False
    """Whether a story ends early when the narrator holds it to be concluded."""
    settings: story_settings.Settings = story_settings.Settings()
    """Of each of its stories."""
    budget: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] | None = None
    """US dollars that it may cost in all, what it has cost before included; None for no bound."""
    parallel: dict[str, Annotated[int, Field(strict=True, ge=1, le=10_000)]] = Field(default_factory=dict)
    """How many of its calls may be under way at an address, where that is less than the server is set to."""


class Sweep(Settings):
    """Scenes, models of the characters, narrators, seeds and repeats: each is played with each.

    In a story one model plays all characters. Judges are known by their names alone; their versions are told apart as
    they judge.
    """

    scenes: Annotated[tuple[Scene, ...], Field(min_length=1)]
    characters: Annotated[tuple[Endpoint, ...], Field(min_length=1)]
    narrators: Annotated[tuple[Endpoint, ...], Field(min_length=1)]
    judges: tuple[Judge, ...] = ()
    memory: Endpoint | None = None
    """The embedding model by whose vectors characters recall; None where they do by letters."""
    prompts: str | None = None
    """The version of the prompts that its stories are played with; None for that of now."""

    @field_validator("name")
    @classmethod
    def _can_be_told(cls, name: str) -> str:
        if (fault := name_fault(name)) is not None:
            raise ValueError(fault)
        return name

    @field_validator("scenes")
    @classmethod
    def _scenes_are_told_apart(cls, scenes: tuple[Scene, ...]) -> tuple[Scene, ...]:
        return _distinct(scenes, [f"{scene.work}: {scene.id}" for scene in scenes])

    @field_validator("characters", "narrators")
    @classmethod
    def _models_are_told_apart(cls, endpoints: tuple[Endpoint, ...]) -> tuple[Endpoint, ...]:
        """By their names alone, as figures are: one model at two addresses would be pooled unseen."""
        return _distinct(endpoints, [endpoint.model for endpoint in endpoints])

    @field_validator("memory")
    @classmethod
    def _embeds(cls, memory: Endpoint | None) -> Endpoint | None:
        return None if memory is None else embedding_model(memory)

    @field_validator("judges")
    @classmethod
    def _judges_are_told_apart(cls, judges: tuple[Judge, ...]) -> tuple[Judge, ...]:
        return _distinct(judges, [slug_of(judge.name) for judge in judges])

    @field_validator("seeds")
    @classmethod
    def _seeds_are_told_apart(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        return _distinct(seeds, [str(seed) for seed in seeds])

    @field_validator("parallel")
    @classmethod
    def _addresses(cls, parallel: dict[str, int]) -> dict[str, int]:
        return {Endpoint(url=url, model="any").url: most for url, most in parallel.items()}

    @model_validator(mode="after")
    def _is_not_too_large(self) -> "Sweep":
        if self.size > MOST_STORIES:
            raise ValueError(
                Message(
                    "there are {size:,} stories; a sweep can have at most {most:,}", size=self.size, most=MOST_STORIES
                )
            )
        return self

    @property
    def size(self) -> int:
        """How many stories it has."""
        return len(self.scenes) * len(self.characters) * len(self.narrators) * len(self.seeds) * self.repeats

    @property
    def endpoints(self) -> Iterator[Endpoint]:
        """All that are asked in it."""
        yield from self.characters
        yield from self.narrators
        yield from (judge.endpoint for judge in self.judges)
        if self.memory is not None:
            yield self.memory

    @property
    def improvised(self) -> bool:
        """Whether the rehearsal plays or judges in it, so that its figures are no results."""
        return any(endpoint.is_modelless for endpoint in self.endpoints)


def name_fault(name: str) -> Message | None:
    """Why a sweep can't be called so, if it can't."""
    if not slug_of(name) or not name.isprintable():
        return Message("a name needs a letter or digit and cannot contain invisible characters")
    return None


def _distinct(things: tuple[T, ...], names: Sequence[str]) -> tuple[T, ...]:
    """The things, if no two have one name."""
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(Message("{name} is listed twice", name=name))
    return things


@dataclass(frozen=True, slots=True)
class Cell:
    """One story of a sweep."""

    place: int
    """From 1, in the order of the plan: scenes within seeds, so that all models come far at the same time."""
    scene: Scene
    character: Endpoint
    """Plays all characters."""
    narrator: Endpoint
    seed: int
    repeat: int
    """From 1."""
    script: Script
    casting: Casting
    id: str
    """The id of its story. It follows from what is played, not from the sweep: what sweeps share is played once.
    Where a model is reached makes no other story; other prompts do."""


def cells_of(sweep: Sweep) -> Iterator[Cell]:
    """The stories of a sweep, in order."""
    wording = sweep.prompts or prompts_digest()
    whole = product(range(1, sweep.repeats + 1), sweep.seeds, sweep.scenes, sweep.narrators, sweep.characters)
    for place, (repeat, seed, scene, narrator, character) in enumerate(whole, 1):
        script = Script(
            scene=scene, rounds=sweep.rounds, seed=seed, may_conclude=sweep.may_conclude, settings=sweep.settings
        )
        casting = Casting(narrator=narrator, characters=dict.fromkeys(scene.names, character), memory=sweep.memory)
        played_by = [[one.model, one.is_rehearsal] for one in (character, narrator)]
        if sweep.memory is not None:
            played_by.append([sweep.memory.model, False])
        id = _digest([_played(script), played_by, repeat, wording])
        yield Cell(place, scene, character, narrator, seed, repeat, script, casting, id)


def _played(script: Script) -> dict[str, Any]:
    """What is played, as stories are told apart by it: those of before there were settings keep their ids."""
    return script.model_dump(mode="json", exclude={"settings"} if script.settings == story_settings.FIRST else None)


def stored_sweep(content: Mapping[str, Any]) -> Sweep:
    """A sweep as it was stored: what began before there were settings goes on without. Raises ValidationError."""
    return Sweep.model_validate(story_settings.with_settings(dict(content)))


@cache
def prompts_digest() -> str:
    """The version of the prompts that stories are played with: a fingerprint of their wording."""
    texts = {
        f"{folder.name}/{file.name}": file.read_text(encoding="utf-8")
        for folder in files(prompts).iterdir()
        if folder.name in ("en", "zh")
        for file in folder.iterdir()
        if not file.name.startswith(_JUDGES)
    }
    return _digest(texts)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
