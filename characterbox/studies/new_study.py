"""A new study: the folder that a person begins with."""

import shutil
from importlib.resources import as_file
from pathlib import Path
from typing import Literal

import tomli_w
from pydantic import TypeAdapter, ValidationError

from annotations.i18n.messages import wrong_with
from characterbox.atomic_file import not_written, there_already
from characterbox.errors import StudyError
from characterbox.studies.folder import CAMPAIGN, STUDY, SWEEP
from characterbox.sweeps.preset import preset_folder
from characterbox.sweeps.sweep import Name, name_fault

Preset = Literal["first", "paper"]
SCENES = "scenes"
"""Where scene files of one's own are."""
README = """# {name}

A study with CharacterBox. The files say all of it:

| File | What it says |
| --- | --- |
| `study.toml` | Title, authors, and the hypotheses, each with the figure that decides on it |
| `cast.toml` | Where each model is reached, and what it costs where the app does not know |
| `sweep.toml` | What is played with what, and who judges; within which budget |
| `scenes/` | Scene files of your own, which `sweep.toml` names, as `scenes/mine.yaml`; `bundled:NAME` comes along |
| `campaign.toml` | What people rate, how often, in which order |
| `experts.toml` | Who rates. It is neither registered nor published; keep it to yourself |
| `analysis.toml` | How the figures are made, what is left out, what counts as support |

In this order:

    characterbox study run --plan      # what it takes, and what it costs; nothing is asked
    characterbox study register        # freezes hypotheses, design and analysis: hashes and a date
    characterbox study run             # plays and judges, then has people rate
    characterbox study run             # the same again, once they have rated: writes results/ and bundle.zip

`run` can be broken off anywhere and goes on with what is missing. What `register` writes is in `registered/`; send
the line that it prints to somebody who can say later when they had it. You may change any file afterwards: the results
say what was changed.
"""


def make_study(folder: Path, preset: Preset = "first") -> None:
    """Make the folder of a study, called as it is. Raises FileError if it is there already or can't be made, and
    StudyError for a name that can't be one."""
    folder = folder.resolve()  # `.` has no name of its own
    name = folder.name
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        raise StudyError("{name}: {reason}", name=name, reason=wrong_with(error.errors()[0])) from None
    if (fault := name_fault(name)) is not None:
        raise StudyError("{name}: {reason}", name=name, reason=fault)
    part = folder.with_name(f".{folder.name}.part")
    try:
        if folder.exists():
            raise there_already(folder)
        shutil.rmtree(part, ignore_errors=True)
        with as_file(preset_folder(preset)) as origin:
            shutil.copytree(origin, part, copy_function=shutil.copyfile)  # whose files may be there to be read only
        (part / SCENES).mkdir(exist_ok=True)
        (part / "README.md").write_text(README.format(name=name), "utf-8")
        for file, key in ((STUDY, "title"), (SWEEP, "name"), (CAMPAIGN, "name")):
            _set(part / file, key, name)
        part.rename(folder)
    except OSError as error:
        raise not_written(folder, error) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _set(file: Path, key: str, value: str) -> None:
    """Put another value in the line of a key at the top of a file that comes along."""
    lines = file.read_text("utf-8").splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith(f"{key} = "))
    lines[at] = tomli_w.dumps({key: value})
    file.write_text("".join(lines), "utf-8")
