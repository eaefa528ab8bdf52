"""A story whose first events are known is played on from there: nothing is asked for them, and the rest is the same."""

import pytest

from characterbox.play.paths import END, reply_path
from characterbox.play.settings import Settings
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.cases import case
from tests.fakes.examples import is_soak
from tests.fakes.replies import next_in, nobody
from tests.fakes.scenes import a_scene

NAMES = ("Ann", "Bob", "Cid")
PROSE = {f"r{round}/bob/action": "Bob looks up." for round in range(1, 7)}
"""Actions without words, which are asked for then."""


def still_asked(whole, events, count):
    """What a whole story asked that is asked when its first events are known: whatever tells of one that is not.

    The last known action may have come with words or not: its reply is looked at, and is the one that was there.
    """
    asked = {request.path for request in whole.requests}
    wanted = {reply_path(event.path, asked) for event in events[count:] if event.path != END}
    if count and events[count - 1].kind == "action" and whole.script.settings.prompts > 1:
        wanted.add(events[count - 1].path)
    return [request for request in whole.requests if request.path in wanted]


@pytest.mark.slow
@pytest.mark.parametrize("prompts", [1, 2])
@pytest.mark.parametrize("touched", [True, False])
async def test_only_what_is_not_known_is_asked_and_in_the_same_words(touched, prompts):
    rounds = 6  # so many that characters recall what has left their record
    script = Script(scene=a_scene(*NAMES), rounds=rounds, settings=Settings(prompts=prompts))
    affects = next_in(script.scene) if touched else nobody
    whole = AnsweredAtOnce(script, affects, PROSE)
    events = await played(script, whole)
    for count in range(0, len(events) + 1, 1 if is_soak() else 11):
        rest = AnsweredAtOnce(script, affects, PROSE)
        with case(count):
            assert await played(script, rest, events[:count]) == events
            assert rest.requests == still_asked(whole, events, count)


async def test_events_of_one_reply_of_which_the_first_are_known_are_those_of_the_same_reply():
    script = Script(scene=a_scene(*NAMES), rounds=1)
    whole = AnsweredAtOnce(script, next_in(script.scene), PROSE)
    events = await played(script, whole)
    within = [number for number, event in enumerate(events, 1) if event.kind in ("action", "character_update")]
    assert len(within) == 3 * (1 + 2)
    for count in within:
        rest = AnsweredAtOnce(script, next_in(script.scene), PROSE)
        with case(events[count - 1].path):
            assert await played(script, rest, events[:count]) == events
            behind = "action" if events[count - 1].kind == "action" else "updates"
            assert rest.requests[0].path == f"r1/{events[count - 1].turn.lower()}/{behind}"
            assert rest.requests == still_asked(whole, events, count)


async def test_what_is_known_stays_also_where_the_reply_would_now_tell_it_otherwise():
    script = Script(scene=a_scene(*NAMES), rounds=1)
    events = await played(script, AnsweredAtOnce(script, nobody))
    number = next(number for number, event in enumerate(events) if event.kind == "action")
    known = [*events[:number], events[number].model_copy(update={"text": "Ann leaves."})]
    again = await played(script, AnsweredAtOnce(script, nobody), known)
    assert again[number].text == "Ann leaves."
    assert [event.path for event in again] == [event.path for event in events]


async def test_a_story_that_is_known_to_its_end_asks_nothing():
    script = Script(scene=a_scene(*NAMES), rounds=2)
    events = await played(script, AnsweredAtOnce(script, nobody))
    assert events[-1].path == END
    ask = AnsweredAtOnce(script, nobody)
    assert await played(script, ask, events) == events
    assert ask.requests == []
