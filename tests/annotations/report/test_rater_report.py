"""What one side's ratings say of themselves: by part of the ratings, and what limits it; the parts hold all ratings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.reliability.agreement import agreement, rated_items
from annotations.reliability.intraclass import IntraclassCorrelation, intraclass
from annotations.reliability.item_analysis import ResampledAlpha, resampled_alpha
from annotations.report.per_metric import (
    WHOLE,
    Part,
    alphas_of_sides,
    between_experts,
    consistencies,
    parts_of,
    rater_caveats,
    reliability_by_part,
    scores_of_side,
)
from annotations.report.report import Design, design_of
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

METRICS = ("BA", "KA")
RATERS = {"ann": "expert", "bo": "expert", "glm": "judge", "gpt": "judge"}
TOGETHER = "all metrics"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Two experts and two judges on 30 items: five models in six scenes, half of them English."""
    random = np.random.default_rng(7)
    rows = []
    for item in range(30):
        truth = random.normal(3, 1)
        place = {"item": f"i{item:02}", "scene": f"s{item % 6}", "model": f"m{item // 6}"}
        language = "en" if item % 2 else "zh"
        for name, kind in RATERS.items():
            scores = np.clip(np.round(truth + random.normal(0, 0.7, 2)), 1, 5)
            rows += [
                {**rating(**place, rater=name, kind=kind, metric=metric, score=score), "language": language}
                for metric, score in zip(METRICS, scores, strict=True)
            ]
    return frame_of(rows)


@pytest.fixture(scope="module")
def design(frame: pd.DataFrame) -> Design:
    return design_of(frame, scale=(1, 5))


def caveats_of(frame: pd.DataFrame, design: Design) -> list[tuple[str, str]]:
    return [(one.kind, one.of) for one in rater_caveats(frame, design, consistencies(frame, design))]


def test_a_side_is_the_experts_or_one_judge(frame: pd.DataFrame) -> None:
    assert set(scores_of_side(frame, None)["rater"]) == {"ann", "bo"}
    assert set(scores_of_side(frame, "gpt")["rater"]) == {"gpt"}
    assert scores_of_side(frame, "ann").empty, "she is no judge"


@pytest.mark.slow
@pytest.mark.parametrize("side", [None, "glm"])
def test_each_part_has_the_reliability_of_its_own_ratings(
    frame: pd.DataFrame, design: Design, side: str | None
) -> None:
    found = reliability_by_part(frame, design, side, "KA")
    models = [Part(model=f"m{number}") for number in range(5)]
    assert list(found) == [WHOLE, Part(language="en"), Part(language="zh"), *models]
    for part, one in found.items():
        own = frame
        for column, value in (("language", part.language), ("model", part.model)):
            own = own if value is None else own[own[column] == value]
        alpha = one.together[TOGETHER]
        assert isinstance(alpha, ResampledAlpha)
        assert alpha == resampled_alpha(scores_of_side(own, side), METRICS, design.drawn)
        assert alpha.alpha.n == len(own) / 8 * (2 if side is None else 1)
        if side is not None:
            assert one.between is None
            continue
        assert one.between == between_experts(own, design)["KA"]


@pytest.mark.slow
def test_agreement_is_on_the_metric_that_was_asked_for(frame: pd.DataFrame, design: Design) -> None:
    between = between_experts(frame, design)
    assert list(between) == list(METRICS)
    for metric, one in between.items():
        rated = rated_items(frame[(frame["metric"] == metric) & (frame["kind"] == "expert")])
        assert one.single == intraclass(rated, "ICC(A,1)", design.drawn)
        assert one.mean == intraclass(rated, "ICC(A,k)", design.drawn)
        assert one.agreement == agreement(rated, design.drawn)
        by_part = reliability_by_part(frame, design, None, metric)
        assert by_part[WHOLE].between == one
    assert between["BA"] != between["KA"]


def test_the_alphas_of_all_sides_are_those_of_their_consistencies(frame: pd.DataFrame, design: Design) -> None:
    alphas, together = alphas_of_sides(frame, design), consistencies(frame, design)
    assert list(alphas) == list(together) == [None, "glm", "gpt"]
    for side, of in together.items():
        one, same = of[TOGETHER], alphas[side][TOGETHER]
        assert isinstance(one, ResampledAlpha)
        assert isinstance(same, ResampledAlpha)
        assert (same.alpha, same.interval) == (one.alpha, one.interval)


def test_a_part_that_is_too_small_says_so_and_takes_nothing_from_the_others(
    frame: pd.DataFrame, design: Design
) -> None:
    few = frame[(frame["model"] != "m4") | (frame["item"] == "i24")]
    found = reliability_by_part(few, design, None, "KA")
    small, whole = found[Part(model="m4")], found[WHOLE]
    assert isinstance(small.together[TOGETHER], Undefined)
    assert small.between is not None
    assert isinstance(small.between.single, Undefined)
    assert whole.between is not None
    assert isinstance(whole.between.single, IntraclassCorrelation)


def test_one_expert_alone_agrees_with_nobody(frame: pd.DataFrame, design: Design) -> None:
    alone = between_experts(frame[frame["rater"] != "bo"], design)["KA"]
    reason = Undefined("only one rater, ann, scored KA; agreement needs at least two")
    assert in_english((alone.single, alone.mean, alone.alpha, alone.agreement)) == in_english((reason,) * 4)


def test_good_ratings_have_no_caveat(frame: pd.DataFrame, design: Design) -> None:
    assert caveats_of(frame, design) == []


def test_what_limits_a_rater_stands_by_name_and_metric(frame: pd.DataFrame, design: Design) -> None:
    limited = frame.copy()
    limited.loc[(limited["rater"] == "bo") & (limited["metric"] == "KA"), "score"] = 4
    limited.loc[(limited["rater"] == "gpt") & (limited["metric"] == "BA"), "score"] = 2
    limited.loc[(limited["rater"] == "gpt") & (limited["item"] < "i05"), "score"] = 3
    assert in_english(caveats_of(limited, design)) == [
        ("constant", "bo, KA"),
        ("restricted range", "gpt, BA"),
    ]


def test_a_reversed_metric_of_a_side_is_told(frame: pd.DataFrame, design: Design) -> None:
    turned = frame.copy()
    reversed_one = (turned["rater"] == "glm") & (turned["metric"] == "KA")
    turned.loc[reversed_one, "score"] = 6 - turned.loc[reversed_one, "score"]
    assert in_english(caveats_of(turned, design)) == [("negative alpha", f"glm, {TOGETHER}")]
    experts = turned["kind"] == "expert"
    turned.loc[experts & (turned["metric"] == "KA"), "score"] = 6 - turned.loc[experts, "score"]
    assert in_english(caveats_of(turned, design)) == [
        ("negative alpha", f"experts, {TOGETHER}"),
        ("negative alpha", "glm, all metrics"),
    ]


def test_scores_are_crowded_only_on_a_scale_that_is_known(frame: pd.DataFrame) -> None:
    crowded = frame.copy()
    crowded["score"] = crowded["score"].where(crowded["rater"] != "ann", crowded["score"].clip(3, 4))
    assert rater_caveats(crowded, design_of(crowded), {}) == ()
    found = rater_caveats(crowded, design_of(crowded, scale=(1, 5)), {})
    assert in_english([(one.kind, one.of) for one in found]) == [
        ("restricted range", "ann, BA"),
        ("restricted range", "ann, KA"),
    ]
    assert "100% of 30 scores lie between 3 and 4 on the scale from 1 to 5." in in_english(found[0].sentence)


def rated_at(places: list[tuple[str, str]]) -> pd.DataFrame:
    """One rating for each language and model."""
    rows = [
        {**rating(item=f"i{number}", model=model), "language": language}
        for number, (language, model) in enumerate(places)
    ]
    return frame_of(rows)


def test_all_then_languages_then_models() -> None:
    frame = rated_at([("zh", "m1"), ("en", "m0"), ("en", "m1")])
    found = parts_of(frame)
    expected = [WHOLE, Part(language="en"), Part(language="zh"), Part(model="m0"), Part(model="m1")]
    assert list(found) == expected
    assert [list(own["item"]) for own in found.values()] == [
        ["i0", "i1", "i2"],
        ["i1", "i2"],
        ["i0"],
        ["i1"],
        ["i0", "i2"],
    ]


def test_what_there_is_only_one_of_is_no_part() -> None:
    assert list(parts_of(rated_at([("en", "m0"), ("en", "m0")]))) == [WHOLE]
    assert list(parts_of(rated_at([("en", "m0"), ("zh", "m0")]))) == [WHOLE, Part("en"), Part("zh")]
    nameless = rated_at([("en", "m0"), ("zh", "m1")]).drop(columns="language")
    assert list(parts_of(nameless)) == [WHOLE, Part(model="m0"), Part(model="m1")]


def test_a_rating_without_a_language_is_in_no_language() -> None:
    frame = rated_at([("en", "m0"), ("zh", "m0"), ("en", "m0")])
    frame.loc[2, "language"] = None
    assert [len(own) for own in parts_of(frame).values()] == [3, 1, 1]


@settings(max_examples=examples(25, 100))
@given(st.lists(st.tuples(st.sampled_from(["en", "zh"]), st.sampled_from("abc")), min_size=1, max_size=12))
def test_the_parts_of_a_kind_hold_each_rating_once(places: list[tuple[str, str]]) -> None:
    frame = rated_at(places)
    found = parts_of(frame)
    pd.testing.assert_frame_equal(found[WHOLE], frame)
    for kind in ("language", "model"):
        own = [part for key, part in found.items() if getattr(key, kind) is not None]
        assert all(part[kind].nunique() == 1 for part in own)
        assert sorted(item for part in own for item in part["item"]) == (sorted(frame["item"]) if own else [])
        assert len(own) != 1
