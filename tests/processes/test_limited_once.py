import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from characterbox.errors import NotItsFault, SceneError, TooHeavy
from characterbox.processes import limited as limited_once
from characterbox.processes import limited as limited_process
from characterbox.processes.limited import Limits, Outcomes, run_limited_once
from tests.fakes import limited_calls as calls
from tests.fakes.waiting import until

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """Nothing is kept yet; gives a list to which each call that is really made is added."""
    monkeypatch.setattr(limited_once, "_OUTCOMES", Outcomes())
    made = []
    processes = limited_process.limited_processes()
    told = processes.told

    def counted(call):
        made.append(call)
        return told(call)

    monkeypatch.setattr(processes, "told", counted)
    return made


def test_what_was_read_is_not_read_again(asked):
    first = run_limited_once(calls.noted, b"a file")
    assert run_limited_once(calls.noted, b"a file") is first
    assert len(asked) == 1
    assert run_limited_once(calls.noted, b"another") != first


def test_why_a_file_is_refused_is_kept_as_well(asked, monkeypatch):
    monkeypatch.setattr(limited_process, "LIMITS", Limits(seconds=1, waited=600))
    for _ in range(3):
        with pytest.raises(SceneError, match=r"a\.pdf"):
            run_limited_once(calls.refuse, "a.pdf")
        with pytest.raises(TooHeavy, match="takes more than 1 seconds"):
            run_limited_once(calls.loop)
    assert len(asked) == 2


def test_what_is_not_the_fault_of_the_file_is_tried_again(asked, monkeypatch):
    monkeypatch.setattr(limited_process, "LIMITS", Limits(waited=1))
    for _ in range(2):
        with pytest.raises(NotItsFault, match="try again"):
            run_limited_once(calls.sleep, 30.0)
    assert len(asked) == 2


def test_who_asks_for_the_same_meanwhile_waits_for_it(asked):
    with ThreadPoolExecutor(3) as pool:
        results = [pool.submit(run_limited_once, calls.slowly_noted, b"a file") for _ in range(3)]
        assert len({one.result() for one in results}) == 1
    assert len(asked) == 1


def test_those_who_wait_are_told_of_what_goes_wrong(monkeypatch):
    begun = threading.Event()

    def broken(_):
        begun.wait(10)
        raise NotItsFault("ended")

    monkeypatch.setattr(limited_process.limited_processes(), "told", broken)
    with ThreadPoolExecutor(2) as pool:
        results = [pool.submit(run_limited_once, calls.doubled, 1) for _ in range(2)]
        until(lambda: len(limited_once._OUTCOMES._found) == 1)
        begun.set()
        for one in results:
            with pytest.raises(NotItsFault):
                one.result()
    assert not limited_once._OUTCOMES._found


def test_the_oldest_go_where_there_is_no_room(asked, monkeypatch):
    monkeypatch.setattr(limited_once, "LARGEST", 2_500_000)
    for letter in (b"a", b"b", b"a", b"c", b"a"):
        run_limited_once(calls.repeated, letter)
    assert len(asked) == 3
    run_limited_once(calls.repeated, b"b")
    assert len(asked) == 4
    assert len(limited_once._OUTCOMES._found) == 2
    monkeypatch.setattr(limited_once, "MOST", 3)
    for number in range(6):
        run_limited_once(calls.doubled, number)
    assert len(limited_once._OUTCOMES._found) == 3
