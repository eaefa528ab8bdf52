"""The stories of a sweep are found again by what they play."""

import hashlib
import json

import pytest
from pydantic import ValidationError

from characterbox.llm.endpoint import Endpoint
from characterbox.llm.sampling import UNSENT
from characterbox.play.settings import FIRST, Settings
from characterbox.sweeps import sweep as sweeps
from characterbox.sweeps.sweep import cells_of, stored_sweep
from tests.fakes.sweeps import OTHER, REHEARSAL, a_sweep, scenes


def ids(sweep):
    return [cell.id for cell in cells_of(sweep)]


def test_each_is_played_with_each_and_scenes_go_on_side_by_side():
    sweep = a_sweep(scenes=scenes(3), seeds=(1, 2), repeats=2, narrators=(REHEARSAL, OTHER))
    found = [*cells_of(sweep)]
    assert len(found) == sweep.size == 3 * 2 * 2 * 2 * 2 == len({cell.id for cell in found})
    assert [cell.place for cell in found] == [*range(1, 49)]
    played = {(cell.scene.id, cell.character.model, cell.narrator.model, cell.seed, cell.repeat) for cell in found}
    assert len(played) == 48
    assert [cell.character for cell in found[:2]] == [REHEARSAL, OTHER], "all models come far at the same time"
    assert all({*cell.casting.characters.values()} == {cell.character} for cell in found)


def test_a_story_is_the_same_in_another_sweep_and_at_another_address():
    small, large = a_sweep(), a_sweep(name="large", scenes=scenes(3), seeds=(7, 1), judges=(), budget=2.0)
    assert {*ids(small)} < {*ids(large)}
    here, there = (Endpoint(url=f"http://{host}/v1", model="m") for host in ("here", "there"))
    assert ids(a_sweep(characters=(here,))) == ids(a_sweep(characters=(there,)))


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 2},
        {"may_conclude": True},
        {"seeds": (2,)},
        {"settings": Settings(last_beliefs=False)},
        {"settings": Settings(narrator=UNSENT)},
        {"characters": (Endpoint.parse("rehearsal#third"), OTHER)},
        {"narrators": (OTHER,)},
        {"characters": (Endpoint(url="http://here/v1", model="rehearsal"), OTHER)},
    ],
)
def test_what_is_played_otherwise_is_another_story(change):
    assert ids(a_sweep())[0] != ids(a_sweep(**change))[0]


def test_stories_are_others_by_the_embedding_model_and_keep_their_ids_without_one():
    recalled = [a_sweep(memory=Endpoint.parse(f"http://x:1/v1#{name}")) for name in ("bge-m3", "e5")]
    found = [{*ids(sweep)} for sweep in (a_sweep(), *recalled)]
    assert len(set.union(*found)) == 3 * a_sweep().size
    assert {*ids(a_sweep(memory=Endpoint.parse("http://elsewhere:2/v1#e5")))} == found[2]
    (cell, *_) = cells_of(a_sweep())
    content = [cell.script.model_dump(mode="json"), [["rehearsal", True]] * 2, 1, sweeps.prompts_digest()]
    assert cell.id == hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def test_stories_of_other_prompts_are_other_stories(monkeypatch):
    before = ids(a_sweep())
    monkeypatch.setattr(sweeps, "prompts_digest", lambda: "other")
    assert not {*before} & {*ids(a_sweep())}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scenes": scenes(1) * 2}, "The Hotel: watch-1 is listed twice"),
        ({"characters": (REHEARSAL, Endpoint(url="http://x/v1", model="rehearsal"))}, "rehearsal is listed twice"),
        ({"seeds": (1, 1)}, "1 is listed twice"),
        ({"judges": a_sweep().judges * 2}, "strict is listed twice"),
        ({"name": "…"}, "a letter or digit"),
        ({"budget": 0}, "greater than 0"),
        ({"parallel": {"ftp://x": 1}}, "neither an http"),
        ({"scenes": ()}, "at least 1 item"),
    ],
)
def test_what_can_not_be_told_apart_is_refused(change, told):
    with pytest.raises(ValidationError, match=told):
        a_sweep(**change)


def test_a_sweep_that_was_stored_before_there_were_settings_keeps_its_stories():
    now = a_sweep(settings=FIRST, prompts="0123456789ab")
    before = now.model_dump(mode="json", exclude={"settings"})
    (cell, *_) = cells_of(stored_sweep(before))
    script = {name: value for name, value in cell.script.model_dump(mode="json").items() if name != "settings"}
    content = [script, [["rehearsal", True], ["rehearsal", True]], 1, "0123456789ab"]
    assert cell.id == hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
    assert cell.script.settings == FIRST
    assert stored_sweep(a_sweep().model_dump(mode="json")) == a_sweep()
