"""A story as a file: what is saved comes back whole, and what is no story is refused with the reason."""

import asyncio
import json
import time
from copy import deepcopy
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.i18n.translation import speaking, translate
from characterbox.accounts.account import LOCAL
from characterbox.errors import StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.pause_reasons import Reason, in_full
from characterbox.play.world import Script
from characterbox.reason_sentences import as_sentence
from characterbox.samples import bring, samples
from characterbox.share.story_file import bring_in, file_of, read_story_file
from characterbox.share.validation import MOST_STEP
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.stage.stage import Stage
from characterbox.stage.step_details import behind_step
from characterbox.store.stories.stories import Branch
from tests.components.masked import masked_events
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story, casting_at
from tests.play.masked_guest import ROUNDS, scene

pytestmark = pytest.mark.slow


@pytest.fixture
def stores(tmp_path):
    """Two databases."""
    both = [store_in(tmp_path / f"{name}.db") for name in ("here", "there")]
    yield both
    for store in both:
        store.close()


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The file of a sample."""
    store = store_in(tmp_path_factory.mktemp("file") / "sample.db")
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
        await claimed.move("stopped", a_reason("nobody: knows\nwhy"))
    before = saved(here, story.id)
    bring_in(there.stories, read_story_file(as_bytes(before)))
    after = saved(there, story.id)
    assert without_launch(after) == without_launch(before)
    assert there.stories.unanswered(story.id) == here.stories.unanswered(story.id) == 2


async def test_who_wrote_a_reply_stays_in_the_database(stores):
    here, there = stores
    story = a_story(here)
    with here.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply("r1/ann/action", author="human", person="0123456789ab"))
    assert here.stories.replies(story.id)["r1/ann/action"].person == "0123456789ab"
    file = saved(here, story.id)
    told = await asyncio.to_thread(behind_step, here.stories, story, "r1/ann/action")
    assert [one["author"] for one in told["takes"]] == ["human"]
    assert "0123456789ab" not in json.dumps([file, told])
    bring_in(there.stories, read_story_file(as_bytes(file)))
    brought = there.stories.replies(story.id)["r1/ann/action"]
    assert (brought.author, brought.person) == ("human", None)


async def test_what_a_server_said_is_in_the_file_for_admins_alone(stores):
    here, there = stores
    story, why = a_story(here), a_reason("endpoint http://10.0.0.5/v1#m: HTTP 500: SECRET-BODY (6 attempts)")
    with here.stories.claimed(story.id) as claimed:
        await claimed.move("failed", why)
    with in_full():
        whole = saved(here, story.id)
    assert whole["story"]["reason"] == as_sentence(why)
    told = saved(here, story.id)
    assert "SECRET-BODY" not in json.dumps(told)
    assert "HTTP 500: what was said is left out of the file (6 attempts)" in told["story"]["reason"]
    assert {**whole["story"], "reason": None} == {**told["story"], "reason": None}
    for file in (told, whole):
        assert bring_in(here.stories, read_story_file(as_bytes(file))).id == story.id, "it is there already"
        assert bring_in(there.stories, read_story_file(as_bytes(file))).id == story.id
    assert there.stories.story(story.id).reason.code == why.code == "endpoint"
    assert saved(there, story.id)["story"]["reason"] == told["story"]["reason"]
    assert here.stories.count() == there.stories.count() == 1


def test_the_same_story_is_brought_in_once(stores, content):
    _, there = stores
    first = bring_in(there.stories, read_story_file(as_bytes(content)))
    assert bring_in(there.stories, read_story_file(as_bytes(content))).id == first.id
    assert there.stories.count() == 1


def test_another_story_with_the_same_id_gets_its_own(stores, content):
    _, there = stores
    first = bring_in(there.stories, read_story_file(as_bytes(content)))
    other = deepcopy(content)
    other["events"][0]["belief"] = "I am somebody else."
    second = bring_in(there.stories, read_story_file(as_bytes(other)))
    assert second.id != first.id
    [ours, others] = [there.stories.events(story.id)[0].belief for story in (first, second)]
    assert ours != others == "I am somebody else."


def too_long():
    reason = Reason("told", what="x" * 2000)
    for _ in range(10):
        reason = Reason("several", first=reason, rest=Reason("told", what="x" * 2000))
    return reason.as_json()


def test_a_file_of_an_older_version_tells_its_reasons_in_sentences(stores, content):
    _, there = stores
    said = "endpoint http://10.0.0.5/v1#m: HTTP 500: what was said is left out of the file (6 attempts)"
    old = deepcopy(content)
    old["story"] |= {"status": "failed", "reason": said}
    old["events"].pop()
    old["events"][0] |= {"degraded": True, "reason": "the reply has no text"}
    story = bring_in(there.stories, read_story_file(as_bytes(old)))
    assert as_sentence(story.reason) == said
    assert str(story.reason).endswith("HTTP 500: the server's message is not included in the file (6 attempts)")
    assert story.reason.code == "endpoint"
    assert there.stories.events(story.id)[0].reason == Reason("no_text")
    assert bring_in(there.stories, read_story_file(as_bytes(old))).id == story.id


def branched(content, id, parent):
    told = deepcopy(content)
    told["story"] |= {"id": id, "branch": {"parent": parent, "at": 1, "anew": "all"}}
    return read_story_file(as_bytes(told))


@pytest.mark.parametrize(("at", "taken"), [(MOST_STEP, True), (MOST_STEP + 1, False)])
def test_a_branch_is_at_a_step_that_a_database_can_hold(content, at, taken):
    told = deepcopy(content)
    told["story"]["branch"] = {"parent": "elsewhere", "at": at, "anew": "all"}
    if taken:
        assert read_story_file(as_bytes(told)).story.branch.at == at
    else:
        with pytest.raises(StoryError, match=f"at: it must be {MOST_STEP} or less"):
            read_story_file(as_bytes(told))


def test_stories_are_not_branched_in_a_circle(stores, content):
    _, there = stores
    for id, parent in (("b", "c"), ("a", "b")):
        bring_in(there.stories, branched(content, id, parent))
    with pytest.raises(StoryError, match="story c is a branch of story a, which is itself a branch of story c"):
        bring_in(there.stories, branched(content, "c", "a"))
    assert there.stories.count() == 2
    bring_in(there.stories, branched(content, "c", "elsewhere"))
    assert [kin.id for kin in there.families.family("a")] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("before", "after"), [("running", "paused"), ("waiting", "paused"), ("cued", "cued"), ("ended", "ended")]
)
def test_nothing_goes_on_by_itself_where_it_was_brought_in(stores, content, before, after):
    _, there = stores
    stands = {"status": before, "reason": "it is down" if before == "waiting" else None}
    story = bring_in(there.stories, read_story_file(as_bytes({**content, "story": {**content["story"], **stands}})))
    assert there.stories.story(story.id).status == after


def changed(content, change):
    told = deepcopy(content)
    change(told)
    return as_bytes(told)


def event_of(content, kind):
    return next(event for event in content["events"] if event["kind"] == kind)


def in_days(days):
    return (datetime.now(UTC) + timedelta(days=days)).isoformat()


MARK = {"path": "r9/ann/action", "take": 0, "asked_at": "2026-05-01T10:00:00Z"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.update(format="else"), "format: it must be 'characterbox-story'"),
        (lambda c: c.pop("journal"), "journal: it is missing"),
        (lambda c: c.update(more=1), "more: this field is not allowed here"),
        (lambda c: c["events"][0].update(character="Nobody"), "event 1, character: 'Nobody' is not in the cast"),
        (lambda c: c["events"][0].update(kind="explosion"), "event 1: its kind is not a known kind of event"),
        (lambda c: c["events"][0].pop("kind"), "event 1: its kind is missing"),
        (lambda c: c["events"][0].update(round="two"), "event 1, round: it must be a whole number"),
        (lambda c: c["journal"].append(c["journal"][0]), "journal: an earlier one has the same path and take"),
        (lambda c: c["journal"][0].update(latency=-1), "reply 1 of the journal, latency: it must be 0.0 or more"),
        (lambda c: c["journal"][0].update(digest="../../etc"), "1 of the journal, digest: its format is not valid"),
        (lambda c: c["journal"][0].update(came_at="now"), "journal, came_at: it is not a valid date and time"),
        (lambda c: c["journal"][0].update(came_at="2026-05-01T10:00:00"), "came_at: it has no time zone"),
        (lambda c: c["journal"][0]["endpoint"].update(url="http://me:secret@evil/v1"), "journal, endpoint.url: a URL"),
        (lambda c: c["story"]["casting"]["characters"].popitem(), "casting: it does not match the cast"),
        (lambda c: c["story"].update(title="Another"), "the story, title: it differs from the title in the scene"),
        (lambda c: c["story"].update(status="flying"), "the story, status: it must be 'running', 'paused'"),
        (lambda c: c["story"].update(id="x/y?z"), "the story, id: it must consist of at most 64 letters and digits"),
        (lambda c: c["story"].update(id=""), "the story, id: it must consist of at most 64 letters and digits"),
        (lambda c: c["story"].update(people=["Mallory"]), "people: 'Mallory' is not in the cast"),
        (lambda c: c["story"].update(branch={"parent": c["story"]["id"], "at": 1, "anew": "all"}), "be its own parent"),
        (lambda c: c["story"].update(branch={"parent": "a/b", "at": 1, "anew": "all"}), "parent: it must consist of"),
        (lambda c: c["story"].update(label="x" * 81), "the story, label: it is longer than 80 characters"),
        (lambda c: c["story"]["script"]["scene"].update(work="x" * 201), "scene.work: it is longer than 200"),
        (lambda c: c["asked"].extend([MARK, MARK]), "call 2: an earlier one has the same path and take"),
        (lambda c: c["journal"][0].update(take=10**30), "reply 1 of the journal, take: it"),
        (lambda c: c["story"]["script"].update(rounds=0), "script.rounds: it must be 1 or more"),
        (lambda c: c["story"]["script"].update(rounds=101), "script.rounds: it must be 100 or less"),
        (lambda c: c["story"]["script"].update(rounds=2), "round: it is 3, but must be 2 to 2 here"),
        (lambda c: c["events"][0].update(round=10**9), "event 1, round: it is 1000000000, but must be 0 to 1 here"),
        (lambda c: c["story"].update(created_at=in_days(2)), "the story, created_at: it is not in the past"),
        (lambda c: c["story"].update(created_at="0001-01-01T00:00:00+14:00"), "created_at: it is not in the past"),
        (lambda c: c["story"].update(status="mismatched"), ": it is missing; the status mismatched needs a reason"),
        (lambda c: c["story"].update(status="failed", reason=" "), "the story, reason: it is missing"),
        (lambda c: c["story"].update(status="waiting"), "the story, reason: it is missing"),
        (lambda c: c["events"].insert(1, c["events"].pop()), "event 2, round: it is 3"),
        (lambda c: c["events"].insert(-1, c["events"].pop()), "the story ends here, but more events follow"),
        (lambda c: c["events"].pop(), "events: the story has ended, but its end is missing"),
        (lambda c: c["story"].update(reason=too_long()), "the story, reason: it is longer than 20000 characters"),
        (lambda c: c["story"].update(label="a\nb"), "label: it contains white space that is not allowed in a label"),
        (lambda c: c["story"].update(people=["Ann", "Ann"]), "the story, people: a person is listed twice"),
    ],
)  # fmt: skip
def test_a_file_that_was_tampered_with_is_refused_with_the_place(content, change, told):
    with pytest.raises(StoryError, match="not a CharacterBox story file") as refused:
        read_story_file(changed(content, change))
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("action", {"path": "r1"}, "path: the path of this event must be r1/"),
        ("action", {"path": "r1/nobody/action"}, "path: the path of this event must be r1/"),
        ("reaction", {"path": "end"}, "path: the path of this event must be r1/"),
        ("self_belief", {"path": "r1/action/self-belief"}, "path: the path of this event must be r0/"),
        ("self_belief", {"round": 2}, "event 1, round: it is 2, but must be 0 to 1 here"),
        ("action", {"round": 0}, "round: it is 0, but must be 1 to 1 here"),
        ("dialogue", {"to": "Nobody"}, "to: 'Nobody' is not in the cast"),
        ("action_influence", {"seen_by": ["Nobody"]}, "seen_by[0]: 'Nobody' is not in the cast"),
        ("action_influence", {"heard_by": ["Nobody"]}, "heard_by[0]: 'Nobody' is not in the cast"),
        ("interaction_result", {"recognised": [{"who": "Nobody", "by": []}]}, "recognised[0].who: 'Nobody' is not"),
        (
            "environment_update",
            {"hidden": [{"who": "Elizabeth Bennet", "by": ["Nobody"]}]},
            "hidden[0].by[0]: 'Nobody' is",
        ),
        ("story_ended", {"path": "r3/end"}, "path: the path of this event must be end"),
        ("dialogue", {"turn": None}, "turn: it is missing; an event of this kind must belong to a turn"),
        ("environment_belief", {"turn": "character"}, "turn: an event of this kind cannot belong to a turn"),
        ("action_influence", {"character": "affected"}, "character: it must be the character whose turn it is"),
        ("action_influence", {"affected": "character"}, "affected: it cannot be the character whose turn it is"),
        ("reaction", {"to": "character"}, "to: it must be the character whose turn it is"),
        ("interaction_result", {"affected": "character"}, "affected: it cannot be the character whose turn it is"),
    ],
)
def test_an_event_that_no_play_can_make_is_refused(content, kind, change, told):
    def taking(file):
        event = event_of(file, kind)
        event.update(
            {field: event.get(value, value) if isinstance(value, str) else value for field, value in change.items()}
        )

    with pytest.raises(StoryError, match="not a CharacterBox story file") as refused:
        read_story_file(changed(content, taking))
    assert told in str(refused.value)


def test_who_perceives_what_comes_back_whole(stores):
    here, there = stores
    script, events = Script(scene=scene("en"), rounds=ROUNDS), masked_events("en")
    story = here.stories.create(script, casting_at(Endpoint.parse("rehearsal"), script.scene), "app")
    here.stories.bring(story.model_copy(update={"id": "masked", "status": "ended"}), events, [], [])
    read = bring_in(there.stories, read_story_file(as_bytes(saved(here, "masked"))))
    assert there.stories.events(read.id) == list(events)


def test_a_story_that_was_saved_at_any_step_is_read(content):
    for played in range(len(content["events"])):
        stands = {**content["story"], "status": "paused"}
        read_story_file(as_bytes({**content, "story": stands, "events": content["events"][:played], "journal": []}))


@pytest.mark.parametrize("names", [("Ann",), ("Ann", "Bob", "孙悟空")])
def test_what_the_rehearsal_plays_is_read(stores, names):
    here, there = stores
    scene = a_scene(*names)
    casting = casting_at(Endpoint.parse("rehearsal"), scene)
    story = here.stories.create(Script(scene=scene, rounds=2, may_conclude=True), casting, "app")
    client = Client()

    async def play():
        await perform(here.stories, client, story, PlaybackControl(), on_event=lambda _, __: None)
        await client.close()

    asyncio.run(play())
    before = saved(here, story.id)
    bring_in(there.stories, read_story_file(as_bytes(before)))
    assert without_launch(saved(there, story.id)) == without_launch(before)


def test_a_moment_of_another_time_zone_stays_that_moment(stores, content):
    _, there = stores
    at = "2026-05-01T10:00:00+08:00"
    story = bring_in(there.stories, read_story_file(changed(content, lambda file: file["story"].update(created_at=at))))
    assert there.stories.story(story.id).created_at == datetime.fromisoformat(at)
    again = bring_in(there.stories, read_story_file(changed(content, lambda file: file["story"].update(created_at=at))))
    assert again.id == story.id


def test_a_text_that_no_database_stores_is_refused(content):
    with pytest.raises(StoryError, match="the character NUL"):
        read_story_file(changed(content, lambda file: file["story"].update(label="a\\\0b")))
    read_story_file(changed(content, lambda file: file["story"].update(label=r"a\\u0000b\u0000")))


def test_two_events_are_not_at_one_place(content):
    with pytest.raises(StoryError, match="event 2, path: an earlier event has the same path"):
        read_story_file(changed(content, lambda file: file["events"].insert(1, file["events"][0])))


def test_a_file_of_long_names_is_refused(stores):
    here, _ = stores
    story = a_story(here, a_scene("Ann" * 30, "Bob"))
    with pytest.raises(StoryError, match=r"script.scene.cast\[0\].name: it is longer than 80 characters"):
        read_story_file(as_bytes(saved(here, story.id)))


def test_a_story_that_is_not_sound_can_still_be_saved(stores):
    here, _ = stores
    story = a_story(here)
    here.stories.move(story.id, "failed")
    assert saved(here, story.id)["story"]["status"] == "failed"


def test_what_was_remembered_for_another_prompt_is_not_told_and_no_reason_to_refuse_the_story(stores, content):
    _, there = stores
    told = deepcopy(content)
    told["journal"][0]["memory"] = {"clock": 0, "query": [], "memories": [[9999, 1, 1, 0, None, False]]}
    story = bring_in(there.stories, read_story_file(as_bytes(told)))
    assert behind_step(there.stories, story, told["journal"][0]["path"])["memory"] is None


def test_what_is_wrong_is_told_in_the_language_of_the_one_who_brings_it(content):
    with pytest.raises(StoryError) as refused:
        read_story_file(changed(content, lambda file: file["events"][2].pop("round")))
    with speaking("zh"):
        assert "第 3 步，round：缺失" in translate(refused.value)


@pytest.mark.parametrize(
    "junk", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"PK\x03\x04", b'{"format": "characterbox-story"}']
)
def test_junk_is_refused(junk):
    with pytest.raises(StoryError, match="not a CharacterBox story file") as refused:
        read_story_file(junk)
    assert "expected" not in str(refused.value).lower()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_is_read_as_an_editor_has_stored_it(content, encoding):
    raw = changed(content, lambda file: file["story"].update(label="掌柜"))
    assert read_story_file(raw.decode().encode(encoding)) == read_story_file(raw)


def test_a_file_whose_encoding_is_not_certain_is_refused_with_what_to_do(content):
    raw = changed(content, lambda file: file["story"].update(label="掌柜")).decode()
    for encoding in ("gb18030", "utf-16-le"):
        with pytest.raises(StoryError, match="or save the file as UTF-8"):
            read_story_file(raw.encode(encoding))


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
    stage = Stage(store_in(tmp_path / "stage.db"), Client())
    yield stage
    stage.close()


def test_a_story_that_was_brought_in_sends_no_key_where_nobody_here_wants_it(stage, stores):
    here, _ = stores
    alien = Endpoint(url="https://192.0.2.1/v1", model="m")
    scene = a_scene()
    story = here.stories.create(Script(scene=scene), casting_at(alien, scene), "app")
    there = bring_in(stage.store.stories, read_story_file(as_bytes(saved(here, story.id))))
    for act in (lambda: stage.resume(there.id), lambda: stage.step(there.id, "call")):
        with pytest.raises(StoryError, match=r"not registered here \(https://192.0.2.1/v1\)"):
            act()
    stage.store.servers.save(LOCAL, Server(url="https://192.0.2.1/v1", name="Ours", kind="api", models=("m",)))
    stage.resume(there.id)
    stage.pause(there.id)


@pytest.mark.process
def test_a_branch_of_it_goes_on_with_models_of_ones_own(stage, content):
    sample = bring_in(stage.store.stories, read_story_file(as_bytes(content)))
    casting = casting_at(Endpoint.parse("rehearsal"), sample.script.scene)
    branch = stage.branch(Branch(parent=sample.id, at=80, anew="all"), casting)
    while stage.playing(branch.id):
        time.sleep(0.05)
    assert stage.store.stories.story(branch.id).status == "ended"
    assert stage.store.stories.events(branch.id)[:79] == stage.store.stories.events(sample.id)[:79]
