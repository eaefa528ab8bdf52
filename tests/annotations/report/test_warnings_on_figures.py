"""Every caveat at its threshold: there just beyond it, and not there just before."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.reliability.cronbach_alpha import cronbach_alpha
from annotations.reliability.item_analysis import SpearmanBrown
from annotations.report.all_figures import usable_ratings
from annotations.report.caveat import Caveat
from annotations.report.per_metric import report_caveats
from annotations.report.report import design_of, statistics
from annotations.report.warnings_on_figures import (
    consistency_caveats,
    halo_caveats,
    pair_caveats,
    part_caveats,
    selection_caveats,
    side_caveats,
)
from annotations.report.warnings_on_scores import dropped_caveats, off_scale_caveats, outside_caveats, score_caveats
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.ceiling import expert_tables, panel
from annotations.validity.halo import halo
from annotations.validity.judge_expert_correlation import sides_of
from annotations.validity.levels import ITEMS, WITHIN_SCENES, Level, Levels
from annotations.validity.parts import ValidityByPart
from annotations.validity.selective_rating import SelectiveRating
from annotations.validity.shared_teacher import Shared, judge_pair
from tests.annotations.report_of_judge import report_of
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english

SCALE = (1, 5)
WIDE = [1.0, 2, 3, 4, 5] * 8


def scored(**sides: list[float]) -> pd.DataFrame:
    """`ann` and `bo` are experts."""
    return frame_of(
        rating(
            item=f"i{i:03}",
            scene=f"s{i % 6}",
            model=f"m{i // 6}",
            rater=rater,
            kind="expert" if rater in ("ann", "bo") else "judge",
            score=score,
        )
        for rater, scores in sides.items()
        for i, score in enumerate(scores)
    )


def of_scores(scores: list[float]) -> tuple[Caveat, ...]:
    return score_caveats(scored(gpt=scores), "gpt", ["KA"], SCALE)


def of_sides(judge: list[float], expert: list[float]) -> tuple[Caveat, ...]:
    return side_caveats(sides_of(scored(gpt=judge, ann=expert), ["gpt"])["gpt"], ["KA"], SCALE)


def test_wide_scores_on_enough_items_have_no_caveat() -> None:
    assert of_scores(WIDE) == ()
    assert of_sides(WIDE, WIDE[::-1]) == ()


def test_a_constant_column() -> None:
    [found] = of_scores([4.0] * 40)
    assert in_english((found.kind, found.of, found.numbers)) == ("constant", "gpt, KA", {"score": 4, "n": 40})
    assert in_english(found.sentence).startswith("gpt, KA: all 40 scores are 4.")
    assert in_english([(each.kind, each.of) for each in of_sides(WIDE, [3.0] * 40)]) == [
        ("constant", "the experts' mean, KA")
    ]


def test_few_scores_are_no_caveat_as_their_figures_have_no_interval() -> None:
    for n in (5, 9, 29):
        assert of_scores(WIDE[:n]) == ()
        assert of_sides(WIDE[:n], WIDE[:n]) == ()


def test_nine_of_ten_scores_on_two_neighbouring_points() -> None:
    [found] = of_scores([3.0, 4] * 36 + [1, 2, 5, 5] * 2)
    assert (found.kind, found.numbers) == ("restricted range", {"share": 0.9, "low": 3, "high": 4, "n": 80})
    assert "90% of 80 scores lie between 3 and 4 on the scale from 1 to 5" in in_english(found.sentence)
    assert of_scores([3.0, 4] * 35 + [1, 2, 5, 5, 1] * 2) == ()
    # of few scores, more than nine of ten: eighteen of twenty come to lie there by chance
    assert [len(of_scores([3.0, 4] * half + [1.0] * (20 - 2 * half))) for half in (9, 10)] == [0, 1]
    [between] = of_scores([3.0, 3.25, 3.5, 4] * 10)
    assert between.numbers["share"] == 1


def test_a_side_that_spreads_less_than_60_percent_as_far() -> None:
    # Shrunk to the middle by a factor, with the extremes of the judge beyond two neighbouring points of the scale.
    def shrunk(factor: float) -> list[float]:
        return [3 + factor * (score - 3) for score in WIDE]

    [found] = of_sides(shrunk(0.59), WIDE)
    assert in_english((found.kind, found.of)) == ("restricted range", "gpt, KA")
    assert found.numbers["ratio"] == pytest.approx(0.59)
    assert "is 59% of that of the experts' mean" in in_english(found.sentence)
    assert of_sides(shrunk(0.61), WIDE) == ()
    [other] = of_sides(WIDE, shrunk(0.59))
    assert in_english(other.of) == "the experts' mean, KA"


def test_a_side_that_spreads_less_by_chance_is_not_told() -> None:
    # After Pitman the ratio of .59 may be 1.05 for 12 items with r = -.5, and .70 for 96.
    own, other = [3 + 0.59 * (score - 3) for score in (1.0, 5, 3) * 4], [5.0, 3, 1] * 4
    few, many = of_sides(own, other), of_sides(own * 8, other * 8)
    assert (len(few), [found.kind for found in many]) == (0, ["restricted range"])


def test_a_negative_coefficient() -> None:
    turned = [6.5 - score if at % 7 else score for at, score in enumerate(WIDE)]
    negative = cronbach_alpha(pd.DataFrame({"a": WIDE, "b": turned}))
    [found] = consistency_caveats("Consistency, experts", negative)
    assert (found.kind, found.of) == ("negative alpha", "Consistency, experts")
    assert found.numbers == {"estimate": negative.estimate, "n": 40}
    assert f"alpha is negative ({negative.estimate:.2f}, n = 40 rows)" in in_english(found.sentence)


@pytest.mark.parametrize(("high", "told"), [(-0.01, True), (0.0, False), (0.3, False)])
def test_a_coefficient_below_0_by_more_than_chance(high: float, told: bool) -> None:
    halves = SpearmanBrown(-0.5, Interval(-0.9, high, "jackknife by scenes"), 12, -0.2)
    found = consistency_caveats("Consistency", halves)
    assert [each.kind for each in found] == ["negative alpha"] * told
    assert all(
        "Spearman-Brown coefficient is negative (-0.50, n = 12 rows)" in in_english(each.sentence) for each in found
    )
    alpha = replace(cronbach_alpha(pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 1]})), interval=halves.interval)
    assert [each.numbers for each in consistency_caveats("Alpha", alpha)] == [
        {"estimate": alpha.estimate, "n": 3}
    ] * told


def test_chance_and_few_scenes_make_no_negative_coefficient() -> None:
    by_chance = cronbach_alpha(pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 1]}))
    assert by_chance.estimate == pytest.approx(-2)
    assert consistency_caveats("Consistency", by_chance) == ()
    assert consistency_caveats("Consistency", SpearmanBrown(-0.5, Undefined("few"), 12, -0.2)) == ()


def three_metrics(impression: float) -> pd.DataFrame:
    random = np.random.default_rng(1)
    truth, common = random.normal(size=(48, 3)), random.normal(size=(48, 1))
    judge = truth + impression * common + random.normal(0, 0.3, (48, 3))
    frames = [scored(gpt=judge[:, k].tolist(), ann=truth[:, k].tolist()) for k in range(3)]
    return pd.concat([frame.assign(metric=f"M{k}") for k, frame in enumerate(frames)], ignore_index=True)


def test_halo_and_convergence() -> None:
    metrics = ["M0", "M1", "M2"]
    strong = halo(sides_of(three_metrics(4), ["gpt"])["gpt"], metrics)
    found = {each.kind: each for each in halo_caveats(strong)}
    assert found["halo"].sentence == strong.verdict
    assert found["halo"].numbers["difference"] == pytest.approx(strong.discrimination.difference)
    assert "convergence" not in found
    assert strong.convergence.positive
    assert halo_caveats(halo(sides_of(three_metrics(0), ["gpt"])["gpt"], metrics)) == ()
    turned = three_metrics(0)
    turned.loc[turned["kind"] == "judge", "metric"] = turned["metric"].map({"M0": "M1", "M1": "M2", "M2": "M0"})
    mixed = halo(sides_of(turned, ["gpt"])["gpt"], metrics)
    assert isinstance(mixed.convergence.interval, Interval)
    assert mixed.convergence.interval.high < 0
    assert [each.sentence for each in halo_caveats(mixed)] == [mixed.convergence_verdict]


@pytest.mark.parametrize(
    ("judges", "style", "warned"),
    [(("a", "b"), 2.0, True), (("a", "b"), 0.0, False), (("gpt-4", "characterrm"), 0.0, True)],
)
def test_judges_that_share_a_teacher(judges: tuple[str, str], style: float, warned: bool) -> None:
    random = np.random.default_rng(5)
    quality, liked = random.normal(size=(2, 48))
    given = {name: (quality + style * liked + random.normal(0, 0.5, 48)).tolist() for name in judges}
    experts = {name: (quality + random.normal(0, 0.5, 48)).tolist() for name in ("ann", "bo")}
    frame = scored(**experts, **given)
    sides, tables = sides_of(frame, judges), expert_tables(frame)
    one, other = (panel(sides[judge], tables, ["KA"]) for judge in judges)
    pair = judge_pair((one, other))
    expected = [("shared teacher", " and ".join(judges), str(pair.verdict))] if warned else []
    found = pair_caveats(pair)
    assert in_english([(each.kind, each.of, each.sentence) for each in found]) == expected
    assert isinstance(pair.shared, Shared)
    shared = pair.shared
    values = {"between": shared.between.estimate, "explained": shared.explained, "excess": shared.excess.estimate}
    assert [dict(each.numbers) for each in found] == [{**values, "n": 48}] * warned


def test_dropped_ratings() -> None:
    [found] = dropped_caveats("mistral-7b", 253, 6336)
    assert in_english(found.sentence).startswith("mistral-7b: 253 of 6,336 ratings (4.0%) are left out.")
    assert found.numbers == {"dropped": 253, "ratings": 6336, "share": pytest.approx(253 / 6336)}
    assert dropped_caveats("mistral-7b", 0, 6336) == ()


def of_judge(judge: list[float], expert: list[float]) -> tuple[Caveat, ...]:
    return outside_caveats(scored(gpt=judge, ann=expert), "gpt", ["KA"], None)


def test_few_scores_beyond_all_of_the_experts() -> None:
    [found] = of_judge([-1.0] * 8 + WIDE[8:], WIDE)
    assert (found.kind, found.of) == ("outside the experts' range", "gpt")
    assert found.numbers == {"outside": 8, "n": 40, "share": 0.2}
    assert in_english(found.sentence).startswith(
        "gpt: scores outside the experts' range on the same metric: KA 8 of 40 (-1)."
    )
    assert of_judge([-1.0] * 9 + WIDE[9:], WIDE) == ()  # another scale
    assert of_judge(WIDE, WIDE[::-1]) == ()
    assert outside_caveats(scored(gpt=[-1.0, *WIDE]), "gpt", ["KA"], None) == ()


def test_one_in_a_hundred_beyond_the_experts_moves_little() -> None:
    hundred = WIDE * 2 + WIDE[:20]
    assert of_judge([-1.0, *hundred[1:]], hundred) == ()
    [found] = of_judge([-1.0, 6.0, *hundred[2:]], hundred)
    assert found.numbers == {"outside": 2, "n": 100, "share": 0.02}
    assert "KA 2 of 100 (-1 to 6)." in in_english(found.sentence)


def test_scores_beyond_the_experts_are_told_the_worst_metric_first_and_on_no_known_scale() -> None:
    low, wide = scored(gpt=[0.0] * 4 + WIDE[4:], ann=WIDE), scored(gpt=WIDE, ann=WIDE)
    lower = scored(gpt=[-3.0] * 6 + WIDE[6:], ann=WIDE).assign(metric="PT")
    both = pd.concat([low, lower, wide.assign(metric="BA", score=wide["score"] / 5 - 0.2)])
    [found] = outside_caveats(both, "gpt", ["BA", "KA", "PT"], None)
    told = in_english(found.sentence)
    assert 0 < told.index("PT 6 of 40 (-3)") < told.index("KA 4 of 40 (0)")
    assert "BA" not in told
    assert found.numbers == {"outside": 10, "n": 80, "share": 0.125}
    assert outside_caveats(both, "gpt", ["BA", "KA", "PT"], (0, 5)) == ()


def test_scores_off_the_scale_are_told_from_one_in_a_hundred_on_the_worst_first() -> None:
    hundred = WIDE * 2 + WIDE[:20]
    frame = scored(gpt=[55.0, *hundred[1:]], glm=[0.0, 9, 9, *hundred[3:]], ann=hundred)
    [found] = off_scale_caveats(frame, SCALE)
    assert in_english((found.kind, found.of)) == ("off the scale", "glm")
    assert found.numbers == {"outside": 3, "n": 100, "share": 0.03}
    assert in_english(found.sentence).startswith(
        "glm: scores outside the scale from 1 to 5 are left out: KA 3 of 100 (3.0%)."
    )
    worse = frame.assign(metric="BA")
    worse.loc[(worse["rater"] == "gpt") & (worse["item"] < "i010"), "score"] = -1
    worse.loc[(worse["rater"] == "glm") & (worse["item"] < "i004"), "score"] = -1
    both = off_scale_caveats(pd.concat([frame, worse]), SCALE)
    assert in_english([each.of for each in both]) == ["gpt", "glm"]
    assert "left out: BA 10 of 100 (10.0%). Look" in in_english(both[0].sentence)
    assert "left out: BA 4 of 100 (4.0%); KA 3 of 100 (3.0%). Look" in in_english(both[1].sentence)
    assert off_scale_caveats(frame, (0, 55)) == ()


def test_a_report_tells_of_scores_off_its_scale() -> None:
    frame = scored(gpt=[55.0] * 8 + WIDE[8:], ann=WIDE)
    for scale, kinds in ((SCALE, ["dropped", "dropped", "off the scale"]), (None, ["outside the experts' range"])):
        report = statistics(frame, scale=scale)
        told = report_caveats(frame, usable_ratings(frame, scale), report)
        assert [each.kind for each in told] == kinds
        assert {str(each.of) for each in told} <= {"all statistics", "gpt"}


def levels_of(r: float, within: float, width: float = 0.1) -> Levels:
    """Of a judge on 60 items, with intervals of this width to both sides."""
    items, scenes = (
        Level(what, Estimate(one, Interval(one - width, one + width, "jackknife by scenes"), 60), 0)
        for what, one in ((ITEMS, r), (WITHIN_SCENES, within))
    )
    return Levels("overall", items, scenes, Undefined("few models"), 60, 10, 0)


NO_PARTS = ValidityByPart({}, None, {})


def test_r_that_is_of_scenes_alone_is_told() -> None:
    [found] = part_caveats("gpt", levels_of(0.6, 0.1), NO_PARTS)
    assert (found.kind, found.of) == ("pooled", "gpt")
    assert found.numbers == {"pooled": 0.6, "within": 0.1, "n": 60}
    assert in_english(found.sentence) == (
        "gpt, overall: r over all items is 0.60, but 0.10 within scenes. Judge and experts agree "
        "on which scenes are better, not on which items are."
    )
    assert part_caveats("gpt", levels_of(0.6, 0.45), NO_PARTS) == ()  # the intervals meet from .5 to .55


def test_r_that_differences_between_scenes_hide_is_told() -> None:
    [found] = part_caveats("gpt", levels_of(-0.1, 0.9), NO_PARTS)
    assert in_english(found.sentence) == (
        "gpt, overall: r over all items is -0.10, but 0.90 within scenes. Judge and experts "
        "agree on the items within scenes; differences between scenes mask this."
    )


def test_r_that_is_of_languages_alone_is_told_and_r_of_another_sign() -> None:
    within = Estimate(-0.05, Interval(-0.6, 0.55, "jackknife by scenes"), 60)
    [found] = part_caveats("gpt", levels_of(0.6, 0.6), replace(NO_PARTS, within_languages=within))
    assert found.numbers == {"pooled": 0.6, "within": -0.05, "n": 60}
    assert "but -0.05 within languages. Judge and experts agree on which languages are" in in_english(found.sentence)
    by_chance = levels_of(0.05, 0.05)
    assert part_caveats("gpt", by_chance, replace(NO_PARTS, within_languages=within)) == ()


def test_without_an_interval_nothing_runs_apart() -> None:
    levels = levels_of(0.6, 0.1)
    assert isinstance(levels.within_scenes, Level)
    bare = replace(levels.within_scenes, pearson=replace(levels.within_scenes.pearson, interval=Undefined("few")))
    assert part_caveats("gpt", replace(levels, within_scenes=bare), NO_PARTS) == ()
    assert part_caveats("gpt", replace(levels, within_scenes=Undefined("few")), NO_PARTS) == ()
    assert part_caveats("gpt", replace(levels, items=Undefined("few")), NO_PARTS) == ()


def test_items_that_are_not_like_the_rest_are_told_for_each_side() -> None:
    def differing(by: float, low: float, high: float) -> Estimate:
        return Estimate(by, Interval(low, high, "jackknife by scenes"), 60)

    judge, experts = differing(-0.5, -0.8, -0.2), differing(0.25, 0.01, 0.49)
    both = selection_caveats("gpt", SelectiveRating(judge, experts))
    assert [(each.kind, each.of) for each in both] == [("selection", "gpt")] * 2
    assert both[0].numbers == {"difference": -0.5, "low": -0.8, "high": -0.2, "n": 60}
    assert "differ from its scores of other items of the same models by -0.50 points [-0.80, -0.20]" in in_english(
        both[0].sentence
    )
    for_these = "by +0.25 points [0.01, 0.49]. Its figures hold for these items, not for all."
    assert for_these in in_english(both[1].sentence)
    assert selection_caveats("gpt", SelectiveRating(differing(0.2, -0.01, 0.41), Undefined("all"))) == ()
    without = replace(judge, interval=Undefined("few scenes"))
    assert selection_caveats("gpt", SelectiveRating(without, without)) == ()


def test_the_caveats_of_a_judge_are_in_its_report() -> None:
    """Of a judge that failed on one item, and whose scores are of languages alone."""
    random = np.random.default_rng(1)
    english, judge, expert = np.arange(120) % 2, random.normal(size=(120, 2)), random.normal(size=(120, 2))
    parts = [
        scored(gpt=(judge[:, k] + 4 * english).tolist(), ann=(expert[:, k] + 4 * english).tolist()) for k in range(2)
    ]
    frame = pd.concat([part.assign(metric=f"M{k}") for k, part in enumerate(parts)], ignore_index=True)
    frame["language"] = np.where(frame["item"].str[1:].astype(int) % 2, "en", "zh")
    frame.loc[(frame["kind"] == "judge") & (frame["item"] < "i008"), "score"] = -9
    report = report_of(frame, "gpt", design_of(frame))
    told = in_english([(caveat.kind, caveat.of) for caveat in report.caveats])
    assert told[:1] == [("outside the experts' range", "gpt")]
    assert ("pooled", "gpt") in told
    assert not {"few items", "few models"} & {kind for kind, _ in told}


def test_of_one_metric_too_the_caveats_of_a_judge_are_in_its_report() -> None:
    frame = scored(gpt=[-1.0, *WIDE[1:]], ann=WIDE)
    report = report_of(frame, "gpt", design_of(frame))
    assert in_english([(caveat.kind, caveat.of) for caveat in report.caveats]) == [
        ("outside the experts' range", "gpt")
    ]
