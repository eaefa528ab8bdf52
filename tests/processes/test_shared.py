"""What all of the app share is made once, and only when somebody asks."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from characterbox.processes.background import Shared


class Slow:
    """Takes a while to be made, and is closed."""

    made = closed = 0

    def __init__(self) -> None:
        time.sleep(0.05)
        Slow.made += 1

    def close(self) -> None:
        Slow.closed += 1


@pytest.mark.process
def test_there_is_one_however_many_ask_first_and_none_is_made_to_be_closed() -> None:
    shared = Shared(Slow)
    shared.close()
    assert Slow.made == 0
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(shared.open) for _ in range(4)]
    assert len({id(one.result()) for one in asked}) == Slow.made == 1
    shared.close()
    assert Slow.closed == 1
