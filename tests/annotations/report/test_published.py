"""The paper's figures as typed constants fit the bundled rubric."""

import pytest

from annotations.report.published import TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_6
from annotations.rubrics.rubric import load_rubric


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


def test_table_4_has_each_metric_of_the_rubric_of_scenes_but_for_the_creativity_of_extracted_ones() -> None:
    found = {(row.screenwriter, row.metric, row.origin): (row.mean, row.sd) for row in TABLE_4}
    assert len(found) == len(TABLE_4) == 4 * 7
    assert {row.metric for row in TABLE_4} == set(load_rubric("scene").keys)
    assert not [row for row in TABLE_4 if (row.metric, row.origin) == ("creativity", "extracted")]
    sums = {
        name: round(sum(row.mean for row in TABLE_4 if row.screenwriter == name), 1)
        for name in ("GPT-4", "GPT-3.5", "ChatGLM3", "Three-Stage")
    }
    assert sums == {"GPT-4": 24.7, "GPT-3.5": 23.3, "ChatGLM3": 23.3, "Three-Stage": 28.0}
    assert found["Three-Stage", "detail", "extracted"] == (4.1, 0.27)
    assert found["ChatGLM3", "conformity", "generated"] == (4.0, 0.22)
    assert found["GPT-4", "coherence", "extracted"] == (3.7, 0.32)
