"""The steps of a story in words."""

from annotations.wording import say, to_say
from characterbox.play.events import Event

KINDS = {
    "action": to_say("action"),
    "dialogue": to_say("words"),
    "action_influence": to_say("influence of the action"),
    "reaction": to_say("reaction"),
    "interaction_result": to_say("result"),
    "character_update": to_say("position and state"),
    "environment_update": to_say("surroundings"),
    "self_belief": to_say("belief of oneself"),
    "environment_belief": to_say("belief of the others and the scene"),
    "story_ended": to_say("end of the story"),
}


def step_title(event: Event) -> str:
    """What a step is, and whose: `Holmes: reaction`."""
    character = getattr(event, "character", None)
    step = say(KINDS[event.kind])
    return say("{name}: {what}", name=character, what=step) if character else step.capitalize()
