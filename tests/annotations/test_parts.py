"""Parts of a table of ratings: each is one language or one model, and together they are all ratings twice."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.parts import WHOLE, Part, parts_of
from tests.annotations.tables import frame_of, rating
from tests.fakes.examples import examples


def ratings(places: list[tuple[str, str]]) -> pd.DataFrame:
    """One rating for each language and model."""
    rows = [
        {**rating(item=f"i{number}", model=model), "language": language}
        for number, (language, model) in enumerate(places)
    ]
    return frame_of(rows)


def test_all_then_languages_then_models() -> None:
    frame = ratings([("zh", "m1"), ("en", "m0"), ("en", "m1")])
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
    assert list(parts_of(ratings([("en", "m0"), ("en", "m0")]))) == [WHOLE]
    assert list(parts_of(ratings([("en", "m0"), ("zh", "m0")]))) == [WHOLE, Part("en"), Part("zh")]
    nameless = ratings([("en", "m0"), ("zh", "m1")]).drop(columns="language")
    assert list(parts_of(nameless)) == [WHOLE, Part(model="m0"), Part(model="m1")]


def test_a_rating_without_a_language_is_in_no_language() -> None:
    frame = ratings([("en", "m0"), ("zh", "m0"), ("en", "m0")])
    frame.loc[2, "language"] = None
    assert [len(own) for own in parts_of(frame).values()] == [3, 1, 1]


@settings(max_examples=examples(25, 100))
@given(st.lists(st.tuples(st.sampled_from(["en", "zh"]), st.sampled_from("abc")), min_size=1, max_size=12))
def test_the_parts_of_a_kind_hold_each_rating_once(places: list[tuple[str, str]]) -> None:
    frame = ratings(places)
    found = parts_of(frame)
    pd.testing.assert_frame_equal(found[WHOLE], frame)
    for kind in ("language", "model"):
        own = [part for key, part in found.items() if getattr(key, kind) is not None]
        assert all(part[kind].nunique() == 1 for part in own)
        assert sorted(item for part in own for item in part["item"]) == (sorted(frame["item"]) if own else [])
        assert len(own) != 1
