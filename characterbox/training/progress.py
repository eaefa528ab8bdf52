"""How far a run is, as it tells in `progress.jsonl`: figures, curves, and how it ended."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

Phase = Literal["preparing", "training", "merging"]
"""What a run that is under way does: reading base and dataset, taking steps, or merging the adapter into its base."""
Ending = Literal["done", "merged", "stopped", "error"]


@dataclass(frozen=True)
class Point:
    """A point of a curve."""

    step: int
    value: float


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    phase: Phase = "preparing"
    step: int = 0
    """Steps that are done."""
    steps: int | None = None
    """Steps of the whole run; None until they were counted."""
    learning_rate: float | None = None
    tokens_per_second: float | None = None
    """The pace of the last steps, validations included."""
    seconds_left: float | None = None
    """At that pace."""
    losses: tuple[Point, ...] = ()
    """The mean loss of the training examples of each step, in nats a token."""
    validation: tuple[Point, ...] = ()
    """The loss of the validation examples, each time that they were looked at."""
    saved: int | None = None
    """The step of the last checkpoint."""
    ending: Ending | None = None
    """How the last start ended; None as long as nothing was told of it."""
    error: tuple[str, Mapping[str, Any]] | None = field(default=None)
    """The code and the parameters of what ended it."""


def read_progress(file: Path) -> Progress:
    """What a run has told up to now; a line that is not finished is left for the next time."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return Progress()
    return _folded(_events(text.splitlines()))


def _events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue  # it was broken off as the process was killed
        if isinstance(event, dict):
            yield event


def _folded(events: Iterable[dict[str, Any]]) -> Progress:
    progress, losses, validation = Progress(), dict[int, float](), dict[int, float]()
    for event in events:
        match event.get("event"):
            case "started":
                phase: Phase = "merging" if event["task"] == "merge" else "preparing"
                progress = replace(progress, phase=phase, ending=None, error=None, seconds_left=None)
            case "training":
                progress = replace(progress, phase="training", step=event["step"], steps=event["steps"])
                losses = {step: loss for step, loss in losses.items() if step <= event["step"]}
                validation = {step: loss for step, loss in validation.items() if step <= event["step"]}
            case "step":
                losses[event["step"]] = event["loss"]
                names = ("step", "steps", "learning_rate", "tokens_per_second", "seconds_left")
                progress = replace(progress, **{name: event[name] for name in names})
            case "validation":
                validation[event["step"]] = event["loss"]
            case "saved":
                progress = replace(progress, saved=event["step"])
            case "error":
                progress = replace(progress, ending="error", error=(event["code"], event["parameters"]))
            case "done" | "merged" | "stopped" as ending if progress.ending != "error":
                progress = replace(progress, ending=ending)
    return replace(progress, losses=_curve(losses), validation=_curve(validation))


def _curve(values: Mapping[int, float]) -> tuple[Point, ...]:
    return tuple(Point(step, value) for step, value in sorted(values.items()))
