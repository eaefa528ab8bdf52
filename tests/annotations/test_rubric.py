"""The bundled rubric is complete in both languages, and only scores on its scale get past it."""

import re
from importlib import resources

import numpy as np
import pytest
from pydantic import BaseModel

from annotations.errors import AnnotationError, RatingError
from annotations.rubric import Rubric, Wording, load_rubric, parse_rubric

TOML = (resources.files("annotations") / "rubrics" / "character.toml").read_text(encoding="utf-8")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def wordings(value: object) -> list[Wording]:
    if isinstance(value, Wording):
        return [value]
    if isinstance(value, tuple):
        return [wording for part in value for wording in wordings(part)]
    if isinstance(value, BaseModel):
        return [wording for name in type(value).model_fields for wording in wordings(getattr(value, name))]
    return []


def test_the_rubric_is_the_paper_s() -> None:
    rubric = load_rubric()
    assert rubric.keys == ("KA", "BA", "EE", "PT", "IM", "AD", "BC")
    assert {dimension.name.en: dimension.metrics for dimension in rubric.dimensions} == {
        "Character Fidelity": ("KA", "BA"),
        "Human-Likeness": ("EE", "PT"),
        "Consistency": ("IM", "AD", "BC"),
    }
    assert (rubric.scale.low, rubric.scale.high) == (1, 5)
    assert [metric.name.en for metric in rubric.metrics] == [
        "Knowledge Accuracy",
        "Behavioral Accuracy",
        "Emotional Expression",
        "Personality Traits",
        "Immersion",
        "Adaptability",
        "Behavioral Coherence",
    ]
    assert rubric.version


def test_every_metric_is_anchored_at_1_3_and_5() -> None:
    for metric in load_rubric().metrics:
        assert [anchor.score for anchor in metric.anchors] == [1, 3, 5]


def test_every_text_is_there_in_english_and_in_chinese() -> None:
    texts = wordings(load_rubric())
    # title, background, 11 fields of 2, 3 steps, 3 dimensions, 7 metrics of name + question + 3 anchors
    assert len(texts) == 1 + 1 + 22 + 3 + 3 + 35
    for wording in texts:
        assert not CHINESE.search(wording.text("en")), wording.en
        assert CHINESE.search(wording.text("zh")), wording.zh


def test_each_question_is_one_sentence_and_no_two_texts_of_the_rubric_are_mixed_up() -> None:
    metrics = load_rubric().metrics
    for metric in metrics:
        assert metric.question.en.endswith("?")
        assert metric.question.en.count("?") == 1
        assert metric.question.zh.endswith("？")
    for language in ("en", "zh"):
        anchors = [anchor.text.text(language) for metric in metrics for anchor in metric.anchors]
        assert len(set(anchors)) == 21


@pytest.mark.parametrize("score", [1, 5, 4.0, np.int64(3), np.float64(2)])
def test_a_whole_number_on_the_scale_is_taken(score: object) -> None:
    checked = load_rubric().check("KA", score)
    assert checked == score
    assert type(checked) is int


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        (True, "not a number"),
        ("45", "not a number"),
        ("4", "not a number"),
        (None, "not a number"),
        (3.5, "not a whole number"),
        (float("nan"), "not a whole number"),
        (float("inf"), "not a whole number"),
        (0, "outside the scale"),
        (6, "outside the scale"),
        (-1.0, "outside the scale"),
        (10**400, "outside the scale"),
    ],
)
def test_anything_else_is_refused(score: object, fault: str) -> None:
    with pytest.raises(RatingError, match=rf"(?s)^EE: .*{fault}; give a whole number from 1 to 5$"):
        load_rubric().check("EE", score)


def test_an_unknown_metric_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RatingError, match="no metric 'Charm'; its metrics are KA, BA, EE, PT, IM, AD, BC"):
        load_rubric().check("Charm", 3)


@pytest.mark.parametrize("name", ["nope", "../errors", ""])
def test_an_unknown_rubric_is_refused(name: str) -> None:
    with pytest.raises(RatingError, match="there are: character"):
        load_rubric(name)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('key = "KA"', 'key = "KA', r"^mine\.toml is not valid TOML: .*line"),
        ('version = "1.1"\n', "", r"^mine\.toml: version: Field required"),
        ('key = "KA"', 'key = "BA"', r"^mine\.toml: metrics: BA stands there more than once"),
        ('metrics = ["KA", "BA"]', 'metrics = ["KA"]', "dimensions: BA must belong to one dimension"),
        ('metrics = ["KA", "BA"]', 'metrics = ["KA", "BA", "XX"]', "dimensions: XX is no metric"),
        ('metrics = ["KA", "BA"]', 'metrics = ["KA", "BA", "BC"]', "dimensions: BC must belong to one dimension"),
        ("low = 1", "low = 5", r"scale: low \(5\) must be less than high \(5\)"),
        ("low = 1", "low = 0", r"metrics\.KA\.anchors: scores must rise from 0 to 5, got \[1, 3, 5\]"),
        (
            'zh = "涉及角色的内容大多有误或不相干，与角色背景明显不符。"',
            'zh = " "',
            r"metrics\.0\.anchors\.0\.text\.zh: ",
        ),
        ("score = 3", "score = 3\ncolour = 1", r"metrics\.0\.anchors\.1\.colour: "),
    ],
)
def test_a_faulty_file_is_refused_with_file_and_field(old: str, new: str, fault: str) -> None:
    assert old in TOML
    with pytest.raises(RatingError, match=fault):
        parse_rubric(TOML.replace(old, new, 1), file="mine.toml")


def test_the_file_parses_to_the_bundled_rubric_which_is_frozen() -> None:
    rubric = parse_rubric(TOML, file="character.toml")
    assert rubric == load_rubric("character")
    assert isinstance(rubric, Rubric)
    with pytest.raises(ValueError, match="frozen"):
        rubric.version = "2"  # type: ignore[misc]
    assert issubclass(RatingError, AnnotationError)
