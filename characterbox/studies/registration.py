"""Registration: the design of a study as it was before there were any data, with hashes and a date.

`registered/` in the study's folder holds a copy of each file of the design, byte for byte, the scenes as they are
played, and `registration.toml`, which has the SHA-256 of each of them, of the prompts and of the rubric. The hash of
that one file stands for all: `sha256sum registration.toml` gives it. Whoever was sent it can say later when they had
it; the date is that of this computer's clock, and proves nothing by itself.
"""

import json
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import AwareDatetime, ValidationError, field_validator

from annotations.i18n.messages import Message, count_message, wrong_with
from annotations.rubrics.rubric import load_rubric
from characterbox import __version__
from characterbox.atomic_file import not_written
from characterbox.errors import StudyError
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.store.ratings.ratings import scene_name
from characterbox.studies.folder import STUDY, Study, bytes_of, is_path_within
from characterbox.sweeps.contents import scenes_file
from characterbox.sweeps.file import SCENES
from characterbox.sweeps.sweep import Sweep, cells_of, prompts_digest
from characterbox.values import Value

REGISTERED = "registered"
"""The folder of what is registered, in that of the study."""
REGISTRATION = "registration.toml"


class Registration(Value):
    """What was registered."""

    registered_at: AwareDatetime
    app: str
    """The version of the app."""
    prompts: str
    """The version of the prompts that stories are played with."""
    judge_prompts: dict[str, str]
    """The version of the prompts of each judge, by its name."""
    rubric: str
    """Name, version and SHA-256 of the rubric, with its guide."""
    experts: dict[str, int]
    """How many experts read which languages: `{"en": 1, "en, zh": 2}`."""
    files: dict[str, str]
    """The SHA-256 of each file of the design, by its path from the folder of the study."""
    scenes: dict[str, str]
    """The SHA-256 of each scene, as it is played."""

    @field_validator("files")
    @classmethod
    def _are_those_of_a_study(cls, files: dict[str, str]) -> dict[str, str]:
        """Whoever wrote the file: what it names is read, and published with the results."""
        for name in files:
            if not is_path_within(name):
                raise ValueError(Message("{name!r} is not a file in the folder of the study", name=name))
        if STUDY not in files:
            raise ValueError(Message("the SHA-256 of {file} is missing", file=STUDY))
        return files


@dataclass(frozen=True)
class Registered:
    """The registration of a study, with its place."""

    content: Registration
    folder: Path
    hash: str
    """The SHA-256 of `registration.toml`."""

    def file(self, name: str) -> bytes | None:
        """A file as it was registered; None where the copy is gone, or is only a link that leads out of the folder."""
        copy = (self.folder / name).resolve()
        return copy.read_bytes() if copy.is_file() and copy.is_relative_to(self.folder.resolve()) else None

    @property
    def copies(self) -> Iterator[tuple[str, bytes]]:
        """What was registered, as far as it is there: name and content of each file, and of nothing else."""
        for name in dict.fromkeys([*self.content.files, SCENES, REGISTRATION]):
            if (copy := self.file(name)) is not None:
                yield name, copy


def design_now(study: Study, sweep: Sweep) -> Registration:
    """What would be registered of a study at this moment; the prompts are those of `sweep`, where it has been run."""
    rubric = load_rubric()
    return Registration(
        registered_at=datetime.now(UTC).replace(microsecond=0),
        app=__version__,
        prompts=sweep.prompts or prompts_digest(),
        judge_prompts={judge.name: judge.protocol.prompts_digest(rubric) for judge in sweep.judges},
        rubric=f"{rubric.name} {rubric.version}, SHA-256 {_hash(rubric.model_dump_json().encode())}",
        experts=_experts(study),
        files={name: _hash(bytes_of(study.folder, name)) for name in study.design_files},
        scenes={scene_name(scene): scene_hash(scene) for scene in sweep.scenes},
    )


def _experts(study: Study) -> dict[str, int]:
    languages = sorted(", ".join(sorted(expert.languages)) for expert in study.experts.experts)
    return {each: languages.count(each) for each in dict.fromkeys(languages)}


def scene_hash(scene: Scene) -> str:
    """The SHA-256 of all that a scene says."""
    return entry_hash(scene.model_dump(mode="json", exclude_none=True))


def entry_hash(entry: Mapping[str, Any]) -> str:
    """The same of a scene as it stands in `scenes.json`, whatever later versions of the app make of it."""
    return _hash(json.dumps(entry, ensure_ascii=False, sort_keys=True).encode())


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def register(study: Study, store: Store, campaign: Campaign | None) -> Registered:
    """Register a study.

    Raises StudyError if it is registered already, or if stories of it were played or rated, with how many; FileError if
    the folder can't be written to.
    """
    target = study.folder / REGISTERED
    if target.exists():
        known = read_registration(study.folder)
        when = "" if known is None else f" ({told_date(known.content.registered_at)}, SHA-256 {known.hash})"
        raise StudyError(
            "{folder}: the study is registered already{when}; what is changed now is told with the results",
            folder=target,
            when=when,
        )
    _check_no_data(study, store, campaign)
    part = target.with_name(f".{REGISTERED}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        for name in study.design_files:
            copy = part / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(bytes_of(study.folder, name))
        (part / SCENES).write_bytes(scenes_file(study.sweep))
        content = design_now(study, study.sweep)
        (part / REGISTRATION).write_bytes(tomli_w.dumps(content.model_dump()).encode())
        part.rename(target)
    except OSError as error:
        raise not_written(target, error) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Registered(content, target, _hash((target / REGISTRATION).read_bytes()))


def _check_no_data(study: Study, store: Store, campaign: Campaign | None) -> None:
    played = store.sweeps.statuses([cell.id for cell in cells_of(study.sweep)])
    if played:
        raise StudyError(
            count_message(
                "{count:,} story of this study is in the database already, and a design is registered before there are"
                " data; register a new study with other scenes, models or seeds, or run this one unregistered",
                "{count:,} stories of this study are in the database already, and a design is registered before there"
                " are data; register a new study with other scenes, models or seeds, or run this one unregistered",
                len(played),
            )
        )
    if campaign is not None and (marked := store.marks.sheets(campaign.id)):
        raise StudyError(
            count_message(
                "{count:,} item of this study was rated already, and a design is registered before there are data",
                "{count:,} items of this study were rated already, and a design is registered before there are data",
                len(marked),
            )
        )


def read_registration(folder: Path) -> Registered | None:
    """The registration of the study in a folder; None if it is not registered.

    Raises StudyError if it can't be read.
    """
    file = folder / REGISTERED / REGISTRATION
    if not (folder / REGISTERED).exists():
        return None
    try:
        raw = file.read_bytes()
        content = Registration.model_validate(_loaded(raw))
    except (OSError, ValueError, ValidationError) as error:
        why = wrong_with(error.errors()[0]) if isinstance(error, ValidationError) else str(error)
        raise StudyError(
            "{file}: the registration cannot be read ({why}); put back the file that was written, whose SHA-256 was"
            " printed then",
            file=file,
            why=why,
        ) from None
    return Registered(content, folder / REGISTERED, _hash(raw))


def _loaded(raw: bytes) -> Mapping[str, Any]:
    return tomllib.loads(raw.decode())


def told_date(moment: datetime) -> str:
    """A moment as files tell it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
