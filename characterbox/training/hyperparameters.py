"""What a training is done with: optimizer, schedule, batches and lengths, and which part of the base learns.

What is usual hangs on the kind of the dataset (paper, table 7); by a preset, it is that of a model of RoleLLM
(appendix E).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from annotations.i18n.messages import Message
from characterbox.llm.sampling import Sampling, Temperature, TopP
from characterbox.training.datasets.example import Kind
from characterbox.values import Value

EPOCHS: Mapping[Kind, int] = {"narrator": 5, "judge": 5, "guided": 6, "reflective": 3, "role": 5}
"""Table 7; of roles as for RoleLLaMA."""
ACCUMULATION: Mapping[Kind, int] = {"narrator": 16, "judge": 32, "guided": 16, "reflective": 16, "role": 8}
"""Table 7; of roles so many that a step sees eight examples, as for RoleLLaMA."""
_ALL = "all-linear"
"""All linear layers but the last one."""
_HARDWARE = ("packing", "bf16", "checkpointing")
"""What can be left to the hardware, also where a preset does not."""


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
Length = Annotated[int, Field(strict=True, ge=16, le=10_000_000)]
Choice = Annotated[bool | None, BeforeValidator(_read_choice)]
Optimizer = Literal["adamw", "lion"]
Schedule = Literal["cosine", "cosine-restarts"]
PresetName = Literal["RoleLLaMA", "RoleGLM"]


class Training(Value):
    """How it is trained. The defaults are the paper's (table 7, appendix E), where it tells them."""

    epochs: Count | None = None
    """How often each example is seen; None for the usual number, which hangs on the kind of the dataset."""
    optimizer: Optimizer = "adamw"
    """No weight decays with either, and the betas of both are .9 and .999."""
    learning_rate: Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)] = 5e-5
    """The highest."""
    schedule: Schedule = "cosine"
    """How the rate falls: by a cosine once in the run, or in each epoch anew."""
    warmup_steps: Annotated[int, Field(strict=True, ge=0, le=1_000_000)] = 20
    warmup_share: Annotated[float, Field(strict=True, gt=0, lt=1)] | None = None
    """The steps of warm-up as a share of all steps, in the place of their number, which is 0 then."""
    batch: Count = 1
    """Sequences that a device computes at once."""
    accumulation: Count | None = None
    """Batches that make a step; None for the usual number, which hangs on the kind of the dataset."""
    cutoff: Length = 8192
    """Tokens of an example at most; longer ones are left out as a whole."""
    input_cutoff: Length | None = None
    """Tokens of a prompt at most, in the same way; None where only prompt and answer together are bounded."""
    output_cutoff: Length | None = None
    """Tokens of an answer at most, in the same way."""
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

    @model_validator(mode="after")
    def _warms_up_in_one_way(self) -> "Training":
        if self.warmup_share is not None and self.warmup_steps and "warmup_steps" in self.model_fields_set:
            raise ValueError(Message("warmup_steps and warmup_share say the same in two ways; leave one of them out"))
        return self

    @property
    def content(self) -> dict[str, Any]:
        """What the weights hang on. Fields that older runs did not have stand in it only where they are not as those
        runs were."""
        later = {"optimizer", "schedule", "warmup_share", "input_cutoff", "output_cutoff"}
        as_before = {name for name in later if getattr(self, name) == type(self).model_fields[name].default}
        return self.model_dump(mode="json", exclude={"save_steps", *as_before})


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


class Answering(Value):
    """How a model that was trained draws its answers."""

    temperature: Temperature
    top_p: TopP
    top_k: Annotated[int, Field(strict=True, ge=1)] | None = None
    """How many of the likeliest tokens one is drawn from; None for all. Not every endpoint takes it, so that it is no
    part of `sampling`."""

    @property
    def sampling(self) -> Sampling:
        """What is sent with each question."""
        return Sampling(temperature=self.temperature, top_p=self.top_p)


@dataclass(frozen=True)
class Preset:
    """How a model of a paper was trained, and how it answers."""

    training: Training
    lora: Lora
    answering: Answering


PRESETS: Mapping[PresetName, Preset] = {
    "RoleLLaMA": Preset(
        Training(
            epochs=5,
            learning_rate=5e-5,
            warmup_steps=0,
            warmup_share=0.04,
            batch=4,
            accumulation=2,
            input_cutoff=512,
            output_cutoff=512,
            packing=False,  # a batch is of four examples
        ),
        Lora(rank=8, alpha=32),
        Answering(temperature=0.7, top_k=40, top_p=0.9),
    ),
    "RoleGLM": Preset(
        Training(
            epochs=5,  # not told: as for RoleLLaMA
            optimizer="lion",
            learning_rate=2e-4,
            schedule="cosine-restarts",
            warmup_steps=0,
            batch=4,
            accumulation=1,
            input_cutoff=1024,
            output_cutoff=100,
            packing=False,
        ),
        Lora(rank=8, alpha=32),
        Answering(temperature=0.95, top_p=0.7),
    ),
}
"""RoleLLM, appendix E. It tells neither dropout nor layers of LoRA, nor how often RoleGLM's rate restarts: these are
ours."""


def usual(kind: Kind, preset: PresetName | None = None) -> tuple[Training, Lora]:
    """What a training on a dataset of this kind is done with where a recipe says no more."""
    if preset is not None:
        return PRESETS[preset].training, PRESETS[preset].lora
    return Training(epochs=EPOCHS[kind], accumulation=ACCUMULATION[kind]), Lora()


def filled(written: Training, usual: Training) -> Training:
    """What was written, and what is usual for all else. A warm-up that was written, in either way, is the only one."""
    given = {
        name: value
        for name in written.model_fields_set
        if (value := getattr(written, name)) is not None or name in _HARDWARE
    }
    if "warmup_steps" in given:
        given.setdefault("warmup_share", None)
    elif "warmup_share" in given:
        given["warmup_steps"] = 0
    return usual.model_copy(update=given)
