"""Two narrators side by side: counts and shares worked by hand, and what is left undefined."""

import pandas as pd
import pytest

from annotations.errors import Undefined
from annotations.reliability.narrator_agreement import COLUMNS, Nominal, Somebody, Wording, cross_check


def table(*rows, language="en"):
    made = [("s1", "w: s1", language, f"r{at}/ann/{row[0]}", *row) for at, row in enumerate(rows, 1)]
    return pd.DataFrame(made, columns=list(COLUMNS))


def influence(first, second, importance=(5, 5), text=("abcd", "abcd")):
    return ("influence", first, second, *importance, *text)


def result(text, importance=(5, 5)):
    return ("result", "Bob", "Bob", *importance, *text)


def test_who_is_affected_worked_by_hand():
    # Equal in 3 of 5. The first says Bob 3, nobody 2; the second Bob 2, nobody 2, Cai 1: by chance (3x2 + 2x2) / 25.
    found = cross_check(
        table(
            influence("Bob", "Bob"), influence("Bob", "Bob"), influence("Bob", None), influence(None, None),
            influence(None, "Cai"),
        )
    )  # fmt: skip
    assert isinstance(found.affected, Nominal)
    assert found.affected.share.estimate == pytest.approx(3 / 5)
    assert found.affected.by_chance == pytest.approx(10 / 25)
    assert found.affected.kappa.estimate == pytest.approx((3 / 5 - 2 / 5) / (1 - 2 / 5))
    assert isinstance(found.somebody, Somebody)
    counts = found.somebody
    assert (counts.both, counts.first_only, counts.second_only, counts.neither) == (2, 1, 1, 1)
    # Somebody by the first 3 of 5, by the second 3 of 5: by chance 9/25 + 4/25.
    assert counts.agreement.kappa.estimate == pytest.approx((3 / 5 - 13 / 25) / (1 - 13 / 25))
    assert (found.stories, found.scenes) == (1, 1)


def test_nobody_at_all_is_told_by_both():
    found = cross_check(table(influence(None, None), influence(None, None)))
    assert found.affected.share.estimate == 1
    assert isinstance(found.affected.kappa, Undefined)
    assert (found.somebody.both, found.somebody.neither) == (0, 2)


def test_importance_is_compared_where_both_gave_one():
    rows = [influence("Bob", "Bob", importance=one) for one in ((1, 2), (4, 5), (9, 10), (3, None))]
    icc = cross_check(table(*rows)).importance
    # Three items; the second is always one higher, so that there is no error: MSR / (MSR + 2 MSC / 3).
    between = 2 * sum((mean - 31 / 6) ** 2 for mean in (1.5, 4.5, 9.5)) / 2
    raters = 3 * 2 * 0.25 / 1
    assert icc["influence"].estimate == pytest.approx(between / (between + 2 / 3 * raters))
    assert icc["influence"].n == 3
    assert isinstance(icc["result"], Undefined)


def test_wording_worked_by_hand():
    # abcd has abc, bcd; abce has abc, bce: 2 x 1 / 4. "Same  TEXT" and "same text" are one; ab and xy have nothing.
    found = cross_check(table(result(("abcd", "abce")), result(("Same  TEXT", "same text")), result(("ab", "xy"))))
    near = found.wording["result"]
    assert isinstance(near, Wording)
    assert near.similarity.estimate == pytest.approx((0.5 + 1 + 0) / 3)
    assert near.of_others == 0
    assert near.n == 3
    chinese = cross_check(table(result(("他走了", "他走开")), language="zh")).wording["result"]
    assert chinese.similarity.estimate == pytest.approx(0.5)


def test_wording_of_influences_counts_only_where_both_name_the_same():
    rows = [influence("Bob", "Cai", text=("abc", "abc")), influence("Bob", "Bob", text=("abc", "xyz"))]
    near = cross_check(table(*rows)).wording["influence"]
    assert (near.similarity.estimate, near.n) == (0, 1)
    assert near.of_others is None


def test_wording_counts_nobody_as_the_same_where_the_first_names_nobody_at_all():
    rows = [influence(None, None, text=("abc", "abc")), influence(None, "Bob"), influence(None, None)]
    near = cross_check(table(*rows)).wording["influence"]
    assert (near.similarity.estimate, near.n) == (1, 2)


def test_an_empty_table_leaves_everything_undefined():
    found = cross_check(pd.DataFrame(columns=list(COLUMNS)))
    undefined = [found.affected, found.somebody, *found.importance.values(), *found.wording.values()]
    assert all(isinstance(one, Undefined) for one in undefined)
