"""The recipe of a training: TOML that people write, and what it says once all is filled in.

name = "narrator-1"
dataset = "datasets/narrator"       # a folder, beside this file
base = "Qwen/Qwen2.5-7B-Instruct"   # a folder, or a name of Hugging Face
seed = 1

[training]                          # what is left out is as in the paper's table 7
epochs = 3

[lora]                              # of which the paper says nothing: these are our defaults
rank = 16

A training is a function of its dataset, its recipe and its seed; `Recipe.identity` names the three together.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BeforeValidator, Field, field_validator

from annotations.i18n.messages import Message, to_say
from annotations.rubrics.rubric_file import read_toml
from characterbox.errors import TrainingError
from characterbox.scenes.file_reading import decode
from characterbox.training.base_model import base_digest, find_base, path_of
from characterbox.training.datasets.example import Kind
from characterbox.training.datasets.folder import open_dataset
from characterbox.values import Value

EPOCHS: Mapping[Kind, int] = {"narrator": 5, "judge": 5, "guided": 6, "reflective": 3}
"""Table 7."""
ACCUMULATION: Mapping[Kind, int] = {"narrator": 16, "judge": 32, "guided": 16, "reflective": 16}
"""Table 7."""
_CHANGED = to_say("{path} has changed since the run was begun; put back what was there, or start a new run")
_MOST = 1_000_000
"""Bytes of a recipe."""
_ALL = "all-linear"
"""All linear layers but the last one."""


def _read_choice(value: object) -> object:
    """`"auto"` leaves it to the hardware, which is None here."""
    if value in ("auto", None):
        return None
    if not isinstance(value, bool):
        raise ValueError(Message('must be true, false or "auto"'))
    return value


def _read_targets(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Choice = Annotated[bool | None, BeforeValidator(_read_choice)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=500)]


class Training(Value):
    """How it is trained. The defaults are the paper's (table 7, appendix E), where it tells them."""

    epochs: Count | None = None
    """How often each example is seen; None for the paper's number, which hangs on the kind of the dataset."""
    learning_rate: Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)] = 5e-5
    """The highest; it falls by a cosine."""
    warmup_steps: Annotated[int, Field(strict=True, ge=0, le=1_000_000)] = 20
    batch: Count = 1
    """Sequences that a device computes at once."""
    accumulation: Count | None = None
    """Batches that make a step; None for the paper's number, which hangs on the kind of the dataset."""
    cutoff: Annotated[int, Field(strict=True, ge=16, le=10_000_000)] = 8192
    """Tokens of an example at most; longer ones are left out as a whole."""
    save_steps: Count = 50
    """Steps between two checkpoints: what a crash costs at most."""
    evaluation_steps: Count | None = None
    """Steps between two validations; None for twenty in a run."""
    packing: Choice = None
    """Whether short sequences share a row; None for where the hardware keeps them apart."""
    bf16: Choice = None
    """Whether it computes in bfloat16; None for where the hardware does."""
    checkpointing: Choice = None
    """Whether activations are computed again instead of stored; None for on GPUs."""


class Lora(Value):
    """Which part of the base learns. The paper says LoRA and no more: these values are ours."""

    rank: Annotated[int, Field(strict=True, ge=1, le=1024)] = 16
    """The rank that vLLM serves without being told."""
    alpha: Annotated[int, Field(strict=True, ge=1, le=4096)] = 32
    dropout: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.05
    targets: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=200)], ...],
        Field(min_length=1),
        BeforeValidator(_read_targets),
    ] = (_ALL,)
    """The layers, by the ends of their names, or all linear ones."""


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
            "training": self.training.model_dump(mode="json", exclude={"save_steps"}),
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
    filled: dict[str, Any] = {"epochs": EPOCHS[dataset.kind], "accumulation": ACCUMULATION[dataset.kind]}
    given = {name: value for name in filled if (value := getattr(written.training, name)) is not None}
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
        training=written.training.model_copy(update=filled | given),
        lora=written.lora,
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
