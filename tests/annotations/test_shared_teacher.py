"""Judges that agree more with each other than with the experts, and those known to be trained on another's scores."""

import numpy as np
import pandas as pd
import pytest

from annotations.comparing import compare
from annotations.errors import UndefinedStatistic
from annotations.resampling import Drawing, Interval
from annotations.shared_teacher import JudgePair, judge_pair, taught
from annotations.undefined import Undefined
from annotations.validity import sides_of
from tests.annotations.tables import frame_of, rating


def scored(sides: dict[str, np.ndarray], *, scenes: int = 10) -> pd.DataFrame:
    """`ann` is the expert; items go through the scenes, and then to the next model."""
    return frame_of(
        rating(
            item=f"i{i:03}",
            scene=f"s{i % scenes}",
            model=f"m{i // scenes}",
            rater=rater,
            kind="expert" if rater == "ann" else "judge",
            score=score,
        )
        for rater, scores in sides.items()
        for i, score in enumerate(scores)
    )


def simulated(style: float, names: tuple[str, str] = ("a", "b"), n: int = 100) -> pd.DataFrame:
    """Both judges see the quality of an item, and a style that experts do not care for."""
    random = np.random.default_rng(6)
    quality, liked = random.normal(size=(2, n))
    noise = random.normal(0, 0.5, size=(3, n))
    judges = {name: quality + style * liked + noise[k] for k, name in enumerate(names)}
    return scored({"ann": quality + noise[2], **judges})


def pair(frame: pd.DataFrame, first: str = "a", second: str = "b", *, draws: int = 2000) -> JudgePair:
    sides = sides_of(frame, [first, second])
    return judge_pair(compare((sides[first], sides[second]), ["KA"], Drawing(draws=draws)))


def test_a_shared_style_is_seen() -> None:
    frame = simulated(style=1.5)
    found = pair(frame)
    r = frame.pivot(index="item", columns="rater", values="score").corr()
    excess = r.loc["a", "b"] - max(r.loc["ann", "a"], r.loc["ann", "b"])
    assert found.comparison.excess.estimate == pytest.approx(excess)
    assert found.closer
    assert found.verdict.startswith("a and b agree better with each other than either does with the experts (r = 0.")
    assert "may share a teacher" in found.verdict
    assert (found.comparison.n, found.taught) == (100, None)


def test_judges_who_share_nothing_but_the_items_are_not_accused() -> None:
    found = pair(simulated(style=0))
    assert not found.closer
    assert found.verdict.startswith("a and b are not shown to agree better")
    assert "teacher" not in found.verdict


def test_the_order_of_the_judges_and_of_the_rows_changes_nothing() -> None:
    frame = simulated(style=0.5)
    shuffled = frame.sample(frac=1, random_state=1)
    one, two = (each.comparison.excess for each in (pair(frame, draws=50), pair(shuffled, "b", "a", draws=50)))
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
        assert sentence == f"{pupil} was trained on scores of {teacher} (CharacterBox, section 5)."


def test_a_known_teacher_is_named_whatever_the_figures_say() -> None:
    found = pair(simulated(style=0, names=("gpt-4", "characterrm")), "gpt-4", "characterrm")
    assert not found.closer
    assert found.verdict.startswith("characterrm was trained on scores of gpt-4 (CharacterBox, section 5). ")


def test_what_cannot_be_compared_says_why() -> None:
    frame = simulated(style=1)
    with pytest.raises(UndefinedStatistic, match="at least 10 items scored by both and the experts; there are 9"):
        pair(frame[frame["item"] < "i009"])
    with pytest.raises(UndefinedStatistic, match="all 100 scores are the same for b"):
        pair(frame.assign(score=frame["score"].where(frame["rater"] != "b", 3.0)))
    few = pair(frame[frame["item"] < "i016"].assign(scene="s0"))
    assert isinstance(few.comparison.excess.interval, Undefined)
    assert not few.closer
    assert "no interval" in few.verdict
