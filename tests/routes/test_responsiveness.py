"""While a hostile file is read, and a large story is made a file, others are answered."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from annotations.exchange.decoding import uncertain_readings
from characterbox.accounts.account import LOCAL
from characterbox.components.player.html_file import saved_page
from characterbox.errors import TooHeavy
from characterbox.play.events import Action
from characterbox.processes import limited
from characterbox.processes.limited import Limits, run_limited
from characterbox.routes import ROUTES
from characterbox.routes.guard import NEEDS, GuardMiddleware
from characterbox.routes.login.authentication import extend_session, find_visitor
from characterbox.scenes.import_files import read_any
from characterbox.settings import settings
from characterbox.share.scene_files import saved_scenes
from characterbox.store.accounts.audit_file import saved_log
from characterbox.store.accounts.audit_log import Wanted
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story

pytestmark = pytest.mark.process

SOON = 0.3
"""Seconds in which others are answered."""
PLACES = ("/sign-in", "/items/nosuch", "/stories/nosuch/live")


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "meanwhile.db")) as stage:
        yield stage


@pytest.fixture
def client(stage):
    guard = Middleware(GuardMiddleware, find_visitor, NEEDS["off"], extend_session)
    with TestClient(Starlette(routes=[*ROUTES], middleware=[guard]), base_url="http://127.0.0.1:8501") as client:
        yield client


def answered_during(client, act):
    """The seconds that each answer took while something was done."""
    taken = []
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(act)
        while not future.done() or not taken:
            for place in PLACES:
                begun = time.perf_counter()
                client.get(place, follow_redirects=False)
                taken.append(time.perf_counter() - begun)
            time.sleep(0.01)
        return taken, future


def assert_soon(taken):
    """Nine in ten answers came soon, and no single one was kept for as long as the work takes."""
    assert statistics.quantiles([0.0, *taken], n=10)[-1] < SOON
    assert max(taken) < 2


@pytest.mark.parametrize(
    ("read", "args"),
    [
        (read_any, ("a.yaml", b"- {a: b}\n" * 530_000)),
        (read_any, ("a.json", b"[" + b"[[[]]]," * 6_800_000 + b"0]")),
        (uncertain_readings, (b"\xe9a" * 20_000_000,)),
    ],
    ids=["yaml", "json", "encoding"],
)
def test_others_are_answered_while_a_hostile_file_is_read(client, monkeypatch, read, args):
    """In the app's own process, the last one let nobody be answered for seconds."""
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=3, waited=600))
    taken, future = answered_during(client, lambda: run_limited(read, *args))
    with pytest.raises(TooHeavy):
        future.result()
    assert_soon(taken)


def test_others_are_answered_while_a_large_story_is_made_a_file(client, stage):
    story = a_story(stage.store, rounds=100)
    ann = story.script.scene.names[0]
    paths = [f"r{round}/x{number}/action" for round in range(1, 101) for number in range(20)]
    events = [
        Action(path=path, round=1 + place // 20, turn=ann, character=ann, text="She waits. " * 20)
        for place, path in enumerate(paths)
    ]
    replies = [a_reply(path=path, text="She waits. " * 100) for path in paths]
    stage.store.stories.bring(story.model_copy(update={"id": "large", "status": "ended"}), events, replies, [])
    db = settings().db
    taken, future = answered_during(client, lambda: saved_page(db, "large", with_journal=True))
    assert len(future.result()) > 500_000
    assert_soon(taken)


def test_others_are_answered_while_many_scenes_are_made_a_file(client, stage):
    """In the app's own process, each look at the page wrote them all as JSON, and each file took seconds."""
    long = "She waits. " * 200
    scenes = [
        a_scene().model_copy(update={"id": f"scene-{number}", "plot": f"{number} {long}"}) for number in range(1_500)
    ]
    stage.store.scenes.add(scenes)
    wanted = [(one.place, one.version) for one in stage.store.scenes.headings()]
    taken, future = answered_during(client, lambda: saved_scenes(settings().db, wanted, "json"))
    assert len(future.result()) > 3_000_000
    assert_soon(taken)


def test_others_are_answered_while_the_log_is_made_a_file(client, stage):
    for number in range(3_000):
        stage.store.audit.add(LOCAL, "log.exported", str(number), {"form": "csv " * 50})
    taken, future = answered_during(client, lambda: saved_log(settings().db, Wanted(), "csv"))
    assert future.result().count(b"log.exported") >= 3_000
    assert_soon(taken)
