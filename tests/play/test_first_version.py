"""Stories of the first version of the prompts: an action is prose, and words and updates are asked for separately."""

import json

from characterbox.play.settings import FIRST
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import mark, next_in, nobody
from tests.fakes.scenes import a_scene

SCENE = a_scene()
SCRIPT = Script(scene=SCENE, rounds=1, settings=FIRST)
TOLD = {
    "prose": ("Ann bows.", "Ann bows."),
    "labelled": ("Action: Ann bows.\nDialogue: Hello.", "Ann bows.\nDialogue: Hello."),
    "json": (json.dumps({"action": "Ann bows.", "dialogue": "Hello."}), "Ann bows."),
}
"""Replies to the question for an action, and what was read in them when it asked for nothing else."""


async def test_each_event_has_a_reply_of_its_own_and_nobody_forms_beliefs_before_the_first_round():
    ask = AnsweredAtOnce(SCRIPT, next_in(SCENE))
    events = await played(SCRIPT, ask)
    assert [request.path for request in ask.requests] == [event.path for event in events[:-1]]
    assert [event.path for event in events[:8]] == [
        *("r1/ann/action", "r1/ann/dialogue", "r1/ann/influence", "r1/ann/reaction/bob", "r1/ann/result"),
        *("r1/ann/update/ann", "r1/ann/update/bob", "r1/ann/environment"),
    ]
    assert [event.round for event in events] == [1] * len(events)
    assert not [event for event in events if event.degraded]


async def test_whatever_the_reply_to_an_action_holds_it_is_read_as_it_was_then_and_the_words_are_asked_for():
    for reply, text in TOLD.values():
        ask = AnsweredAtOnce(SCRIPT, nobody, {"r1/ann/action": reply})
        action, words, *_ = await played(SCRIPT, ask)
        assert action.text == text
        assert words.text == mark("r1/ann/dialogue", "Ann")
        assert ask.requests[0].form is None
