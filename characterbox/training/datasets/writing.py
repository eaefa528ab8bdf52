"""Writes a dataset: a folder that `datasets`, TRL and LLaMA-Factory load as it is, with where all of it comes from.

Stories are read one after the other, so that memory stays flat however many there are.
"""

import fcntl
import hashlib
import json
import shutil
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
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
from characterbox.training.datasets.example import Example, LeftOut, Split
from characterbox.training.datasets.folder import FORMAT, SPLITS, sha256_of, split_digest
from characterbox.training.datasets.judgements import judgements
from characterbox.training.datasets.recipe import (
    Choice,
    DatasetRecipe,
    NotChosen,
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
        )


def write_dataset(
    store: Store, recipe: DatasetRecipe, folder: Path, on_story: OnStory = lambda *_: None
) -> DatasetReport:
    """Write the dataset of a recipe into a new folder; it is there as a whole or not at all.

    Raises FileError if the folder is there or can't be written, StoryError for an id that no story has, and
    TrainingError where nothing is chosen, nobody has scored it, a test scene is not among it, or the folder is being
    written by somebody else.
    """
    folder = path_of(str(folder), Path.cwd())
    if folder.exists():
        raise there_already(folder)
    plan = _Plan.of(store, recipe)
    with _begun(folder) as part:
        report = plan.write(part, on_story)
        _seal(part, report)
    return report


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
        (folder / "provenance").mkdir()
        left_out: Counter[LeftOut] = Counter()
        too_long = 0
        with ExitStack() as open_files:
            opened = partial(_opened, folder, open_files)
            files = {split: _SplitFile(split, opened(split), opened(f"provenance/{split}")) for split in SPLITS}
            over = opened("over-cutoff")
            for number, (id, examples) in enumerate(self._examples(), 1):
                file = files[self.splits.of_scene[self.choice.scene_of[id]]]
                for example in examples:
                    if not isinstance(example, Example):
                        left_out[example] += 1
                    elif (tokens := file.add(example)) > self.recipe.cutoff:
                        too_long += 1
                        told = {"split": file.split, "line": file.count, "tokens": tokens}
                        over.write(_line({**told, **example.provenance.as_json()}))
                on_story(number, len(self.choice.scene_of))
        trained = files["train"].answers
        report = DatasetReport(
            recipe=self.recipe,
            stories=len(self.choice.scene_of),
            not_chosen=dict(self.choice.not_chosen),
            splits={split: file.report(trained) for split, file in files.items()},
            left_out=dict(sorted(left_out.items())),
            scenes=self.splits.scenes,
            near_scenes=tuple(self.splits.near),
            over_cutoff=too_long,
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
