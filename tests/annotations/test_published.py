"""The paper's figures as typed constants fit the bundled rubric."""

from annotations.published import TABLE_2, TABLE_3
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
