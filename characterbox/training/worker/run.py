"""What a run is to do, as `run.json` in its folder says."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from characterbox.training.worker.errors import WorkerError

FORMAT = 2
"""The form of `run.json`. One of before optimizers could be chosen, 1, is only merged, for which no more is needed."""


@dataclass(frozen=True)
class Run:
    """A run; `characterbox.training.recipe` says what each of its values means."""

    folder: Path
    identity: str
    recipe: dict[str, Any]

    @property
    def training(self) -> dict[str, Any]:
        """How it is trained."""
        found: dict[str, Any] = self.recipe["training"]
        return found

    @property
    def cutoffs(self) -> dict[str, int]:
        """The most tokens that an example may have, its prompt and its answer, as far as the recipe bounds them."""
        names = ("cutoff", "input_cutoff", "output_cutoff")
        return {name: most for name in names if (most := self.training[name]) is not None}

    @property
    def lora(self) -> dict[str, Any]:
        """What of the model learns."""
        found: dict[str, Any] = self.recipe["lora"]
        return found

    @property
    def base(self) -> str:
        """The folder or the name of the base model."""
        return str(self.recipe["base"])

    @property
    def adapter(self) -> Path:
        """The folder of the adapter that comes of it."""
        return self.folder / "adapter"


def read_run(folder: Path) -> Run:
    """The run in a folder. Raises WorkerError where `run.json` is of another version of CharacterBox."""
    content = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    if content["format"] not in (1, FORMAT):
        raise WorkerError("other_format", found=content["format"], known=FORMAT)
    return Run(folder, content["identity"], content["recipe"])
