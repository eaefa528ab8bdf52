"""Judges that agree better than the experts explain, and those known to be trained on another's scores."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.errors import Undefined
from annotations.resampling.jackknife import Interval
from annotations.validity.ceiling import expert_tables, panel
from annotations.validity.judge_expert_correlation import sides_of
from annotations.validity.shared_teacher import JudgePair, Shared, judge_pair, taught
from tests.annotations.jackknifed import ALPHA, CORRELATION, PLAIN, jackknifed
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples
from tests.fakes.in_english import in_english

EXPERTS = ("ann", "bo", "cy")


def scored(sides: dict[str, np.ndarray], *, scenes: int = 10) -> pd.DataFrame:
    """Items go through the scenes, and then to the next model."""
    return frame_of(
        rating(
            item=f"i{i:03}",
            scene=f"s{i % scenes}",
            model=f"m{i // scenes}",
            rater=rater,
            kind="expert" if rater in EXPERTS else "judge",
            score=score,
        )
        for rater, scores in sides.items()
        for i, score in enumerate(scores)
    )


def simulated(
    style: float, names: tuple[str, str] = ("a", "b"), *, error: float = 1.5, seed: int = 6, n: int = 100
) -> pd.DataFrame:
    """All see the quality of an item, the judges well; the judges also see a style that experts do not care for."""
    random = np.random.default_rng(seed)
    quality, liked = random.normal(size=(2, n))
    experts = {name: quality + random.normal(0, error, n) for name in EXPERTS}
    return scored({**experts, **{name: quality + style * liked + random.normal(0, 0.5, n) for name in names}})


def pair(frame: pd.DataFrame, first: str = "a", second: str = "b") -> JudgePair:
    sides, tables = sides_of(frame, [first, second]), expert_tables(frame)
    return judge_pair((panel(sides[first], tables, ["KA"]), panel(sides[second], tables, ["KA"])))


def shared(found: JudgePair) -> Shared:
    assert isinstance(found.shared, Shared)
    return found.shared


def reason(found: JudgePair) -> str:
    assert isinstance(found.shared, Undefined)
    assert not found.closer
    assert (
        in_english(found.verdict)
        == "It cannot be determined whether a and b agree more with each other than their agreement with the experts"
        f" explains: {found.shared.reason}."
    )
    return str(found.shared.reason)


def test_a_shared_style_is_seen() -> None:
    frame = simulated(style=1.5, error=0.5)
    found = pair(frame)
    wide = frame.pivot(index="item", columns="rater", values="score")
    experts = wide[[*EXPERTS]]
    mean = experts.mean(axis=1)
    alpha = 3 / 2 * (1 - experts.var().sum() / experts.sum(axis=1).var())
    explained = mean.corr(wide["a"]) * mean.corr(wide["b"]) / alpha
    of = shared(found)
    assert of.reliability.estimate == pytest.approx(alpha)
    assert of.explained == pytest.approx(explained)
    assert of.between.estimate == pytest.approx(wide["a"].corr(wide["b"]))
    assert of.excess.estimate == pytest.approx(wide["a"].corr(wide["b"]) - explained)
    assert (of.n, of.experts, of.left_out) == (100, 3, 0)
    assert found.closer
    assert in_english(found.verdict).startswith(
        "a and b agree more with each other than their agreement with the experts explains (r = 0."
    )
    assert "do not count as two independent judges" in in_english(found.verdict)
    assert found.taught is None


def test_intervals_are_those_of_leaving_out_each_scene() -> None:
    frame = simulated(style=1, error=0.5)
    of, rows = shared(pair(frame)), []
    for scene in sorted(set(frame["scene"])):
        wide = frame[frame["scene"] != scene].pivot(index="item", columns="rater", values="score")
        experts = wide[[*EXPERTS]]
        mean = experts.mean(axis=1)
        alpha = 3 / 2 * (1 - experts.var().sum() / experts.sum(axis=1).var())
        between, explained = wide["a"].corr(wide["b"]), mean.corr(wide["a"]) * mean.corr(wide["b"]) / alpha
        rows.append((between, alpha, between - explained))
    figures, scales = (of.between, of.reliability, of.excess), (CORRELATION, ALPHA, PLAIN)
    for estimate, without, scale in zip(figures, np.array(rows).T.tolist(), scales, strict=True):
        assert isinstance(estimate.interval, Interval)
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            jackknifed(estimate.estimate, without, scale), abs=1e-9
        )
        assert estimate.interval.way == "jackknife by scenes"


@pytest.mark.slow
@pytest.mark.parametrize("studies", [16, pytest.param(100, marks=pytest.mark.soak)])
def test_judges_nearer_to_the_truth_than_the_experts_are_not_accused(studies: int) -> None:
    closer, beyond_both = 0, 0
    for seed in range(studies):
        frame = simulated(style=0, seed=seed)
        found = pair(frame)
        closer += found.closer
        wide = frame.pivot(index="item", columns="rater", values="score")
        mean = wide[[*EXPERTS]].mean(axis=1)
        beyond_both += wide["a"].corr(wide["b"]) > max(mean.corr(wide["a"]), mean.corr(wide["b"])) + 0.05
    assert closer <= 0.05 * studies
    # though they agree better with each other than either does with the experts nearly always
    assert beyond_both >= 0.7 * studies


@pytest.mark.slow
def test_a_style_is_seen_in_most_studies_with_reliable_experts() -> None:
    assert sum(pair(simulated(style=1, error=0.7, seed=seed)).closer for seed in range(20)) >= 18


def test_the_verdict_on_judges_who_share_nothing_else_accuses_nobody() -> None:
    found = pair(simulated(style=0, error=0.5))
    assert not found.closer
    assert in_english(found.verdict).startswith("There is no evidence that a and b agree more with each other")
    assert "independent" not in in_english(found.verdict)


def test_judges_who_share_the_truth_alone_have_no_excess_in_many_items() -> None:
    random = np.random.default_rng(3)
    n = 5_000
    quality = random.normal(size=n)
    given = {name: quality + random.normal(0, 1.5, n) for name in EXPERTS}
    frame = scored(
        {**given, "a": quality + random.normal(0, 0.3, n), "b": -quality + random.normal(0, 1, n)}, scenes=200
    )
    of = shared(pair(frame))
    assert of.excess.estimate == pytest.approx(0, abs=0.04)
    assert of.between.estimate == pytest.approx(-1 / np.sqrt(1.09 * 2), abs=0.03)


@settings(max_examples=examples(2, 8))
@given(st.randoms(use_true_random=False), st.permutations(EXPERTS))
def test_neither_the_order_of_judges_and_rows_nor_the_names_of_experts_matter(random: object, names: list[str]) -> None:
    frame = simulated(style=0.5, n=60)
    order = list(range(len(frame)))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = frame.iloc[order].replace({"rater": dict(zip(EXPERTS, names, strict=True))})
    one, two = (shared(each).excess for each in (pair(frame), pair(other, "b", "a")))
    assert one.estimate == pytest.approx(two.estimate)
    assert isinstance(one.interval, Interval)
    assert isinstance(two.interval, Interval)
    assert (one.interval.low, one.interval.high) == pytest.approx((two.interval.low, two.interval.high))


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        ("gpt-4", "CharacterRM", True),
        ("characterrm", "openai/GPT-4-turbo-1106-preview", True),
        ("gpt_4", "characterrm", True),
        ("gpt-4o", "characterrm", False),
        ("gpt-4.1", "characterrm", False),
        ("gpt-4", "chatglm", False),
        ("characterrm", "characterrm-2", False),
    ],
)
def test_the_paper_s_own_judge_is_known_by_its_teacher(first: str, second: str, known: bool) -> None:
    sentence = taught(first, second)
    assert (sentence is not None) == known
    assert taught(second, first) == sentence
    if sentence is not None:
        pupil, teacher = sorted((first, second), key=lambda name: "gpt" in name.casefold())
        assert in_english(sentence) == f"{pupil} was trained on scores of {teacher} (CharacterBox, section 5)."


def test_a_known_teacher_is_named_whatever_the_figures_say() -> None:
    frame = simulated(style=0, names=("gpt-4", "characterrm"), error=0.5)
    found = pair(frame, "gpt-4", "characterrm")
    assert not found.closer
    told = "characterrm was trained on scores of gpt-4 (CharacterBox, section 5). "
    assert in_english(found.verdict).startswith(f"{told}There is no evidence that gpt-4 and characterrm agree more")
    alone = pair(frame[~frame["rater"].isin(["bo", "cy"])], "gpt-4", "characterrm")
    assert isinstance(alone.shared, Undefined)
    assert in_english(alone.verdict).startswith(
        f"{told}It cannot be determined whether gpt-4 and characterrm agree more"
    )


def test_what_the_ratings_do_not_determine_says_why() -> None:
    frame = simulated(style=0, error=0.5)
    one = frame[~frame["rater"].isin(["bo", "cy"])]
    assert "needs two experts; found ann" in in_english(reason(pair(one)))
    assert "needs two experts; found none" in in_english(reason(pair(frame[frame["kind"] == "judge"])))
    few = frame[frame["item"] < "i009"]
    assert "at least 10 items scored by all experts and both judges are needed; found 9" in in_english(
        reason(pair(few))
    )
    same = frame.assign(score=frame["score"].where(frame["rater"] != "b", 3.0))
    assert reason(pair(same)) == "b gave all 100 items the same score, 3"
    constant = frame.assign(score=frame["score"].where(frame["rater"] != "cy", 3.0))
    assert "all 100 scores are the same for cy" in reason(pair(constant))
    against = frame.assign(score=frame["score"].where(~frame["rater"].isin(["bo"]), -2 * frame["score"]))
    assert "the reliability of the experts' mean is -" in reason(pair(against))


def test_where_more_than_any_agreement_is_explained_nothing_is_said() -> None:
    # Both judges are the experts' mean itself: r = 1 with it, over a reliability below 1.
    frame = simulated(style=0)
    mean = frame[frame["kind"] == "expert"].groupby("item")["score"].mean()
    judges = frame["kind"] == "judge"
    frame.loc[judges, "score"] = frame.loc[judges, "item"].map(mean)
    assert "so there is no excess" in in_english(reason(pair(frame)))


def test_only_items_that_all_scored_count() -> None:
    frame = simulated(style=1, error=0.5)
    gone = (frame["rater"] == "bo") & (frame["item"] < "i020") | (frame["rater"] == "b") & (frame["item"] > "i089")
    whole = frame["item"].between("i020", "i089")
    of, same = shared(pair(frame[~gone])), shared(pair(frame[whole]))
    assert (of.n, of.left_out) == (70, 30)
    assert of.excess == same.excess


def test_of_one_scene_there_is_no_interval_and_no_verdict() -> None:
    few = pair(simulated(style=3, error=0.3, n=16).assign(scene="s0", model="m0"))
    assert isinstance(shared(few).excess.interval, Undefined)
    assert shared(few).excess.estimate > 0
    assert not few.closer
    assert "no interval" in in_english(few.verdict)
