"""What the steps of a story are called."""

from annotations.wording import to_say

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
"""By the kind of their event."""
