"""How a sweep stands, whoever runs it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import ValidationError

from annotations.wording import say
from characterbox.errors import StoryError
from characterbox.stage.batches import SweepJob
from characterbox.stage.stage import Stage
from characterbox.store.sweeps import SweepHeading
from characterbox.sweeps.progress import Progress, standing
from characterbox.sweeps.sweep import Cell, Sweep, cells_of

State = Literal["running", "resting", "elsewhere", "broken", "paused", "spent", "uncounted", "ended"]
"""Running here, or about to rest; running in another process; broken off with its process, or by an error; put aside by
a person; out of budget; paused as it is not known what calls cost; or ended, be it that some of it failed."""


@dataclass(frozen=True, slots=True)
class Known:
    """A sweep with its stories."""

    sweep: Sweep
    cells: tuple[Cell, ...]


def state_of(stage: Stage, heading: SweepHeading | None, sweeping: SweepJob | None) -> State:
    """How a sweep stands: as this process knows it, else as the database does."""
    if sweeping is not None and sweeping.under_way:
        return "resting" if sweeping.resting else "running"
    if heading is None:
        return "broken"
    if heading.status == "running":
        return "elsewhere" if stage.store.sweeps.at_work(heading.name) else "broken"
    if heading.status == "paused" and heading.reason is not None:
        return "spent" if heading.reason.code == "spent" else "uncounted"
    if heading.status == "paused":
        return "paused"
    return "ended"


def state_now(stage: Stage, name: str) -> State:
    """How the sweep of a name stands at this moment."""
    return state_of(stage, stage.store.sweeps.find(name), stage.sweepings.of(name))


def progress_now(stage: Stage, known: Known) -> Progress:
    """How far a sweep is at this moment; calls are counted only where it runs here."""
    sweeping = stage.sweepings.of(known.sweep.name)
    if sweeping is not None and sweeping.under_way:
        return sweeping.run.progress
    return standing(stage.store, known.sweep, known.cells)


def find_sweep(stage: Stage, name: str) -> Known:
    """The sweep of a name. Raises StoryError if there is none, or it can't be read."""
    sweeping = stage.sweepings.of(name)
    if sweeping is not None and sweeping.under_way:
        return known_sweep(sweeping.run.sweep)
    try:
        return known_sweep(Sweep.model_validate(stage.store.sweeps.content(name)))
    except ValidationError:
        raise StoryError(
            say("sweep {name}: its plan can't be read by this version of the app; its stories can", name=name)
        ) from None


def known_sweep(sweep: Sweep) -> Known:
    """A sweep with its stories; those of the last ones are at hand."""
    return _known(sweep.model_dump_json())


@lru_cache(maxsize=32)
def _known(content: str) -> Known:
    sweep = Sweep.model_validate_json(content)
    return Known(sweep, tuple(cells_of(sweep)))
