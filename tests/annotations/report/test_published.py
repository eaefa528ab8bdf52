"""The paper's figures as typed constants fit the bundled rubric."""

import pytest

from annotations.report.published import (
    PRICED_AS_GPT_35,
    SAME_DEVIATIONS,
    SHARED_DEVIATIONS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_6,
)
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


def at_the_price_of_gpt_35(tokens_in: int, tokens_out: int) -> float:
    return round((tokens_in * 0.0005 + tokens_out * 0.0015) / 1000, 4)


def test_only_the_row_of_gpt_4_is_not_priced_by_its_model_which_its_caution_says() -> None:
    """What GPT-3.5 narrated and played has its prices; so has what GPT-4 played."""
    for row in TABLE_6:
        if row.narrator_price is not None:
            assert at_the_price_of_gpt_35(row.narrator_input, row.narrator_output) == row.narrator_price
        if row.characters_price is not None:
            found = at_the_price_of_gpt_35(row.characters_input, row.characters_output)
            assert found == pytest.approx(row.characters_price, abs=0.00011)
    assert [row.characters for row in TABLE_6 if row.caution] == ["GPT-4"]
    row = TABLE_6[0]
    figures = (f"{row.characters_input:,}", f"{row.characters_output:,}", f"${row.characters_price}")
    assert all(figure in PRICED_AS_GPT_35 for figure in figures)


def test_the_deviations_that_english_rows_of_table_1_share_are_as_the_note_says() -> None:
    rows = {
        language: {
            model: [one.sd for one in TABLE_1 if (one.model, one.language) == (model, language)]
            for model in {one.model for one in TABLE_1}
        }
        for language in ("en", "zh")
    }
    one, other = SAME_DEVIATIONS
    assert rows["en"][one] == rows["en"][other]
    assert rows["zh"][one] != rows["zh"][other]
    shared = {
        model: sum(a == b for a, b in zip(sds, rows["en"][one], strict=True)) for model, sds in rows["en"].items()
    }
    told = {"Mistral-7B-v0.2": 7, "Llama-3-8B": 5}
    assert {model: count for model, count in shared.items() if 5 <= count < 8} == told
    words = {7: "seven", 5: "five"}
    assert all(model in SHARED_DEVIATIONS and words[count] in SHARED_DEVIATIONS for model, count in told.items())


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
