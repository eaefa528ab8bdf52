"""The recipe of a training: TOML that people write, and what it says once all is filled in.

name = "narrator-1"
dataset = "datasets/narrator"       # a folder, beside this file
base = "Qwen/Qwen2.5-7B-Instruct"   # a folder, or a name of Hugging Face
seed = 1

preset = "RoleLLaMA"                # what is left out is as that model of RoleLLM was trained; without it,

[training]                          # as in the paper's table 7
epochs = 3

[lora]                              # of which the paper says nothing: these are our defaults
rank = 16

A training is a function of its dataset, its recipe and its seed; `Recipe.identity` names the three together.
"""

import hashlib
import json
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, field_validator

from annotations.i18n.messages import Message, to_say
from annotations.rubrics.rubric_file import read_toml
from characterbox.errors import TrainingError
from characterbox.scenes.file_reading import decode
from characterbox.training.base_model import base_digest, find_base, path_of
from characterbox.training.datasets.example import Kind
from characterbox.training.datasets.folder import open_dataset
from characterbox.training.hyperparameters import PRESETS, Answering, Lora, PresetName, Training, filled, usual
from characterbox.values import Value

_CHANGED = to_say("{path} has changed since the run was begun; put back what was there, or start a new run")
_MOST = 1_000_000
"""Bytes of a recipe."""

Name = Annotated[str, Field(strict=True, min_length=1, max_length=500)]


class WrittenRecipe(Value):
    """What stands in the file."""

    name: Annotated[str, Field(strict=True, min_length=1, max_length=80)]
    dataset: Name
    """The folder of the dataset."""
    base: Name
    """The folder of the base model, or its name."""
    out: Name | None = None
    """The folder of the run; None for `runs/NAME` beside the file."""
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)] = 1
    accelerate: Name | None = None
    """A configuration file of accelerate, for several GPUs."""
    preset: PresetName | None = None
    """As which model what is left out below is trained; None for what the kind of the dataset makes usual."""
    training: Training = Training()
    lora: Lora = Lora()

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if name.startswith(".") or not all(letter.isalnum() or letter in "-_." for letter in name):
            raise ValueError(Message("must be letters, digits, -, _ and ., and must not begin with a dot"))
        return name


class Recipe(Value):
    """A recipe of which nothing is left open, and of which all was found."""

    name: str
    kind: Kind
    dataset: Path
    dataset_digest: str
    demo: bool
    """Whether no language model wrote some of the dataset, so that nothing that comes of it is a result."""
    base: str
    """The folder of the base, or its name."""
    base_digest: str | None
    """None for a base that is known by its name alone."""
    out: Path
    """The folder of the run."""
    seed: int
    accelerate: Path | None
    accelerate_digest: str | None
    training: Training
    lora: Lora
    preset: PresetName | None = None
    """The model that it is trained like, but for what was written otherwise."""
    answering: Answering | None = None
    """How that model draws its answers: told with the adapter."""

    @property
    def identity(self) -> str:
        """The SHA-256 of all that the weights hang on: digests of dataset and base, values and seed; no paths, and not
        how often checkpoints are written."""
        content = {
            "kind": self.kind,
            "dataset": self.dataset_digest,
            "base": self.base_digest or self.base,
            "seed": self.seed,
            "accelerate": self.accelerate_digest,
            "training": self.training.content,
            "lora": self.lora.model_dump(mode="json"),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file. Raises FaultyFile with the line of each fault, and TrainingError as `resolve` does."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST + 1)
    except OSError as error:
        raise TrainingError(
            "{file}: the recipe cannot be read ({error}); check the path", file=path, error=error.strerror
        ) from None
    if len(raw) > _MOST:
        raise TrainingError("{file}: this is no recipe: it has more than a megabyte; name another file", file=path)
    toml, _ = decode(path.name, raw, "UTF-8")
    return resolve(read_toml(toml, WrittenRecipe, file=path.name), path.parent)


def resolve(written: WrittenRecipe, beside: Path) -> Recipe:
    """What a recipe says, its dataset and base looked at; paths are taken from the folder `beside`.

    Raises TrainingError for a dataset or a base that can't be used, and for a missing file of accelerate.
    """
    dataset = open_dataset(path_of(written.dataset, beside))
    base = find_base(written.base, beside)
    accelerate, accelerate_digest = _accelerate(written.accelerate, beside)
    training, lora = usual(dataset.kind, written.preset)
    out = f"runs/{written.name}" if written.out is None else written.out
    return Recipe(
        name=written.name,
        kind=dataset.kind,
        dataset=dataset.path.resolve(),
        dataset_digest=dataset.digest,
        demo=dataset.demo,
        base=written.base if base is None else str(base),
        base_digest=None if base is None else base_digest(base),
        out=path_of(out, beside).resolve(),
        seed=written.seed,
        accelerate=accelerate,
        accelerate_digest=accelerate_digest,
        training=filled(written.training, training),
        lora=lora.model_copy(update={name: getattr(written.lora, name) for name in written.lora.model_fields_set}),
        preset=written.preset,
        answering=None if written.preset is None else PRESETS[written.preset].answering,
    )


def check_unchanged(recipe: Recipe) -> None:
    """Raises TrainingError where dataset, base or the file of accelerate are not what they were as the recipe was read,
    or can't be used any more."""
    written = WrittenRecipe(
        name=recipe.name,
        dataset=str(recipe.dataset),
        base=recipe.base,
        out=str(recipe.out),
        seed=recipe.seed,
        accelerate=None if recipe.accelerate is None else str(recipe.accelerate),
        training=recipe.training,
        lora=recipe.lora,
    )
    found = resolve(written, recipe.out)
    for name in ("dataset", "base", "accelerate"):
        if getattr(found, f"{name}_digest") != getattr(recipe, f"{name}_digest"):
            raise TrainingError(_CHANGED, path=getattr(recipe, name))


def check_base(base: str, digest: str | None) -> None:
    """Raises TrainingError where a base, as a recipe has it, is not what it was as it was trained, or is gone."""
    found = find_base(base, Path("/"))
    if (None if found is None else base_digest(found)) != digest:
        raise TrainingError(_CHANGED, path=base)


def _accelerate(name: str | None, beside: Path) -> tuple[Path | None, str | None]:
    if name is None:
        return None, None
    file = path_of(name, beside).resolve()
    try:
        raw = file.read_bytes()
        if not isinstance(yaml.safe_load(raw), dict):
            raise TrainingError(
                "accelerate: {file} is no configuration of accelerate; make it with `accelerate config --config_file"
                " {file}`, or remove the line",
                file=file,
            )
        return file, hashlib.sha256(raw).hexdigest()
    except (yaml.YAMLError, RecursionError):
        raise TrainingError("accelerate: {file} is no YAML; correct it, or remove the line", file=file) from None
    except OSError as error:
        raise TrainingError(
            "accelerate: {file} cannot be read ({error}); make it with `accelerate config --config_file {file}`, or"
            " remove the line",
            file=file,
            error=error.strerror,
        ) from None
