"""A short scene with two characters, and what a stage has of a story of it."""

import json
from contextlib import contextmanager

from characterbox.play.world import Script
from characterbox.settings import database_url
from tests.fakes.databases import listening
from tests.fakes.scenes import a_scene

SCRIPT = Script(scene=a_scene(), rounds=1)
BELIEFS = 4
"""Calls of the beliefs of two characters."""
TURN = 5
"""Calls of a turn in which somebody is affected: action with words, influence, reaction, result, updates."""
CALLS = BELIEFS + 2 * TURN + BELIEFS
"""Of one round of two characters who touch each other."""


BELIEFS_OF = {
    "self-belief": '{"belief": "B", "desire": "D", "intention": "I"}',
    "environment-belief": '{"others": "O", "scene": "S", "bearing": "A"}',
}
"""What a person answers who is asked what a character believes, by step."""


def does(action, dialogue=None):
    """What a person answers who is asked what a character does and says."""
    return json.dumps({"action": action, "dialogue": dialogue, "to": None, "whispered": False, "unseen": False})


def place(stage, story, path):
    """The number of the event at a path."""
    return next(n for n, event in enumerate(stage.store.stories.events(story.id), 1) if event.path == path)


@contextmanager
def only_counting(tmp_path):
    """What is done within reads neither events nor replies: it counts them."""
    with listening(database_url(tmp_path / "control.db")) as heard:
        yield
    assert heard
    assert [one for one in heard if ("FROM event" in one or "FROM reply" in one) and "count(" not in one] == []


def asked(stage, story):
    """How many calls have left, with a reply or without."""
    return len(stage.store.stories.journal(story.id)) + stage.store.stories.unanswered(story.id)


def replies(stage, story):
    return {reply.path: reply for reply in stage.store.stories.journal(story.id)}
