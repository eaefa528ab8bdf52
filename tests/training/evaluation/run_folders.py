"""Folders of training runs, as far as an evaluation reads them."""

import json
from pathlib import Path

from characterbox.training.hyperparameters import Lora, Training
from characterbox.training.recipe import Recipe


def write_run(folder: Path, dataset: Path) -> None:
    """The folder of a run called small, which trains on a dataset."""
    told = json.loads((dataset / "dataset.json").read_text("utf-8"))
    recipe = Recipe(
        name="small",
        kind=told["kind"],
        dataset=dataset,
        dataset_digest=told["digest"],
        demo=False,
        base="Qwen/Qwen2.5-7B",
        base_digest=None,
        out=folder,
        seed=1,
        accelerate=None,
        accelerate_digest=None,
        training=Training(),
        lora=Lora(),
    )
    folder.mkdir()
    content = {"format": 1, "recipe": recipe.model_dump(mode="json"), "identity": recipe.identity}
    (folder / "run.json").write_text(json.dumps(content), "utf-8")
