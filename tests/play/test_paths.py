"""Paths: each event that the play makes stands at the one place that its kind can have."""

import re
from pathlib import Path

import pytest

import characterbox
import pages
from characterbox.llm.request import AGAIN
from characterbox.play.events import Reaction, StoryEnded
from characterbox.play.paths import path_of, place_of
from characterbox.samples import bring, samples
from tests.fakes.databases import store_in


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_an_event_of_a_story_stands_at_its_place(tmp_path, number):
    store = store_in(tmp_path / "sample.db")
    sample = samples()[number]
    bring(store.stories, sample)
    events = store.stories.events(sample.id)
    store.close()
    assert [place_of(event) for event in events] == [event.path for event in events]


def test_a_path_tells_round_turn_step_and_whom_it_is_about():
    assert path_of(2, "Ron Weasley", "action") == "r2/ron-weasley/action"
    reaction = Reaction(path="-", round=2, turn="Ron Weasley", character="赫敏", to="Ron Weasley", text="-")
    assert place_of(reaction) == "r2/ron-weasley/reaction/赫敏"
    assert place_of(StoryEnded(path="-", round=3, because="rounds")) == "end"


def test_how_a_question_is_marked_that_is_put_once_more_is_written_in_one_place():
    files = [file for package in (characterbox, pages) for file in Path(next(iter(package.__path__))).rglob("*.py")]
    written = [file.name for file in files if re.search(rf'{AGAIN}["`]', file.read_text(encoding="utf-8"))]
    assert written == ["request.py"]
