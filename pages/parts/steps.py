"""The steps of a story in words."""

from annotations.wording import say
from characterbox.components.player.words import KINDS
from characterbox.play.events import Event


def step_title(event: Event) -> str:
    """What a step is, and whose: `Holmes: reaction`."""
    character = getattr(event, "character", None)
    step = say(KINDS[event.kind])
    return say("{name}: {what}", name=character, what=step) if character else step.capitalize()
