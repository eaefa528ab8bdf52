"""How a command ends: its exit statuses, and the one line that says why."""

import sys

DIFFERENT = 1
NONE_ACCEPTED = 1
BAD_INPUT = 2
ENDPOINT_FAILED = 3
INTERRUPTED = 130


def say(message: str) -> None:
    """One line to standard error: standard output is for results."""
    print(f"characterbox: {' '.join(message.split())}", file=sys.stderr)
