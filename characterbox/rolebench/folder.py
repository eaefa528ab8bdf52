"""A benchmark as a folder in the released form, with what was left out of it and how it came to be."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from characterbox.atomic_file import new_file
from characterbox.errors import FileError, StoryError
from characterbox.llm.sampling import written
from characterbox.rolebench.benchmark import Building, RoleBench
from characterbox.rolebench.context_instruct import Questions
from characterbox.rolebench.released import Key, Row, write_rows
from characterbox.rolebench.running import Generated
from characterbox.rolebench.splits import files_of
from characterbox.roles.role_files import as_json

ROLES, REJECTED, ABOUT = "roles.json", "rejected.jsonl", "about.json"
"""The roles; what is in no file and why; and how the benchmark came to be."""


def check_new_folder(folder: Path) -> None:
    """Raises FileError if there is something at the place of a folder that is to be written."""
    if folder.exists():
        raise FileError("{file}: it is there already; name another folder", file=folder)


def write_benchmark(folder: Path, generated: Generated) -> dict[str, int]:
    """Write a benchmark that has come to its end to a new folder, which is there when it is whole; gives the rows of
    each of its files.

    Raises StoryError for one that is not done, and FileError where the folder cannot be written.
    """
    wish, bench = generated.wish, generated.result
    if not isinstance(wish, Building) or not isinstance(bench, RoleBench) or generated.open:
        raise StoryError("generation {id}: it is no benchmark that is done; go on with it first", id=generated.id)
    check_new_folder(folder)
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # of a process that ended too early
    counts = {}
    for path, rows in files_of(bench, wish.language, wish.seed).items():
        (part / path).parent.mkdir(parents=True, exist_ok=True)
        counts[path] = write_rows(part / path, _once(rows))
    about = _about(generated, wish, bench, counts)
    rejected = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in rejected_of(bench))
    for name, content in (
        (ROLES, as_json(wish.roles)),
        (REJECTED, rejected.encode()),
        (ABOUT, json.dumps(about, ensure_ascii=False, indent=1).encode() + b"\n"),
    ):
        with new_file(part / name) as file:
            file.write(content)
    part.rename(folder)
    return counts


def _once(rows: Iterable[Row]) -> Iterator[Row]:
    """Of rows with the same role and question the first."""
    seen: set[Key] = set()
    for row in rows:
        if row.key not in seen:
            seen.add(row.key)
            yield row


def rejected_of(bench: RoleBench) -> Iterator[dict[str, Any]]:
    """Everything that stands in no file, a mapping each; the test questions stand in one."""
    for one in bench.questions:
        yield from rejected_questions(one)
    for removed in bench.removed:
        yield {
            "role": removed.role,
            "question": removed.instruction,
            "text": removed.text,
            "reason": removed.flaw,
            "number": removed.number,
        }


def rejected_questions(questions: Questions) -> Iterator[dict[str, Any]]:
    """The candidates of a role that are kept for neither training nor tests, and the tasks that gave none."""
    tests = set(map(id, questions.test))
    for one in questions.rejected:
        if one.candidate is not None and id(one.candidate) in tests:
            continue
        told = {"role": questions.role.name, "task": one.task, "question": one.text, "reason": one.reason}
        if one.candidate is not None:
            told |= {"rationale": one.candidate.triplet.rationale, "answer": one.candidate.triplet.answer}
        if one.like is not None and one.similarity is not None:
            told |= {"like": one.like, "similarity": f"{one.similarity:.3f}"}
        yield told | {"why": str(one.why)}
    for task, unread in questions.unread.items():
        yield {
            "role": questions.role.name,
            "task": task,
            "text": unread.reply,
            "reason": "unreadable",
            "why": str(unread.problem),
        }


def told_of(questions: Questions) -> dict[str, Any]:
    """The counts of what has come of a role."""
    return {
        "role": questions.role.name,
        "segments": len(questions.segments.chosen),
        "turns_too_long": questions.segments.too_long,
        "runs": questions.runs,
        "candidates": questions.candidates,
        "train": len(questions.kept),
        "test": len(questions.test),
        "rejected": dict(questions.reasons),
        "unread": len(questions.unread),
    }


def _about(generated: Generated, wish: Building, bench: RoleBench, counts: Mapping[str, int]) -> dict[str, Any]:
    bare = Counter(one.role.name for one in bench.answers if not one.references)
    return {
        "generation": generated.id,
        "language": wish.language,
        "model": str(wish.model),
        "no_language_model": wish.improvised,
        "strategy": wish.strategy,
        "seed": wish.seed,
        "alike": wish.alike,
        "questions": {name: written(one) for name, one in wish.sampling.model_dump().items()},
        "answers": {name: written(one) for name, one in wish.answering.model_dump().items()},
        "price": generated.price,
        "instructions": len(wish.instructions),
        "roles": [told_of(one) for one in bench.questions],
        "references_removed": dict(bench.flaws),
        "instructions_without_reference": dict(bare),
        "rows": dict(counts),
    }
