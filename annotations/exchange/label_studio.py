"""Label Studio: the labeling configuration of a rubric, tasks with what was rated, and its export read in.

The form is that of Label Studio's guide ("Basic Label Studio JSON format", "JSON format of annotated tasks") and of its
tags Text, Number, Choices and TextArea. A metric is a Number on the rubric's scale, named by its key. `completed_by` is
left out: Label Studio refuses a file that names annotators whom it does not know. Who rated stands in a TextArea of its
own, and so it comes back when Label Studio exports the tasks.

An annotation's results are scores where their tag (`from_name`) is named like a metric, whether it is a Number, a
Rating or Choices of which one is chosen. Predictions are nobody's ratings, and are passed over.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # nosec B405 # XML is written, none is read

from annotations.errors import RatingError
from annotations.exchange.record import Record
from annotations.i18n.messages import to_say
from annotations.rubrics.rubric import Language, Rubric

SCENE, CHARACTER, TRAJECTORY = "_scene", "_character", "_trajectory"
UNKNOWN_WORK, COMMENT, RATER = "_unknown_work", "_comment", "_rater"
"""Names of tags. The tag of a metric has the metric's key, and no key begins so."""
_TRUE = "yes"
_WORDS = {
    "en": {
        SCENE: "Scene",
        CHARACTER: "Character",
        TRAJECTORY: "What happens",
        UNKNOWN_WORK: "I do not know the work that this comes from",
        COMMENT: "Comment",
        RATER: "Rater",
    },
    "zh": {
        SCENE: "场景",
        CHARACTER: "角色",
        TRAJECTORY: "经过",
        UNKNOWN_WORK: "我不了解这部作品",
        COMMENT: "备注",
        RATER: "评分人",
    },
}
_UNFIT = str.maketrans({"$": "＄", "\ufffe": "\ufffd", "\uffff": "\ufffd"})
"""With `$` Label Studio refers to data, in any text; the others are no characters of XML."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """What there is to read of an item, as plain text."""

    scene: str
    character: str
    trajectory: str


def labeling_config(rubric: Rubric, language: Language) -> bytes:
    """The labeling configuration, in XML, of a project that rates by this rubric."""
    words = _WORDS[language]
    view = Element("View")
    SubElement(view, "Style").text = ".htx-text { white-space: pre-wrap; }"
    for name in (SCENE, CHARACTER, TRAJECTORY):
        SubElement(view, "Header", value=words[name], size="4")
        SubElement(view, "Text", name=name, value=f"${name.removeprefix('_')}", valueType="text")
    _add_metrics(view, rubric, language)
    flag = SubElement(view, "Choices", name=UNKNOWN_WORK, toName=TRAJECTORY, choice="multiple")
    SubElement(flag, "Choice", value=words[UNKNOWN_WORK], alias=_TRUE)
    for name in (COMMENT, RATER):
        SubElement(view, "Header", value=words[name], size="5")
        SubElement(view, "TextArea", name=name, toName=TRAJECTORY, maxSubmissions="1", editable="true")
    indent(view)
    return f"{tostring(view, encoding='unicode')}\n".encode()


def tasks_of(tasks: Iterator[bytes]) -> Iterator[bytes]:
    """The file of these tasks, piece by piece."""
    before = b"[\n"
    for task in tasks:
        yield before + task
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def task_of(reading: Reading, records: Sequence[Record]) -> bytes:
    """The task of one item, given all its records. Those that were submitted or skipped become annotations."""
    first = records[0]
    about = {"item": first.item, "scene": first.scene, "model": first.model, "language": first.language}
    over = [record for record in records if record.sheet.submitted is not None or record.sheet.skipped is not None]
    task = {
        "data": {"scene": reading.scene, "character": reading.character, "trajectory": reading.trajectory},
        "meta": {**about, "rubric": first.rubric, "rubric_version": first.rubric_version},
        "annotations": [_annotation(record) for record in over],
    }
    return json.dumps(task, ensure_ascii=False, allow_nan=False).encode()


def _add_metrics(view: Element, rubric: Rubric, language: Language) -> None:
    scale = rubric.scale
    span = {"min": str(scale.low), "max": str(scale.high), "step": "0.1" if scale.fractions else "1"}
    for metric in rubric.metrics:
        anchors = [f"{anchor.score}: {anchor.text.text(language)}" for anchor in metric.anchors]
        SubElement(view, "Header", value=_fit(metric.name.text(language)), size="4")
        for text in (metric.question.text(language), *anchors):
            SubElement(view, "Header", value=_fit(text), size="6")
        SubElement(view, "Number", name=metric.key, toName=TRAJECTORY, required="true", attrib=span)


def _fit(text: str) -> str:
    return text.translate(_UNFIT)


def _annotation(record: Record) -> Json:
    return {
        "result": list(_results(record)),
        "was_cancelled": record.sheet.skipped is not None,
        "ground_truth": False,
        "lead_time": record.sheet.reading / 1000,
        "created_at": _moment(record.entries[0].at),
        "updated_at": _moment(record.entries[-1].at),
    }


def _results(record: Record) -> Iterator[Json]:
    sheet = record.sheet
    for metric, score in sheet.scores.items():
        yield _result(record, metric, "number", score)
    if sheet.unknown_work:
        yield _result(record, UNKNOWN_WORK, "choices", [_TRUE])
    if sheet.comment:
        yield _result(record, COMMENT, "textarea", [sheet.comment])
    yield _result(record, RATER, "textarea", [record.rater])


def _result(record: Record, name: str, kind: str, value: object) -> Json:
    told = {"id": f"{record.assignment}-{name}", "from_name": name, "to_name": TRAJECTORY, "type": kind}
    return {**told, "value": {"text" if kind == "textarea" else kind: value}}


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


COLUMNS = ("item", "scene", "model", "metric", "rater", "kind", "score", "language", "skipped", "reason")
_ABOUT = ("item", "scene", "model", "language")
_OURS = (UNKNOWN_WORK, COMMENT, RATER)
_SCORES = ("number", "rating", "choices")
"""Types of results that can be scores."""
JsonObject = Mapping[str, Any]


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
        raise RatingError("the tasks contain no annotations with results; annotate them, then export again")
    return rows


def _tasks(text: str) -> Sequence[Any]:
    try:
        tasks = json.loads(text)
    except ValueError as error:
        raise RatingError("this is not valid JSON ({error}); use another copy of the file", error=error) from None
    except RecursionError:
        raise RatingError("this is not a task file: it is nested too deeply") from None
    return tasks if isinstance(tasks, list) else [tasks]


def _rows(task: object, number: int) -> Iterator[Row]:
    if not isinstance(task, dict) or not isinstance(task.get("annotations"), list):
        message = to_say(
            "task {task}: the list of annotations is missing; export from Label Studio as JSON (not JSON-MIN)"
        )
        raise RatingError(message, task=number)
    about = {name: _about(task, name) for name in _ABOUT}
    for annotation in task["annotations"]:
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
            message = to_say(
                "task {task}: an annotation has no list of results; export from Label Studio as JSON (not JSON-MIN)"
            )
            raise RatingError(message, task=number)
        skipped = "true" if annotation.get("was_cancelled") is True else "false"
        same = {**about, "rater": _rater(annotation, results), "kind": "expert", "skipped": skipped, "reason": ""}
        for result in results:
            if result.get("from_name") not in _OURS:
                cells = {**same, "metric": _text(result.get("from_name")), "score": _score(result)}
                yield Row(number, tuple(cells[column] for column in COLUMNS))


def _about(task: JsonObject, name: str) -> str:
    """What a task says of its item: in `meta`, where we write it, else in `data`, where others may have it."""
    places = [task[place] for place in ("meta", "data") if isinstance(task.get(place), dict)]
    return next((_text(place[name]) for place in places if place.get(name) is not None), "")


def _rater(annotation: JsonObject, results: Sequence[JsonObject]) -> str:
    """Who rated: as we write it, else whom Label Studio names."""
    for result in results:
        if result.get("from_name") == RATER:
            value = result.get("value")
            return _text(value.get("text") if isinstance(value, dict) else value)
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return _text(by)


def _score(result: JsonObject) -> str:
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
