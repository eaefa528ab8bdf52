"""Label Studio: the labeling configuration of a rubric, and tasks with what was rated.

The form is that of Label Studio's guide ("Basic Label Studio JSON format", "JSON format of annotated tasks") and of its
tags Text, Number, Choices and TextArea. A metric is a Number on the rubric's scale, named by its key. `completed_by` is
left out: Label Studio refuses a file that names annotators whom it does not know. Who rated stands in a TextArea of its
own, and so it comes back when Label Studio exports the tasks.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # nosec B405 # XML is written, none is read

from annotations.exchange.record import Record
from annotations.rubric import Language, Rubric

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
