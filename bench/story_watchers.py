"""Many who watch stories, in a process of their own: `URL STORY ...`, a watcher for each story that is named.

Each holds what a browser holds: the stream of the story, and a session of the page. Nothing is drawn here. It says
`watching` when everybody has the page and the beginning of a stream.
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE = 120


@contextmanager
def audience(url: str, stories: list[str]) -> Iterator[None]:
    """Someone who watches each of the stories; a story that is named often has many watchers."""
    command = [sys.executable, "-m", "bench.story_watchers", url, *stories]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 - our own command
    try:
        if process.stdout is None or process.stdout.readline() != b"watching\n":
            raise RuntimeError("the audience did not come")
        yield
        if process.poll() is not None:
            raise RuntimeError("the audience has left")
    finally:
        process.terminate()
        process.wait(PATIENCE)


async def _all(url: str, stories: list[str]) -> None:
    connections = aiohttp.TCPConnector(limit=0)
    async with (
        aiohttp.ClientSession(url, connector=connections, timeout=_ENDLESS) as http,
        asyncio.TaskGroup() as group,
    ):
        there = [asyncio.Event() for _ in stories for _ in range(2)]
        for number, story in enumerate(stories):
            group.create_task(_page(http, story, there[2 * number]))
            group.create_task(_stream(http, story, there[2 * number + 1]))
            await asyncio.sleep(0.2)  # people do not come all at once
        async with asyncio.timeout(PATIENCE):
            for one in there:
                await one.wait()
        print("watching", flush=True)


_ENDLESS = aiohttp.ClientTimeout(total=None)


async def _stream(http: aiohttp.ClientSession, story: str, there: asyncio.Event) -> None:
    async with http.get(f"/stories/{story}/live?after=0") as response:
        async for _ in response.content.iter_any():
            there.set()
    raise RuntimeError(f"the stream of {story} has ended")


async def _page(http: aiohttp.ClientSession, story: str, there: asyncio.Event) -> None:
    async with http.ws_connect("/_stcore/stream", protocols=("streamlit",), max_msg_size=0) as socket:
        asked = BackMsg()
        asked.rerun_script.query_string = f"story={story}"
        await socket.send_bytes(asked.SerializeToString())
        async for message in socket:
            if ForwardMsg.FromString(message.data).WhichOneof("type") == "script_finished":
                there.set()
    raise RuntimeError(f"the page of {story} has gone")


if __name__ == "__main__":
    asyncio.run(_all(sys.argv[1], sys.argv[2:]))
