"""The practice set can teach and tell raters apart; feedback, qualification and checks are counted right."""

import re
from collections.abc import Iterator
from importlib import resources
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from annotations.design.practice import (
    THRESHOLD,
    AttentionCheck,
    PracticeItem,
    PracticeSet,
    feedback,
    load_practice,
    parse_practice,
    passed_check,
    qualification,
)
from annotations.errors import RatingError
from annotations.i18n.translation import translate_into
from annotations.rubrics.rubric import Wording, load_rubric
from annotations.rubrics.rubric_file import FaultyFile
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

RUBRIC = load_rubric()
PRACTICE = load_practice(RUBRIC)
TOML = (resources.files("annotations") / "design" / "practice_sets" / "character.toml").read_text(encoding="utf-8")
LANGUAGES: tuple[Literal["en", "zh"], ...] = ("en", "zh")
LEVELS = list(RUBRIC.scale.levels)
CHINESE = re.compile(r"[\u4e00-\u9fff]")

Scores = dict[str, dict[str, float]]


def own_texts(value: object) -> Iterator[str]:
    """The texts of a trajectory in its own language: all but keys and the reasons of the gold."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from own_texts(one)
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if name not in ("key", "language", "kind", "gold"):
                yield from own_texts(getattr(value, name))


def gold_of(item: PracticeItem) -> dict[str, float]:
    return {gold.metric: gold.score for gold in item.gold}


def gold(items: tuple[PracticeItem, ...]) -> Scores:
    return {item.key: gold_of(item) for item in items}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_enough_to_learn_from_and_two_checks(language: Literal["en", "zh"]) -> None:
    assert len(PRACTICE.items_in(language)) >= 5
    assert len(PRACTICE.checks_in(language)) == 2
    assert {item.language for item in PRACTICE.items} == set(LANGUAGES)


@pytest.mark.parametrize("item", [*PRACTICE.items, *PRACTICE.checks], ids=lambda item: item.key)
def test_a_trajectory_looks_like_a_real_one(item: PracticeItem | AttentionCheck) -> None:
    assert [step.round for step in item.steps] == sorted(step.round for step in item.steps)
    assert {step.round for step in item.steps} == {1, 2, 3}
    for round in (1, 2, 3):
        kinds = [step.kind for step in item.steps if step.round == round]
        assert kinds.count("action") == kinds.count("dialogue") == 1, "each character takes one turn in a round"
        assert "observation" in kinds
    assert item.character.name not in item.others
    seen = [step.text for step in item.steps if step.kind == "observation"]
    starts = ("Result:", "Effect on", *item.others) if item.language == "en" else ("结果：", "对", *item.others)
    assert all(text.startswith(starts) for text in seen)


@pytest.mark.parametrize("item", [*PRACTICE.items, *PRACTICE.checks], ids=lambda item: item.key)
def test_a_trajectory_is_in_its_own_language_throughout(item: PracticeItem | AttentionCheck) -> None:
    texts = list(own_texts(item))
    assert len(texts) > 20
    for text in texts:
        assert bool(CHINESE.search(text)) == (item.language == "zh"), text
        assert item.language == "en" or not re.search("[A-Za-z]", text), text


@pytest.mark.parametrize("item", [*PRACTICE.items, *PRACTICE.checks], ids=lambda item: item.key)
def test_every_gold_score_is_on_the_scale_and_has_a_reason_in_both_languages(
    item: PracticeItem | AttentionCheck,
) -> None:
    for one in item.gold:
        assert RUBRIC.check(one.metric, one.score) == one.score
        assert not CHINESE.search(one.reason.en), one.reason.en
        assert CHINESE.search(one.reason.zh), one.reason.zh
    assert len({one.reason.en for one in item.gold}) == len({one.reason.zh for one in item.gold}) == len(item.gold)


def test_practice_items_have_gold_for_every_metric_in_the_order_of_the_rubric() -> None:
    for item in PRACTICE.items:
        assert tuple(one.metric for one in item.gold) == RUBRIC.keys


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gold_is_spread_over_the_scale_within_each_item_and_each_metric(language: Literal["en", "zh"]) -> None:
    items = PRACTICE.items_in(language)
    scores = np.array([[one.score for one in item.gold] for item in items])
    assert set(scores.flatten()) == set(LEVELS)
    assert (np.ptp(scores, axis=1) >= 3).all(), "an item is good in one metric and bad in another"
    assert (np.ptp(scores, axis=0) >= 3).all(), "a metric is good in one item and bad in another"


@pytest.mark.parametrize("language", LANGUAGES)
def test_neither_one_level_throughout_nor_a_perfect_halo_comes_near_the_threshold(
    language: Literal["en", "zh"],
) -> None:
    items = PRACTICE.items_in(language)
    flat = [qualification(items, {item.key: dict.fromkeys(RUBRIC.keys, level) for item in items}) for level in LEVELS]
    assert max(one.close for one in flat) == pytest.approx(0.69 if language == "en" else 0.667, abs=0.001)
    assert all(one.unvaried == RUBRIC.keys and not one.passed for one in flat)
    best = {
        item.key: max(LEVELS, key=lambda level: sum(abs(level - one.score) <= 1 for one in item.gold)) for item in items
    }
    halo = qualification(items, {key: dict.fromkeys(RUBRIC.keys, level) for key, level in best.items()})
    assert halo.close == pytest.approx(33 / 42)
    assert not halo.passed


@pytest.mark.parametrize("language", LANGUAGES)
def test_scores_drawn_at_random_reach_the_threshold_once_in_forty_thousand_times(language: Literal["en", "zh"]) -> None:
    chances = np.ones(1)  # of 0, 1, 2 ... close scores
    for item in PRACTICE.items_in(language):
        for one in item.gold:
            close = sum(abs(level - one.score) <= 1 for level in LEVELS) / len(LEVELS)
            chances = np.convolve(chances, [1 - close, close])
    enough = int(np.ceil(THRESHOLD * (len(chances) - 1)))
    assert chances.sum() == pytest.approx(1)
    assert chances[enough:].sum() == pytest.approx(1 / 40_000, rel=0.05)


def practice_item(key: str, **scores: int) -> PracticeItem:
    """A practice item with gold for the metrics A and B."""
    model = PRACTICE.items[0].model_dump()
    golds = [
        {"metric": metric, "score": score, "reason": {"en": "so", "zh": "如此"}} for metric, score in scores.items()
    ]
    return PracticeItem.model_validate({**model, "key": key, "gold": golds})


ONE, TWO, THREE = practice_item("one", A=5, B=1), practice_item("two", A=3, B=2), practice_item("three", A=1, B=4)


def test_feedback_says_for_each_metric_what_was_given_and_what_it_should_have_been() -> None:
    first, second = feedback(ONE, {"A": 3, "B": 2})
    assert (first.metric, first.given, first.gold, first.difference, first.close) == ("A", 3, 5, -2, False)
    assert (second.metric, second.given, second.gold, second.difference, second.close) == ("B", 2, 1, 1, True)
    assert second.reason == Wording(en="so", zh="如此")


def test_a_qualification_worked_by_hand() -> None:
    # differences: A 0, -1, +2; B +1, 0, 0
    given = {"one": {"A": 5, "B": 2}, "two": {"A": 2, "B": 2}, "three": {"A": 3, "B": 4}}
    result = qualification((ONE, TWO, THREE), given)
    assert result.n == 6
    assert result.close == pytest.approx(5 / 6)
    assert result.exact == pytest.approx(3 / 6)
    assert result.mean_absolute_difference == pytest.approx(4 / 6)
    assert (result.misread, result.unvaried, result.threshold) == ((), (), 0.8)
    assert result.passed
    assert not qualification((ONE, TWO, THREE), given, threshold=0.9).passed


def test_a_metric_that_is_misread_fails_a_rater_who_is_right_in_all_else() -> None:
    # A is turned upside down: differences -4, 0, +4
    given = {"one": {"A": 1, "B": 1}, "two": {"A": 3, "B": 2}, "three": {"A": 5, "B": 4}}
    result = qualification((ONE, TWO, THREE), given, threshold=0.5)
    assert result.close == pytest.approx(4 / 6)
    assert result.misread == ("A",)
    assert not result.passed


def test_a_metric_on_which_just_half_is_close_is_not_misread() -> None:
    result = qualification((ONE, TWO), {"one": {"A": 3, "B": 1}, "two": {"A": 2, "B": 2}}, threshold=0.5)
    assert result.misread == ()
    assert result.passed


def test_a_metric_that_gets_the_same_score_everywhere_fails_a_rater_who_is_close_enough() -> None:
    # A always 3: differences -2, 0, +2; B exact
    given = {"one": {"A": 3, "B": 1}, "two": {"A": 3, "B": 2}, "three": {"A": 3, "B": 4}}
    result = qualification((ONE, TWO, THREE), given, threshold=0.6)
    assert result.close == pytest.approx(4 / 6)
    assert result.unvaried == ("A",)
    assert not result.passed


def test_the_same_score_where_the_gold_is_the_same_is_no_fault() -> None:
    same = practice_item("same", A=5, B=3)
    assert qualification((ONE, same), {"one": {"A": 5, "B": 1}, "same": {"A": 5, "B": 3}}).passed


def test_the_threshold_is_reached_when_it_is_met_exactly() -> None:
    five = [practice_item(f"i{number}", A=number) for number in range(1, 6)]
    given = {item.key: {"A": one.score} for item in five for one in item.gold} | {"i5": {"A": 3}}
    result = qualification(five, given)
    assert result.close == 0.8
    assert result.passed


def test_fractions_that_lie_one_point_off_are_close() -> None:
    first, second = feedback(ONE, {"A": 4.0000000001, "B": 2.0000000000000004})
    assert first.close
    assert second.close
    assert not feedback(ONE, {"A": 3.99, "B": 1})[0].close


@pytest.mark.parametrize("language", LANGUAGES)
def test_whoever_gives_the_gold_qualifies(language: Literal["en", "zh"]) -> None:
    items = PRACTICE.items_in(language)
    result = qualification(items, gold(items), threshold=1)
    assert (result.close, result.exact, result.mean_absolute_difference) == (1, 1, 0)
    assert result.passed


@settings(max_examples=examples(30, 100))
@given(st.data())
def test_the_result_does_not_hang_on_the_order_and_grows_no_better_by_a_score_farther_off(data) -> None:
    level = st.integers(1, 5)
    items = PRACTICE.items_in("en")
    given = {item.key: {key: data.draw(level) for key in RUBRIC.keys} for item in items}
    result = qualification(items, given)
    assert qualification(data.draw(st.permutations(items)), given) == result
    assert result.exact <= result.close <= 1
    item = data.draw(st.sampled_from(items))
    one = data.draw(st.sampled_from(item.gold))
    away = 1 if given[item.key][one.metric] >= one.score else -1
    worse = {**given, item.key: {**given[item.key], one.metric: given[item.key][one.metric] + away}}
    assert qualification(items, worse).close <= result.close
    assert qualification(items, worse).mean_absolute_difference > result.mean_absolute_difference


def test_what_is_not_scored_is_no_score() -> None:
    with pytest.raises(RatingError, match="B has no score yet"):
        feedback(ONE, {"A": 3})
    with pytest.raises(RatingError, match="practice items without a score: two; score every practice item"):
        qualification((ONE, TWO), {"one": {"A": 5, "B": 1}})
    with pytest.raises(RatingError, match="there are no practice items"):
        qualification((), {})
    check = PRACTICE.checks[0]
    with pytest.raises(RatingError, match="has no score yet"):
        passed_check(check, {})


@pytest.mark.parametrize("check", PRACTICE.checks, ids=lambda check: check.key)
def test_a_check_is_passed_within_its_tolerance_and_only_there(check: AttentionCheck) -> None:
    assert {one.metric for one in check.gold} < set(RUBRIC.keys), "some metrics have no right score here"
    careful = dict.fromkeys(RUBRIC.keys, 4) | {one.metric: one.score + one.tolerance for one in check.gold}
    assert passed_check(check, careful)
    for one in check.gold:
        assert not passed_check(check, {**careful, one.metric: one.score + one.tolerance + 1})
    assert not any(passed_check(check, dict.fromkeys(RUBRIC.keys, level)) for level in (3, 4, 5))


def test_practice_is_tied_to_the_rubric_and_its_version() -> None:
    assert (PRACTICE.rubric, PRACTICE.version) == (RUBRIC.name, RUBRIC.version)
    for other in (
        load_rubric("neeko"),
        RUBRIC.model_copy(update={"version": "9"}),
        RUBRIC.model_copy(update={"evidence": "required"}),
        RUBRIC.model_copy(update={"name": "mine"}),
    ):
        with pytest.raises(
            RatingError, match=f"no practice set for the rubric '{other.name}', version {other.version}"
        ):
            load_practice(other)
    with pytest.raises(RatingError, match="start the campaign without practice and attention checks"):
        load_practice(load_rubric("neeko"))
    earlier = RUBRIC.model_copy(update={"version": "0.9"})
    with pytest.raises(
        RatingError, match=f"has one for {RUBRIC.version}. A campaign that has started can no longer offer practice"
    ):
        load_practice(earlier)


def line_of(toml: str, text: str) -> int:
    return toml[: toml.index(text)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('rubric = "character"', 'rubric = "neeko"', "rubric: is for 'neeko', not for 'character'"),
        ('version = "1.1"', 'version = "1.0"', "version: is for version 1.0, not for 1.1"),
        ('score = 1\nreason.en = "Almost', 'score = 9\nreason.en = "Almost', "items.gold.score: KA: 9 is outside"),
        (
            'score = 1\nreason.en = "Almost',
            'score = 1.5\nreason.en = "Almost',
            "items.gold.score: KA: 1.5 is not a whole",
        ),
        ('metric = "BA"', 'metric = "XX"', "items.gold.metric: the rubric 'character' has no metric 'XX'"),
        ('metric = "BA"', 'metric = "KA"', "items.gold.metric: KA already has a gold score"),
        ('key = "en-maren"', 'key = "en-watson"', "items.key: the key 'en-watson' is already used by an earlier item"),
        (
            'key = "zh-check-recipe"',
            'key = "en-watson"',
            "checks.key: the key 'en-watson' is already used by an earlier item",
        ),
        ('language = "en"', 'language = "de"', "items.language: must be 'en' or 'zh'"),
        ('{ round = 1, kind = "observation"', '{ round = 2, kind = "observation"', "items.steps.round: round 2 cannot"),
        ('{ round = 3, kind = "observation"', '{ round = 1, kind = "observation"', "items.steps.round: round 1 cannot"),
        ('{ round = 2, kind = "action"', '{ round = 2, kind = "thought"', "items.steps.kind: must be 'observation'"),
        ("tolerance = 1", "tolerance = -1", "checks.gold.tolerance: must be 0 or more"),
    ],
)
def test_a_faulty_practice_file_is_refused_with_line_and_reason(old: str, new: str, fault: str) -> None:
    with pytest.raises(FaultyFile, match=r"^mine\.toml: ") as caught:
        parse_practice(TOML.replace(old, new, 1), RUBRIC, file="mine.toml")
    lines = [str(one) for one in caught.value.faults]
    assert any(in_english(one).startswith(f"line {line_of(TOML, old)}, {fault}") for one in lines), lines


def test_a_metric_without_gold_is_told() -> None:
    start = TOML.index('[[items.gold]]\nmetric = "BC"')
    toml = TOML[:start] + TOML[TOML.index("[[items]]", start) :]
    with pytest.raises(FaultyFile, match=r"items\.gold: no gold score for BC$") as caught:
        parse_practice(toml, RUBRIC, file="mine.toml")
    assert caught.value.faults[0].line == line_of(toml, "[[items.gold]]")


def test_gold_off_the_scale_is_told_in_chinese_to_those_who_read_chinese() -> None:
    with pytest.raises(FaultyFile) as caught:
        parse_practice(TOML.replace("score = 1\n", "score = 9\n", 1), RUBRIC, file="mine.toml")
    assert translate_into("zh", caught.value).endswith("，items.gold.score：KA：9 超出量表范围；请填写 1 至 5 的整数")


def test_the_file_parses_to_the_bundled_set() -> None:
    practice = parse_practice(TOML, RUBRIC, file="character.toml")
    assert practice == PRACTICE
    assert isinstance(practice, PracticeSet)
