"""A viewer who does what one can to have everybody else wait: `URL NAME STORY OTHER`, in a process of its own.

Everything that one account can ask at once, without a pause: pages through many connections, some of them asked again
before they are there, with the longest addresses and searches; requests of all kinds; live streams; messages as large
as they may be; wrong passwords for the name of somebody else. When a line comes in, it ends, and says how often each
was answered.
"""

import asyncio
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, cycle

import aiohttp
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from bench.ratings_database import PASSWORD, Rated

PAGES = 24
"""Connections that have a page drawn, again whenever it is there."""
HASTY = 12
"""Connections that ask for another page before the last one is there."""
REQUESTS = 48
"""Connections that send one request after the other."""
STREAMS = 40
"""Connections that open a live stream, take its beginning, and open it again."""
LARGE = 4
"""Connections that send a field as long as one may be, and longer."""
GUESSES = 8
"""Connections that guess passwords."""
LONGEST = 300.0
PATIENCE = 60.0
NICE = "/usr/bin/nice"
"""His own work would be that of another computer: here it comes after that of the app."""
LONG_FIELD = 7 * 1024 * 1024
PLAIN = (
    "/",
    "/sign-in",
    "/account",
    "/fonts/none",
    "/stage",
    "/stories/none/behind",
    "/language?to=zh",
    "/_stcore/health",
)
WORDS = "+".join(f"w{number}" for number in range(20))
QUESTIONS = (
    ("playback", f"text={WORDS}"),
    ("scenes", "scene=bundled:" + "%0A" * 640),
    ("scenes", "inspect=all"),
    ("playback", "story={story}"),
    ("scenes", f"text={WORDS}"),
    ("scenes", "export=all"),
)
"""Pages of a viewer, and what is asked of them."""


@contextmanager
def attacked(url: str, rated: Rated) -> Iterator[None]:
    """The viewer does it. Raises RuntimeError if the app has not answered everything, one way or the other."""
    told = [url, rated.viewer, rated.story, rated.researcher]
    command = [NICE, "-n", "10", sys.executable, "-m", "bench.hostile_viewer", *told]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own command
    try:
        if process.stdout is None or process.stdout.readline() != b"signed in\n":
            raise RuntimeError("the hostile viewer did not come in")
        yield
        if process.poll() is not None:
            raise RuntimeError("the hostile viewer has given up")
    finally:
        answers = json.loads(process.communicate(b"\n", PATIENCE)[0] or "{}")
        sys.stderr.write("".join(f"  {kind} {many}\n" for kind, many in sorted(answers.items())))


class Hostile:
    """The connections of one account."""

    def __init__(self, url: str, cookies: dict[str, str], story: str) -> None:
        self._url = url
        self._cookies = cookies
        self._story = story
        self._pages: dict[str, str] = {}
        self._plain: tuple[str, ...] = ()
        self.answers: Counter[str] = Counter()

    async def go_on(self, other: str) -> None:
        """Do all of it until it is cancelled; `other` is somebody else's name."""
        connections = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(
            self._url, connector=connections, cookies=self._cookies, headers={"Origin": self._url}
        ) as http:
            await self._look_around(http)
            kinds: list[tuple[int, Callable[[aiohttp.ClientSession], Awaitable[None]]]] = [
                (PAGES, self._draw),
                (HASTY, self._hurry),
                (REQUESTS, self._request),
                (STREAMS, self._watch),
                (LARGE, self._enlarge),
                (GUESSES, lambda http: self._guess(http, other)),
            ]
            work = [self._again_and_again(do, http) for many, do in kinds for _ in range(many)]
            await asyncio.gather(*work)

    async def _again_and_again(
        self, do: Callable[[aiohttp.ClientSession], Awaitable[None]], http: aiohttp.ClientSession
    ) -> None:
        while True:
            try:
                await do(http)
            except (aiohttp.ClientError, ConnectionError) as refused:
                self.answers[f"{do.__name__.strip('_<>')}: {type(refused).__name__}"] += 1
                await asyncio.sleep(0.05)

    async def _look_around(self, http: aiohttp.ClientSession) -> None:
        """Find out how the pages are asked for, and what files they are made of."""
        async with http.get("/") as answer:
            self._plain = (*PLAIN, *re.findall(r"/static/[\w./-]+", await answer.text()))
        async with http.ws_connect("/_stcore/stream", protocols=("streamlit",), max_msg_size=0) as socket:
            await socket.send_bytes(_rerun("", ""))
            async for message in socket:
                told = ForwardMsg.FromString(message.data)
                if told.WhichOneof("type") == "navigation":
                    self._pages = {page.url_pathname: page.page_script_hash for page in told.navigation.app_pages}
                elif told.WhichOneof("type") == "script_finished" and self._pages:
                    return

    def _questions(self) -> Iterator[bytes]:
        for number, (page, query) in zip(count(), cycle(QUESTIONS), strict=False):
            yield _rerun(self._pages[page], f"{query.format(story=self._story)}&n={number}")

    async def _draw(self, http: aiohttp.ClientSession) -> None:
        async with http.ws_connect("/_stcore/stream", protocols=("streamlit",), max_msg_size=0) as socket:
            for question in self._questions():
                await socket.send_bytes(question)
                async for message in socket:
                    if len(message.data) < 400 and ForwardMsg.FromString(message.data).HasField("script_finished"):
                        self.answers["pages"] += 1
                        break
                else:
                    return

    async def _hurry(self, http: aiohttp.ClientSession) -> None:
        async with http.ws_connect("/_stcore/stream", protocols=("streamlit",), max_msg_size=0) as socket:
            for question in self._questions():
                await socket.send_bytes(question)
                with suppress(TimeoutError):
                    await socket.receive(0.02)
                if socket.closed:
                    return
                self.answers["pages asked in haste"] += 1

    async def _request(self, http: aiohttp.ClientSession) -> None:
        for path in self._plain:
            async with http.get(path, allow_redirects=False) as answer:
                await answer.read()
                self.answers[f"requests: {answer.status}"] += 1
        async with http.post("/marks", json={"item": "x" * 1000}) as answer:
            await answer.read()
            self.answers[f"marks: {answer.status}"] += 1

    async def _watch(self, http: aiohttp.ClientSession) -> None:
        async with http.get(f"/stories/{self._story}/live?after=0") as answer:
            await answer.content.readany()
            self.answers[f"streams: {answer.status}"] += 1

    async def _enlarge(self, http: aiohttp.ClientSession) -> None:
        async with http.ws_connect("/_stcore/stream", protocols=("streamlit",), max_msg_size=0) as socket:
            while not socket.closed:
                await socket.send_bytes(_rerun(self._pages["playback"], "", "x" * LONG_FIELD))
                self.answers["large messages"] += 1
                with suppress(TimeoutError):
                    await socket.receive(0.05)

    async def _guess(self, http: aiohttp.ClientSession, other: str) -> None:
        async with http.post("/sign-in", json={"name": other, "password": f"wrong {time.monotonic()}"}) as answer:
            await answer.read()
            self.answers[f"guesses: {answer.status}"] += 1


def _rerun(page: str, query: str, field: str = "") -> bytes:
    asked = BackMsg()
    asked.rerun_script.page_script_hash = page
    asked.rerun_script.query_string = query
    if field:
        asked.rerun_script.widget_states.widgets.add(id="field", string_value=field)
    message: bytes = asked.SerializeToString()
    return message


async def main(url: str, name: str, story: str, other: str) -> None:
    """Sign in, say so, and go on until a line comes in, or for `LONGEST`."""
    async with (
        aiohttp.ClientSession(url, headers={"Origin": url}) as http,
        http.post("/sign-in", json={"name": name, "password": PASSWORD}) as answer,
    ):
        cookies = {name: cookie.value for name, cookie in answer.cookies.items()}
    hostile = Hostile(url, cookies, story)
    print("signed in", flush=True)
    going = asyncio.create_task(hostile.go_on(other))
    with suppress(TimeoutError):
        async with asyncio.timeout(LONGEST):
            await asyncio.to_thread(sys.stdin.readline)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    print(json.dumps(hostile.answers), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
