"""What the log of a vLLM server tells: how far it has come, what went wrong, and never a secret."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

Phase = Literal["launching", "weights", "memory", "compiling", "graphs", "listening"]
"""What a server that starts is doing: importing and reading its settings; loading the weights; measuring memory and
laying out the cache; compiling; capturing CUDA graphs; opening its port."""

_TAIL = 4_000_000
"""Bytes at the end of a log that are read."""
_MARKS: dict[Phase, str] = {
    "launching": r"non-default args|Initializing a V\d LLM engine",
    "weights": r"Starting to load model|Loading \w+ checkpoint shards: +(\d+)%",
    "memory": r"Loading weights took|Model loading took|KV cache size|Available KV cache memory",
    "compiling": r"Dynamo bytecode transform|Compiling a graph|for vLLM's torch\.compile|Start compiling",
    "graphs": r"Capturing (?:CUDA|cudagraph)[^%\n]*?(\d+)%|Capturing (?:the model for )?CUDA graph",
    "listening": r"init engine \(|Starting vLLM|Waiting for application startup|Application startup complete",
}
_PHASES = re.compile("|".join(f"(?P<{phase}>{_MARKS[phase]})" for phase in get_args(Phase)))
_PREFIX = re.compile(
    r"^(?:\([\w-]+ pid=\d+\)\s?)?(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) [\d-]+ [\d:]+ \[[^]]*\]\s?)?\s*"
)
"""What stands before a message: the process, the level, the time and the place in the code."""
_FAULT = re.compile(
    r"(?:\w+\.)*\w*(?:Error|Exception|Interrupt)(?:: .*|$)|Value error, .*|\S+: error: .*|Killed|Segmentation fault.*"
)
_ASKED = re.compile(r'"GET /(?:health|metrics|v1/models) HTTP/[\d.]+" 200')
"""What the server writes when it is asked how it is."""
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRETS = re.compile(r"\bhf_\w{16,}|\bsk-[\w-]{16,}|(?<=://)[^/\s@]+@|(?<=Bearer )\S+")


def tail(file: Path, environment: Mapping[str, str]) -> list[str]:
    """The last lines of a log, without those that asking for the state of the server has caused.

    Secrets, those of the environment included, are blacked out. There are no lines if the file is gone.
    """
    try:
        with file.open("rb") as log:
            size = log.seek(0, 2)
            log.seek(max(0, size - _TAIL))
            content = log.read()
    except FileNotFoundError:
        return []
    text = content.decode("utf-8", "replace")
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and len(value) >= 8:
            text = text.replace(value, "***")
    lines = _SECRETS.sub("***", text).replace("\r", "\n").split("\n")
    return [_ESCAPES.sub("", line).rstrip() for line in lines if line.strip() and not _ASKED.search(line)]


def progress(lines: list[str]) -> tuple[Phase, float | None]:
    """What a server that starts is doing, and the share of that which is done, where the log tells."""
    for line in reversed(lines):
        if found := _PHASES.search(line):
            phase: Phase = next(phase for phase in get_args(Phase) if found[phase] is not None)
            percent = re.search(r"(?<!\d)(\d++)%", found[0])
            return phase, int(percent[1]) / 100 if percent else None
    return "launching", None


def faults(lines: list[str]) -> tuple[str, ...]:
    """The errors that a server named before it failed, at most five, its last word last; else its last lines."""
    messages = [_PREFIX.sub("", line, count=1) for line in lines]
    named = list(dict.fromkeys(message for message in messages if _FAULT.fullmatch(message)))
    return tuple(message[:1000] for message in (named or messages)[-5:])
