"""A running app while it is fuzzed: what it holds of memory, logs and answers, and what was wrong with that."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.app import App
from tests.security.raw_requests import Told

SLOWEST = 2.0
"""Seconds that an answer takes at most."""
MOST_GROWTH = 50.0
"""MB by which the app may grow, from when it is warm to the end."""
TOLD_OF_EACH = 3
"""How many requests are told of each kind of fault on a route."""
LONGEST_TOLD = 8_000
"""Characters that are told of each."""
SIGNS = ("Traceback (most recent call last)", "Task exception was never retrieved", "Fatal Python error")


@dataclass
class Seen:
    """What came of all requests so far."""

    statuses: dict[str, Counter[tuple[str, int]]] = field(default_factory=dict)
    """How often which status was answered to whom, by route."""
    well: dict[str, set[str]] = field(default_factory=dict)
    """Who was answered well by which route: what is behind it was reached."""
    slow: dict[str, float] = field(default_factory=dict)
    """The slowest answer by route, in seconds."""
    slow_once: int = 0
    """Answers that were slow once, and not when they were asked for again."""
    faults: list[str] = field(default_factory=list)
    _told: Counter[tuple[str, str]] = field(default_factory=Counter)

    def answer(self, route: str, who: str, told: Told) -> None:
        """Count an answer."""
        self.statuses.setdefault(route, Counter())[who, told.status] += 1
        self.slow[route] = max(self.slow.get(route, 0.0), told.seconds)
        if 100 < told.status < 400 and not told.leads_to_sign_in:
            self.well.setdefault(route, set()).add(who)

    def fault(self, route: str, kind: str, how: str) -> None:
        """Keep what was wrong, and how it can be had again."""
        self._told[route, kind] += 1
        if self._told[route, kind] <= TOLD_OF_EACH:
            self.faults.append(f"{route}: {kind}\n    {how[:LONGEST_TOLD]}\n")

    def requests(self) -> int:
        """How many there were."""
        return sum(counter.total() for counter in self.statuses.values())

    def lines(self) -> Iterator[str]:
        """The table of answers, by route."""
        for route in sorted(self.statuses):
            counts: Counter[int] = Counter()
            for (_, status), times in self.statuses[route].items():
                counts[status] += times
            told = "  ".join(f"{status or 'closed'}: {times}" for status, times in sorted(counts.items()))
            roles = ", ".join(sorted(self.well.get(route, ()))) or "-"
            yield f"{route or '(pages)'}\n    {told}; slowest {self.slow[route]:.2f} s; well: {roles}"


class Log:
    """The log of an app, as far as it has not been read."""

    def __init__(self, app: App) -> None:
        self._file = app.db.with_suffix(".log")
        self._read = self._file.stat().st_size

    def new_trouble(self) -> str:
        """The end of what has come since that tells of trouble; "" if nothing does."""
        if self._file.stat().st_size == self._read:
            return ""
        with self._file.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        self._read += len(new)
        text = new.decode("utf-8", "replace")
        return text[-2_500:] if any(sign in text for sign in SIGNS) else ""


def megabytes(app: App) -> float:
    """What the app and its processes hold of memory, in MB; what several of them share counts in parts (PSS)."""
    assert app.pid is not None
    return sum(_pss(process) for process in _tree(app.pid)) / 1_000


def _tree(process: int) -> Iterator[int]:
    yield process
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            yield from _tree(int(child))


def _pss(process: int) -> int:
    """Thousands of bytes; of a process that has ended meanwhile none."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
