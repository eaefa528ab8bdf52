"""Stories of the first version of the prompts: told as such, played on over their journal, branched and checked.

They come from the archive of `test_baseline.py`. In stories of then nobody forms beliefs before the first round, words
are asked for separately, and so is each update.
"""

import shutil
import sqlite3
import tarfile
from contextlib import closing

import pytest

from characterbox.errors import RecordMismatch
from characterbox.judging.cross_check import check_story, checks_of, left_out
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.sampling import UNSENT
from characterbox.play.paths import parse_path, reply_path
from characterbox.play.perception import knowers
from characterbox.play.world import moments
from characterbox.settings import database_url
from characterbox.share.story_file import bring_in, read_story_file
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Branch
from tests.commands.test_baseline import ARCHIVE, STORIES
from tests.fakes.in_process_servers import ToNearby, nearby_mock

pytestmark = pytest.mark.slow

STEPS = {"action", "dialogue", "influence", "reaction", "result", "update", "environment"}
BELIEFS = {"self-belief", "environment-belief"}
ENDED = ("279d6f93b7db", "77487545e12e", "a4f3f19808bf", "cab0e66b4ab2")
REHEARSED = tuple(id for id in ENDED if id != "77487545e12e")
"""Those whose models the rehearsal can still be; the narrator of the other one was a server that is gone."""
CHECKED = "cab0e66b4ab2"
"""The one that a second narrator was asked about."""


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baseline")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    Store(database_url(folder / "database.db")).close()
    return folder


@pytest.fixture
def file(baseline, tmp_path):
    """The database, brought up to date, for one test alone."""
    return shutil.copy(baseline / "database.db", tmp_path / "database.db")


@pytest.fixture
def store(file):
    store = Store(database_url(file))
    yield store
    store.close()


@pytest.fixture
async def client():
    client = Client(transport=ToNearby())
    yield client
    await client.close()


def cut(file, id, kept):
    """Take from a story all but its first events, and the replies behind them: it is paused there."""
    with closing(sqlite3.connect(file)) as database, database:
        paths = [path for (path,) in database.execute("select path from event where story_id = ? order by seq", [id])]
        replies = [path for (path,) in database.execute("select path from reply where story_id = ?", [id])]
        database.execute("delete from event where story_id = ? and seq > ?", [id, kept])
        gone = [path for path in replies if not path.startswith(tuple(paths[:kept]))]
        database.executemany("delete from reply where story_id = ? and path = ?", [(id, path) for path in gone])
        database.execute("update story set status = 'paused' where id = ?", [id])


async def played_on(store, client, id, **how):
    """The events of a story that is resumed, as they are told."""
    told = []
    story = store.stories.story(id)
    await perform(store.stories, client, story, PlaybackControl(), on_event=lambda _, event: told.append(event), **how)
    return told


def test_its_stories_are_of_the_first_version_of_the_prompts(store, baseline, tmp_path):
    for id in STORIES:
        settings = store.stories.story(id).script.settings
        assert (settings.prompts, settings.last_beliefs) == (1, True)
        assert settings.narrator == settings.characters == UNSENT
    new = Store(database_url(tmp_path / "new.db"))
    for id in STORIES:
        brought = bring_in(new.stories, read_story_file((baseline / "stories" / f"{id}.json").read_bytes()))
        assert new.stories.story(brought.id).script == store.stories.story(id).script
        assert new.stories.events(brought.id) == store.stories.events(id)
    new.close()


@pytest.mark.parametrize("id", ENDED)
def test_of_what_happened_then_all_perceive_what_all_could_see(store, id):
    scene, events = store.stories.story(id).script.scene, store.stories.events(id)
    seen = [knowers(event, world) for event, _, world in moments(events, scene) if event.kind in SEEN]
    assert seen
    assert all(set(shares.values()) == {"whole"} for shares in seen)


SEEN = {"action", "dialogue", "reaction", "interaction_result", "environment_update"}


@pytest.mark.parametrize("kept", [0, 1, 9, 14, -2])
@pytest.mark.parametrize("id", REHEARSED)
async def test_a_story_that_was_paused_then_goes_on_from_what_its_journal_holds(file, client, id, kept):
    with closing(Store(database_url(file))) as store:
        events = store.stories.events(id)
        kept = kept % len(events)
        cut(file, id, kept)
        journal = {reply.path: reply for reply in store.stories.journal(id)}
        assert len(store.stories.events(id)) == kept
        told = await played_on(store, client, id, on_mismatch="keep")
        assert told[:kept] == events[:kept]
        assert store.stories.events(id) == told
        assert store.stories.story(id).status == "ended"
        replies = {reply.path: reply for reply in store.stories.journal(id)}
        assert {path: replies[path] for path in journal} == journal
        for event in told[:-1]:
            assert reply_path(event.path, replies) == event.path, "each event has a reply of its own"
        steps = {(place.round, place.step) for path in replies for place, _ in [parse_path(path)]}
        assert {round for round, _ in steps} == {1}, "no beliefs before the first round"
        assert {step for _, step in steps} == STEPS | BELIEFS


async def test_a_story_that_was_paused_then_is_asked_about_first_as_its_prompts_were_others(file, client):
    cut(file, CHECKED, 9)
    with closing(Store(database_url(file))) as store:
        with pytest.raises(RecordMismatch, match="r1/alice/action"):
            await played_on(store, client, CHECKED)
        assert store.stories.story(CHECKED).status == "mismatched"
        assert len(store.stories.events(CHECKED)) == 9


@pytest.mark.parametrize("at", [2, 7, 12])
async def test_a_branch_of_a_story_of_then_keeps_its_way_of_asking(store, client, at):
    parent = store.stories.story(CHECKED)
    events = store.stories.events(CHECKED)
    branch = Branch(parent=CHECKED, at=at, anew="all")
    rehearsal = Endpoint.parse("rehearsal")
    casting = Casting(narrator=rehearsal, characters=dict.fromkeys(parent.script.scene.names, rehearsal))
    story = store.stories.create(parent.script, casting, "app", branch=branch)
    told = await played_on(store, client, story.id, on_mismatch="keep")
    assert told[: at - 1] == events[: at - 1]
    origins = [reply.origin for reply in store.stories.journal(story.id)]
    assert origins.count(CHECKED) == at - 1
    assert told[-1].kind == "story_ended"
    assert {event.path for event in told[:-1]} == {reply.path for reply in store.stories.journal(story.id)}


@pytest.mark.parametrize("id", REHEARSED)
async def test_a_second_narrator_is_asked_in_the_forms_of_then(store, client, id):
    story = store.stories.story(id)
    with nearby_mock() as server:
        checked = await check_story(store, client, story, Endpoint(url=server.url, model="second"))
        asked = [body["response_format"]["json_schema"]["schema"]["properties"].keys() for body in server.seen]
    assert asked
    assert all([*fields] in (["affected", "effect", "importance"], ["result", "importance"]) for fields in asked)
    assert len(asked) == len([one for one in checked if one.second is not None])
    assert "the second narrator's reply could not be read" not in left_out([checked])


async def test_what_a_second_narrator_was_asked_then_is_not_asked_again(store, client):
    story = store.stories.story(CHECKED)
    before = store.stories.journal(CHECKED, under="check/")
    [(narrator, found)] = checks_of(store, story).items()
    assert before
    assert await check_story(store, client, story, narrator) == found
    assert store.stories.journal(CHECKED, under="check/") == before
