"""The settings of a story: recorded with it, sent with each request, and those of its time where it has none."""

import pytest
from pydantic import ValidationError

from characterbox.llm.sampling import UNSENT, Sampling
from characterbox.play.settings import FIRST, MemorySettings, Settings, with_settings
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in
from tests.fakes.scenes import a_scene


def test_they_come_back_as_they_were_stored():
    settings = Settings(
        narrator=Sampling(temperature=0.0),
        characters=UNSENT,
        memory=MemorySettings(record_tokens=7, recalled=2, relevance=0.5, recency=0, importance=3, half_life=2.5),
        last_beliefs=False,
    )
    script = Script(scene=a_scene(), settings=settings)
    assert Script.model_validate_json(script.model_dump_json()) == script


def test_a_script_without_settings_has_those_of_the_first_stories():
    stored = Script(scene=a_scene()).model_dump(mode="json")
    del stored["settings"]
    script = Script.model_validate(with_settings(stored))
    assert script.settings == FIRST
    assert (FIRST.prompts, FIRST.narrator, FIRST.characters) == (1, UNSENT, UNSENT)
    assert (FIRST.memory.recalled, FIRST.memory.importance, FIRST.last_beliefs) == (6, 1.0, True)


@pytest.mark.parametrize("stored", [{"settings": {"prompts": 2}}, None, [], "script"])
def test_whatever_has_settings_or_is_no_script_stays_as_it_is(stored):
    assert with_settings(stored) is stored


@pytest.mark.parametrize(
    "fields",
    [{"record_tokens": -1}, {"recalled": -1}, {"relevance": -0.1}, {"importance": 11}, {"half_life": 0}, {"decay": 1}],
)
def test_what_makes_no_sense_is_refused(fields):
    with pytest.raises(ValidationError):
        MemorySettings(**fields)


async def test_each_request_says_how_its_agent_draws_its_replies():
    narrator, characters = Sampling(temperature=0.0, top_p=0.9), Sampling(temperature=1.2)
    script = Script(scene=a_scene(), rounds=1, settings=Settings(narrator=narrator, characters=characters))
    ask = AnsweredAtOnce(script, next_in(script.scene), instead={"r1/ann/influence": "None"})
    await played(script, ask)
    assert "r1/ann/influence/again" in [request.path for request in ask.requests]
    for request in ask.requests:
        assert request.sampling == (narrator if request.agent is None else characters), request.path


async def test_how_replies_are_drawn_makes_another_question():
    digests = set()
    for sampling in (Sampling(), UNSENT, Sampling(temperature=0.0), Sampling(top_p=0.5)):
        script = Script(scene=a_scene(), rounds=1, settings=Settings(characters=sampling))
        ask = AnsweredAtOnce(script, next_in(script.scene))
        await played(script, ask)
        digests.add(ask.requests[0].digest(1))
    assert len(digests) == 4
