"""Who plays a story: one process at a time, and a process that is gone holds nothing."""

import subprocess
import sys

import pytest

from characterbox.errors import StoryError
from characterbox.store import Store

HOLD = """
import sys, time
from characterbox.store import Store
with Store(sys.argv[1]).stories.claims.on(sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""
STORY = "0123456789ab"


def test_another_process_is_refused_until_the_first_is_gone(url):
    store = Store(url)
    with subprocess.Popen([sys.executable, "-c", HOLD, url, STORY], stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout.readline() == "held\n"
            with pytest.raises(StoryError, match="another process is playing it"), store.stories.claims.on(STORY):
                pass
            with store.stories.claims.on("0123456789ac"):
                pass
        finally:
            other.kill()
            other.wait(10)
    with store.stories.claims.on(STORY):
        pass
    store.close()


def test_within_a_process_too_a_story_is_claimed_once(url):
    store = Store(url)
    with (
        store.stories.claims.on(STORY),
        pytest.raises(StoryError, match="another process is playing it"),
        store.stories.claims.on(STORY),
    ):
        pass
    with store.stories.claims.on(STORY):
        pass
    store.close()
