"""Every caveat at its threshold: there just beyond it, and not there just before."""

import numpy as np
import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.reliability.cronbach_alpha import cronbach_alpha
from annotations.reliability.item_analysis import SpearmanBrown
from annotations.report.judge_report import judge_report
from annotations.report.report import design_of
from annotations.report.warnings_on_figures import (
    Caveat,
    consistency_caveats,
    dropped_caveats,
    halo_caveats,
    outside_caveats,
    pair_caveats,
    score_caveats,
    side_caveats,
)
from annotations.validity.ceiling import expert_tables, panel
from annotations.validity.halo import halo
from annotations.validity.judge_expert_correlation import sides_of
from annotations.validity.shared_teacher import Shared, judge_pair
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


@pytest.mark.parametrize(("n", "said"), [(9, "too few to say anything"), (10, "are few"), (29, "are few"), (30, None)])
def test_few_items(n: int, said: str | None) -> None:
    for found in (of_scores(WIDE[:n]), of_sides(WIDE[:n], WIDE[:n])):
        assert [each.kind for each in found] == (["few items"] if said else [])
        assert all(str(said) in in_english(each.sentence) and in_english(each.numbers) == {"n": n} for each in found)


def test_nine_of_ten_scores_on_two_neighbouring_points() -> None:
    [found] = of_scores([3.0, 4] * 18 + [1, 2, 5, 5])
    assert (found.kind, found.numbers) == ("restricted range", {"share": 0.9, "low": 3, "high": 4, "n": 40})
    assert "90% of 40 scores lie on 3 to 4 of the scale 1 to 5" in in_english(found.sentence)
    assert of_scores([3.0, 4] * 17 + [3, 1, 2, 5, 5, 1]) == ()
    [between] = of_scores([3.0, 3.25, 3.5, 4] * 10)
    assert between.numbers["share"] == 1


def test_a_side_that_spreads_less_than_60_percent_as_far() -> None:
    # Shrunk to the middle by a factor, with the extremes of the judge beyond two neighbouring points of the scale.
    def shrunk(factor: float) -> list[float]:
        return [3 + factor * (score - 3) for score in WIDE]

    [found] = of_sides(shrunk(0.59), WIDE)
    assert in_english((found.kind, found.of)) == ("restricted range", "gpt, KA")
    assert found.numbers["ratio"] == pytest.approx(0.59)
    assert "59% as far as those of the experts' mean" in in_english(found.sentence)
    assert of_sides(shrunk(0.61), WIDE) == ()
    [other] = of_sides(WIDE, shrunk(0.59))
    assert in_english(other.of) == "the experts' mean, KA"


def test_a_negative_coefficient() -> None:
    negative = cronbach_alpha(pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 1]}))
    [found] = consistency_caveats("Consistency, experts", negative)
    assert (found.kind, found.of) == ("negative alpha", "Consistency, experts")
    assert found.numbers == {"estimate": pytest.approx(-2), "n": 3}
    assert "alpha is negative (-2.00, n = 3 rows)" in in_english(found.sentence)
    [halves] = consistency_caveats("Consistency", SpearmanBrown(-0.5, Undefined("few"), 12, -0.2))
    assert "Spearman-Brown coefficient is negative (-0.50, n = 12 rows)" in in_english(halves.sentence)
    assert consistency_caveats("Consistency", SpearmanBrown(0.0, Undefined("few"), 12, 0.0)) == ()


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
    assert ("convergence" in found) == bool(strong.matrix.not_convergent)
    assert halo_caveats(halo(sides_of(three_metrics(0), ["gpt"])["gpt"], metrics)) == ()
    swapped = three_metrics(0)
    swapped.loc[swapped["kind"] == "judge", "metric"] = swapped["metric"].map({"M0": "M1", "M1": "M0", "M2": "M2"})
    mixed = halo(sides_of(swapped, ["gpt"])["gpt"], metrics)
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
        "gpt: scores lie below or above all of the experts' on the same metric: KA 8 of 40 (-1)."
    )
    assert of_judge([-1.0] * 9 + WIDE[9:], WIDE) == ()  # another scale
    assert of_judge(WIDE, WIDE[::-1]) == ()
    assert outside_caveats(scored(gpt=[-1.0, *WIDE]), "gpt", ["KA"], None) == ()


def test_scores_beyond_the_experts_are_told_metric_by_metric_and_on_no_known_scale() -> None:
    low, wide = scored(gpt=[0.0] * 4 + WIDE[4:], ann=WIDE), scored(gpt=WIDE, ann=WIDE)
    both = pd.concat([low, wide.assign(metric="BA", score=wide["score"] / 5 - 0.2)])
    [found] = outside_caveats(both, "gpt", ["BA", "KA"], None)
    assert "KA 4 of 40 (0)." in in_english(found.sentence)
    assert outside_caveats(both, "gpt", ["BA", "KA"], (0, 5)) == ()


@pytest.mark.slow
def test_few_models_are_those_that_r_rests_on() -> None:
    for models, told in ((2, []), (3, [3]), (9, [9]), (10, [])):
        judged = scored(
            gpt=[float(1 + (7 * i) % 5) for i in range(72)], ann=[float(1 + (3 * i) % 5) for i in range(72)]
        )
        seen = (judged["kind"] == "judge") | (judged["model"].str[1:].astype(int) < models)
        report = judge_report(judged[seen], "gpt", design_of(judged[seen]))
        assert [caveat.numbers["n"] for caveat in report.caveats if caveat.kind == "few models"] == told


def test_the_caveats_of_a_judge_are_in_its_report() -> None:
    few = scored(gpt=[-1.0, *WIDE[1:6]], ann=WIDE[:6])
    report = judge_report(few, "gpt", design_of(few))
    told = {(caveat.kind, caveat.of) for caveat in report.caveats}
    assert ("outside the experts' range", "gpt") in told
    assert in_english(("few items", "gpt and the experts' mean, overall")) in in_english(told)
