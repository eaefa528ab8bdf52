"""What is behind a step: what was remembered is stored with the reply, and found out for replies of older apps."""

import asyncio
import json
from itertools import count

import pytest
from sqlalchemy import create_engine, update

from characterbox.llm.asking import JournaledAsk, OpenDoor
from characterbox.llm.calls.answers import Completion
from characterbox.llm.journal import Inheritance, Record
from characterbox.play.algorithm import play
from characterbox.samples import bring, samples
from characterbox.share.story_file import bring_in, file_of, read_story_file
from characterbox.stage.step_details import behind_step, behind_steps
from characterbox.store import Store
from characterbox.store.stories.replies import REPLY
from characterbox.store.stories.stories import Branch
from characterbox.store.transfer.backup import back_up, restore
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story

pytestmark = pytest.mark.slow

SAMPLE = samples()[0]


@pytest.fixture
def store(url):
    store = Store(url)
    bring(store.stories, SAMPLE)
    yield store
    store.close()


def changed(db, /, **values):
    """Set columns of all replies, as no app would."""
    engine = create_engine(db)
    with engine.begin() as connection:
        connection.execute(update(REPLY).values(**values))
    engine.dispose()


def as_with_other_prompts(url):
    """Have all prompts differ from those that are recorded: the story can't be played over its record any more."""
    changed(url, digest=b"\0" * 32)


def as_of_an_older_app(url):
    """Have it that nobody stored what was remembered."""
    changed(url, memory=None)


def told(store, id=SAMPLE.id):
    """What was remembered at each step."""
    story = store.stories.story(id)
    paths = [event.path for event in store.stories.events(id)][:-1]
    return {path: behind_step(store.stories, story, path)["memory"] for path in paths}


def in_all(store):
    """The same as files have it."""
    found = behind_steps(store.stories, store.stories.story(SAMPLE.id))
    memory = {
        path: [{**one, "text": found["texts"][one["text"]]} for one in step["memory"]]
        for path, step in found["steps"].items()
    }
    paths = [event.path for event in store.stories.events(SAMPLE.id)][:-1]
    return {path: memory[found["shared"].get(path, path)] for path in paths}


def test_what_was_remembered_is_known_also_when_prompts_have_changed_since(store, url):
    before = told(store)
    as_with_other_prompts(url)
    again = Store(url)
    try:
        assert told(again) == before == in_all(again)
    finally:
        again.close()
    assert before["r1/" + next(iter(before)).split("/")[1] + "/action"] == []
    assert max(map(len, before.values())) > 10


def test_what_an_older_app_did_not_store_is_found_out_by_asking_again_as_then(store, url):
    before = told(store)
    as_of_an_older_app(url)
    assert told(store) == before == in_all(store)


class NarrowModel:
    """Replies at once, with what the sample says; its context window holds few memories."""

    def prompt_room(self, endpoint):
        return 2500

    async def complete(self, endpoint, request, *, seed, on_token=None, urgent=None):
        written = SAMPLE.replies[request.path]
        text = written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
        return Completion(text)


async def test_what_was_left_out_for_want_of_room_is_found_out_too(store, url):
    ended = store.stories.story(SAMPLE.id)
    story = store.stories.create(ended.script, ended.casting, "app")
    with store.stories.claimed(story.id) as journal:
        record, seq = Record({}, story.casting.endpoint, story.script.seed), count(1)

        async def emit(event):
            journal.record(next(seq), event)

        await play(story.script, JournaledAsk(journal, record, NarrowModel(), OpenDoor()), emit)
        await journal.move("ended")
    before = await asyncio.to_thread(told, store, story.id)
    as_of_an_older_app(url)
    assert await asyncio.to_thread(told, store, story.id) == before
    assert any(one["left_out"] for memory in before.values() for one in memory)


def test_what_can_not_be_found_out_is_not_told(store, url):
    as_of_an_older_app(url)
    as_with_other_prompts(url)
    assert {*told(store).values()} == {None}
    found = behind_steps(store.stories, store.stories.story(SAMPLE.id))["steps"]
    assert {step["memory"] for step in found.values()} == {None}


def test_what_is_stored_of_another_prompt_is_not_told(store, url):
    changed(url, memory='{"clock":0,"query":[],"memories":[[9999,1,1,0,null,false]]}')
    assert {*told(store).values()} == {None}
    found = behind_steps(store.stories, store.stories.story(SAMPLE.id))["steps"]
    assert {step["memory"] for step in found.values()} == {None}


@pytest.mark.parametrize("path", ["judge/gpt-4/ann/critique", "check/m/r1/ann/influence", "end", ""])
async def test_nothing_is_behind_what_is_no_step(store, path):
    story = a_story(store, a_scene("Ann"))
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply(path))
    assert await asyncio.to_thread(behind_step, store.stories, story, path) == {
        "takes": [],
        "memory": None,
        "measured": None,
    }


def test_a_file_and_an_archive_take_it_along(store, url, tmp_path):
    before = told(store)
    content = json.dumps(file_of(store.stories, store.stories.story(SAMPLE.id))).encode()
    back_up(url, tmp_path / "all.zip", lambda *_: None)
    elsewhere = [f"sqlite:///{tmp_path}/{name}.db" for name in ("brought", "restored")]
    restore(tmp_path / "all.zip", elsewhere[1], lambda *_: None)
    for number, there in enumerate(map(Store, elsewhere)):
        if number == 0:
            bring_in(there.stories, read_story_file(content))
        as_with_other_prompts(elsewhere[number])
        assert told(there) == before
        there.close()


def test_a_file_of_an_older_app_is_the_same_story(store):
    content = file_of(store.stories, store.stories.story(SAMPLE.id))
    for reply in content["journal"]:
        del reply["memory"]
    assert bring_in(store.stories, read_story_file(json.dumps(content).encode())).id == SAMPLE.id


async def test_a_branch_has_it_also_of_replies_that_an_older_app_gave(store, url):
    before = told(store)
    as_of_an_older_app(url)
    parent, at = store.stories.story(SAMPLE.id), len(store.stories.events(SAMPLE.id))
    branch = Branch(parent=parent.id, at=at, anew="changed")
    child = store.stories.create(parent.script, parent.casting, "app", branch=branch)
    replies = {reply.path: reply for reply in store.stories.journal(parent.id)}
    inheritance = Inheritance(parent.id, replies, frozenset(before), "end", "changed")
    with store.stories.claimed(child.id) as journal:
        record = Record({}, child.casting.endpoint, child.script.seed, parent=inheritance)

        async def emit(event):
            pass

        await play(child.script, JournaledAsk(journal, record, None, OpenDoor()), emit)
        await journal.move("ended")
    stored = {reply.path: reply.memory for reply in store.stories.journal(child.id)}
    assert stored.keys() == replies.keys()
    assert None not in stored.values()


@pytest.mark.parametrize(
    ("address", "model", "author", "improvised"),
    [
        ("rehearsal", "rehearsal", "model", True),
        ("rehearsal", "gpt-4", "model", True),
        ("http://127.0.0.1:8001/v1", "rehearsal", "model", True),
        ("http://127.0.0.1:8000/v1", "gpt-4", "model", False),
        ("rehearsal", "rehearsal", "human", False),
    ],
)
def test_it_is_known_of_each_reply_whether_the_rehearsal_wrote_it(store, url, address, model, author, improvised):
    path = store.stories.events(SAMPLE.id)[0].path
    changed(url, author=author, url=address, model=model)
    (take,) = behind_step(store.stories, store.stories.story(SAMPLE.id), path)["takes"]
    assert take["improvised"] is improvised
