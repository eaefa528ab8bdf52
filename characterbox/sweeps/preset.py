"""Presets: sweeps that come along, in the folders of studies. Their models are names, until a person gives each an
address."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from annotations.i18n.messages import to_say
from annotations.rubrics.rubric_file import read_toml
from characterbox.scenes.library import PREFIX, bundled_scene
from characterbox.scenes.scene import Scene
from characterbox.sweeps.file import WrittenSweep

PAPER = "paper"
ABOUT: Mapping[str, str] = {
    PAPER: to_say(
        "Same as in the paper: three rounds; scenes with two to four characters, half extracted and half"
        " generated in each language; nine models for the characters; GPT-3.5 as the narrator; GPT-4 as the"
        " judge, which writes a critique first. Different from the paper: 12 scenes instead of 100, six in each"
        " language instead of 50, because no work has five extracted and five generated bundled scenes. The ten"
        " works are not the paper's ten. Of the four Chinese works, Journey to the West, Romance of the Three"
        " Kingdoms and Dream of the Red Chamber are in the paper; Water Margin is not. None of the six English"
        " works is in the paper, whose English works are under copyright. There are six of them, not five,"
        " because each has one scene here."
    )
}
"""What each preset is, and is not, as its file says it at its top; to be said."""


@dataclass(frozen=True)
class Preset:
    """What a preset's file says, and the scenes that it names."""

    written: WrittenSweep
    scenes: tuple[Scene, ...]


def preset_file(name: str) -> str:
    """The file of a preset, for people to put addresses into."""
    return (preset_folder(name) / "sweep.toml").read_text(encoding="utf-8")


def preset_folder(name: str) -> Traversable:
    """The folder of a preset: the study of which its sweep is a part."""
    return files("characterbox") / "presets" / name


@cache
def preset(name: str) -> Preset:
    """The preset of a name. All of its scenes are bundled."""
    written = read_toml(preset_file(name), WrittenSweep, file=f"{name}.toml")
    return Preset(written, tuple(bundled_scene(one.file.removeprefix(PREFIX)) for one in written.scenes))
