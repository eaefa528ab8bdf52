"""The bundled rubrics are complete in both languages, and only scores on a rubric's scale get past it."""

import re
from importlib import resources
from typing import get_args

import numpy as np
import pytest
from pydantic import BaseModel

from annotations.errors import RatingError
from annotations.marking.rating import MOST
from annotations.rubrics.rubric import (
    FARTHEST,
    NarratorStep,
    Rubric,
    Wording,
    bundled_rubrics,
    load_rubric,
    parse_rubric,
)

NAMES = ("character", "narrator", "narrator_steps", "neeko", "scene")
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


def test_the_other_rubrics_ask_what_the_papers_ask() -> None:
    narrator, neeko, scene = (load_rubric(name) for name in ("narrator", "neeko", "scene"))
    assert narrator.keys == ("quality", "quantity", "relevance", "manner")
    assert scene.keys == ("creativity", "coherence", "conformity", "detail")
    assert {dimension.name.en: dimension.metrics for dimension in neeko.dimensions} == {
        "Character Consistency": ("CB", "CU"),
        "Knowledge Consistency": ("VK", "RK", "HK"),
        "Dialogue Consistency": ("Trans", "Rel", "Stab"),
    }
    assert [(one.scale.low, one.scale.high) for one in (narrator, neeko, scene)] == [(1, 5), (1, 7), (1, 5)]


def test_narrators_are_asked_each_maxim_of_each_kind_of_step_once() -> None:
    whole, steps = load_rubric("narrator"), load_rubric("narrator_steps")
    asked = [(one.of.metric, one.of.step) for one in steps.metrics if one.of is not None]
    assert asked == [(key, step) for key in whole.keys for step in get_args(NarratorStep)]
    assert len(asked) == len(steps.metrics)
    for maxim, dimension in zip(whole.metrics, steps.dimensions, strict=True):
        assert dimension.name.en == maxim.name.en
        assert [steps.metric(key).of.metric for key in dimension.metrics] == [maxim.key] * 4  # type: ignore[union-attr]
    for name in ("character", "narrator", "neeko", "scene"):
        assert not any(one.of for one in load_rubric(name).metrics)


def test_each_rubric_says_what_is_rated_and_whether_scores_need_evidence() -> None:
    assert {name: (load_rubric(name).subject, load_rubric(name).evidence) for name in NAMES} == {
        "character": ("character", "optional"),
        "narrator": ("narrator", "optional"),
        "narrator_steps": ("narrator", "optional"),
        "neeko": ("character", "required"),
        "scene": ("scene", "optional"),
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_is_anchored_at_both_ends_and_in_the_middle(name: str) -> None:
    levels = [1, 4, 7] if name == "neeko" else [1, 3, 5]
    for metric in load_rubric(name).metrics:
        assert [anchor.score for anchor in metric.anchors] == levels


@pytest.mark.parametrize(
    ("name", "count"),
    [
        # title, background, fields of 2, steps, dimensions, metrics of name + question + 3 anchors
        ("character", 1 + 1 + 11 * 2 + 3 + 3 + 7 * 5),
        ("narrator", 1 + 1 + 8 * 2 + 4 + 1 + 4 * 5),
        ("narrator_steps", 1 + 1 + 7 * 2 + 4 + 4 + 16 * 5),
        ("neeko", 1 + 1 + 8 * 2 + 4 + 3 + 8 * 5),
        ("scene", 1 + 1 + 7 * 2 + 3 + 1 + 4 * 5),
    ],
)
def test_every_text_is_there_in_english_and_in_chinese(name: str, count: int) -> None:
    texts = wordings(load_rubric(name))
    assert len(texts) == count
    for wording in texts:
        assert not CHINESE.search(wording.text("en")), wording.en
        assert CHINESE.search(wording.text("zh")), wording.zh


@pytest.mark.parametrize("name", NAMES)
def test_each_metric_asks_one_question_and_no_two_texts_of_a_rubric_are_mixed_up(name: str) -> None:
    metrics = load_rubric(name).metrics
    for metric in metrics:
        assert metric.question.en.count("?") == 1
        assert metric.question.zh.count("？") == 1
    for language in ("en", "zh"):
        texts = [metric.question.text(language) for metric in metrics]
        texts += [anchor.text.text(language) for metric in metrics for anchor in metric.anchors]
        assert len(set(texts)) == 4 * len(metrics)


@pytest.mark.parametrize("name", NAMES)
def test_no_text_of_a_bundled_rubric_looks_like_markup(name: str) -> None:
    for wording in wordings(load_rubric(name)):
        assert not re.search(r"[<>*_`\[\]{}$\\]", wording.en + wording.zh)


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
        (9, "outside the scale"),
        (-1.0, "outside the scale"),
        (10**400, "outside the scale"),
    ],
)
def test_anything_else_is_refused(score: object, fault: str) -> None:
    with pytest.raises(RatingError, match=rf"(?s)^EE: .*{fault}; enter a whole number from 1 to 5$"):
        load_rubric().check("EE", score)


def with_fractions(low: int) -> Rubric:
    toml = TOML.replace("fractions = false", "fractions = true").replace("low = 1", f"low = {low}")
    return parse_rubric(toml.replace("score = 1", f"score = {low}"), file="mine.toml")


@pytest.mark.parametrize("score", [-1, 1, 3.5, 4.666666666666667, np.float64(4.97), 5.0])
def test_a_scale_with_fractions_takes_every_number_on_it_as_it_is(score: float) -> None:
    checked = with_fractions(low=-1).check("KA", score)
    assert checked == score
    assert type(checked) is float


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        (-1, "is outside the scale"),
        (5.01, "is outside the scale"),
        (float("inf"), "is outside the scale"),
        (10**400, "is outside the scale"),
        (float("nan"), "is not a number"),
        ("3.5", "is not a number"),
        (True, "is not a number"),
    ],
)
def test_what_is_not_on_a_scale_with_fractions_is_refused(score: object, fault: str) -> None:
    with pytest.raises(RatingError, match=rf"(?s)^EE: .*{fault}; enter a number from 1 to 5$"):
        with_fractions(low=1).check("EE", score)


def test_the_levels_are_the_whole_numbers_of_the_scale() -> None:
    assert list(load_rubric("neeko").scale.levels) == [1, 2, 3, 4, 5, 6, 7]
    assert list(with_fractions(low=-1).scale.levels) == [-1, 0, 1, 2, 3, 4, 5]


def test_no_scale_reaches_beyond_what_a_rating_may_be() -> None:
    assert FARTHEST == MOST


def test_an_unknown_metric_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RatingError, match="no metric 'Charm'; its metrics are KA, BA, EE, PT, IM, AD, BC"):
        load_rubric().check("Charm", 3)


def test_the_bundled_rubrics_are_known_by_name() -> None:
    assert bundled_rubrics() == NAMES
    assert tuple(load_rubric(name).name for name in NAMES) == NAMES


@pytest.mark.parametrize("name", ["nope", "../errors", ""])
def test_an_unknown_rubric_is_refused(name: str) -> None:
    with pytest.raises(RatingError, match=r"available: character, narrator, narrator_steps, neeko, scene$"):
        load_rubric(name)


def test_a_rubric_is_frozen_and_as_strict_when_it_is_not_read_from_a_file() -> None:
    rubric = load_rubric()
    with pytest.raises(ValueError, match="frozen"):
        rubric.version = "2"  # type: ignore[misc]
    values = rubric.model_dump()
    assert Rubric.model_validate(values) == rubric
    with pytest.raises(ValueError, match="'IM' belongs to no dimension"):
        Rubric.model_validate({**values, "dimensions": values["dimensions"][:2]})
