"""SIGTERM and Ctrl-C: a training stops after the step that is under way; what comes before the first step, at once."""

import signal
from types import FrameType

_STATE = {"training": False, "wanted": False}


class Stopped(BaseException):
    """The run was told to stop."""


def stop_on_signal() -> None:
    """From now on, a signal raises Stopped, or is noted where `finish_steps` was called."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _take)


def finish_steps() -> None:
    """From now on, a signal is only noted: whoever trains asks `stop_wanted` after each step."""
    _STATE["training"] = True


def stop_wanted() -> bool:
    """Whether this process was told to stop."""
    return _STATE["wanted"]


def _take(_: int, __: FrameType | None) -> None:
    _STATE["wanted"] = True
    if not _STATE["training"]:
        raise Stopped
