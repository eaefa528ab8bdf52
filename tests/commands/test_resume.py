"""Resuming is replaying: killed at any moment, as often as one likes, a story goes on as if nothing had happened."""

import json
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.fakes.databases import store_in
from tests.fakes.mock_server import key_of, mock_server
from tests.fakes.warm_cli import start

SCENE = {
    "title": "The_Hotel",
    "scenes": [
        {
            "id": 0,
            "event": "A watch goes missing",
            "time": "Midnight",
            "location": "The lobby",
            "description": "An open safe.",
            "characters": [
                {"id": 0, "name": "Ann", "description": "The clerk.", "position": "Desk", "states": "Calm"},
                {"id": 1, "name": "Bob", "description": "A guest.", "position": "Stairs", "states": "Angry"},
            ],
            "actions": [],
            "plot": "It was in his pocket.",
        }
    ],
}
LATENCY = 0.02
CALLS = 4 + 2 * (2 * 5 + 4)
"""Four beliefs, and two rounds of two turns of five calls each, and four beliefs."""
KILLS = 5
WIDTH = 4
"""The most calls that are under way at once: the beliefs of two characters."""


@pytest.fixture(scope="module")
def server():
    with mock_server(latency=LATENCY) as server:
        yield server


@pytest.fixture
def play(tmp_path, environment, server):
    """Starts to play the scene, or to play a story on; its models have names of their own in each test."""
    file = tmp_path / "hotel-generated.json"
    file.write_text(json.dumps(SCENE), encoding="utf-8")
    server.seen.clear()
    server.answers = None

    def begin(*words):
        endpoints = ("--narrator", f"{server.url}#n", "--character", f"{server.url}#c")
        return start(["play", *(words or (str(file), "--rounds", "2", *endpoints))], tmp_path, environment)

    return begin


def events_of(command):
    """What a command printed, but for the id of the story; a last line that was cut off is left out."""
    lines = command.out.read_text(encoding="utf-8").splitlines(keepends=True)
    told = [json.loads(line) for line in lines if line.endswith("\n")]
    return [{name: value for name, value in event.items() if name != "story"} for event in told]


def recorded(environment):
    """The one story of the database, the keys of its recorded replies, and how many calls have no reply."""
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    try:
        [story] = store.stories.stories()
        messages = [[vars_of(message) for message in reply.messages] for reply in store.stories.journal(story.id)]
        return story.id, [key_of(each) for each in messages], store.stories.unanswered(story.id)
    finally:
        store.close()


def vars_of(message):
    return {"role": message.role, "content": message.content}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, server):
    """The events of the story when nothing happens to it, and the keys of its calls."""
    folder = tmp_path_factory.mktemp("undisturbed")
    file = folder / "hotel-generated.json"
    file.write_text(json.dumps(SCENE), encoding="utf-8")
    server.seen.clear()
    endpoints = ("--narrator", f"{server.url}#n", "--character", f"{server.url}#c")
    command = start(["play", str(file), "--rounds", "2", *endpoints, "--db", "own.db"], folder, {})
    assert command.wait() == 0
    assert len(set(server.keys())) == len(server.seen) == CALLS
    return events_of(command), set(server.keys())


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3))])
def test_a_story_that_is_killed_again_and_again_is_the_story_that_was_not(undisturbed, play, server, environment, seed):
    chance = random.Random(seed)
    events, keys = undisturbed
    moments = sorted(chance.sample(range(1, CALLS - WIDTH), KILLS))
    server.answers = moments[0]  # so that it has not ended before it is killed
    command, seen, lost = play(), 0, 0
    for calls in moments:
        server.answers = max(calls, seen + 1)
        command.until(lambda: len(server.seen) >= server.answers)
        time.sleep(chance.uniform(0, 1.5 * LATENCY))
        command.kill()
        assert command.process.exitcode == -9
        assert events_of(command) == events[: len(events_of(command))]
        server.catch_up()
        seen = len(server.seen)
        story, done, unanswered = recorded(environment)
        assert 0 <= unanswered - lost <= WIDTH
        lost = unanswered
        command = play("--resume", story)
        server.answers = seen + 1
        command.until(lambda: len(server.seen) > seen)  # noqa: B023 - waits here
        assert not set(server.keys()[seen:]) & set(done)
    server.answers = None
    assert command.wait() == 0
    assert events_of(command) == events
    asked = Counter(server.keys())
    assert asked.keys() == keys
    assert asked.total() - len(asked) <= lost
    assert recorded(environment)[2] == lost
    assert not set(server.keys()[seen:]) & set(done)


def test_a_story_that_was_not_killed_is_asked_once_for_everything(undisturbed, play, server, environment):
    events, keys = undisturbed
    command = play()
    assert command.wait() == 0
    assert events_of(command) == events
    assert Counter(server.keys()) == Counter(keys)
    story, done, unanswered = recorded(environment)
    assert (set(done), len(done), unanswered) == (keys, CALLS, 0)
    again = play("--resume", story)
    assert again.wait() == 0
    assert events_of(again) == events
    assert len(server.seen) == CALLS


def test_a_kill_between_reply_and_event_loses_neither(undisturbed, play, server, environment):
    """Killed as soon as its first event is told, over and over: each time at least this event is new."""
    events, _ = undisturbed
    server.answers = 8  # so that it has not ended before it is killed
    command = play()
    for number in range(1, 4):
        command.until(lambda: len(events_of(command)) >= number)  # noqa: B023 - waits here
        command.kill()
        story, _, _ = recorded(environment)
        server.answers += 8
        command = play("--resume", story)
    server.answers = None
    assert command.wait() == 0
    assert events_of(command) == events
