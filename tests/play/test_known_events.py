"""A story whose first events are known is played on from there: nothing is asked for them, and the rest is the same."""

import pytest

from characterbox.play.paths import END
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.examples import is_soak
from tests.fakes.replies import next_in, nobody
from tests.fakes.scenes import a_scene

NAMES = ("Ann", "Bob", "Cid")


@pytest.mark.parametrize("touched", [True, False])
async def test_only_what_is_not_known_is_asked_and_in_the_same_words(touched):
    script = Script(scene=a_scene(*NAMES), rounds=6)  # so many that characters recall what has left their record
    affects = next_in(script.scene) if touched else nobody
    whole = AnsweredAtOnce(script, affects)
    events = await played(script, whole)
    for count in range(0, len(events), 1 if is_soak() else 11):
        rest = AnsweredAtOnce(script, affects)
        assert await played(script, rest, events[:count]) == events, count
        known = {event.path for event in events[:count]}
        assert rest.requests == [request for request in whole.requests if request.path not in known], count


async def test_a_story_that_is_known_to_its_end_asks_nothing():
    script = Script(scene=a_scene(*NAMES), rounds=2)
    events = await played(script, AnsweredAtOnce(script, nobody))
    assert events[-1].path == END
    ask = AnsweredAtOnce(script, nobody)
    assert await played(script, ask, events) == events
    assert ask.requests == []
