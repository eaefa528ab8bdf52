"""A fuzz run: many wild requests to the running app, by everybody, which must neither break, slow nor bloat it.

`make fuzz` asks for 21,000; some of them are drawn twice and sent once. It ends with 1 if anything was found,
and says how to have it again.
"""

import argparse
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning
from websockets.exceptions import ConnectionClosed

from characterbox.accounts.account import ROLES
from tests.fakes.built_app import built_app
from tests.security.places import Places
from tests.security.raw_requests import Asked, Told, Unanswered, as_command, ask
from tests.security.shared_server import NOBODY, Drawn, Visit, shared_server
from tests.security.watched import MOST_GROWTH, SLOWEST, Log, Seen, megabytes
from tests.security.wild_pages import Sent, Visited, every_view, visits
from tests.security.wild_requests import NO_REQUESTS, asked_of, requests

log = logging.getLogger("fuzz")
REPEATS = 3
"""How often a slow answer is asked for again: only one that is slow each time is."""
PAGE, MESSAGES = "(a page that is visited)", "(messages of pages)"
BROKEN = 1011
"""How a web socket is closed where the app failed."""
PARTS = 10
REST = 1.0
"""Seconds in which the app comes to rest, until its memory is looked at."""


class Fuzzed:
    """An app that is sent wild requests, and what came of them."""

    def __init__(self, places: Places, seen: Seen) -> None:
        self.places = places
        self.seen = seen
        self.app = places.server.app
        self._log = Log(self.app)

    def send(self, asked: Asked) -> None:
        """Send one request, and look at the answer and at the log."""
        sent = asked.filled(self.places)
        try:
            told = ask(self.app.port, sent, whole=asked.whole)
        except (Unanswered, ConnectionError) as fault:
            self._fault(asked, str(fault))
            return
        self.seen.answer(asked.route, asked.who, told)
        if told.status >= 500:
            self._fault(asked, f"status {told.status}")
        if told.seconds > SLOWEST:
            again = min(ask(self.app.port, sent, whole=asked.whole).seconds for _ in range(REPEATS))
            self._slow(again, lambda: self._fault(asked, f"answered after {again:.1f} s"))
        self._look(asked.route, lambda: as_command(self.app.port, asked, self.places))
        self.places.heed(asked.route, told)

    def visit(self, visited: Visited) -> None:
        """Visit a page, and send what is to be sent then."""
        with self.places.server.visit(visited.who) as visit:
            if visit is None:
                self.seen.answer(PAGE, visited.who, Told(403, 0.0))
                return
            try:
                self._visit(visit, visited)
            except ConnectionClosed as closed:
                self.seen.answer(MESSAGES, visited.who, Told(closed.rcvd.code if closed.rcvd else 0, 0.0))
                if closed.rcvd is not None and closed.rcvd.code == BROKEN:
                    self.seen.fault(PAGE, "the app failed", repr(visited))
            except TimeoutError:
                self.seen.fault(PAGE, "nothing was drawn in time", repr(visited))
        self._look(PAGE, lambda: repr(visited))
        self.places.heed("/_stcore/stream", Told(200, 0.0))

    def _visit(self, visit: Visit, visited: Visited) -> None:
        drawn = visit.open()
        drawn = self._draw(visit, visited, visited.first, drawn)
        for sent in visited.then:
            if sent.nonsense is None:
                drawn = self._draw(visit, visited, sent, drawn)
                continue
            visit.socket.send(sent.nonsense)
            drawn = self._draw(visit, visited, Sent(sent.page, sent.query), drawn)

    def _draw(self, visit: Visit, visited: Visited, sent: Sent, drawn: Drawn) -> Drawn:
        message = sent.message(drawn, self.places)
        drawn, seconds = self._timed(visit, message)
        self.seen.answer(MESSAGES, visited.who, Told(200, seconds))
        if drawn.of("exception"):
            self.seen.fault(PAGE, "an exception is shown", repr(visited))
        if seconds > SLOWEST:
            again = min(self._timed(visit, message)[1] for _ in range(REPEATS))
            self._slow(again, lambda: self.seen.fault(PAGE, f"drawn after {again:.1f} s", repr(visited)))
        return drawn

    def _timed(self, visit: Visit, message: bytes) -> tuple[Drawn, float]:
        begun = time.monotonic()
        return visit.ask(message), time.monotonic() - begun

    def _slow(self, again: float, tell: Callable[[], None]) -> None:
        if again > SLOWEST:
            tell()
        else:
            self.seen.slow_once += 1

    def _look(self, route: str, how: Callable[[], str]) -> None:
        """Whether the log tells of trouble since it was looked at last."""
        trouble = self._log.new_trouble()
        if trouble:
            self.seen.fault(route, trouble.strip().splitlines()[-1][:200], f"{how()[:4_000]}\n{trouble}")

    def _fault(self, asked: Asked, kind: str) -> None:
        self.seen.fault(asked.route, kind, as_command(self.app.port, asked, self.places))


def each(examples: st.SearchStrategy[Any], count: int, use: Callable[[Any], None], part: int) -> None:
    """Use so many examples: in the same part always the same ones."""

    @seed(part)
    @settings(
        max_examples=max(1, count), database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(examples)
    def used(example: Any) -> None:
        use(example)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HypothesisWarning)  # requests are long on purpose
        used()


def fuzz(folder: Path, auth: str, count: int, seen: Seen) -> float:
    """Send so many requests to an app with accounts or without, in ten parts.

    Gives by how many MB it grew once it was warm: all its pages were drawn, and the first part was sent.
    """
    roles = (NOBODY, *ROLES) if auth == "local" else (NOBODY,)
    routes = asked_of(built_app().routes)
    with ExitStack() as open_:
        server = open_.enter_context(shared_server(folder / f"{auth}.db", auth))
        fuzzed = Fuzzed(open_.enter_context(closing(Places(server))), seen)
        for visited in every_view(roles):
            fuzzed.visit(visited)
        held = []
        for part in range(PARTS):
            server.relieve(part)
            with closing(Places(server)) as fuzzed.places:
                each(requests(routes, roles), count // PARTS * 8 // 10, fuzzed.send, part)
                each(NO_REQUESTS, count // PARTS // 10, fuzzed.send, part)
                each(visits(roles), count // PARTS // 40, fuzzed.visit, part)
            time.sleep(REST)
            held.append(megabytes(server.app))
            log.info("accounts %s: part %d, %d requests, %.1f MB", auth, part + 1, seen.requests(), held[-1])
        if server.request(NOBODY, "GET", "/_stcore/health").status_code != 200:
            seen.fault("/_stcore/health", "it is not well in the end", server.app.url)
        grown = held[-1] - held[0]
        if grown > MOST_GROWTH:
            seen.fault(f"auth {auth}", f"grew by {grown:.0f} MB", ", ".join(f"{one:.0f} MB" for one in held))
    return grown


def report(seen: Seen) -> Iterator[str]:
    """What came of it, in lines."""
    yield from seen.lines()
    yield f"{seen.requests()} requests; {seen.slow_once} answers were slow once, and not when they were asked for again"
    yield from seen.faults
    yield f"{len(seen.faults)} faults"


def main() -> int:
    """Send as many requests as are asked for: nine in ten to an app with accounts, the others to one without."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=21_000)
    count = parser.parse_args().requests
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)
    seen = Seen()
    with TemporaryDirectory() as folder:
        for auth, part in (("local", count * 9 // 10), ("off", count // 10)):
            grown = fuzz(Path(folder), auth, part, seen)
            print(f"accounts {auth}: grew by {grown:.1f} MB", flush=True)
    print("\n".join(report(seen)))
    return 1 if seen.faults else 0


if __name__ == "__main__":
    sys.exit(main())
