"""Processes that play what is to be played on a database, as the app does, until they are killed."""

import multiprocessing
import time
from datetime import timedelta
from multiprocessing.context import ForkServerProcess

from characterbox.llm.client import Client
from characterbox.stage import caretaker
from characterbox.stage.stage import Stage
from characterbox.store import Store

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["bench.workers"])

EAGER = 0.05
"""Seconds between two looks of a worker's caretaker, so that stories do not lie about."""


def start_worker(database: str) -> ForkServerProcess:
    """A process that plays all stories of a database on that nobody plays."""
    worker = _context.Process(target=_work, args=(database,), daemon=True)
    worker.start()
    return worker


def _work(database: str) -> None:
    caretaker.INTERVAL, caretaker.AGE = EAGER, timedelta(0)
    stage = Stage(Store(database), Client())
    stage.resume_all()
    while True:
        time.sleep(1)
