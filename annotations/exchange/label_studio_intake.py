"""What Label Studio exports as JSON, as rows of a table of ratings: one row per result that is no remark of ours.

An annotation's results are scores where their tag (`from_name`) is named like a metric, whether it is a Number, a
Rating or Choices of which one is chosen. Predictions are nobody's ratings, and are passed over.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.errors import RatingError
from annotations.exchange.label_studio import COMMENT, RATER, UNKNOWN_WORK
from annotations.wording import say, to_say

COLUMNS = ("item", "scene", "model", "metric", "rater", "kind", "score", "language", "skipped", "reason")
_ABOUT = ("item", "scene", "model", "language")
_OURS = (UNKNOWN_WORK, COMMENT, RATER)
_SCORES = ("number", "rating", "choices")
"""Types of results that can be scores."""
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """A row of the table, and the number of its task, from 1."""

    task: int
    cells: tuple[str, ...]
    """As named by `COLUMNS`; empty where the file has nothing."""


def annotated_rows(text: str) -> list[Row]:
    """The rows of a file of tasks. Raises RatingError, naming the task, if it is none, or holds no results."""
    rows = [row for number, task in enumerate(_tasks(text), 1) for row in _rows(task, number)]
    if not rows:
        raise RatingError(say("the tasks hold no annotations with results; export them after they were annotated"))
    return rows


def _tasks(text: str) -> Sequence[Any]:
    try:
        tasks = json.loads(text)
    except ValueError as error:
        raise RatingError(say("this is no JSON ({error}); take another copy of the file", error=error)) from None
    except RecursionError:
        raise RatingError(say("this is no file of tasks: it is nested too deeply")) from None
    return tasks if isinstance(tasks, list) else [tasks]


def _rows(task: object, number: int) -> Iterator[Row]:
    if not isinstance(task, dict) or not isinstance(task.get("annotations"), list):
        message = to_say("task {task}: it has no list of annotations; export from Label Studio as JSON (not JSON-MIN)")
        raise RatingError(say(message, task=number))
    about = {name: _about(task, name) for name in _ABOUT}
    for annotation in task["annotations"]:
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
            message = to_say("task {task}: an annotation has no list of results; export from Label Studio as JSON")
            raise RatingError(say(message, task=number))
        skipped = "true" if annotation.get("was_cancelled") is True else "false"
        same = {**about, "rater": _rater(annotation, results), "kind": "expert", "skipped": skipped, "reason": ""}
        for result in results:
            if result.get("from_name") not in _OURS:
                cells = {**same, "metric": _text(result.get("from_name")), "score": _score(result)}
                yield Row(number, tuple(cells[column] for column in COLUMNS))


def _about(task: Json, name: str) -> str:
    """What a task says of its item: in `meta`, where we write it, else in `data`, where others may have it."""
    places = [task[place] for place in ("meta", "data") if isinstance(task.get(place), dict)]
    return next((_text(place[name]) for place in places if place.get(name) is not None), "")


def _rater(annotation: Json, results: Sequence[Json]) -> str:
    """Who rated: as we write it, else whom Label Studio names."""
    for result in results:
        if result.get("from_name") == RATER:
            value = result.get("value")
            return _text(value.get("text") if isinstance(value, dict) else value)
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return _text(by)


def _score(result: Json) -> str:
    kind, value = result.get("type"), result.get("value")
    if kind in _SCORES and isinstance(value, dict) and kind in value:
        return _text(value[kind])
    return _text(value)


def _text(value: object) -> str:
    """A value as a cell; a list of one is that one, and what is no cell is JSON, to be refused."""
    match value:
        case None:
            return ""
        case str():
            return value
        case [only]:
            return _text(only)
        case _:
            return json.dumps(value, ensure_ascii=False)
