"""Did it help? The plan of an evaluation: base, tuned and teacher beside each other, on the scenes that are held out.

A narrator narrates the held-out scenes with the same characters and seeds, has its decisions judged, and is asked what
its teacher was asked (paper, section 6.5 and figure 3). A judge scores the held-out trajectories (table 3). Characters
play the held-out scenes, and are judged (section 6.4 and figure 2). Where stories are played, the plan is a sweep.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator, model_validator

from annotations.i18n.messages import Message, cited, wrong_with
from characterbox.errors import StoryError, TrainingError
from characterbox.judging.judge import Judge
from characterbox.judging.protocol import NEW, PRESETS
from characterbox.judging.subject import JudgeRubric
from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.sweeps.sweep import Seed, Sweep
from characterbox.training.datasets.example import StoryKind
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.values import Value

ROUNDS = 3
"""Of each story, as in the paper."""
BASE, TUNED, TEACHER = "base", "tuned", "teacher"
"""The parts that models have in an evaluation."""


@dataclass(frozen=True)
class Evaluated:
    """What is evaluated: the result of a training run."""

    kind: StoryKind
    dataset: Path
    """The folder of the dataset that it was trained on."""
    digest: str
    """Of that dataset."""
    name: str
    """That of the run."""


class Models(Value):
    """Who takes part in an evaluation, and how much is played."""

    base: Endpoint
    tuned: Endpoint
    teacher: Endpoint | None = None
    """None where there is none to be asked: a judge learns from scores that are stored."""
    judges: tuple[Judge, ...] = ()
    """Who scores what is played."""
    characters: Endpoint | None = None
    """Plays all characters beside narrators."""
    narrator: Endpoint | None = None
    """Narrates beside characters."""
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (1,)
    rounds: Annotated[int, Field(strict=True, ge=1, le=100)] = ROUNDS
    budget: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] | None = None
    """US dollars that it may cost in all, what it has cost before included; None for no bound."""

    @field_validator("judges")
    @classmethod
    def _are_different(cls, judges: tuple[Judge, ...]) -> tuple[Judge, ...]:
        if len({judge.name for judge in judges}) < len(judges):
            raise ValueError(Message("a judge is listed twice; list each once"))
        return judges


class EvaluationPlan(Models):
    """An evaluation of a model that was trained."""

    name: str
    """That of the run."""
    kind: StoryKind
    dataset: str
    """The digest of the dataset."""
    critique: bool = False
    """Of a judge: whether it writes a critique first, as it has learnt."""
    taught_by: str | None = None
    """Of a judge: the rater whose scores it has learnt; None for the mean of the experts."""
    stories: Annotated[tuple[str, ...], Field(min_length=1)]
    """The ids of the stories whose examples are held out."""
    scenes: Annotated[tuple[Scene, ...], Field(min_length=1)]
    """Those from which they were played."""
    improvised: bool
    """Whether no language model wrote some of the held-out examples."""

    @model_validator(mode="after")
    def _holds_together(self) -> "EvaluationPlan":
        for fault in self._faults():
            raise ValueError(fault)
        names = [one.model for one in self.of_parts.values()]
        if len({*names}) < len(names):
            raise ValueError(Message("base, tuned and teacher need different model names: figures tell them by these"))
        return self

    def _faults(self) -> Iterator[Message]:
        """What a kind needs and has not, or has and does not need."""
        if self.kind == "judge":
            if self.teacher or self.judges or self.characters or self.narrator:
                yield Message(
                    "a judge scores stories that are there beside scores that are stored; leave out teacher, judges,"
                    " characters and narrator"
                )
        elif self.kind == "narrator":
            if self.characters is None or self.narrator is not None:
                yield Message("narrators are compared; name who plays the characters, and no narrator")
        else:
            if self.narrator is None or self.characters is not None:
                yield Message("models are compared as characters; name who narrates, and no characters")
            if not self.judges:
                yield Message("name a judge: models are compared as characters by its scores")

    @property
    def of_parts(self) -> dict[str, Endpoint]:
        """Base, tuned and, where it is asked, teacher."""
        whole = {BASE: self.base, TUNED: self.tuned, TEACHER: self.teacher}
        return {part: endpoint for part, endpoint in whole.items() if endpoint is not None}

    @property
    def called(self) -> str:
        """How its sweep is called, and its claim: all that tells it from other evaluations goes into its end."""
        content = self.model_dump(mode="json", include={"kind", "dataset", "base", "tuned", "teacher"})
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:6]
        return f"{self.name[:50].strip()}: evaluation {digest}"

    @property
    def sweep(self) -> Sweep:
        """The stories that are played, in which characters are judged; of a narrator, its judges come after.

        Raises ValueError for a judge, who plays none.
        """
        models = tuple(self.of_parts.values())
        if self.kind == "judge":
            raise ValueError("no story is played for a judge")
        others = self.characters if self.kind == "narrator" else self.narrator
        beside = (others,) if others is not None else ()
        narrates = self.kind == "narrator"
        return Sweep(
            name=self.called,
            scenes=self.scenes,
            characters=beside if narrates else models,
            narrators=models if narrates else beside,
            judges=() if narrates else self.judges,
            seeds=self.seeds,
            rounds=self.rounds,
            budget=self.budget,
        )

    @property
    def trained_judges(self) -> dict[str, Judge]:
        """Base and tuned as judges, each under its model's name, who judge as was learnt."""
        protocol = NEW if self.critique else PRESETS["CharacterRM"]
        return {
            part: Judge(name=endpoint.model, endpoint=endpoint, protocol=protocol)
            for part, endpoint in self.of_parts.items()
        }

    @property
    def judged(self) -> JudgeRubric:
        """The rubric by which it is scored."""
        return "narrator" if self.kind == "narrator" else "character"

    @property
    def endpoints(self) -> Iterator[Endpoint]:
        """All that are asked in it."""
        yield from self.of_parts.values()
        yield from (judge.endpoint for judge in self.judges)
        yield from (one for one in (self.characters, self.narrator) if one is not None)

    @property
    def demo(self) -> bool:
        """Whether no language model did some of it, so that its figures are no results."""
        return self.improvised or any(endpoint.is_modelless for endpoint in self.endpoints)


def plan_evaluation(store: Store, of: Evaluated, models: Models) -> EvaluationPlan:
    """The evaluation of a run by these models.

    Raises TrainingError where the dataset can't be read, holds nothing out, or was made of other stories than this
    database has, and where the models do not fit.
    """
    told = _Dataset.of(of)
    found = [*told.stories(store)]
    scenes: dict[tuple[str, str], Scene] = {}
    for _, scene in found:
        scenes[scene.work, scene.id] = scene  # of several versions the one that was played last
    try:
        plan = EvaluationPlan(
            **dict(models),
            name=of.name,
            kind=of.kind,
            dataset=of.digest,
            critique=told.recipe.critique,
            taught_by=told.recipe.judge,
            stories=tuple(id for id, _ in found),
            scenes=tuple(scenes[key] for key in sorted(scenes)),
            improvised=told.improvised,
        )
        _ = plan.trained_judges if plan.kind == "judge" else plan.sweep
    except ValidationError as error:
        raise TrainingError("evaluation: {reason}", reason=wrong_with(error.errors()[0])) from None
    return plan


@dataclass(frozen=True)
class _Dataset:
    """What an evaluation reads of the folder of a dataset."""

    folder: Path
    recipe: DatasetRecipe
    improvised: bool

    @classmethod
    def of(cls, evaluated: Evaluated) -> "_Dataset":
        file = evaluated.dataset / "dataset.json"
        told = _read(file, file)
        try:
            recipe = DatasetRecipe.model_validate(told["recipe"])
            digest, improvised = str(told["digest"]), bool(told["splits"]["test"]["improvised"])
        except (KeyError, TypeError, ValidationError):
            raise _damaged(file) from None
        if digest != evaluated.digest:
            raise TrainingError(
                "{folder}: this is another dataset than the run was trained on; put back the one that it was",
                folder=evaluated.dataset,
            )
        return cls(evaluated.dataset, recipe, improvised)

    def stories(self, store: Store) -> Iterator[tuple[str, Scene]]:
        """The held-out stories with their scenes, as they were begun."""
        file = self.folder / "provenance" / "test.jsonl"
        try:
            ids = {str(_read(file, line)["story"]) for line in file.read_text("utf-8").splitlines()}
        except OSError as error:
            raise _unreadable(file, error) from None
        except (KeyError, TypeError, UnicodeDecodeError):
            raise _damaged(file) from None
        if not ids:
            raise TrainingError(
                "{folder}: the dataset holds no scene out, so there is nothing to evaluate with; write it with scenes"
                " to test with (--test), and train on that",
                folder=self.folder,
            )
        try:
            found = [store.stories.story(id) for id in sorted(ids)]
        except StoryError as error:
            raise TrainingError(
                "{folder}: {error}; evaluate with the database from which the dataset was written",
                folder=self.folder,
                error=error.message,
            ) from None
        for story in sorted(found, key=lambda one: (one.created_at, one.id)):
            yield story.id, story.script.scene


def _read(file: Path, what: Path | str) -> Any:
    """A file, or a line of it, as JSON."""
    try:
        return json.loads(what if isinstance(what, str) else what.read_bytes())
    except OSError as error:
        raise _unreadable(file, error) from None
    except ValueError:
        raise _damaged(file) from None


def _unreadable(file: Path, error: OSError) -> TrainingError:
    return TrainingError(
        "{file}: it cannot be read ({error}); name the folder of a dataset", file=file, error=cited(str(error.strerror))
    )


def _damaged(file: Path) -> TrainingError:
    return TrainingError("{file}: it is damaged; write the dataset anew", file=file)
