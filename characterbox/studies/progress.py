"""How far a study is: what the database says of its sweep and its campaign, found by the names that the folder has.

There is no other record of it. `run.toml` in the folder only says which sweep and which campaign are the study's own,
so that they are told from others that are called so, and missed where they are gone.
"""

from pathlib import Path

import tomli_w
from pydantic import ValidationError

from annotations.errors import AnnotationError
from annotations.rubrics.rubric_file import read_toml
from characterbox.atomic_file import replace_file
from characterbox.errors import StudyError
from characterbox.play.settings import PROMPTS
from characterbox.scenes.scene import Text
from characterbox.store import Store
from characterbox.studies.folder import SWEEP, Study
from characterbox.sweeps.progress import standing
from characterbox.sweeps.sweep import Sweep, cells_of, stored_sweep
from characterbox.values import Value

RUN = "run.toml"
_HEAD = "# What of this study is in the database; `characterbox study run` writes it. Leave it as it is.\n\n"


class Started(Value):
    """What of a study was started."""

    sweep: Text
    campaign: Text | None = None
    """The id of the campaign."""


def started_in(folder: Path) -> Started | None:
    """What was started of the study in a folder; None if nothing was. Raises StudyError if `run.toml` can't be read."""
    try:
        return read_toml((folder / RUN).read_text("utf-8"), Started, file=RUN)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, AnnotationError) as error:
        raise StudyError(
            "{file}: {error}; put it back, or delete it: the sweep and the campaign are then found by their names",
            file=RUN,
            error=error.message if isinstance(error, AnnotationError) else str(error),
        ) from None


def note_started(folder: Path, started: Started) -> None:
    """Write down what was started, as a whole or not at all. Raises FileError if the folder can't be written to."""
    replace_file(folder / RUN, _HEAD + tomli_w.dumps(started.model_dump(exclude_none=True)))


def sweep_of(study: Study, store: Store) -> Sweep:
    """The sweep of a study: as it was played, where all of it was, whatever version the prompts have now; else as the
    folder has it.

    Raises StudyError if another sweep in the database has its name.
    """
    wanted = study.sweep
    if store.sweeps.find(wanted.name) is None:
        return wanted
    try:
        stored = stored_sweep(store.sweeps.content(wanted.name))
    except ValidationError:
        stored = None
    if stored is not None and _plan(stored) == _plan(wanted):
        return stored if standing(store, stored, [*cells_of(stored)]).done else wanted
    started = started_in(study.folder)
    if started is None or started.sweep != wanted.name:
        raise StudyError(
            "{file}: the database has another sweep that is called {name!r}, with other scenes, models or settings;"
            " choose another name, or another database (--db)",
            file=SWEEP,
            name=wanted.name,
        )
    return wanted  # the study's own, which was changed since


def _plan(sweep: Sweep) -> Sweep:
    """What makes a sweep the same: neither its budget nor the version of the prompts."""
    settings = sweep.settings.model_copy(update={"prompts": PROMPTS})
    return sweep.model_copy(update={"prompts": None, "settings": settings, "budget": None, "parallel": {}})
