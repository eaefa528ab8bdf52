"""The functions of the API for assistants, asked by a client of the same package over standard input and output."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

import pytest
from mcp import Client, StdioServerParameters

from characterbox.accounts.account import COMMAND_LINE
from characterbox.api.mcp_server import MOST_ROWS, ServedDatabase, server_on
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.play.world import Script
from characterbox.scenes.library import bundled_scene
from tests.commands.conftest import ROOT
from tests.fakes.databases import store_in
from tests.fakes.mock_server import mock_server
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until

pytestmark = pytest.mark.process
TOOLS = {"scenes", "scene", "stories", "events", "play", "judge", "calls", "ratings", "leaderboard", "stats"}
SCENE = "bundled:dracula-wolves"


@pytest.fixture
def file(tmp_path):
    """A database with an account of each role."""
    file = tmp_path / "served.db"
    store = store_in(file)
    for name in ("researcher", "viewer", "expert"):
        store.accounts.add(COMMAND_LINE, name.capitalize(), name)
    store.close()
    return file


def command(file, *options):
    """The command as an assistant starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "characterbox", "mcp", "--db", str(file), *options],
        env={"PATH": "/usr/bin:/bin", "HOME": str(file.parent)},
        cwd=ROOT,
    )


@asynccontextmanager
async def served(file, account=None, *, writes=True):
    """A client of the same server in this process."""
    with ServedDatabase(file) as database:
        async with Client(server_on(database, account, writes=writes)) as client:
            yield client


async def called(client, tool, **arguments):
    """What a tool gives. Raises AssertionError, with what it said, if it refuses."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, told(result)
    return result.structured_content


def told(result):
    return " ".join(part.text for part in result.content)


async def refused(client, tool, **arguments):
    """Why a tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return told(result)


async def test_an_assistant_lists_scenes_plays_judges_and_reads_figures(file):
    progress = []

    async def on_progress(number, total, message):
        progress.append(message)

    async with Client(command(file, "--write")) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert {tool.name for tool in tools if not tool.annotations.read_only_hint} == {"play", "judge"}
        scenes = await called(client, "scenes")
        assert scenes["total"] == len(scenes["rows"]) == 60
        assert SCENE in {row["name"] for row in scenes["rows"]}
        scene = await called(client, "scene", name=SCENE)
        assert [who["name"] for who in scene["cast"]] == ["Jonathan Harker", "Count Dracula"]
        result = await client.call_tool("play", {"scene": SCENE, "rounds": 1}, progress_callback=on_progress)
        played = result.structured_content
        assert played["status"] == "ended"
        assert len(progress) > 10
        assert any(message.startswith("round 1: ") for message in progress)
        judged = await called(client, "judge", story=played["story"], judge="GPT-4=rehearsal")
        assert judged["total"] == 14
        events = await called(client, "events", story=played["story"], first=2)
        assert (events["first"], events["rows"][0]["number"]) == (2, 3)
        assert (await called(client, "ratings"))["total"] == 14
        assert (await called(client, "calls"))["rows"][0]["story"] == played["story"]
        board = await called(client, "leaderboard", language="en", judge="GPT-4")
        assert board["rows"][0]["model"] == "rehearsal"
        figures = await called(client, "stats")
        assert figures["total"] > 5
        assert len(figures["rows"]) <= MOST_ROWS
        assert (await called(client, "stories"))["rows"][0]["id"] == played["story"]


async def test_ratings_of_ones_own_become_figures_and_what_is_wrong_with_them_is_told(file):
    rows = "".join(
        f"i{n},s{n},m,wit,{rater},expert,{1 + (n + len(rater)) % 5}\n" for n in range(8) for rater in ("a", "bb")
    )
    async with served(file) as client:
        figures = await called(client, "stats", csv=f"item,scene,model,metric,rater,kind,score\n{rows}")
        assert any(row["statistic"].startswith("Krippendorff") for row in figures["rows"])
        said = await refused(client, "stats", csv="item,scene\n1,2\n")
        assert "column" in said


async def test_without_being_told_to_it_writes_nothing(file):
    async with served(file, writes=False) as client:
        assert "only reads; start it with: characterbox mcp --write" in await refused(client, "play", scene=SCENE)
        assert "only reads" in await refused(client, "judge", story="x", judge="GPT-4=rehearsal")
        assert (await called(client, "stories"))["total"] == 0


@pytest.mark.parametrize(
    ("name", "may", "may_not"),
    [
        ("Viewer", ["scenes", "stories"], ["ratings", "calls", "stats"]),
        ("Expert", [], ["scenes", "stories", "ratings", "calls", "stats"]),
        ("Researcher", ["scenes", "stories", "calls"], []),
    ],
)
async def test_it_may_do_what_the_account_may(file, name, may, may_not):
    async with served(file, name) as client:
        for tool in may:
            await called(client, tool)
        for tool in may_not:
            assert f"{name} is not allowed" in await refused(client, tool)
        if name != "Researcher":
            assert f"{name} is not allowed" in await refused(client, "play", scene=SCENE)


async def test_an_account_that_is_disabled_meanwhile_may_do_nothing_more(file):
    async with served(file, "Researcher") as client:
        await called(client, "scenes")
        store = store_in(file)
        store.accounts.disable(COMMAND_LINE, store.accounts.named("Researcher").id)
        store.close()
        assert "Researcher is not allowed" in await refused(client, "scenes")


async def test_models_are_asked_where_a_server_is_registered_and_nowhere_else(file):
    with mock_server() as server:
        async with served(file) as client:
            for part in ("characters", "narrator", "memory"):
                there = {part: f"{server.url}#m"}
                assert "no server is registered at this address" in await refused(client, "play", scene=SCENE, **there)
            story = (await called(client, "play", scene=SCENE, rounds=1))["story"]
            assert "no server is registered" in await refused(client, "judge", story=story, judge=f"J={server.url}#m")
        assert not server.seen


@pytest.mark.parametrize("name", ["/etc/passwd", "own.json", "bundled:../../x", "nothing"])
async def test_a_scene_is_one_of_the_list_and_no_file(file, name):
    (file.parent / "own.json").write_text(json.dumps({"scenes": []}))
    async with served(file) as client:
        for tool, arguments in (("scene", {"name": name}), ("play", {"scene": name})):
            assert "there is no" in await refused(client, tool, **arguments)


async def test_a_play_that_is_cancelled_asks_no_more_and_can_be_played_on(file):
    with mock_server(latency=0.1) as server:
        store = store_in(file)
        store.servers.save(COMMAND_LINE, Server(url=server.url, name="Mock", kind="api"))
        store.close()
        async with served(file) as client:
            playing = asyncio.ensure_future(called(client, "play", scene=SCENE, characters=f"{server.url}#m"))
            await asyncio.to_thread(until, lambda: len(server.seen) >= 3)
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing
            store = store_in(file)
            [story] = await asyncio.to_thread(until, lambda: store.stories.stories("paused"))
            store.close()
            asked = len(server.seen)
            await called(client, "scenes")
            assert len(server.seen) == asked
            server.latency = 0
            assert await called(client, "play", scene=story.id) == {"story": story.id, "status": "ended"}


async def test_a_server_that_is_told_to_end_keeps_what_it_plays(file):
    with mock_server(latency=0.1) as server:
        store = store_in(file)
        store.servers.save(COMMAND_LINE, Server(url=server.url, name="Mock", kind="api"))
        words = [sys.executable, "-m", "characterbox", "mcp", "--db", str(file), "--write"]
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=ROOT
        )
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        play = {"name": "play", "arguments": {"scene": SCENE, "characters": f"{server.url}#m"}}
        for message in (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": play},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await process.stdin.drain()
        await asyncio.to_thread(until, lambda: len(server.seen) >= 3)
        process.terminate()
        await process.communicate()
        [story] = store.stories.stories()
        assert story.status == "paused"
        store.close()


async def test_a_story_that_was_cast_elsewhere_is_not_played_on_there(file):
    with mock_server() as server:
        store = store_in(file)
        story = store.stories.create(
            Script(scene=bundled_scene("dracula-wolves"), rounds=1),
            casting_at(Endpoint(url=server.url, model="m"), bundled_scene("dracula-wolves")),
            "command line",
        )
        store.close()
        async with served(file) as client:
            assert "no server is registered" in await refused(client, "play", scene=story.id)
        assert not server.seen


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("scenes", {"first": -1}),
        ("play", {"scene": SCENE, "rounds": 0}),
        ("play", {"scene": SCENE, "seed": -1}),
        ("calls", {"sweep": "nope"}),
        ("leaderboard", {"language": "fr"}),
        ("leaderboard", {"language": "en", "sweep": "nope"}),
        ("events", {"story": "nope"}),
        ("ratings", {"dataset": "nope"}),
        ("judge", {"story": "nope", "judge": "GPT-4=rehearsal"}),
        ("judge", {"story": "nope", "judge": "GPT-4"}),
    ],
)
async def test_what_cannot_be_used_is_told(file, tool, arguments):
    async with served(file) as client:
        said = await refused(client, tool, **arguments)
        assert said != f"Error executing tool {tool}"
