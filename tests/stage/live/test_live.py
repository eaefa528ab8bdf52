"""The live route, through a real server: what was, what happens, and where a browser comes back to."""

import json
import re
from contextlib import contextmanager
from importlib import import_module

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from annotations.i18n.translation import speaking
from characterbox.accounts.account import LOCAL
from characterbox.accounts.session_user import Visitor
from characterbox.components.figures.tables.text import costs_line
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason, several
from characterbox.play.events import Action
from characterbox.play.world import Script
from characterbox.routes import ROUTES
from characterbox.routes.guard import NEEDS, GuardMiddleware
from characterbox.routes.language import TongueMiddleware
from characterbox.stage.live.hub import Notice
from characterbox.stage.live.visibility import as_shown
from characterbox.stage.stage import Stage
from tests.fakes.databases import store_in
from tests.fakes.mock_server import mock_server, serving
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story, casting_at
from tests.fakes.waiting import until
from tests.stage.control import BELIEFS

pytestmark = pytest.mark.process

SCRIPT = Script(scene=a_scene(), rounds=1)


@pytest.fixture
def stage(tmp_path):
    stage = Stage(store_in(tmp_path / "live.db"), Client())
    yield stage
    stage.close()


@pytest.fixture
def http(stage, monkeypatch):
    monkeypatch.setattr(import_module("characterbox.routes.stories"), "open_stage", lambda: stage)
    guard = Middleware(GuardMiddleware, lambda _: Visitor(LOCAL), NEEDS["off"], lambda _: "")
    app = Starlette(routes=ROUTES, middleware=[Middleware(TongueMiddleware), guard])
    with serving(app) as address, httpx2.Client(base_url=address, timeout=120) as http:
        yield http


@pytest.fixture
def ended(stage):
    """A story that was played to its end."""
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app")
    stage.resume(story.id)
    until(lambda: not stage.playing(story.id))
    return story


def messages(lines):
    """Server-sent events as (id, kind, content), as they come."""
    fields = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield fields.get("id"), fields["event"], json.loads(fields["data"])
            fields = {}


def read(http, story, query="", **headers):
    with http.stream("GET", f"/stories/{story.id}/live{query}", headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        return [message for message in messages(response.iter_lines()) if message[1] != "costs"]


def as_heard(told):
    """The events of messages as a player has them in the end."""
    heard = {}
    for _, kind, content in told:
        if kind == "event":
            heard |= {path: {**heard[path], "known": known} for path, known in content.pop("corrected", {}).items()}
            heard[content["path"]] = content
    return [*heard.values()]


def test_a_story_that_has_ended_is_told_from_its_beginning_and_the_stream_ends(http, stage, ended):
    events = stage.store.stories.events(ended.id)
    told = read(http, ended)
    assert [id for id, _, _ in told] == [*map(str, range(1, len(events) + 1)), None]
    assert as_heard(told) == as_shown(SCRIPT.scene, events)
    assert told[-1] == (None, "status", {"status": "ended", "reason": None, "people": []})


def test_from_a_number_on(http, stage, ended):
    last = len(stage.store.stories.events(ended.id))
    assert [id for id, _, _ in read(http, ended, f"?after={last - 2}")] == [str(last - 1), str(last), None]
    assert [id for id, _, _ in read(http, ended, f"?after={last}")] == [None]


def test_a_browser_that_comes_back_reads_on_from_what_it_had_last(http, stage, ended):
    last = len(stage.store.stories.events(ended.id))
    told = read(http, ended, "?after=0", **{"Last-Event-ID": str(last - 1)})
    assert [id for id, _, _ in told] == [str(last), None]


def watched_whole(http, stage, query=""):
    """A story that begins when somebody watches, and what is told of it to its end."""
    with mock_server(answers=0) as server:
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        with http.stream("GET", f"/stories/{story.id}/live{query}") as response:
            told = messages(response.iter_lines())
            statuses(told, "running")
            server.answers = None
            return story, [message for message in told if message[1] != "costs"]


def test_what_happens_while_one_watches_comes_once_and_in_order(http, stage):
    story, told = watched_whole(http, stage)
    events = stage.store.stories.events(story.id)
    assert [id for id, kind, _ in told if kind == "event"] == [str(number) for number in range(1, len(events) + 1)]
    assert told[-1] == (None, "status", {"status": "ended", "reason": None, "people": []})
    for kind in ("asking", "token"):
        assert any(one == kind for _, one, _ in told)


@contextmanager
def watched(http, stage):
    """A story after its first beliefs: the server, the story, what is told from its first event on, and that event.

    The server answers nothing more until it is told to.
    """
    with mock_server(answers=BELIEFS) as server:
        story = stage.launch(SCRIPT, casting_at(Endpoint(url=server.url, model="m"), SCRIPT.scene))
        with http.stream("GET", f"/stories/{story.id}/live") as response:
            told = messages(response.iter_lines())
            yield server, story, told, next(message for message in told if message[1] == "event")
        server.answers = None
        stage.stop(story.id)


def rest(stage, story, server):
    """Have a story pause, whose server did not answer, when what is under way has come."""
    stage.rest(story.id)
    server.answers = None


def statuses(told, last):
    """The statuses that are told, up to this one."""
    seen = []
    while last not in seen:
        _, kind, content = next(told)
        seen += [content["status"]] if kind == "status" else []
    return seen


def test_who_watches_a_pause_sees_the_story_go_on(http, stage):
    with watched(http, stage) as (server, story, told, _):
        rest(stage, story, server)
        assert statuses(told, "paused")[-1] == "paused"
        stage.resume(story.id)
        assert statuses(told, "ended") == ["running", "ended"]
        assert list(told) == []


def test_what_another_process_plays_is_looked_up(http, stage, tmp_path):
    other = Stage(store_in(tmp_path / "live.db"), Client())
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "command line")
    stage.store.stories.move(story.id, "paused", out_of=["running"])
    try:
        with http.stream("GET", f"/stories/{story.id}/live") as response:
            told = messages(response.iter_lines())
            assert statuses(told, "paused") == ["paused"]
            other.resume(story.id)
            numbers = [id for id, _, _ in told if id]
    finally:
        other.close()
    assert numbers == [str(seq) for seq, _ in enumerate(stage.store.stories.events(story.id), 1)]


@pytest.mark.parametrize(("tongue", "calls"), [("en", r"\d+ calls"), ("zh", r"\d+ 次调用")])
def test_what_it_has_cost_is_told_in_the_language_of_the_browser(http, ended, stage, tongue, calls):
    with http.stream("GET", f"/stories/{ended.id}/live?language={tongue}") as response:
        (told,) = [content["line"] for _, kind, content in messages(response.iter_lines()) if kind == "costs"]
    with speaking(tongue):
        assert told == costs_line(stage.store.stories.costs(ended.id))
    assert re.match(calls, told)


def test_why_it_stands_still_is_told_in_the_language_of_the_browser(http, stage):
    story = a_story(stage.store)
    stage.store.stories.move(story.id, "failed", a_reason("KeyError; the log of the app tells more"))
    with http.stream("GET", f"/stories/{story.id}/live?language=zh") as response:
        content = next(content for _, kind, content in messages(response.iter_lines()) if kind == "status")
        stage.store.stories.move(story.id, "stopped")
    assert content == {"status": "failed", "reason": "KeyError；详情见应用日志", "people": []}


def test_what_was_told_is_not_told_again_when_the_story_goes_on(http, stage):
    with watched(http, stage) as (server, story, told, first):
        rest(stage, story, server)
        until(lambda: not stage.playing(story.id))
        stage.resume(story.id)
        numbers = [first[0], *(id for id, kind, _ in told if kind == "event")]
    assert numbers == [str(seq) for seq, _ in enumerate(stage.store.stories.events(story.id), 1)]


def test_an_event_that_is_told_anew_in_the_same_words_is_told(http, stage):
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app")
    stage.step(story.id, "turn")
    until(lambda: not stage.playing(story.id))
    one, two, *_ = stage.store.stories.events(story.id)
    with http.stream("GET", f"/stories/{story.id}/live") as response:
        told = messages(response.iter_lines())
        assert statuses(told, "paused") == ["paused"]
        other = one.model_copy(update={"belief": "She turns back."})
        for number, event in enumerate((other, two), 1):
            stage.hub.tell(story.id, Notice("event", event.model_dump(mode="json"), number))
        again = [next(message for message in told if message[1] == "event") for _ in range(2)]
    assert [id for id, _, _ in again] == ["1", "2"]
    assert [content for _, _, content in again] == as_shown(SCRIPT.scene, [other, two])


def test_why_a_step_is_neutral_is_told_in_the_language_of_the_browser(http, stage):
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app")
    stage.store.stories.move(story.id, "paused", out_of=["running"])
    why = [Reason("field_missing", field="result"), Reason("cut_off")]
    turn = {"path": "r1/ann/action", "round": 1, "turn": "Ann", "character": "Ann", "text": "Ann waits."}
    degraded = Action(**turn, degraded=True, reason=several(why)).model_dump(mode="json")
    with http.stream("GET", f"/stories/{story.id}/live?language=zh") as response:
        told = messages(response.iter_lines())
        statuses(told, "paused")
        stage.hub.tell(story.id, Notice("event", degraded, 1))
        content = next(content for _, kind, content in told if kind == "event")
    assert content["reason"] == "result：缺少此项；回复被截断，请写得简短些"


def test_the_stream_of_a_story_that_is_deleted_ends(http, stage):
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app")
    stage.store.stories.move(story.id, "paused", out_of=["running"])
    with http.stream("GET", f"/stories/{story.id}/live") as response:
        told = messages(response.iter_lines())
        assert statuses(told, "paused") == ["paused"]
        stage.store.families.delete(LOCAL, story.id)
        assert [kind for _, kind, _ in told if kind != "costs"] == []


def test_half_a_letter_in_a_piece_breaks_no_stream(http, stage):
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app")
    stage.store.stories.move(story.id, "paused", out_of=["running"])
    with http.stream("GET", f"/stories/{story.id}/live") as response:
        told = messages(response.iter_lines())
        statuses(told, "paused")
        stage.hub.tell(story.id, Notice("token", {"path": "r1/ann/action", "kind": "action", "text": "a\ud83d"}))
        assert next(content["text"] for _, kind, content in told if kind == "token") == "a?"


def test_who_is_played_by_people_is_told(http, stage):
    with watched(http, stage) as (_, story, told, _):
        stage.take_over(story.id, "Bob")
        assert ["Bob"] in (content["people"] for _, kind, content in told if kind == "status")


def test_a_story_that_is_not_there(http):
    response = http.get("/stories/nosuch/live")
    assert response.status_code == 404
    assert "'nosuch'" in response.text


@pytest.mark.parametrize("after", ["-1", "1.5", "last", "²", "9" * 30, "0 OR 1=1", "%00"])
def test_a_number_that_is_none_is_refused(http, ended, after):
    for response in (
        http.get(f"/stories/{ended.id}/live", params={"after": after}),
        http.get(f"/stories/{ended.id}/live", headers={"Last-Event-ID": after.replace("²", "x")}),
    ):
        assert response.status_code == 400
        assert "number" in response.text


def test_a_story_that_ends_while_its_events_are_read_is_told_to_its_end(http, stage, monkeypatch):
    route = import_module("characterbox.routes.stories")
    read_at_once = route.event_notices
    story = stage.store.stories.create(SCRIPT, casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene), "app")

    def read_late(*arguments):
        stage.resume(story.id)
        until(lambda: not stage.playing(story.id))
        return read_at_once(*arguments)

    monkeypatch.setattr(route, "event_notices", read_late)
    told = read(http, story)
    events = stage.store.stories.events(story.id)
    assert as_heard(told) == as_shown(SCRIPT.scene, events)
    assert told[-1] == (None, "status", {"status": "ended", "reason": None, "people": []})


def test_an_event_that_is_told_anew_reaches_who_watches(http, stage):
    with watched(http, stage) as (_, story, told, (_, _, first)):
        del first["known"]
        stage.hub.tell(story.id, Notice("event", {**first, "belief": "I bow after all."}, 1))
        assert any(id == "1" and content["belief"] == "I bow after all." for id, _, content in told if id)


def test_who_plays_a_character_is_told_what_it_perceives_in_the_same_numbers(http, stage, ended):
    events = stage.store.stories.events(ended.id)
    told = read(http, ended, "?eyes=bob")
    assert [id for id, _, _ in told] == [*map(str, range(1, len(events) + 1)), None]
    seen = [content for _, kind, content in told if kind == "event"]
    assert seen == as_shown(SCRIPT.scene, events, frozenset({"Bob"}))
    assert [one["kind"] for one in seen if one["path"] == "r1/ann/self-belief"] == ["veiled"]
    assert read(http, ended, f"?eyes=bob&eyes=ann&after={len(events) - 1}")[0][2]["kind"] == "story_ended"


def test_who_plays_a_character_watches_no_thoughts_of_others_being_formed(http, stage):
    _, told = watched_whole(http, stage, "?eyes=bob")
    under_way = [content for _, kind, content in told if kind in ("asking", "token")]
    assert {one["kind"] for one in under_way} >= {"action", "self_belief"}
    assert {one["character"] for one in under_way} == {"Bob"}
    assert not any(one["kind"] in ("action_influence", "updates") for one in under_way)


@pytest.mark.parametrize("eyes", ["eyes=carl", "eyes=ann&eyes=", "eyes=Ann"])
def test_eyes_that_are_not_in_the_story_are_refused(http, ended, eyes):
    response = http.get(f"/stories/{ended.id}/live?{eyes}")
    assert response.status_code == 400
    assert "eyes" in response.text
