"""The steps of a story in words."""

from characterbox.play.events import Event

KINDS = {
    "action": "action",
    "dialogue": "words",
    "action_influence": "influence of the action",
    "reaction": "reaction",
    "interaction_result": "result",
    "character_update": "position and state",
    "environment_update": "surroundings",
    "self_belief": "belief of oneself",
    "environment_belief": "belief of the others and the scene",
    "story_ended": "end of the story",
}


def step_title(event: Event) -> str:
    """What a step is, and whose: `Holmes: reaction`."""
    character = getattr(event, "character", None)
    return f"{character}: {KINDS[event.kind]}" if character else KINDS[event.kind].capitalize()
