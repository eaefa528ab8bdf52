"""Writes a dataset: a folder that `datasets`, TRL and LLaMA-Factory load as it is, with where all of it comes from.

Stories are read one after the other, and examples written as they come, so that memory stays flat however many there
are.
"""

import fcntl
import hashlib
import json
import shutil
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from characterbox.atomic_file import not_written, there_already
from characterbox.errors import TrainingError
from characterbox.llm.usage import estimate
from characterbox.play.paths import REFLECTIONS
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from characterbox.training.base_model import path_of
from characterbox.training.datasets.calls import ReadingRules, Source, character_calls, narrator_calls
from characterbox.training.datasets.card import card, llama_factory
from characterbox.training.datasets.example import Example, LeftOut, Part, RoleProvenance, Split
from characterbox.training.datasets.folder import FORMAT, SPLITS, fault_of, sha256_of, split_digest
from characterbox.training.datasets.judgements import judgements
from characterbox.training.datasets.recipe import (
    Choice,
    DatasetRecipe,
    NotChosen,
    RoleRecipe,
    choose,
    played_by,
    teachers,
    trajectory_scores,
)
from characterbox.training.datasets.report import DatasetReport, SplitReport
from characterbox.training.datasets.rewritings import rewritings
from characterbox.training.datasets.splits import Splits, split_scenes
from characterbox.values import Language

_LOCK = "lock"
LONG_ANSWER = 80
"""Characters from which on an answer that stands in two splits is more than a phrase that is used everywhere."""
OnStory = Callable[[int, int], object]
"""Takes how many stories are read, and how many there are."""


@dataclass
class _SplitFile:
    """The examples of one split, as they are written."""

    split: Split
    lines: IO[bytes]
    sources: IO[bytes]
    count: int = 0
    tokens: int = 0
    models: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    improvised: int = 0
    by_people: int = 0
    parts: Counter[Part] = field(default_factory=Counter)
    roles: set[str] = field(default_factory=set)
    answers: "array[int]" = field(default_factory=lambda: array("Q"))
    """A hash of each long answer."""

    def add(self, example: Example) -> int:
        """Write an example; gives its tokens, as they are estimated."""
        provenance, answer = example.provenance, example.messages[-1].content
        self.lines.write(_line(example.as_json()))
        self.sources.write(_line(provenance.as_json()))
        tokens = estimate(example.messages)
        self.count += 1
        self.tokens += tokens
        self.models.update(set(provenance.models.values()))
        self.languages[provenance.language] += 1
        self.improvised += provenance.improvised
        self.by_people += provenance.by_person
        if isinstance(provenance, RoleProvenance):
            self.parts[provenance.part] += 1
            self.roles.add(provenance.role)
        if len(answer) >= LONG_ANSWER:
            self.answers.append(int.from_bytes(hashlib.sha256(answer.encode()).digest()[:8], "big"))
        return tokens

    def report(self, trained: "array[int]") -> SplitReport:
        """What is in it; `trained` are the hashes of the answers that are learnt."""
        repeated = 0 if self.split == "train" else int(np.isin(self.answers, trained).sum())
        return SplitReport(
            examples=self.count,
            tokens=self.tokens,
            models=dict(sorted(self.models.items())),
            languages=dict(sorted(self.languages.items())),
            improvised=self.improvised,
            by_people=self.by_people,
            repeated_answers=repeated,
            parts=dict(sorted(self.parts.items())),
        )


@dataclass
class _Files:
    """The files of all examples, as they are written."""

    splits: Mapping[Split, _SplitFile]
    over: IO[bytes]
    """Where the long examples are listed."""
    cutoff: int
    too_long: int = 0

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, cutoff: int) -> Iterator["_Files"]:
        """New files in a folder."""
        (folder / "provenance").mkdir()
        with ExitStack() as open_files:
            opened = partial(_opened, folder, open_files)
            splits = {split: _SplitFile(split, opened(split), opened(f"provenance/{split}")) for split in SPLITS}
            yield cls(splits, opened("over-cutoff"), cutoff)

    def add(self, split: Split, example: Example) -> None:
        """Write an example, and list it where it is long."""
        file = self.splits[split]
        if (tokens := file.add(example)) > self.cutoff:
            self.too_long += 1
            told = {"split": split, "line": file.count, "tokens": tokens}
            self.over.write(_line({**told, **example.provenance.as_json()}))

    def reports(self) -> dict[Split, SplitReport]:
        """What is in each."""
        trained = self.splits["train"].answers
        return {split: file.report(trained) for split, file in self.splits.items()}


def write_dataset(
    store: Store, recipe: DatasetRecipe, folder: Path, on_story: OnStory = lambda *_: None
) -> DatasetReport:
    """Write the dataset of a recipe into a new folder; it is there as a whole or not at all.

    Raises FileError if the folder is there or can't be written, StoryError for an id that no story has, and
    TrainingError where nothing is chosen, nobody has scored it, a test scene is not among it, or the folder is being
    written by somebody else.
    """
    folder = _free(folder)
    plan = _Plan.of(store, recipe)
    with _begun(folder) as part:
        report = plan.write(part, on_story)
        _seal(part, report)
    return report


def write_role_dataset(folder: Path, examples: Iterable[tuple[Split, Example]], recipe: RoleRecipe) -> DatasetReport:
    """Write examples of roles, each with the split that it belongs to, into a new folder; `role_example` makes them.
    The folder is there as a whole or not at all, and the same examples give the same files.

    Raises FileError if the folder is there or can't be written, and TrainingError where an example can't be stored,
    none is to be trained on, or the folder is being written by somebody else.
    """
    with _begun(_free(folder)) as part:
        report = _write_roles(part, examples, recipe)
        _seal(part, report)
    return report


def _write_roles(folder: Path, examples: Iterable[tuple[Split, Example]], recipe: RoleRecipe) -> DatasetReport:
    with _Files.opened(folder, recipe.cutoff) as files:
        for number, (split, example) in enumerate(examples, 1):
            if (fault := fault_of(example.as_json())) is not None:
                raise TrainingError(
                    "example {number} for {split}: {why}; correct it, or leave it out",
                    number=number,
                    split=split,
                    why=fault,
                )
            files.add(split, example)
    report = DatasetReport(
        recipe=recipe,
        stories=0,
        not_chosen={},
        splits=files.reports(),
        left_out={},
        scenes={split: tuple(sorted(file.roles)) for split, file in files.splits.items()},
        near_scenes=(),
        over_cutoff=files.too_long,
    )
    if not report.splits["train"].examples:
        raise TrainingError("there is nothing to learn from: no example is for training; let some be")
    return report


def _free(folder: Path) -> Path:
    """Where a new folder is to be. Raises FileError if there is one."""
    folder = path_of(str(folder), Path.cwd())
    if folder.exists():
        raise there_already(folder)
    return folder


@contextmanager
def _begun(folder: Path) -> Iterator[Path]:
    """A folder that gets its name when all is in it, and goes when anything fails; what a kill left there goes first.

    Raises TrainingError where somebody else writes it, and FileError where it can't be written.
    """
    part = folder.with_name(f".{folder.name}.part")
    with ExitStack() as held:
        try:
            part.mkdir(exist_ok=True)
            lock = held.enter_context((part / _LOCK).open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _clear(part)
        except BlockingIOError:
            raise TrainingError(
                "{folder}: it is being written already; wait until it is done, or give another name", folder=folder
            ) from None
        except OSError as error:
            raise not_written(folder, error) from None
        try:
            yield part
            part.rename(folder)
            (folder / _LOCK).unlink()  # not before: whoever came then would clear the folder
        except BaseException as error:
            shutil.rmtree(part, ignore_errors=True)
            if isinstance(error, OSError):
                raise (there_already(folder) if folder.exists() else not_written(folder, error)) from None
            raise


def _clear(part: Path) -> None:
    for left in part.iterdir():
        if left.is_dir():
            shutil.rmtree(left)
        elif left.name != _LOCK:
            left.unlink()


@dataclass(frozen=True)
class _Plan:
    """What is to be written."""

    store: Store
    recipe: DatasetRecipe
    choice: Choice
    splits: Splits
    scores: Mapping[str, pd.DataFrame]
    """For judges: the scores of each story's trajectories."""
    teachers: Mapping[Language, tuple[str, ...]]
    """For guided characters: the models that are learnt from."""

    @classmethod
    def of(cls, store: Store, recipe: DatasetRecipe) -> "_Plan":
        """The plan of a recipe."""
        table = trajectory_scores(store, recipe) if recipe.kind == "judge" else None
        scores = {} if table is None else {str(id): some for id, some in table.groupby("story")}
        models = teachers(store, recipe) if recipe.kind == "guided" else {}
        rewritten = {*store.stories.with_replies(REFLECTIONS)} if recipe.kind == "reflective" else set()

        def lacks(story: Story) -> NotChosen | None:
            match recipe.kind:
                case "judge" if story.id not in scores:
                    return "unscored"
                case "guided" if not played_by(story, models):
                    return "no_teacher"
                case "reflective" if story.id not in rewritten:
                    return "unrewritten"
            return None

        choice = choose(store, recipe, lacks)
        scenes = [choice.scenes[key] for key in sorted(choice.scenes)]
        splits = split_scenes(scenes, Counter(choice.scene_of.values()), recipe.test)
        return cls(store, recipe, choice, splits, scores, models)

    def write(self, folder: Path, on_story: OnStory) -> DatasetReport:
        """Write the examples. Raises TrainingError where there is none to be learnt."""
        left_out: Counter[LeftOut] = Counter()
        with _Files.opened(folder, self.recipe.cutoff) as files:
            for number, (id, examples) in enumerate(self._examples(), 1):
                split = self.splits.of_scene[self.choice.scene_of[id]]
                for example in examples:
                    if isinstance(example, Example):
                        files.add(split, example)
                    else:
                        left_out[example] += 1
                on_story(number, len(self.choice.scene_of))
        report = DatasetReport(
            recipe=self.recipe,
            stories=len(self.choice.scene_of),
            not_chosen=dict(self.choice.not_chosen),
            splits=files.reports(),
            left_out=dict(sorted(left_out.items())),
            scenes=self.splits.scenes,
            near_scenes=tuple(self.splits.near),
            over_cutoff=files.too_long,
        )
        if not report.splits["train"].examples:
            raise TrainingError("there is nothing to learn from: {why}", why=report.why_nothing)
        return report

    def _examples(self) -> Iterator[tuple[str, Iterator[Example | LeftOut]]]:
        """The examples of each story, in order."""
        store, recipe = self.store, self.recipe
        reading = ReadingRules(
            store.accounts.lenders(), store.samples.made(), self.choice.improvised, self.choice.scene_of.keys()
        )
        for id in self.choice.scene_of:
            story = store.stories.story(id)
            source = Source.of(store, story, reading)
            match recipe.kind:
                case "narrator":
                    yield id, narrator_calls(store, source, recipe.narrators)
                case "judge":
                    yield id, judgements(store, source, self.scores[id], recipe.judge, critique=recipe.critique)
                case "guided":
                    names, models = played_by(story, self.teachers), self.teachers[story.script.scene.language]
                    yield id, character_calls(store, source, names, models)
                case "reflective":
                    yield id, rewritings(store, source)


def _opened(folder: Path, files: ExitStack, name: str) -> IO[bytes]:
    return files.enter_context((folder / f"{name}.jsonl").open("wb"))


def _seal(folder: Path, report: DatasetReport) -> None:
    """Write what tells of the dataset, then the hashes of all files."""
    names = [f"{split}.jsonl" for split in SPLITS]
    hashes = {name: sha256_of(folder / name) for name in names}
    digest = split_digest(hashes)
    texts = {
        "dataset.json": _pretty({"format": FORMAT, "digest": digest, **report.as_json()}),
        "dataset_info.json": _pretty(llama_factory(report)),
        "README.md": card(report, digest),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    others = [str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file() and file.name != _LOCK]
    for name in sorted(others):
        hashes.setdefault(name, sha256_of(folder / name))
    sums = "".join(f"{hashed}  {name}\n" for name, hashed in hashes.items())
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")


def _line(value: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False)}\n".encode()


def _pretty(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False, indent=1)}\n"
