import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotations.i18n.translation import speaking, translate
from characterbox.errors import SceneError, TooHeavy
from characterbox.pause_reasons import Reason, ServerWords, in_full
from characterbox.processes import limited
from characterbox.processes.limited import LimitedProcesses, Limits, run_limited
from tests.fakes import limited_calls as calls
from tests.fakes.waiting import until

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


@pytest.fixture
def brief(monkeypatch):
    """Limits of one second of computing, and three on the clock."""
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=1, waited=3))


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_call_gives_its_answer():
    assert run_limited(calls.doubled, 21) == 42
    assert run_limited(calls.length, b"x" * 50_000_000) == 50_000_000


def test_a_call_costs_little_once_the_process_is_there():
    run_limited(calls.doubled, 1)
    taken = []
    for _ in range(10):
        begun = time.perf_counter()
        run_limited(calls.doubled, 1)
        taken.append(time.perf_counter() - begun)
    assert min(taken) < 0.2


@pytest.mark.parametrize("call", [calls.loop, calls.loop_in_c])
def test_what_takes_too_long_is_ended_and_said(monkeypatch, call):
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=1, waited=600))
    with pytest.raises(TooHeavy) as refused:
        run_limited(call)
    assert str(refused.value) == "reading the file takes more than 1 seconds; split it"


def test_what_does_not_compute_is_ended_by_the_clock(brief):
    begun = time.perf_counter()
    with pytest.raises(TooHeavy) as refused:
        run_limited(calls.sleep, 60.0)
    assert str(refused.value) == "the file could not be read within 3 seconds; try again, or split it"
    assert time.perf_counter() - begun < 20


def test_computing_counts_and_not_the_time_in_which_others_compute(monkeypatch):
    """A good file is read beside any other work."""
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=1, waited=600))
    run_limited(calls.sleep, 2.5)


@pytest.mark.parametrize(
    "call", [calls.allocate, calls.allocate_in_pieces, calls.allocate_and_hide_it, calls.allocate_in_pydantic]
)
def test_what_takes_too_much_memory_is_refused_and_said(call):
    with pytest.raises(TooHeavy) as refused:
        run_limited(call, 2_000)
    assert str(refused.value) == "reading the file takes more than 500 MB of memory; split it"


def test_what_the_memory_holds_is_not_refused():
    """All of it: what Python, the modules and the file take by themselves is not counted."""
    assert run_limited(calls.length_and_allocate, b"x" * 60_000_000, 480) == 60_000_000


def test_an_answer_that_is_too_large_for_the_app_is_not_taken_in():
    with pytest.raises(TooHeavy, match="take more than 150 MB"):
        run_limited(calls.long_answer, 151)


def test_an_error_comes_back_as_itself_with_its_values():
    with pytest.raises(SceneError) as refused:
        run_limited(calls.refuse, "a.pdf")
    assert str(refused.value).startswith("a.pdf: it contains no text")
    with speaking("zh"):
        assert "a.pdf" in translate(refused.value)
        assert "no text" not in translate(refused.value)
    with pytest.raises(ZeroDivisionError) as broken:
        run_limited(calls.fault)
    assert "limited_calls.py" in broken.value.__notes__[0]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_process_that_dies_is_told_of(number):
    with pytest.raises(TooHeavy, match=f"file stopped unexpectedly \\({signal.Signals(number).name}\\)"):
        run_limited(calls.die, number)
    assert run_limited(calls.doubled, 1) == 2


def test_the_process_that_forks_is_started_anew():
    processes = LimitedProcesses()
    try:
        assert processes.run(calls.doubled, 1) == 2
        os.kill(processes._process.pid, signal.SIGKILL)
        assert processes.run(calls.doubled, 2) == 4
    finally:
        processes.close()


def test_it_reads_no_keys_and_does_not_run_the_main_module(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("CHARACTERBOX_DB", "postgresql://me:secret@host/db")
    processes = LimitedProcesses()
    try:
        assert "secret" not in str(processes.run(calls.environment))
        assert processes.run(calls.main_module).endswith("limited_server.py")
    finally:
        processes.close()


def test_two_run_at_once_and_a_third_waits_for_its_turn_or_gives_up(monkeypatch):
    monkeypatch.setattr(limited, "PATIENCE", 0.2)
    processes = LimitedProcesses()
    processes.run(calls.doubled, 1)
    try:
        with ThreadPoolExecutor(2) as pool:
            under_way = [pool.submit(processes.run, calls.sleep, 3.0) for _ in range(2)]
            until(lambda: processes._turns._value == 0)
            with pytest.raises(TooHeavy, match="try again"):
                processes.run(calls.doubled, 1)
            assert [one.result() for one in under_way] == [None, None]
        assert processes.run(calls.doubled, 1) == 2
    finally:
        processes.close()


def test_nothing_is_left_when_the_app_is_closed_or_killed(tmp_path):
    noted = tmp_path / "noted"
    script = (
        "from characterbox.processes.limited import run_limited\n"
        "from tests.fakes.limited_calls import note_and_loop\n"
        f"run_limited(note_and_loop, {str(noted)!r})\n"
    )
    for number in (signal.SIGKILL, signal.SIGINT):
        noted.unlink(missing_ok=True)
        app = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stderr=subprocess.DEVNULL)
        until(lambda: noted.exists() and len(noted.read_text().split()) == 2)
        left = [int(pid) for pid in noted.read_text(encoding="utf-8").split()]
        app.send_signal(number)
        app.wait()
        until(lambda left=left: not any(alive(pid) for pid in left))


def test_a_process_that_does_not_begin_is_told_of_and_not_waited_for(monkeypatch):
    monkeypatch.setattr(limited, "STARTING", 0.2)
    processes = LimitedProcesses()
    try:
        assert processes._open_control()
        os.kill(processes._process.pid, signal.SIGSTOP)
        with pytest.raises(TooHeavy, match="cannot be started"):
            processes.run(calls.doubled, 1)
    finally:
        processes.close()


def test_a_process_that_can_not_be_started_is_told_of(monkeypatch):
    monkeypatch.setattr(limited, "SERVER", "characterbox.no_such_module")
    processes = LimitedProcesses()
    with pytest.raises(TooHeavy, match="cannot be started"):
        processes.run(calls.doubled, 1)
    processes.close()


def test_closing_ends_what_is_under_way(tmp_path):
    noted = tmp_path / "noted"
    processes = LimitedProcesses()
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(processes.run, calls.note_and_loop, str(noted))
        until(lambda: noted.exists() and len(noted.read_text(encoding="utf-8").split()) == 2)
        processes.close()
        with pytest.raises(TooHeavy, match="SIGKILL"):
            under_way.result(timeout=60)


def test_other_threads_run_meanwhile(brief):
    """The app's thread waits without the interpreter: a second one ticks on."""
    gaps: list[float] = []
    done = threading.Event()

    def tick() -> None:
        last = time.perf_counter()
        while not done.wait(0.01):
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    ticking = threading.Thread(target=tick)
    ticking.start()
    with pytest.raises(TooHeavy):
        run_limited(calls.loop_in_c)
    done.set()
    ticking.join()
    assert sorted(gaps)[len(gaps) // 2] < 0.1
    assert len(gaps) > 10


def test_what_servers_said_is_told_there_to_whom_it_is_told_here():
    reason = Reason("status_said", status=500, detail=ServerWords("SECRET"))
    assert "SECRET" not in run_limited(translate, reason)
    with in_full():
        assert "SECRET" in run_limited(translate, reason)
    assert "SECRET" not in run_limited(translate, reason)
