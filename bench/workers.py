"""Processes that play what is to be played on a database, as the app does, until they are killed."""

import logging
import multiprocessing
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Event

from characterbox.llm.calls.client import Client
from characterbox.stage.auto_resume import Care
from characterbox.stage.stage import Stage
from characterbox.store import Store

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["bench.workers"])

EAGER = Care(every=0.05, age=timedelta(0))
"""Has a worker look again at once, so that stories do not lie about."""


def start_worker(database: str, started: Event | None = None) -> ForkServerProcess:
    """A process that plays all the stories of a database that nobody plays; it ends with this one.

    `started`, from `new_event`, is set once it has looked through all that was left to be gone on with.
    """
    worker = _context.Process(target=_work, args=(database, started), daemon=True)
    worker.start()
    return worker


def new_event() -> Event:
    """An event that a worker can set."""
    return _context.Event()


def _work(database: str, started: Event | None) -> None:
    logging.getLogger("characterbox").setLevel(logging.ERROR)  # it is refused many times, which is what it is here for
    stage = Stage(Store(database), Client(), EAGER)
    stage.resume_all()
    if started is not None:
        started.set()
    launcher = multiprocessing.parent_process()
    if launcher is not None:
        launcher.join()
