"""How far jobs in the background are, redrawn while one is under way: stopped, broken off, started anew."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from annotations.wording import say, translate
from characterbox.errors import RecordMismatch
from characterbox.stage.batches import Counted
from pages.parts.look import plain, quiet

J = TypeVar("J", bound=Counted)


def follow_jobs(jobs: Callable[[], Sequence[J]], draw: Callable[[Sequence[J]], None]) -> None:
    """Draw the jobs, each second anew while one of them is under way; then the whole page once more."""

    def follow(drawn_running: bool) -> None:
        found = jobs()
        if drawn_running and not any(one.under_way for one in found):
            st.rerun()
        draw(found)

    running = any(one.under_way for one in jobs())
    st.fragment(follow, run_every=1.0 if running else None)(running)


def job_progress(job: Counted, key: str, called: str, how_far: str, stopped: str) -> bool:
    """A job under way with the button that stops it, or that it was stopped, or why it broke off.

    `key` names its widgets. Gives whether it is to be offered to ask anew, as its record belongs to other prompts.
    """
    future = job.future
    if not future.done():
        st.progress(job.done / job.whole if job.whole else 0.0, plain(how_far))
        if st.button(say("Stop"), key=key):
            job.stop()
    elif future.cancelled():
        quiet(stopped)
    elif error := future.exception():
        st.warning(plain(say("{name}: {what}", name=called, what=translate(error))))
        return isinstance(error, RecordMismatch)
    return False


def judge_anew(key: str, start: Callable[[], object]) -> None:
    """The button that has a judge asked anew."""
    if st.button(say("Judge anew"), key=key):
        start()
        st.rerun()
