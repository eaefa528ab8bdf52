"""A second narrator is asked the first one's very prompts, once, and what both decided is put side by side."""

import json
from dataclasses import replace

import pytest

from annotations.reliability.narrator_agreement import cross_check
from characterbox.errors import AddressError, EndpointError, RecordMismatch, StoryError
from characterbox.judging.cross_check import check_story, checks_of, left_out, place_of_check, table_of
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Request
from characterbox.play.events import ActionInfluence, InteractionResult
from characterbox.play.replies.forms import LATER, form_among
from characterbox.play.settings import FIRST, Settings
from characterbox.processes.concurrency import held
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from tests.fakes.in_process_servers import nearby_mock
from tests.fakes.mock_server import key_of
from tests.fakes.scenes import a_scene, masked_scene
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow

REHEARSAL = Endpoint.parse("rehearsal")
ANOTHER = Endpoint.parse("rehearsal#another")


@pytest.fixture
async def play(store, client):
    async def play(narrator=REHEARSAL, rounds=3, language="en", scene=None, settings=Settings()):  # noqa: B008 - frozen
        scene = scene or a_scene("Ann", "Bob", "Cai", language=language)
        story = a_story(store, scene, rounds=rounds, settings=settings)
        casting = casting_at(REHEARSAL, scene).model_copy(update={"narrator": narrator})
        store.stories.recast(story.id, casting)
        await perform(store.stories, client, store.stories.story(story.id), PlaybackControl(), on_event=lambda *_: None)
        return store.stories.story(story.id)

    return play


BEFORE = {"affected": ["affected", "effect", "importance"], "result": ["result", "importance"]}
"""The fields of the forms of the first version of the prompts, by the first of each."""
NOW = {
    "affected": ["affected", "effect", "importance", "seen_by", "heard_by"],
    "result": ["result", "felt", "importance", "seen_by"],
}


def fields_of(body):
    """The fields of the form that is asked for."""
    return list(body["response_format"]["json_schema"]["schema"]["properties"])


async def as_if_asked_before(store, story):
    """Have the narrator's decisions recorded as if they had been asked for in the forms of the first version."""
    names, given = story.script.scene.names, store.stories.replies(story.id, "r")
    async with held(store.stories.claimed(story.id)) as claimed:
        for event in decisions(store, story):
            task = "influence" if isinstance(event, ActionInfluence) else "result"
            among = tuple(name for name in names if task == "result" or name != event.character)
            reply, form = given[event.path], form_among(task, among, LATER[task])
            digest = Request(event.path, None, "en", reply.messages, form).digest(story.script.seed)
            await claimed.answered(replace(reply, take=reply.take + 1, digest=digest))


def decisions(store, story):
    return [one for one in store.stories.events(story.id) if isinstance(one, ActionInfluence | InteractionResult)]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_narrator_agrees_fully_with_itself_and_less_with_another(store, client, play, language):
    story = await play(language=language)
    same, other = [
        cross_check(table_of([(story, await check_story(store, client, story, narrator))]))
        for narrator in (REHEARSAL, ANOTHER)
    ]
    assert same.affected.n == 9
    assert same.affected.share.estimate == same.affected.kappa.estimate == 1
    assert same.wording["influence"].similarity.estimate == same.wording["result"].similarity.estimate == 1
    assert same.importance["influence"].estimate == pytest.approx(1)
    assert other.affected.share.estimate < 1
    assert other.affected.kappa.estimate < 1
    assert other.importance["influence"].estimate < 0.9
    assert other.wording["result"].similarity.estimate < 1


async def test_the_second_narrator_is_asked_word_for_word_what_the_first_was(store, client, play):
    with nearby_mock() as first, nearby_mock() as second:
        story = await play(Endpoint(url=first.url, model="first"))
        checked = await check_story(store, client, story, Endpoint(url=second.url, model="second"))
        asked = {key_of(body["messages"]): body for body in first.seen}
        events = decisions(store, story)
        assert len(second.seen) == len(events) == len(checked)
        for body in second.seen:
            known = asked[key_of(body["messages"])]
            for name in ("response_format", "seed", "messages", "temperature", "top_p"):
                assert body[name] == known[name]
            assert fields_of(body) == NOW[fields_of(body)[0]]
        assert {fields_of(body)[0] for body in second.seen} == {*NOW}
    assert {one.first.path for one in checked} == {event.path for event in events}
    replies = store.stories.replies(story.id, "check/")
    assert set(replies) == {f"check/second/{event.path}" for event in events}
    assert {reply.endpoint.model for reply in replies.values()} == {"second"}


async def test_of_a_story_of_before_the_second_narrator_is_asked_in_the_forms_of_then(store, client, play):
    story = await play(rounds=1, settings=FIRST)
    await as_if_asked_before(store, story)
    with nearby_mock() as server:
        checked = await check_story(store, client, story, Endpoint(url=server.url, model="second"))
        assert len(server.seen) == len(checked) == len(decisions(store, story))
        for body in server.seen:
            assert fields_of(body) == BEFORE[fields_of(body)[0]]
            assert "temperature" not in body
    assert left_out([checked]) == {}


async def test_what_was_decided_since_in_a_story_of_before_is_asked_in_the_forms_of_now(store, client, play):
    story = await play(rounds=1, settings=FIRST)
    with nearby_mock() as server:
        await check_story(store, client, story, Endpoint(url=server.url, model="second"))
        for body in server.seen:
            assert fields_of(body) == NOW[fields_of(body)[0]]


async def test_who_is_recognised_is_asked_where_somebody_does_not_know_somebody(store, client, play):
    with nearby_mock() as first, nearby_mock() as second:
        story = await play(Endpoint(url=first.url, model="first"), rounds=1, scene=masked_scene())
        checked = await check_story(store, client, story, Endpoint(url=second.url, model="second"))
        asked = {key_of(body["messages"]): body for body in first.seen}
        for body in second.seen:
            assert body["response_format"] == asked[key_of(body["messages"])]["response_format"]
        told = [body for body in second.seen if "result" in fields_of(body)]
        assert told
        assert all("recognised" in fields_of(body) for body in told)
    assert left_out([checked]) == {}


async def test_what_was_asked_is_not_asked_again_and_a_failure_goes_on_where_it_broke_off(store, client, play):
    story = await play()
    with nearby_mock() as server:
        narrator = Endpoint(url=server.url, model="second")
        server.faults.extend(["401"] * 3)
        with pytest.raises(EndpointError):
            await check_story(store, client, story, narrator)
        failed, wanted = len(server.seen), len(decisions(store, story))
        assert failed == wanted
        part = checks_of(store, story)[narrator]
        assert left_out([part]) == {"the second narrator has not been asked yet": 3}
        checked = await check_story(store, client, story, narrator)
        assert len(server.seen) == wanted + 3
        assert await check_story(store, client, story, narrator) == checked
        assert len(server.seen) == wanted + 3
    assert checks_of(store, story) == {narrator: checked}


async def test_a_second_narrator_changes_nothing_of_the_story_and_its_calls_are_those_of_readers(store, client, play):
    story = await play()
    events, costs = store.stories.events(story.id), store.stories.costs(story.id)
    checked = await check_story(store, client, story, ANOTHER)
    assert store.stories.events(story.id) == events
    assert store.stories.costs(story.id) == costs
    assert store.stories.costs(story.id, "judges").replies.calls == len(checked)
    assert store.ratings.frame().empty


async def test_what_can_not_be_read_is_asked_once_more_and_then_left_out(store, client, play):
    story = await play()
    with nearby_mock(style="prose") as server:
        checked = await check_story(store, client, story, Endpoint(url=server.url, model="m"))
        influences = [one for one in checked if isinstance(one.first, ActionInfluence)]
        assert server.tasks() == {"influence": 2 * len(influences), "result": len(checked) - len(influences)}
    assert left_out([checked]) == {"the second narrator's reply could not be read": len(influences)}
    table = table_of([(story, checked)])
    assert set(table["step"]) == {"result"}, "prose can be a result"
    assert list(checks_of(store, story).values()) == [checked]


async def test_what_the_first_narrator_did_not_decide_is_not_compared(store, client, play):
    with nearby_mock(style="prose") as server:
        story = await play(Endpoint(url=server.url, model="first"), rounds=1)
    checked = await check_story(store, client, story, REHEARSAL)
    assert left_out([checked]) == {"the first narrator's reply could not be read": 3}
    assert store.stories.replies(story.id, "check/") == {}


async def test_how_far_it_is_is_told_also_of_what_was_recorded(store, client, play):
    story = await play(rounds=1)
    wanted = len(decisions(store, story))
    for _ in range(2):
        told = []
        await check_story(store, client, story, ANOTHER, on_decision=lambda *far, told=told: told.append(far))
        assert told == [(number, wanted) for number in range(wanted + 1)]


async def test_only_a_story_that_has_ended_is_checked(store, client):
    with pytest.raises(StoryError, match="has not ended; only ended stories can be cross-checked"):
        await check_story(store, client, a_story(store), REHEARSAL)


async def test_models_of_names_too_alike_are_not_taken_for_one_another(store, client, play):
    story = await play(rounds=1)
    with nearby_mock() as server:
        await check_story(store, client, story, Endpoint(url=server.url, model="GPT 4"))
        asked = len(server.seen)
        with pytest.raises(RecordMismatch, match="came from GPT 4, not from gpt-4"):
            await check_story(store, client, story, Endpoint(url=server.url, model="gpt-4"))
        assert len(server.seen) == asked
    assert place_of_check(Endpoint.parse("rehearsal#gpt-4")) == "check/gpt-4~rehearsal/"
    with pytest.raises(AddressError, match="no letter or digit"):
        place_of_check(Endpoint(url="http://h/v1", model="--"))


async def test_the_table_is_plain_and_the_same_for_a_reader(store, client, play):
    story = await play(rounds=1)
    checked = await check_story(store, client, story, ANOTHER)
    table = table_of([(story, checked)])
    [again] = [table_of([(story, one)]) for one in checks_of(store, story).values()]
    assert json.loads(table.to_json()) == json.loads(again.to_json())
    assert set(table["scene"]) == {"The Hotel: watch"}
