"""Killed with SIGKILL at random moments, by one or several workers: nothing is lost, asked again, or misplaced."""

import pytest

from bench.kills import STORIES, kill
from characterbox.play.world import Script
from tests.fakes.scenes import a_scene

pytestmark = pytest.mark.process

WIDTH = 4
"""The most calls of a story that are under way at once: the beliefs of two characters."""


@pytest.mark.parametrize(
    ("database", "workers", "kills"),
    [
        ("sqlite", 1, 4),
        ("postgresql", 2, 3),
        pytest.param("sqlite", 2, 8, marks=pytest.mark.soak),
        pytest.param("sqlite", 1, 10, marks=pytest.mark.soak),
        pytest.param("postgresql", 2, 6, marks=pytest.mark.soak),
    ],
    indirect=["database"],
)
def test_what_is_killed_again_and_again_ends_as_if_nothing_had_happened(database, workers, kills, server):
    found = kill(database, server, Script(scene=a_scene(), rounds=2), kills=kills, workers=workers, seed=kills)
    assert (found.lost, found.asked_again, found.misplaced) == (0, 0, 0)
    assert found.kills == kills
    assert found.repeated <= found.unanswered <= kills * STORIES * WIDTH
    assert found.unanswered > 0, "no kill hit a call under way: nothing was tried"
