"""With accounts on, the app asks those of this computer and its network alone that an admin has registered."""

import ast
import json
import select
import socket
from pathlib import Path

import pytest

import characterbox
from characterbox.accounts.account import COMMAND_LINE, LOCAL
from characterbox.crafting.progress import look
from characterbox.errors import EndpointError, StoryError
from characterbox.judging.experiments import planned, variations
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.play.world import Script
from characterbox.settings import settings
from characterbox.share.story_file import bring_in, file_of, read_story_file
from characterbox.stage.client import open_client
from characterbox.stage.jobs.model_jobs import Crosscheck, Experiment, Judging
from characterbox.stage.jobs.vllm_jobs import Trial
from characterbox.store.stories.stories import Branch
from tests.crafting.running_craftings import wish
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.host_names import leads_to
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story, casting_at
from tests.fakes.sweeps import at_server, scenes
from tests.fakes.waiting import until

pytestmark = pytest.mark.process


@pytest.fixture
def accounts(monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    settings.cache_clear()
    yield
    settings.cache_clear()


async def offered(store, url, **options):
    client = open_client(store, **options)
    try:
        return await client.offers(url)
    finally:
        await client.close()


async def test_what_nobody_registered_is_not_asked_on_this_computer(store, accounts):
    with mock_server() as server:
        with pytest.raises(
            EndpointError, match=r"resolves to 127\.0\.0\.1, .*; an admin can allow it on the Models page"
        ):
            await offered(store, server.url)
        assert await offered(store, server.url, for_owner=True)
        store.servers.save(COMMAND_LINE, Server(url=server.url, name="Here", kind="vllm"))
        assert await offered(store, server.url)


async def test_a_name_that_leads_here_needs_more_than_being_registered(store, accounts, monkeypatch):
    leads_to(monkeypatch, "models.example", "127.0.0.1")
    with mock_server() as server:
        url = server.url.replace("127.0.0.1", "models.example")
        store.servers.save(COMMAND_LINE, Server(url=url, name="Name", kind="api"))
        with pytest.raises(EndpointError, match=r"resolves to 127\.0\.0\.1"):
            await offered(store, url)
        store.servers.save(COMMAND_LINE, Server(url=url, name="Name", kind="api", private=True))
        assert await offered(store, url)


async def test_without_accounts_nothing_is_refused(store):
    with mock_server() as server:
        assert await offered(store, server.url)


@pytest.fixture
def here():
    """An endpoint of this computer that nobody has registered, and whether anybody has come to it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        endpoint = Endpoint(url=f"http://127.0.0.1:{listener.getsockname()[1]}/v1", model="m")
        yield endpoint, lambda: bool(select.select([listener], [], [], 0)[0])


@pytest.fixture
def stage(tmp_path, accounts, monkeypatch):
    """That of the app."""
    monkeypatch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "0")
    with app_stage(database_in(tmp_path / "app.db")) as stage:
        yield stage


def ended(stage):
    """A story that the rehearsal has played to its end."""
    scene = a_scene("Ann", "Bob", "Cai")
    id = stage.launch(Script(scene=scene, rounds=1), casting_at(Endpoint.parse("rehearsal"), scene)).id
    until(lambda: stage.store.stories.story(id).status == "ended")
    return stage.store.stories.story(id)


def launched(stage, endpoint):
    scene = a_scene()
    id = stage.launch(Script(scene=scene, rounds=1), casting_at(endpoint, scene)).id
    until(lambda: stage.store.stories.story(id).status == "failed")
    return str(stage.store.stories.story(id).reason)


def brought_in(stage, endpoint):
    """A file that says of itself that it is the app's own story."""
    story = a_story(stage.store)
    content = file_of(stage.store.stories, story)
    content["story"] |= {"id": "ab12", "launched_from": "app", "status": "paused"}
    casting = casting_at(endpoint, story.script.scene).model_dump(mode="json")
    content["story"]["casting"] = casting
    known = bring_in(stage.store.stories, read_story_file(json.dumps(content).encode()))
    with pytest.raises(StoryError, match="addresses that are not registered here"):
        stage.resume(known.id)
    return


def branched(stage, endpoint):
    parent = ended(stage)
    casting = casting_at(endpoint, parent.script.scene)
    id = stage.branch(Branch(parent=parent.id, at=1, anew="all"), casting).id
    until(lambda: stage.store.stories.story(id).status == "failed")
    return str(stage.store.stories.story(id).reason)


def tried(stage, endpoint):
    return stage.jobs.start(Trial.by(LOCAL, endpoint.url, "m")).future.result(60).errors["call"]


def listed(stage, endpoint):
    return str(stage.jobs.start(Trial.by(LOCAL, endpoint.url, None)).future.exception(60))


def looked_for(stage, endpoint):
    stage.missing(casting_at(endpoint, a_scene()))


def judged(stage, endpoint):
    judging = Judging.by(stage.store, ended(stage), Judge(name="J", endpoint=endpoint))
    return str(stage.jobs.start(judging).future.exception(60))


def checked(stage, endpoint):
    return str(stage.jobs.start(Crosscheck(ended(stage), endpoint)).future.exception(60))


def experimented(stage, endpoint):
    judge = Judge(name="J", endpoint=endpoint)
    trials = planned(stage.store, [ended(stage)], judge, variations(judge, ["shuffled"], 0))
    return str(stage.jobs.start(Experiment(trials)).future.exception(60))


def swept(stage, endpoint):
    stage.sweepings.start(at_server(endpoint, scenes=scenes(1)))
    return str(until(lambda: stage.store.sweeps.failures("small"))[0].reason)


def crafted(stage, endpoint):
    id = stage.craftings.begin(wish(endpoint))
    until(lambda: not stage.craftings.under_way(id))
    return str(look(stage.store, id).reason)


WAYS = (launched, brought_in, branched, tried, listed, looked_for, judged, checked, experimented, swept, crafted)


@pytest.mark.parametrize("way", WAYS)
def test_no_way_from_the_pages_to_a_model_leads_past_the_guard(stage, here, way):
    endpoint, somebody_came = here
    reason = way(stage, endpoint)
    told = "127.0.0.1 resolves to 127.0.0.1, which is on the computer that runs the app"
    assert reason is None or told in str(reason)
    assert not somebody_came()


SOURCES = Path(characterbox.__file__).parent
ROOT = SOURCES.parent
REACHING = {"aiohttp", "ftplib", "http.client", "httpx", "httpx2", "openai", "requests", "smtplib", "socket",
            "urllib.request", "urllib3", "websockets"}  # fmt: skip
"""What connects to other computers."""
MAY_REACH = {
    "characterbox/commands/exits.py": "socket: looks whether a port of this computer is free",
    "characterbox/processes/limited.py": "socket: a pair, with a process of the app's own",
    "characterbox/processes/limited_server.py": "socket: the other one of the pair",
    "characterbox/llm/calls/client.py": "httpx2: names a transport that tests give",
    "characterbox/llm/calls/address.py": "httpx2: reads URLs, and is the guard",
    "characterbox/llm/rehearsal/transport.py": "httpx2: the rehearsal, in this process",
    "characterbox/llm/vllm/health.py": "asks servers of 127.0.0.1 alone that the app has started",
    "characterbox/llm/vllm/servers.py": "socket: looks whether a port of this computer is free",
    "characterbox/llm/calls/http.py": "connects behind the guard",
    "characterbox/routes/limits/size_limits.py": "websockets: answers those who come",
    "characterbox/store/stories/claims.py": "socket: the name of this computer",
}
MAKERS = {
    "Client": {"characterbox/stage/client.py"},
    "Wire": {"characterbox/llm/calls/client.py", "characterbox/llm/vllm/health.py"},
    "open_client": {"characterbox/api/mcp_server.py", "characterbox/stage/stage.py"},
    "metrics": {"pages/models/vllm_server.py"},
}
"""Where what asks servers is made, in the app; commands make their own."""


def trees():
    for file in sorted([*SOURCES.rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]):
        yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def imported(node):
    if isinstance(node, ast.Import):
        return {name.name for name in node.names}
    if isinstance(node, ast.ImportFrom) and node.module is not None:
        return {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return set()


def test_nothing_else_connects_to_other_computers():
    """A module that is new here asks where connections may go (`stage.client.reach_of`), or is no way to one."""
    assert {file for file, tree in trees() for node in ast.walk(tree) if imported(node) & REACHING} == {*MAY_REACH}


def test_all_that_the_app_asks_servers_with_is_told_how_far():
    made = {name: set() for name in MAKERS}
    for file, tree in trees():
        for call in ast.walk(tree):
            name = getattr(call.func, "id", None) if isinstance(call, ast.Call) else None
            if name not in MAKERS:
                continue
            options = {option.arg for option in call.keywords}
            if file.startswith("characterbox/commands/") or file == "characterbox/api/database.py":
                assert name == "open_client", file
                assert "for_owner" in options, f"{file}: commands reach what their owner does"
                continue
            assert "for_owner" not in options, f"{file}: the pages are no commands"
            if name == "Client":
                assert "reach" in options
            if name == "metrics":
                assert "reach" in options
            made[name].add(file)
    assert made == MAKERS
