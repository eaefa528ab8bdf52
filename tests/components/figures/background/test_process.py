"""The process of the figures: it answers, is started anew when it dies, and ends with its parent, however that ends."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.errors import RatingError
from annotations.i18n.translation import speaking
from annotations.marking.rating import packed_ratings, read_ratings
from characterbox.components.figures.background.compute import Uploaded, figures_of, overview, take_file
from characterbox.components.figures.background.process import FigureProcess
from characterbox.components.figures.background.worker import NICE
from characterbox.errors import CharacterBoxError
from tests.components.figures.background import process_calls
from tests.components.figures.ratings_sample import EVERYTHING, campaign
from tests.fakes.without_coverage import not_measured

pytestmark = pytest.mark.process
SOON = 180.0
"""Seconds that anything takes at most, on a busy machine."""


@pytest.fixture
def figure_process() -> Iterator[FigureProcess]:
    figure_process = FigureProcess()
    yield figure_process
    figure_process.close()


class SentZero(int):
    """A zero that tells when it is being sent, by when it is settled to whom."""

    def __init__(self) -> None:
        self.on_its_way = threading.Event()

    def __reduce__(self) -> tuple[type[int], tuple[()]]:
        self.on_its_way.set()
        return int, ()


def runs(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + SOON
    while runs(pid):
        assert time.monotonic() < deadline, f"process {pid} goes on"
        time.sleep(0.02)


def test_the_functions_are_called_in_one_other_process_of_a_lower_priority(figure_process: FigureProcess) -> None:
    pids = [figure_process.ask(os.getpid).result(SOON) for _ in range(2)]
    assert pids[0] == pids[1] != os.getpid()
    assert figure_process.ask(os.getppid).result(SOON) == os.getpid()
    assert figure_process.ask(os.nice, 0).result(SOON) == min(19, os.nice(0) + NICE)


def test_the_language_of_the_one_who_asks_goes_along_and_answers_are_kept_for_each(
    figure_process: FigureProcess,
) -> None:
    for language in ("en", "zh", "en", "zh"):
        with speaking(language):
            asked, recalled = figure_process.ask(process_calls.spoken), figure_process.recall(process_calls.spoken)
        assert (asked.result(SOON), recalled.result(SOON)) == (language, language)


def test_errors_come_back_as_they_are_with_the_place_where_they_were_raised(figure_process: FigureProcess) -> None:
    with pytest.raises(RatingError, match="line 1: the header has no column model") as raised:
        figure_process.ask(read_ratings, "item,scene\n1,2").result(SOON)
    assert "_checked_header" in raised.value.__notes__[0]
    with pytest.raises(RuntimeError, match="ReplyError: it cannot be read"):
        figure_process.ask(process_calls.refuse, "…").result(SOON)
    with pytest.raises(Exception, match="pickle"):
        figure_process.ask(process_calls.give_back_what_cannot_be_told).result(SOON)
    with pytest.raises(Exception, match="pickle"):
        figure_process.ask(lambda: None).result(SOON)
    assert figure_process.ask(len, "four").result(SOON) == 4


@not_measured
def test_when_it_dies_of_a_call_this_is_told_and_the_next_call_has_a_new_one(figure_process: FigureProcess) -> None:
    first = figure_process.ask(os.getpid).result(SOON)
    with pytest.raises(CharacterBoxError, match=r"has stopped \(status 3;.*reload the page"):
        figure_process.ask(os._exit, 3).result(SOON)
    assert figure_process.ask(os.getpid).result(SOON) != first


def test_when_it_died_between_two_calls_nobody_notices(figure_process: FigureProcess) -> None:
    first = figure_process.ask(os.getpid).result(SOON)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)  # until it is dead, and not buried yet
    assert figure_process.ask(os.getpid).result(SOON) != first


def test_when_it_dies_before_it_has_begun_with_a_call_nobody_notices(figure_process: FigureProcess) -> None:
    first = figure_process.ask(os.getpid).result(SOON)
    os.kill(first, signal.SIGSTOP)  # as one that was killed, and of which not all threads have ended
    zero = SentZero()
    asked = figure_process.ask(os.getpgid, zero)  # of the process that is asked: its own number
    assert zero.on_its_way.wait(SOON)
    os.kill(first, signal.SIGKILL)
    assert asked.result(SOON) not in (first, os.getpgid(0))


def test_a_call_that_was_cancelled_before_its_turn_is_not_made(figure_process: FigureProcess, tmp_path: Path) -> None:
    under_way = figure_process.ask(process_calls.wait_for, str(tmp_path / "go on"))
    unwanted = figure_process.ask(os.mkdir, str(tmp_path / "made"))
    assert unwanted.cancel()
    (tmp_path / "go on").touch()
    under_way.result(SOON)
    figure_process.ask(len, "").result(SOON)
    assert not (tmp_path / "made").exists()


def test_what_is_recalled_is_worked_out_once_but_a_failure_is_not_kept(
    figure_process: FigureProcess, tmp_path: Path
) -> None:
    file = tmp_path / "calls"
    with pytest.raises(FileNotFoundError):
        figure_process.recall(process_calls.count, str(file)).result(SOON)
    file.write_text("")
    assert [figure_process.recall(process_calls.count, str(file)).result(SOON) for _ in range(3)] == [1, 1, 1]
    assert figure_process.ask(process_calls.count, str(file)).result(SOON) == 2


def test_closing_ends_it_in_the_middle_of_a_call_and_nothing_is_asked_any_more() -> None:
    figure_process = FigureProcess()
    pid = figure_process.ask(os.getpid).result(SOON)
    endless, queued = figure_process.ask(process_calls.be_busy), figure_process.ask(os.getpid)
    figure_process.close()
    assert not runs(pid)
    for future in (endless, queued):
        assert isinstance(future.exception(SOON), CharacterBoxError)
    with pytest.raises(CharacterBoxError, match="the app is shutting down"):
        figure_process.ask(os.getpid)


def test_without_files_left_to_open_it_is_told_that_it_can_not_be_started(figure_process: FigureProcess) -> None:
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, most))
    try:
        error = figure_process.ask(len, "four").exception(SOON)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))
    assert isinstance(error, CharacterBoxError)
    assert str(error).endswith("can't be started: Too many open files")
    assert figure_process.ask(len, "four").result(SOON) == 4


WAITING = """
import asyncio, os, sys
from characterbox.components.figures.background.process import close_figure_process, open_figure_process
from tests.components.figures.background.process_calls import be_busy

async def app():
    open_figure_process().ask(os.getpid).result()
    waiting = asyncio.create_task(asyncio.to_thread(open_figure_process().ask(be_busy, sys.argv[1]).exception))
    while not os.path.exists(sys.argv[1]):
        await asyncio.sleep(0.02)
    close_figure_process()
    waiting.cancel()

asyncio.run(app())
"""


def test_a_thread_that_waits_for_it_does_not_hold_up_the_end_of_the_app(tmp_path: Path) -> None:
    script = tmp_path / "waiting.py"
    script.write_text(WAITING)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    subprocess.run([sys.executable, str(script), str(tmp_path / "busy")], check=True, env=environment, timeout=SOON)


PARENT = """
import os, sys, time
from characterbox.components.figures.background.process import open_figure_process
from tests.components.figures.background.process_calls import be_busy
print("main", flush=True)
print(open_figure_process().ask(os.getpid).result(), flush=True)
if sys.argv[1] == "busy":
    open_figure_process().ask(be_busy)
while sys.argv[2] != "exit":
    time.sleep(0.02)  # short: a signal that another thread takes is answered by this one when it is awake
"""


@pytest.mark.parametrize("at_work", ["busy", "idle"])
@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGINT", "exit"])
def test_it_ends_with_its_parent_however_that_ends(at_work: str, end: str, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    command = [sys.executable, str(script), at_work, end]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "main\n"
        pid = int(parent.stdout.readline())  # the main module has not run there too
        if end != "exit":
            parent.send_signal(signal.Signals[end])
        parent.wait(SOON)
    wait_until_gone(pid)


def test_the_figures_come_from_there_without_streamlit_and_plotly(figure_process: FigureProcess) -> None:
    source = Uploaded("a file")
    figure_process.ask(take_file, source, packed_ratings(campaign().to_csv(index=False).encode())).result(SOON)
    assert figure_process.ask(overview, source).result(SOON).count == len(campaign())
    assert set(figure_process.ask(figures_of, source, EVERYTHING).result(SOON).report.validity) == {"GPT-4", "Same <b>"}
    assert figure_process.ask(process_calls.loaded, "pandas", "streamlit", "plotly").result(SOON) == {"pandas"}
