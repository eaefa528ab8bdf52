"""A study as a folder: which files it has, what they say together, and where they contradict each other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from annotations.errors import AnnotationError
from annotations.i18n.messages import Message, Readable, joined, listed
from annotations.rubrics.rubric_file import Misfit, read_toml, refused
from characterbox.errors import CharacterBoxError, StudyError
from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.file_reading import decode
from characterbox.scenes.library import PREFIX
from characterbox.studies.design import EXPERTS, AnalysisFile, CampaignFile, ExpertsFile, StudyFile, unknown
from characterbox.sweeps.cast import CAST
from characterbox.sweeps.file import SweepFile, read_sweep, unaddressed
from characterbox.sweeps.sweep import Sweep

STUDY, SWEEP, CAMPAIGN, ANALYSIS, PEOPLE = (
    "study.toml",
    "sweep.toml",
    "campaign.toml",
    "analysis.toml",
    "experts.toml",
)
DESIGN = (STUDY, CAST, SWEEP, CAMPAIGN, ANALYSIS)
"""The files that are registered and published, with the scene files that the sweep names. `experts.toml` is not: it
names people."""

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True)
class Study:
    """What a folder says."""

    folder: Path
    file: StudyFile
    sweep_file: SweepFile
    campaign: CampaignFile
    analysis: AnalysisFile
    experts: ExpertsFile

    @property
    def sweep(self) -> Sweep:
        """What is played, and judged."""
        return self.sweep_file.sweep

    @property
    def scene_files(self) -> list[str]:
        """The scene files that the sweep names, as it names them; bundled scenes are in none."""
        files = (source.file for source in self.sweep_file.written.scenes)
        return list(dict.fromkeys(file for file in files if not file.startswith(PREFIX)))

    @property
    def design_files(self) -> list[str]:
        """All files that say what the study is."""
        return [*DESIGN, *self.scene_files]

    def model(self, name: str) -> str:
        """What figures call a model: its name where it is reached."""
        return model_called(name, self.sweep_file)


def model_called(name: str, sweep: SweepFile) -> str:
    """What figures call the model that the cast has under a name; else the name itself."""
    known = sweep.cast.models.get(name)
    return name if known is None else known.model


def read_study(folder: Path) -> Study:
    """The study in a folder.

    Raises StudyError, with file, line and reason of each fault in any of its files.
    """
    if not folder.is_dir():
        raise StudyError(
            "{folder}: there is no such folder; make a study with: characterbox study init NAME", folder=folder
        )
    if not (folder / STUDY).is_file():
        raise StudyError(
            "{folder}: there is no {file} in it; name the folder of a study, or make one with: characterbox study init"
            " NAME",
            folder=folder,
            file=STUDY,
        )
    faults: list[Readable] = []

    def tried(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except (AnnotationError, CharacterBoxError) as error:
            faults.append(error.message)
            return None

    file = tried(lambda: _read(folder, STUDY, StudyFile))
    tried(lambda: _text(folder, CAST))
    sweep = tried(lambda: _sweep(folder))
    campaign = tried(lambda: _read(folder, CAMPAIGN, CampaignFile))
    experts = tried(lambda: _read(folder, PEOPLE, ExpertsFile))
    analysis = tried(lambda: _read(folder, ANALYSIS, AnalysisFile))
    if faults or file is None or sweep is None or campaign is None or experts is None or analysis is None:
        raise StudyError(joined(dict.fromkeys(faults)))
    study = Study(folder, file, sweep, campaign, analysis, experts)
    for name, misfits in ((STUDY, [*_of_hypotheses(study)]), (ANALYSIS, [*_of_analysis(study)])):
        if misfits:
            faults.append(refused(misfits, _text(folder, name), file=name).message)
    faults += _outside(study)
    if faults:
        raise StudyError(joined(faults))
    return study


def _read(folder: Path, name: str, model: type[M]) -> M:
    return read_toml(_text(folder, name), model, file=name)


def _text(folder: Path, name: str) -> str:
    return decode(name, bytes_of(folder, name), "UTF-8")[0]


def bytes_of(folder: Path, name: str) -> bytes:
    """What is in a file of a study. Raises StudyError if it can't be read."""
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise StudyError(
            "{file}: it is missing in {folder}; put it back, or copy it from a new study (characterbox study init)",
            file=name,
            folder=folder,
        ) from None
    except OSError as error:
        raise StudyError("{file}: it cannot be read ({error})", file=folder / name, error=error.strerror) from None


def _sweep(folder: Path) -> SweepFile:
    bytes_of(folder, SWEEP)
    return read_sweep(folder / SWEEP)


def _of_hypotheses(study: Study) -> Iterator[Misfit]:
    judges = [judge.name for judge in study.sweep.judges]
    languages = {scene.language for scene in study.sweep.scenes}
    for number, hypothesis in enumerate(study.file.hypotheses):
        if (test := hypothesis.test) is None:
            continue
        at = ("hypotheses", number, "test")
        for model in test.models or ():
            yield from _fault((*at, "models"), _model_fault(model, study))
        for key, named, known in (
            ("judge", (test.judge,), judges),
            ("judges", test.judges or (), judges),
            ("by", (test.by,), [EXPERTS, *judges]),
        ):
            for name in named:
                if name is not None and name not in known:
                    yield (*at, key), unknown(name, known)
        if test.language is not None and test.language not in languages:
            yield (*at, "language"), Message("no scene of the sweep is in this language")


def _of_analysis(study: Study) -> Iterator[Misfit]:
    judges = [judge.name for judge in study.sweep.judges]
    for name in study.analysis.models:
        yield from _fault(("models",), _model_fault(name, study))
    for name in study.analysis.judges:
        if name not in judges:
            yield ("judges",), unknown(name, judges)
    if study.analysis.language not in (None, *(scene.language for scene in study.sweep.scenes)):
        yield ("language",), Message("no scene of the sweep is in this language")


def _fault(place: tuple[str | int, ...], fault: Message | None) -> Iterator[Misfit]:
    if fault is not None:
        yield place, fault


def _model_fault(name: str, study: Study) -> Message | None:
    """What is wrong with the name of a model that plays characters."""
    playing = {endpoint.model for endpoint in study.sweep.characters}
    if study.model(name) in playing:
        return None
    names = [known for known, endpoint in study.sweep_file.cast.models.items() if endpoint.model in playing]
    return unknown(name, names or sorted(playing))


def _outside(study: Study) -> Iterator[Message]:
    """Scene files that are not in the folder: they would be missing in what is registered and published."""
    home = study.folder.resolve()
    strange = [file for file in study.scene_files if not (study.folder / file).resolve().is_relative_to(home)]
    if strange:
        yield Message(
            "{file}: {scenes}: outside the folder of the study; copy such files into its folder scenes",
            file=SWEEP,
            scenes=listed(strange),
        )


def names_of(written: Sequence[str], asked: Sequence[Endpoint]) -> list[str]:
    """What a sweep calls the models of one part, such as its characters, each with the name that figures have for it
    where that is another one."""
    names = (unaddressed([text]) or (endpoint.model,) for text, endpoint in zip(written, asked, strict=True))
    return [
        name if name == endpoint.model else f"{name} ({endpoint.model})"
        for (name,), endpoint in zip(names, asked, strict=True)
    ]
