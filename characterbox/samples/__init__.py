"""Sample stories, written by hand for this project: all that models would have replied in a bundled scene.

A file names its scene and the number of rounds, and gives the replies by their paths (see `llm.journal`): prose as
text, forms as their fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from characterbox.play.script import Script
from characterbox.scenes.library import bundled_scene


@dataclass(frozen=True, slots=True)
class Sample:
    """One story as it was written."""

    script: Script
    replies: Mapping[str, str | dict[str, Any]]
    """By path: the text, or the fields of a form."""

    @property
    def id(self) -> str:
        """The id of the story that it becomes."""
        return "sample" + "".join(letter for letter in self.script.scene.id if letter.isalnum())


@cache
def samples() -> tuple[Sample, ...]:
    """All samples, English before Chinese, then by scene."""
    folder = files(__name__)
    found = [file for language in ("en", "zh") for file in (folder / language).iterdir() if file.name.endswith(".yaml")]
    read = [_sample(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in found]
    return tuple(sorted(read, key=lambda one: (one.script.scene.language, one.script.scene.id)))


def _sample(content: Mapping[str, Any]) -> Sample:
    script = Script(scene=bundled_scene(content["scene"]), rounds=content["rounds"])
    return Sample(script, content["replies"])
