"""What a character's prompts tell of the others: where they are, never how they are."""

import pytest

from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in
from tests.fakes.scenes import a_scene


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_character_is_told_the_positions_of_all_but_only_its_own_state(language):
    script = Script(scene=a_scene("Ann", "Bob", language=language), rounds=2)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    await played(script, ask)
    action, reaction = ask.prompt("r1/ann/action"), ask.prompt("r1/ann/reaction/bob")
    assert "place of Bob" in action
    assert "state of Ann" in action
    assert "state of Bob" not in action
    assert "state of Bob" in reaction
    assert "state of Ann" not in reaction
    influence = ask.prompt("r1/ann/influence")
    assert "state of Ann" in influence
    assert "state of Bob" in influence
