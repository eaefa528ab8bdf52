"""Tasks for Label Studio, held against what its guide and its importer ask of them, and read in again.

Label Studio 1.23 takes both files as they are, and what it exports afterwards is read in here.
"""

import json
import re
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import RatingError
from annotations.exchange.intake import DryRun, dry_run
from annotations.exchange.label_studio import Reading, labeling_config, task_of, tasks_of
from annotations.exchange.record import Record
from annotations.marking.marks import Comment, Flag, Score, Skip, Submit, Time
from annotations.rubrics.rubric import Rubric
from tests.annotations.exchange.records import CHARACTER, a_record, marks, rubric_of, scores, texts
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

READING = Reading("The lobby, midnight.", "Ann", "- Action: she bows")
FULL = (*scores(4, 3, 5, 2, 1, 4, 4), Submit())
ANY = rubric_of(*CHARACTER.keys, fractions=True)


def task(*records: Record) -> Any:
    """The task of these records."""
    return json.loads(task_of(READING, records))


def file_of(*tasks: Any) -> bytes:
    """A file of tasks."""
    return json.dumps(list(tasks)).encode()


def check_task(task: Any, rubric: Rubric) -> None:
    """Raises AssertionError unless Label Studio takes the task into a project with the rubric's configuration."""
    config = ElementTree.fromstring(labeling_config(rubric, "en"))
    controls = {tag.get("name"): tag for tag in config.iter() if tag.get("toName")}
    objects = {tag.get("name"): tag for tag in config.iter("Text")}
    assert set(task) <= {"data", "meta", "annotations"}
    for tag in objects.values():
        assert isinstance(task["data"][tag.get("value", "").removeprefix("$")], str)
    for annotation in task["annotations"]:
        assert set(annotation) == {
            "result", "was_cancelled", "ground_truth", "lead_time", "created_at", "updated_at"
        }  # fmt: skip
        assert isinstance(annotation["was_cancelled"], bool)
        assert isinstance(annotation["lead_time"], float)
        assert datetime.fromisoformat(annotation["created_at"]) <= datetime.fromisoformat(annotation["updated_at"])
        ids = [result["id"] for result in annotation["result"]]
        assert len(set(ids)) == len(ids)
        for result in annotation["result"]:
            assert re.fullmatch(r"[A-Za-z0-9_-]+", result["id"])
            control = controls[result["from_name"]]
            assert result["to_name"] == control.get("toName")
            assert result["to_name"] in objects
            assert result["type"] == control.tag.lower()
            check_value(control, result["value"])


def check_value(control: ElementTree.Element, value: Any) -> None:
    """Raises AssertionError unless the value is one of the control's."""
    match control.tag:
        case "Number":
            assert float(control.get("min", "")) <= value["number"] <= float(control.get("max", ""))
        case "Choices":
            assert set(value["choices"]) <= {choice.get("alias") for choice in control}
        case "TextArea":
            assert all(isinstance(text, str) for text in value["text"])
        case _:
            pytest.fail(f"there is no such control: {control.tag}")


def test_an_item_is_a_task_with_an_annotation_for_each_rater() -> None:
    first = a_record(*FULL[:7], Comment(text="hm"), Flag(unknown_work=True), Time(reading=61_500, idle=9), Submit())
    second = a_record(*FULL, rater="王", assignment="ba9876543210")
    made = task(first, second)
    check_task(made, CHARACTER)
    assert made["data"] == {"scene": READING.scene, "character": "Ann", "trajectory": "- Action: she bows"}
    assert made["meta"] == {
        "item": "s1:ann",
        "scene": "The Hotel: watch",
        "model": "m-1",
        "language": "en",
        "rubric": "character",
        "rubric_version": CHARACTER.version,
    }
    one, two = made["annotations"]
    assert one["result"][0] == {
        "id": "0123456789ab-KA",
        "from_name": "KA",
        "to_name": "_trajectory",
        "type": "number",
        "value": {"number": 4},
    }
    assert [(result["from_name"], result["value"]) for result in one["result"][7:]] == [
        ("_unknown_work", {"choices": ["yes"]}),
        ("_comment", {"text": ["hm"]}),
        ("_rater", {"text": ["Ann"]}),
    ]
    assert (one["was_cancelled"], one["ground_truth"], one["lead_time"]) == (False, False, 61.5)
    assert (one["created_at"], one["updated_at"]) == ("2026-03-01T12:01:00Z", "2026-03-01T12:11:00Z")
    assert two["result"][-1]["value"] == {"text": ["王"]}


def test_what_is_skipped_is_cancelled_and_what_is_open_is_no_annotation() -> None:
    skipped = a_record(*scores(3), Skip(reason="no"))
    made = task(skipped, a_record(*scores(3)), a_record())
    assert [annotation["was_cancelled"] for annotation in made["annotations"]] == [True]


@settings(max_examples=examples(15, 50))
@given(marks(), texts(min_size=1).filter(str.strip))
def test_label_studio_takes_whatever_was_rated(said: list[Any], rater: str) -> None:
    record = a_record(*said, rater=rater)
    made = json.loads(task_of(Reading(rater, "", rater), [record]))
    check_task(made, CHARACTER)
    if record.sheet.submitted is None or record.sheet.skipped is not None or not record.sheet.scores:
        return
    trial = dry_run(file_of(made), ANY)
    assert trial.refused == ()
    assert dict(zip(trial.taken["metric"], trial.taken["score"], strict=True)) == record.sheet.scores
    assert set(trial.taken["rater"]) == {rater}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_file_is_a_list_of_tasks(count: int) -> None:
    tasks = [task_of(READING, [a_record(*FULL, item=f"i{number}")]) for number in range(count)]
    read = json.loads(b"".join(tasks_of(iter(tasks))))
    assert [one["meta"]["item"] for one in read] == [f"i{number}" for number in range(count)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_configuration_has_a_number_for_each_metric(language: Any) -> None:
    config = ElementTree.fromstring(labeling_config(CHARACTER, language))
    numbers = {tag.get("name"): (tag.get("min"), tag.get("max"), tag.get("step")) for tag in config.iter("Number")}
    assert numbers == dict.fromkeys(CHARACTER.keys, ("1", "5", "1"))
    said = [tag.get("value") for tag in config.iter("Header")]
    for metric in CHARACTER.metrics:
        assert {metric.name.text(language), metric.question.text(language)} <= set(said)
        assert f"5: {metric.anchors[-1].text.text(language)}" in said
    names = [tag.get("name") for tag in config.iter() if tag.get("name")]
    assert len(set(names)) == len(names)


def test_a_scale_with_fractions_has_fine_steps() -> None:
    [number] = ElementTree.fromstring(labeling_config(rubric_of("a", low=-1, fractions=True), "en")).iter("Number")
    assert (number.get("min"), number.get("max"), number.get("step")) == ("-1", "5", "0.1")


WORDS = texts(min_size=1, max_size=30).filter(lambda text: re.fullmatch(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f]*", text))


@settings(max_examples=examples(40, 100))
@given(WORDS.filter(str.strip), st.sampled_from(["x", "trajectory", "comment"]))
def test_nothing_in_a_rubric_becomes_markup_or_a_reference(words: str, key: str) -> None:
    plain = rubric_of(key)
    asked = {"en": f'<Image name="x" toName="y"/> $x {words}', "zh": words}
    metric = plain.metrics[0].model_copy(update={"question": plain.metrics[0].question.model_copy(update=asked)})
    rubric = plain.model_copy(update={"metrics": (metric,)})
    content = labeling_config(rubric, "en")
    config = ElementTree.fromstring(content)
    before = ElementTree.fromstring(labeling_config(plain, "en"))
    assert [tag.tag for tag in config.iter()] == [tag.tag for tag in before.iter()]
    assert re.findall(rb'name="([^"]*)"', content) == re.findall(rb'name="([^"]*)"', labeling_config(plain, "en"))
    assert [tag.get("value") for tag in config.iter() if "$" in tag.get("value", "")] == [
        "$scene", "$character", "$trajectory"
    ]  # fmt: skip


def foreign(result: Any, **changes: Any) -> Any:
    """A task as Label Studio exports it, with one result, that has never been here."""
    about = {"item": 7, "scene": "s", "model": "m"}
    annotation = {"id": 3, "completed_by": 12, "result": [result], "was_cancelled": False, "lead_time": 4.2}
    return {"id": 1, "data": about, "meta": {}, "annotations": [annotation], "predictions": [{}], **changes}


def result(kind: str, value: Any, name: str = "KA") -> Any:
    """A result on the metric KA."""
    return {"id": "x", "from_name": name, "to_name": "text", "type": kind, "value": {kind: value}}


def tried(*tasks: Any) -> DryRun:
    """A dry run of these tasks."""
    return dry_run(file_of(*tasks), CHARACTER)


@pytest.mark.parametrize("given", [result("number", 4), result("rating", 4), result("choices", ["4"])])
def test_scores_of_any_kind_are_read(given: Any) -> None:
    trial = tried(foreign(given))
    assert trial.refused == ()
    [row] = trial.taken[["item", "scene", "model", "metric", "rater", "kind", "score"]].to_dict("records")
    assert row == {
        "item": "7", "scene": "s", "model": "m", "metric": "KA", "rater": "12", "kind": "expert", "score": 4.0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("by", "rater"), [(12, "12"), ({"id": 3, "email": "ann@example.org"}, "ann@example.org"), ({"id": 3}, "3")]
)
def test_who_rated_is_whom_label_studio_names(by: Any, rater: str) -> None:
    one = foreign(result("number", 4))
    one["annotations"][0]["completed_by"] = by
    assert tried(one).counts("rater") == {rater: 1}


@pytest.mark.parametrize(
    ("given", "column", "value", "reason"),
    [
        (result("number", 9), "score", "9", "is outside the scale"),
        (result("number", 3.5), "score", "3.5", "is not a whole number"),
        (result("number", True), "score", "true", "is not a number"),
        (result("choices", ["4", "5"]), "score", '["4", "5"]', "is not a number"),
        (result("textarea", "4"), "score", '{"textarea": "4"}', "is not a number"),
        (result("number", "4", "ZZ"), "metric", "ZZ", "is not a metric of the rubric"),
        (result("labels", ["PER"], "ner"), "metric", "ner", "is not a metric of the rubric"),
    ],
)
def test_what_is_no_score_of_the_rubric_is_refused(given: Any, column: str, value: str, reason: str) -> None:
    trial = tried(foreign(result("number", 4)), foreign(given, data={"item": "8", "scene": "s", "model": "m"}))
    assert len(trial.taken) == 1
    refusal = trial.refused[0]
    assert in_english((refusal.line, refusal.column, refusal.value, refusal.reason)) == (2, column, value, reason)
    assert trial.unit == "task"


def test_a_task_that_names_no_item_model_or_rater_is_refused() -> None:
    one = foreign(result("number", 4), data={"text": "x"})
    del one["annotations"][0]["completed_by"]
    assert in_english([(refusal.column, refusal.reason) for refusal in tried(one).refused]) == [
        ("item", "is empty"), ("scene", "is empty"), ("model", "is empty"), ("rater", "is empty")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[{]", "this is not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (
            b'[{"id": 1, "KA": 4, "annotator": 1}]',
            "task 1: the list of annotations is missing; export from Label Studio as JSON",
        ),
        (b"[7]", "task 1: the list of annotations is missing"),
        (
            file_of(foreign({}), foreign({}, annotations=[{"result": "x"}])),
            "task 2: an annotation has no list of results",
        ),
        (file_of(foreign({}, annotations=[])), "no annotations with results"),
        (b"[]", "no annotations with results"),
    ],
)
def test_what_is_no_file_of_tasks_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(RatingError, match=message):
        dry_run(content, CHARACTER)


def test_a_single_task_is_read_too() -> None:
    assert len(dry_run(json.dumps(foreign(result("number", 4))).encode(), CHARACTER).taken) == 1


def test_the_scores_of_a_skipped_item_are_refused() -> None:
    made = task(a_record(Score(metric="KA", score=3), Skip(reason="no")))
    [refusal] = tried(made).refused
    assert in_english(refusal.reason) == "means that the item was skipped: its scores do not count"
