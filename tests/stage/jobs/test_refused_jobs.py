"""A sweep that can't be started is refused at once, and says why; what breaks off stands in the log."""

import logging
import subprocess
import sys
import textwrap
import time

import pytest

from characterbox.errors import PlayedElsewhere, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.stage import Stage
from tests.fakes.databases import store_in
from tests.fakes.sweeps import a_sweep

HOLDS = """
import sys
from characterbox.store import Store
store = Store(sys.argv[1])
with store.sweeps.claimed("small"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def stage(tmp_path):
    stage = Stage(store_in(tmp_path / "stage.db"), Client())
    yield stage
    stage.close()


@pytest.mark.process
def test_what_runs_in_another_process_is_not_started_here(stage, tmp_path):
    assert not stage.store.sweeps.at_work("small")
    other = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDS), f"sqlite:///{tmp_path}/stage.db"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert other.stdout.readline() == b"held\n"
        assert stage.store.sweeps.at_work("small")
        with pytest.raises(PlayedElsewhere, match="another process"):
            stage.sweepings.start(a_sweep())
        assert stage.sweepings.of("small") is None
    finally:
        other.communicate(timeout=120)
    assert not stage.store.sweeps.at_work("small")


def test_a_budget_without_a_price_is_refused_before_anything_is_stored(stage):
    unpriced = Endpoint.parse("http://127.0.0.1:9/v1#m")
    with pytest.raises(StoryError, match=r"no price for http://127\.0\.0\.1:9/v1#m"):
        stage.sweepings.start(a_sweep(characters=(unpriced,), budget=1.0))
    assert stage.store.sweeps.all() == []


@pytest.mark.process
def test_what_it_breaks_off_with_stands_in_the_log(stage, caplog):
    stage.store.sweeps.put = lambda *_: 1 / 0
    with caplog.at_level(logging.ERROR):
        stage.sweepings.start(a_sweep())
        end = time.monotonic() + 20
        while not caplog.records and time.monotonic() < end:
            time.sleep(0.01)
    [record] = caplog.records
    assert record.getMessage() == "sweep small broke off"
    assert record.exc_info is not None
    assert isinstance(stage.sweepings.of("small").last_error, ZeroDivisionError)
