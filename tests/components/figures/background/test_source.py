"""Waiting on a page: what comes is given or raised, and progress is shown only while there is something to wait for."""

import threading
from concurrent.futures import Future

import pytest
from streamlit.testing.v1 import AppTest

from annotations.errors import RatingError
from characterbox.components.figures.background.source import POLL, SOON

pytestmark = pytest.mark.slow


def page(future: "Future[int]") -> None:
    """What a page does."""
    import streamlit as st  # noqa: PLC0415 - Streamlit runs this text by itself

    from annotations.errors import RatingError  # noqa: PLC0415
    from characterbox.components.figures.background.source import awaited  # noqa: PLC0415

    try:
        st.text(f"it is {awaited(future, 'Counting')}")
    except RatingError as error:
        st.text(f"refused: {error}")


def shown(future: "Future[int]") -> tuple[list[str], int]:
    """The texts on the page once it is drawn, and how much progress is shown."""
    app = AppTest.from_function(page, args=(future,), default_timeout=60).run()
    assert not app.exception
    return [text.value for text in app.text], len(app.get("progress"))


@pytest.mark.parametrize("after", [0.0, SOON + 1.5 * POLL])
def test_what_comes_is_given_and_no_progress_stays(after: float) -> None:
    future: Future[int] = Future()
    threading.Timer(after, future.set_result, (7,)).start()
    assert shown(future) == (["it is 7"], 0)


def test_what_is_raised_is_raised() -> None:
    future: Future[int] = Future()
    future.set_exception(RatingError("line 1: no"))
    assert shown(future) == (["refused: line 1: no"], 0)


def test_whoever_leaves_the_page_waits_no_more_and_wants_no_answer() -> None:
    future: Future[int] = Future()
    left = threading.Event()
    future.add_done_callback(lambda _: left.set())
    app = AppTest.from_function(page, args=(future,), default_timeout=5)
    with pytest.raises(RuntimeError, match="timed out"):  # which ends the run, as a click would
        app.run()
    assert left.wait(60)
    assert future.cancelled()
