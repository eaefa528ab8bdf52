"""The datasets that the app has written, in a folder of their own."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from pydantic import ValidationError

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import TrainingError
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.training.datasets.example import Split
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.training.datasets.report import DatasetReport
from characterbox.training.datasets.writing import OnStory, write_dataset


class DatasetCollection:
    """The datasets in a folder, by name. Any thread may use it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of_user(cls) -> "DatasetCollection":
        """Those of all apps of this user."""
        return cls(user_data_path("characterbox") / "training" / "datasets")

    def names(self) -> list[str]:
        """All of them, the newest first."""
        found = [one.parent for one in self._folder.glob("[!.]*/dataset.json")]
        return [one.name for one in sorted(found, key=lambda one: (-one.stat().st_mtime, one.name))]

    def folder(self, name: str) -> Path:
        """Where a dataset is. Raises TrainingError for what can be no name."""
        if not is_name(name):
            raise TrainingError("a name of a dataset has letters, digits, - and _ only")
        return self._folder / name

    def report(self, name: str) -> DatasetReport:
        """What is in a dataset. Raises TrainingError where there is none of this name, or it can't be read."""
        file = self.folder(name) / "dataset.json"
        try:
            content = json.loads(file.read_bytes())
            return DatasetReport.model_validate({key: content[key] for key in DatasetReport.model_fields})
        except FileNotFoundError:
            raise TrainingError("there is no dataset {name}; choose another one", name=name) from None
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            raise TrainingError("{file}: it is damaged; write the dataset anew", file=file) from None

    def example(self, name: str, split: Split, number: int) -> tuple[list[Mapping[str, Any]], Mapping[str, object]]:
        """The messages of an example, counted from 0, and where it comes from.

        Raises IndexError where there are not so many.
        """
        folder = self.folder(name)
        example, source = (_line(folder / part / f"{split}.jsonl", number) for part in ("", "provenance"))
        return example["messages"], source

    def write(
        self, actor: Account, store: Store, name: str, recipe: DatasetRecipe, on_story: OnStory = lambda *_: None
    ) -> DatasetReport:
        """Write a dataset under a name.

        Raises NotAllowed unless the actor may direct, and what `write_dataset` raises.
        """
        require(actor, "direct")
        folder = self.folder(name)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        report = write_dataset(store, recipe, folder, on_story)
        store.audit.add(actor, "dataset.written", name, {"kind": recipe.kind})
        return report


def _line(file: Path, number: int) -> dict[str, Any]:
    with file.open(encoding="utf-8") as lines:
        for line in islice(lines, number, number + 1):
            found: dict[str, Any] = json.loads(line)
            return found
    raise IndexError(number)


def is_name(name: str) -> bool:
    """Whether a dataset can be called so: it is the name of a folder, too."""
    return bool(slug_of(name)) and len(name) <= 80 and all(letter.isalnum() or letter in "-_" for letter in name)
