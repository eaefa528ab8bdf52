"""What a run tells of itself: one JSON object a line, at the end of `progress.jsonl`."""

import json
import os
import time
from pathlib import Path
from typing import Any

_ROOM = 16_384
"""Bytes that are kept free for the last words."""


class ProgressFile:
    """The file that a run tells its progress in. Of several processes, the first tells it, and each its errors."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "progress.jsonl"
        self._room = folder / ".room"

    def keep_room(self) -> None:
        """Take some room of the disk, so that it can be told when the rest is full."""
        self._room.write_bytes(bytes(_ROOM))

    def give_room(self) -> None:
        """Give that room free again."""
        self._room.unlink(missing_ok=True)

    def write(self, event: str, **values: Any) -> None:
        """Add an event. A line that a process left unfinished as it was killed is ended first."""
        if event != "error" and os.environ.get("RANK", "0") != "0":
            return
        line = json.dumps({"event": event, "at": round(time.time(), 3), **values}, ensure_ascii=False) + "\n"
        number = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(number).st_size
            if size and os.pread(number, 1, size - 1) != b"\n":
                line = "\n" + line
            os.write(number, line.encode())
        finally:
            os.close(number)
