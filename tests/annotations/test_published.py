"""The paper's figures as typed constants fit the bundled rubric."""

import pytest

from annotations.published import TABLE_1, TABLE_2, TABLE_3, TABLE_6
from annotations.rubric import load_rubric


def test_table_2_has_each_dimension_of_the_rubric_in_both_languages() -> None:
    names = [dimension.name.en for dimension in load_rubric().dimensions]
    assert [(row.dimension, row.language) for row in TABLE_2] == [
        (name, code) for name in names for code in ("en", "zh")
    ]
    assert [row.alpha for row in TABLE_2] == [0.958, 0.951, 0.832, 0.862, 0.945, 0.941]


def test_table_3_has_each_metric_of_the_rubric_and_overall_for_each_judge() -> None:
    found = {(row.judge, row.metric): row.pearson for row in TABLE_3}
    judges = ("GPT-4", "ChatGLM", "CharacterRM")
    assert list(found) == [(judge, metric) for judge in judges for metric in (*load_rubric().keys, "overall")]
    assert [found[judge, "overall"] for judge in judges] == [0.688, 0.482, 0.610]
    assert (found["GPT-4", "AD"], found["ChatGLM", "PT"], found["CharacterRM", "KA"]) == (0.742, 0.151, 0.681)


def test_table_1_has_each_metric_and_the_average_of_nine_models_in_both_languages() -> None:
    found = {(row.language, row.model, row.metric): row for row in TABLE_1}
    assert len(found) == len(TABLE_1) == 2 * 9 * 8
    keys = load_rubric().keys
    for (language, model, metric), row in found.items():
        if metric == "overall":
            mean = sum(found[language, model, key].mean for key in keys) / len(keys)
            assert row.mean == pytest.approx(mean, abs=0.005), "the average is that of the seven"
    best = {language: max((row for row in TABLE_1 if row.language == language and row.metric == "overall"),
                          key=lambda row: row.mean) for language in ("en", "zh")}  # fmt: skip
    assert {one.model for one in best.values()} == {"GPT-4"}
    assert (found["zh", "GPT-4", "IM"].mean, found["zh", "GPT-4", "IM"].sd) == (4.530, 0.30)


def test_the_prices_of_table_6_add_up() -> None:
    for row in TABLE_6:
        parts = [price for price in (row.narrator_price, row.characters_price) if price is not None]
        assert row.price == (pytest.approx(sum(parts), abs=0.00011) if parts else None)
