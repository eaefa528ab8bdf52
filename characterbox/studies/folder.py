"""A study as a folder: which files it has, what they say together, and where they contradict each other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from annotations.errors import AnnotationError
from annotations.i18n.messages import Message, Readable, joined, listed
from annotations.rubrics.rubric import RESERVED, load_rubric
from annotations.rubrics.rubric_file import Misfit, read_toml, refused
from characterbox.errors import CharacterBoxError, StudyError
from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.file_reading import decode
from characterbox.scenes.library import PREFIX
from characterbox.studies.design import (
    EXPERTS,
    AnalysisFile,
    CampaignFile,
    Comparison,
    ExpertsFile,
    StudyFile,
    unknown,
)
from characterbox.sweeps.cast import CAST, read_cast
from characterbox.sweeps.file import SCENES as SCENES_AS_PLAYED
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
    cast = tried(lambda: read_cast(bytes_of(folder, CAST)))
    sweep = tried(lambda: _sweep(folder))
    campaign = tried(lambda: _read(folder, CAMPAIGN, CampaignFile))
    experts = tried(lambda: _read(folder, PEOPLE, ExpertsFile))
    analysis = tried(lambda: _read(folder, ANALYSIS, AnalysisFile))
    if faults or not (file and cast and sweep and campaign and experts and analysis):
        raise StudyError(joined(dict.fromkeys(faults)))
    study = Study(folder, file, replace(sweep, cast=cast), campaign, analysis, experts)
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
    for number, hypothesis in enumerate(study.file.hypotheses):
        if (test := hypothesis.test) is None:
            continue
        for key, fault in [*_not_there(test, study)] or _left_out(test, study):
            yield ("hypotheses", number, "test", key), fault


def _not_there(test: Comparison, study: Study) -> Iterator[tuple[str, Message]]:
    """What a test names and the sweep has not."""
    judges = [judge.name for judge in study.sweep.judges]
    for model in test.models or ():
        if (fault := _model_fault(model, study)) is not None:
            yield "models", fault
    for key, named, known in (
        ("judge", (test.judge,), judges),
        ("judges", test.judges or (), judges),
        ("by", (test.by,), [EXPERTS, *judges]),
    ):
        for name in named:
            if name is not None and name not in known:
                yield key, unknown(name, known)
    if test.language not in (None, *(scene.language for scene in study.sweep.scenes)):
        yield "language", Message("no scene of the sweep is in this language")


def _left_out(test: Comparison, study: Study) -> Iterator[tuple[str, Message]]:
    """What a test names and the analysis leaves out, so that nothing would come of it."""
    analysis = study.analysis
    models = {study.model(name) for name in analysis.models}
    for name in test.models or ():
        if models and study.model(name) not in models:
            yield "models", _not_analysed(name)
    for key, judges in (("judge", (test.judge,)), ("judges", test.judges or ()), ("by", (test.by,))):
        for judge in judges:
            if judge is not None and analysis.judges and judge not in (EXPERTS, *analysis.judges):
                yield key, _not_analysed(judge)
    if test.language is not None and analysis.language not in (None, test.language):
        yield "language", _not_analysed(test.language)
    if analysis.metrics and test.metric not in (RESERVED, *analysis.metrics):
        yield "metric", _not_analysed(test.metric)
    if test.dimension is not None and analysis.metrics and (more := {*load_rubric().keys} - {*analysis.metrics}):
        yield (
            "dimension",
            Message(
                "dimensions need all metrics of the rubric, and {file} leaves out {metrics}; have them analysed, or"
                " omit this test",
                file=ANALYSIS,
                metrics=listed(sorted(more)),
            ),
        )


def _not_analysed(name: str) -> Message:
    return Message("{file} leaves out {name}; have it analysed, or omit this test", file=ANALYSIS, name=name)


def _of_analysis(study: Study) -> Iterator[Misfit]:
    judges = [judge.name for judge in study.sweep.judges]
    for name in study.analysis.models:
        if (fault := _model_fault(name, study)) is not None:
            yield ("models",), fault
    for name in study.analysis.judges:
        if name not in judges:
            yield ("judges",), unknown(name, judges)
    if study.analysis.language not in (None, *(scene.language for scene in study.sweep.scenes)):
        yield ("language",), Message("no scene of the sweep is in this language")


def _model_fault(name: str, study: Study) -> Message | None:
    """What is wrong with the name of a model that plays characters."""
    playing = {endpoint.model for endpoint in study.sweep.characters}
    if study.model(name) in playing:
        return None
    names = [known for known, endpoint in study.sweep_file.cast.models.items() if endpoint.model in playing]
    return unknown(name, names or sorted(playing))


def is_path_within(name: str) -> bool:
    """Whether a name leads down from a folder, and nowhere else, whatever is in the folder but links."""
    path = Path(name)
    return not path.anchor and ".." not in path.parts and "\0" not in name


def _outside(study: Study) -> Iterator[Message]:
    """Scene files that are not in the folder, or are named by a way around it: no copy of them could be made at the
    same path in what is registered and published."""
    home = study.folder.resolve()
    strange = [file for file in study.scene_files if not (study.folder / file).resolve().is_relative_to(home)]
    if strange:
        yield Message(
            "{file}: {scenes}: outside the folder of the study; copy such files into its folder scenes",
            file=SWEEP,
            scenes=listed(strange),
        )
    if roundabout := [file for file in study.scene_files if file not in strange and not is_path_within(file)]:
        yield Message(
            "{file}: {scenes}: give the path from the folder of the study, without .., such as scenes/mine.yaml",
            file=SWEEP,
            scenes=listed(roundabout),
        )
    if SCENES_AS_PLAYED in study.scene_files:
        yield Message(
            "{file}: {name}: a registration keeps the scenes under this name, as they are played; rename the file, or"
            " put it into the folder scenes",
            file=SWEEP,
            name=SCENES_AS_PLAYED,
        )


def names_of(written: Sequence[str], asked: Sequence[Endpoint]) -> list[str]:
    """What a sweep calls the models of one part, such as its characters, each with the name that figures have for it
    where that is another one."""
    names = (unaddressed([text]) or (endpoint.model,) for text, endpoint in zip(written, asked, strict=True))
    return [
        name if name == endpoint.model else f"{name} ({endpoint.model})"
        for (name,), endpoint in zip(names, asked, strict=True)
    ]
