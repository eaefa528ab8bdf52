"""Fifty experts who rate at once, over real sign-ins, in the app as it is served.

Each sends a score every two seconds for two minutes, from a process of its own, and waits for each to be acknowledged.
What is acknowledged must be stored once, whatever else is stored already, and whoever looks at the figures meanwhile.
"""

import asyncio
import json
import os
import random
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx2

from bench.percentile import slowest_in_twenty_of
from bench.ratings_database import KEYS, PASSWORD, Rated, rated_database

RATERS = 50
EVERY = 2.0
"""Seconds between two scores of one expert."""
LASTS = 120.0
KEPT = 4.0
"""Seconds that an idle connection is used again, less than the five after which the server closes it."""
START = 60.0
LONGEST_WAIT = 30.0
"""Seconds for an answer; who signs in waits up to five where somebody guesses passwords from the same address."""
REPOSITORY = Path(__file__).parents[1]


Meanwhile = Callable[[str, Rated], AbstractContextManager[None]]
"""What somebody else does at the address of the app."""


@contextmanager
def nothing(url: str, rated: Rated) -> Iterator[None]:
    """Nobody else does anything."""
    yield


@dataclass(frozen=True, slots=True)
class Click:
    """A score that was acknowledged."""

    item: str
    click: str
    metric: str
    score: int
    took: float
    """Milliseconds until it was."""


def slowest_in_twenty(stored: int, meanwhile: Meanwhile = nothing) -> float:
    """The 95th percentile of the acknowledgements, in milliseconds, with so many ratings stored already.

    `meanwhile` is what somebody else does. Raises RuntimeError if a score that was acknowledged is lost, doubled or not
    the one that was given.
    """
    with TemporaryDirectory() as folder, rated_database(Path(folder) / "bench.db", RATERS, stored) as rated:
        with served(rated.db) as url, meanwhile(url, rated):
            work = [sys.executable, "-m", "bench.concurrent_raters", url, str(rated.db)]
            done = subprocess.run(work, stdout=subprocess.PIPE, check=True, cwd=REPOSITORY)  # noqa: S603
        clicks = [Click(**click) for click in json.loads(done.stdout)]
        _check_stored(rated.db, clicks)
    return slowest_in_twenty_of(click.took for click in clicks)


def _check_stored(db: Path, clicks: list[Click]) -> None:
    query = "select click, assignment, metric, score from mark where kind = 'score'"
    with sqlite3.connect(db) as database:
        stored: dict[str, list[tuple[Any, ...]]] = {}
        for click, *said in database.execute(query):
            stored.setdefault(click, []).append(tuple(said))
    wrong = [one for one in clicks if stored.get(one.click) != [(one.item, one.metric, one.score)]]
    if wrong:
        raise RuntimeError(f"{len(wrong)} of {len(clicks)} scores were acknowledged and are not stored once as given")


@contextmanager
def served(db: Path, auth: str = "local") -> Iterator[str]:
    """The app on a free port, with accounts unless `auth` is off; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    environment = {**os.environ, "CHARACTERBOX_DB": str(db), "CHARACTERBOX_AUTH": auth}
    with db.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, cwd=REPOSITORY, env=environment, stdout=log, stderr=log
        )
    try:
        end = time.monotonic() + START
        while not _answers(url):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the app did not start:\n{db.with_suffix('.log').read_text(encoding='utf-8')}")
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(START)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/_stcore/health").status_code == 200
    except httpx2.TransportError:
        return False


async def _rate_all(url: str, db: Path) -> list[Click]:
    query = (
        "select account.name, account.id, assignment.id from assignment join account on account.id = assignment.rater"
        " left join mark on mark.assignment = assignment.id where mark.id is null order by assignment.place"
    )
    with sqlite3.connect(db) as database:
        items: dict[str, list[str]] = {}
        ids: dict[str, str] = {}
        for name, ids[name], item in database.execute(query):
            items.setdefault(name, []).append(item)
    limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEPT)
    clients = {
        name: httpx2.AsyncClient(base_url=url, headers={"Origin": url}, limits=limits, timeout=LONGEST_WAIT)
        for name in items
    }
    for name, client in clients.items():
        await _sign_in(client, name)
    end = time.monotonic() + LASTS
    work = (_rate(client, ids[name], items[name], end) for name, client in clients.items())
    given = await asyncio.gather(*work)
    for client in clients.values():
        await client.aclose()
    return [click for clicks in given for click in clicks]


async def _sign_in(client: httpx2.AsyncClient, name: str) -> None:
    """Sign in; where somebody guesses passwords for the name, when it is asked to try again. Raises RuntimeError."""
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end:
        answer = await client.post("/sign-in", json={"name": name, "password": PASSWORD})
        if answer.status_code == 204:
            return
        if answer.status_code != 429:
            break
        await asyncio.sleep(float(answer.headers["retry-after"]))
    raise RuntimeError(f"{name} can't sign in: {answer.text}")


async def _rate(client: httpx2.AsyncClient, rater: str, items: list[str], end: float) -> list[Click]:
    """One expert: a score every two seconds, on one item after the other."""
    given: list[Click] = []
    due = time.monotonic() + random.random() * EVERY  # noqa: S311 - people do not begin all at once
    while due < end:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due += EVERY
        item, metric = items[len(given) // len(KEYS) % len(items)], KEYS[len(given) % len(KEYS)]
        said = {"kind": "score", "metric": metric, "score": random.randint(1, 5)}  # noqa: S311
        click = str(uuid4())
        sent = time.perf_counter()
        answer = await client.post("/marks", json={"item": item, "rater": rater, "click": click, "mark": said})
        took = (time.perf_counter() - sent) * 1000
        if answer.status_code != 201:
            raise RuntimeError(f"a score was refused: {answer.status_code} {answer.text}")
        given.append(Click(item, click, metric, int(said["score"]), took))
    return given


if __name__ == "__main__":
    _given = asyncio.run(_rate_all(sys.argv[1], Path(sys.argv[2])))
    json.dump([{name: getattr(click, name) for name in Click.__slots__} for click in _given], sys.stdout)
