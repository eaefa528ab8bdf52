"""The table that agreement is read from: what it holds, what is left out of it, and what is refused."""

import math

import pandas as pd
import pytest

from annotations.errors import RatingError, UndefinedStatistic
from annotations.marking.rating import Dropped
from annotations.reliability.agreement import rated_items
from tests.annotations.tables import frame_of, rating
from tests.fakes.in_english import in_english


def scored(*rows: tuple[str, str, float], **changes: object) -> pd.DataFrame:
    """Item, rater and score of each row."""
    return frame_of(
        rating(item=item, scene=f"of {item}", rater=rater, kind="expert", score=score) | changes
        for item, rater, score in rows
    )


HOLED = scored(("c", "bo", 2), ("a", "bo", 4), ("a", "ann", 5), ("b", "bo", math.nan), ("c", "di", math.nan))


def test_the_table_has_a_row_for_each_item_and_a_column_for_each_rater_with_a_score() -> None:
    rated = rated_items(HOLED)
    assert rated.metric == "KA"
    assert rated.scores.columns.tolist() == ["ann", "bo"]
    assert rated.scores.fillna(0).to_numpy().tolist() == [[5, 4], [0, 0], [0, 2]]
    assert rated.scores.index.tolist() == rated.places.index.tolist() == ["a", "b", "c"]
    assert rated.places["scene"].tolist() == ["of a", "of b", "of c"]


def test_items_with_fewer_than_two_scores_are_named_with_who_scored_them() -> None:
    several, dropped = rated_items(HOLED).by_several
    assert several.scores.index.tolist() == several.places.index.tolist() == ["a"]
    assert in_english(dropped) == (
        Dropped("b", "KA", None, "fewer than two raters", "no score"),
        Dropped("c", "KA", "bo", "fewer than two raters", "1 score"),
    )


def test_a_rater_who_shares_no_item_is_not_counted_among_those_who_agree() -> None:
    several, _ = rated_items(pd.concat([HOLED, scored(("c", "eve", 2), ("d", "fay", 1))])).by_several
    assert several.scores.columns.tolist() == ["ann", "bo", "eve"]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (pd.concat([HOLED, scored(("a", "bo", 4), metric="BA")]), r"more than one metric \(BA, KA\)"),
        (pd.concat([HOLED, scored(("a", "gpt", 4), kind="judge")]), r"more than one kind of rater \(expert, judge\)"),
    ],
)
def test_ratings_of_several_metrics_or_kinds_are_refused(frame: pd.DataFrame, reason: str) -> None:
    with pytest.raises(RatingError, match=reason):
        rated_items(frame)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (scored(("a", "bo", math.nan)), "none of these raters scored KA"),
        (scored(("a", "bo", 4), ("a", "di", math.nan)), "only one rater, bo, scored KA"),
    ],
)
def test_one_rater_alone_agrees_with_nobody(frame: pd.DataFrame, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        rated_items(frame)


def test_raters_who_never_meet_agree_on_nothing() -> None:
    with pytest.raises(UndefinedStatistic, match="none of the 2 items was scored on KA by two raters"):
        _ = rated_items(scored(("a", "bo", 4), ("b", "di", 3))).by_several
