"""What the player's buttons do to a story that is not over: pause it, play it on, by one step too, and stop it."""

from collections.abc import Mapping
from typing import Any

from characterbox.components.player import Act
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Story
from characterbox.store.stories.story import OVER
from pages.story.actions import do

_ON: tuple[Act, ...] = ("continue", "call", "turn", "round")


def transport(stage: Stage, story: Story) -> Mapping[str, Any]:
    """What the player is told: the acts that the story's status allows, and whether it is about to rest."""
    resting = stage.resting(story.id)
    return {"acts": [] if story.status in OVER else [*_acts(stage, story), "stop"], "resting": resting}


def _acts(stage: Stage, story: Story) -> tuple[Act, ...]:
    match story.status:
        case "mismatched" | "cued":  # an answer is what they wait for
            return ()
        case "running" if stage.playing(story.id):
            return ("pause",)
        case "waiting":
            return ("pause", *_ON)
        case _:
            return _ON


def act_on(stage: Stage, id: str, act: Act) -> None:
    """Do what was pressed; what it is refused for is told by `show_error`."""
    match act:
        case "pause":
            do(stage.rest, id)
        case "continue":
            do(stage.resume, id)
        case "stop":
            do(stage.stop, id)
        case _:
            do(stage.step, id, act)
