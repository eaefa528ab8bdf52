"""How far a story goes before it rests."""

import pytest

from characterbox.errors import Interlude
from characterbox.stage.playback_control import PlaybackControl

PATHS = [
    "r1/ann/action",
    "r1/ann/dialogue",
    "r1/ann/influence",
    "r1/ann/influence/again",
    "r1/ann/update/bob",
    "r1/bob/action",
    "r1/ann/self-belief",
    "r1/bob/environment-belief",
    "r2/ann/action",
]


def admitted(pace, paths):
    """The paths that are let through, in order."""
    through = []
    for path in paths:
        try:
            pace.admit(path)
        except Interlude:
            continue
        through.append(path)
    return through


@pytest.mark.parametrize(
    ("stride", "start", "through"),
    [
        (None, 0, PATHS),
        ("call", 0, PATHS[:1]),
        ("call", 2, PATHS[2:3]),
        ("turn", 0, PATHS[:5]),
        ("turn", 5, PATHS[5:6]),
        ("turn", 6, PATHS[6:8]),
        ("round", 0, PATHS[:8]),
        ("round", 8, PATHS[8:]),
    ],
)
def test_a_step_lets_the_calls_of_one_part_through(stride, start, through):
    assert admitted(PlaybackControl(stride=stride), PATHS[start:]) == through


@pytest.mark.parametrize("start", [0, 1])
def test_a_turn_of_a_character_called_beliefs_is_not_the_phase_of_beliefs(start):
    paths = ["r1/beliefs/environment", "r1/beliefs/self-belief", "r1/ann/environment-belief"]
    assert admitted(PlaybackControl(stride="turn"), paths[start:]) == [paths[:1], paths[1:]][start]


def test_nothing_leaves_once_the_story_is_to_rest():
    pace = PlaybackControl()
    assert not pace.resting
    pace.rest("running")
    assert pace.resting
    assert admitted(pace, PATHS) == []
    assert pace.rests_as == "running"


def test_replies_are_streamed_only_while_somebody_watches():
    watching = [False]
    pace = PlaybackControl(show=lambda request, piece: None, watched=lambda: watching[0])
    assert pace.on_token is None
    assert not pace.urgent()
    watching[0] = True
    assert pace.on_token is not None
    assert pace.urgent()


@pytest.mark.parametrize(("stride", "status"), [(None, "running"), ("call", "paused")])
def test_when_the_app_ends_only_what_was_to_go_on_is_marked_so(stride, status):
    pace = PlaybackControl(stride=stride)
    pace.close()
    assert (pace.resting, pace.rests_as) == (True, status)


@pytest.mark.parametrize("status", ["paused", "stopped"])
def test_when_the_app_ends_what_people_wanted_stands(status):
    pace = PlaybackControl()
    pace.rest(status)
    pace.close()
    assert pace.rests_as == status
