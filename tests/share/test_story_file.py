"""A story as a file: what is saved comes back whole, and what is no story is refused with the reason."""

import json
import time
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import StoryError
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.play.script import Script
from characterbox.samples import samples
from characterbox.share.story_file import bring_in, file_of, read_story_file
from characterbox.stage.samples import bring
from characterbox.stage.stage import Stage
from characterbox.store import Store
from characterbox.store.stories import Branch
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story, casting_at


@pytest.fixture
def stores(tmp_path):
    """Two databases."""
    both = [Store(f"sqlite:///{tmp_path}/{name}.db") for name in ("here", "there")]
    yield both
    for store in both:
        store.close()


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The file of a sample."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('file')}/sample.db")
    bring(store.stories, samples()[0])
    told = file_of(store.stories, store.stories.story(samples()[0].id))
    store.close()
    return told


def as_bytes(content):
    return json.dumps(content, ensure_ascii=False).encode()


def saved(store, id):
    return file_of(store.stories, store.stories.story(id))


def without_launch(content):
    told = deepcopy(content)
    del told["story"]["launched_from"]
    return told


@pytest.mark.parametrize("number", range(4))
def test_what_is_saved_comes_back_whole(stores, number):
    here, there = stores
    bring(here.stories, samples()[number])
    before = saved(here, samples()[number].id)
    story = bring_in(there.stories, read_story_file(as_bytes(before)))
    assert story.launched_from == "file"
    assert without_launch(saved(there, story.id)) == without_launch(before)


async def test_all_that_a_reply_can_have_comes_back(stores):
    here, there = stores
    story = a_story(here, a_scene("孙悟空", "Bob", language="zh"))
    with here.stories.claimed(story.id) as claimed:
        await claimed.asked("r1/bob/action", 0)
        await claimed.answered(
            a_reply("r1/bob/action", troubles=("HTTP 429", "timed out"), dropped=("雨",), price=None)
        )
        await claimed.asked("r1/bob/action", 1)
        await claimed.answered(a_reply("r1/bob/action", take=1, author="edit", finish_reason=None, origin="ab12"))
        await claimed.asked("judge/gpt-4/bob/critique", 0)
        await claimed.move("stopped", "nobody: knows\nwhy")
    before = saved(here, story.id)
    bring_in(there.stories, read_story_file(as_bytes(before)))
    after = saved(there, story.id)
    assert without_launch(after) == without_launch(before)
    assert there.stories.unanswered(story.id) == here.stories.unanswered(story.id) == 2


def test_the_same_story_is_brought_in_once(stores, content):
    _, there = stores
    first = bring_in(there.stories, read_story_file(as_bytes(content)))
    assert bring_in(there.stories, read_story_file(as_bytes(content))).id == first.id
    assert there.stories.count() == 1


def test_another_story_with_the_same_id_gets_its_own(stores, content):
    _, there = stores
    first = bring_in(there.stories, read_story_file(as_bytes(content)))
    other = deepcopy(content)
    other["events"][0]["text"] = "Somebody else's morning."
    second = bring_in(there.stories, read_story_file(as_bytes(other)))
    assert second.id != first.id
    assert (
        there.stories.events(first.id)[0].text != there.stories.events(second.id)[0].text == "Somebody else's morning."
    )


def branched(content, id, parent):
    told = deepcopy(content)
    told["story"] |= {"id": id, "branch": {"parent": parent, "at": 1, "anew": "all"}}
    return read_story_file(as_bytes(told))


def test_stories_are_not_branched_in_a_circle(stores, content):
    _, there = stores
    for id, parent in (("b", "c"), ("a", "b")):
        bring_in(there.stories, branched(content, id, parent))
    with pytest.raises(StoryError, match="story c: it is a branch of story a, and that is a branch of this one"):
        bring_in(there.stories, branched(content, "c", "a"))
    assert there.stories.count() == 2
    bring_in(there.stories, branched(content, "c", "elsewhere"))
    assert [kin.id for kin in there.families.family("a")] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("before", "after"), [("running", "paused"), ("waiting", "paused"), ("cued", "cued"), ("ended", "ended")]
)
def test_nothing_goes_on_by_itself_where_it_was_brought_in(stores, content, before, after):
    _, there = stores
    story = bring_in(
        there.stories, read_story_file(as_bytes({**content, "story": {**content["story"], "status": before}}))
    )
    assert there.stories.story(story.id).status == after


def changed(content, change):
    told = deepcopy(content)
    change(told)
    return as_bytes(told)


MARK = {"path": "r9/ann/action", "take": 0, "asked_at": "2026-05-01T10:00:00Z"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.update(format="else"), "format"),
        (lambda c: c.pop("journal"), "journal"),
        (lambda c: c.update(more=1), "more"),
        (lambda c: c["events"][0].update(character="Nobody"), "number 1: character: 'Nobody' is not in the cast"),
        (lambda c: c["events"].append(c["events"][0]), "two of them are at one path"),
        (lambda c: c["events"][0].update(kind="explosion"), "events.0"),
        (lambda c: c["journal"].append(c["journal"][0]), "the same take of one path"),
        (lambda c: c["journal"][0].update(latency=-1), "journal.0.latency"),
        (lambda c: c["journal"][0].update(digest="../../etc"), "journal.0.digest"),
        (lambda c: c["journal"][0]["endpoint"].update(url="http://me:secret@evil/v1"), "endpoint.url"),
        (lambda c: c["story"]["casting"]["characters"].popitem(), "not that of the cast"),
        (lambda c: c["story"].update(title="Another"), "title"),
        (lambda c: c["story"].update(status="flying"), "story.status"),
        (lambda c: c["story"].update(id="x/y?z"), "story: id"),
        (lambda c: c["story"].update(id=""), "story: id"),
        (lambda c: c["story"].update(people=["Mallory"]), "'Mallory' is not in the cast"),
        (lambda c: c["story"].update(branch={"parent": c["story"]["id"], "at": 1, "anew": "all"}), "its own parent"),
        (lambda c: c["story"].update(label="x" * 10_000), "story: label"),
        (lambda c: c["asked"].extend([MARK, MARK]), "asked: two marks"),
        (lambda c: c["journal"][0].update(take=10**30), "journal.0.take"),
        (lambda c: c["story"]["script"].update(rounds=0), "rounds"),
    ],
)  # fmt: skip
def test_a_file_that_was_tampered_with_is_refused_with_the_place(content, change, told):
    with pytest.raises(StoryError, match="no story of CharacterBox") as refused:
        read_story_file(changed(content, change))
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "junk", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"PK\x03\x04", b'{"format": "characterbox-story"}']
)
def test_junk_is_refused(junk):
    with pytest.raises(StoryError, match="no story of CharacterBox"):
        read_story_file(junk)


def test_a_file_that_is_too_large_is_not_read(monkeypatch):
    monkeypatch.setattr("characterbox.share.story_file.MOST_BYTES", 10)
    with pytest.raises(StoryError, match="larger"):
        read_story_file(b" " * 11)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_that_is_cut_off_anywhere_is_refused(content, data):
    whole = as_bytes(content)
    with pytest.raises(StoryError):
        read_story_file(whole[: data.draw(st.integers(0, len(whole) - 1))])


@pytest.fixture
def stage(tmp_path):
    stage = Stage(Store(f"sqlite:///{tmp_path}/stage.db"), Client())
    yield stage
    stage.close()


def test_a_story_that_was_brought_in_sends_no_key_where_nobody_here_wants_it(stage, stores):
    here, _ = stores
    alien = Endpoint(url="https://evil.example/v1", model="m")
    scene = a_scene()
    story = here.stories.create(Script(scene=scene), casting_at(alien, scene), "app")
    there = bring_in(stage.store.stories, read_story_file(as_bytes(saved(here, story.id))))
    for act in (lambda: stage.resume(there.id), lambda: stage.step(there.id, "call")):
        with pytest.raises(StoryError, match=r"not registered here \(https://evil.example/v1\)"):
            act()
    stage.store.servers.save(Server(url="https://evil.example/v1", name="Ours", kind="api", models=("m",)))
    stage.resume(there.id)
    stage.pause(there.id)


def test_a_branch_of_it_goes_on_with_models_of_ones_own(stage, content):
    sample = bring_in(stage.store.stories, read_story_file(as_bytes(content)))
    casting = casting_at(Endpoint.parse("rehearsal"), sample.script.scene)
    branch = stage.branch(Branch(parent=sample.id, at=80, anew="all"), casting)
    while stage.playing(branch.id):
        time.sleep(0.05)
    assert stage.store.stories.story(branch.id).status == "ended"
    assert stage.store.stories.events(branch.id)[:79] == stage.store.stories.events(sample.id)[:79]
