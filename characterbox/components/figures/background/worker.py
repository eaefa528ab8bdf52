"""The process beside the app (see `process`): `python -m characterbox.components.figures.background.worker DESCRIPTOR`.

The file descriptor leads to the app. When the app ends, even if it is killed, the line goes dead, and so does this.
"""

import os
import pickle  # nosec B403 # between processes of ours
import sys
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue

from annotations.i18n.translation import speaking
from annotations.reliability.pingouin_check import take_from_pingouin
from characterbox.processes.background import told_error

BEGUN = "begun"
"""What is told of each call before it is made: what ended without it did not end of the call."""
NICE = 10
"""A low priority, which still gets a tenth of a core that something else keeps busy, as a model beside the app."""


def main(descriptor: int) -> None:
    """Call what the app asks for, one after the other, until the app is gone."""
    os.nice(NICE)
    take_from_pingouin()
    line = Connection(descriptor)
    calls: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(line, calls), daemon=True).start()
    while True:
        call = calls.get()
        try:
            line.send(BEGUN)
            line.send_bytes(_answer(call))
        except OSError:
            os._exit(0)


def _listen(line: Connection, calls: "SimpleQueue[bytes]") -> None:
    """Take in what the app asks; in a thread, so that its end is noticed in the middle of a call."""
    try:
        while True:
            calls.put(line.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def _answer(call: bytes) -> bytes:
    """What went wrong, or None, and what the call gave."""
    try:
        language, function, args = pickle.loads(call)  # noqa: S301 # nosec B301 # the app's own
        with speaking(language):
            return pickle.dumps((None, function(*args)))
    except Exception as error:
        return told_error(error)


if __name__ == "__main__":
    main(int(sys.argv[1]))
