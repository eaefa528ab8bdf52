"""What is selected of a table of ratings: one language, some models, or all of it."""

import pickle

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.resampling.jackknife import USUAL
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.tables.text import file_name
from tests.components.figures.ratings_sample import EVERYTHING, campaign

FRAME = campaign(scenes=2)


def test_everything_is_all_ratings_with_the_usual_intervals() -> None:
    pd.testing.assert_frame_equal(EVERYTHING.of(FRAME), FRAME)
    assert Selection(None, (), USUAL) == EVERYTHING


@given(st.sampled_from([None, "en", "zh"]), st.lists(st.sampled_from(["m0", "m1"]), unique=True))
def test_a_selection_has_the_ratings_of_its_language_and_models_and_no_others(
    language: str | None, models: list[str]
) -> None:
    found = Selection(language, tuple(models)).of(FRAME)
    expected = [
        row
        for row in FRAME.to_dict("records")
        if row["language"] in ([language] if language else ["en", "zh"]) and row["model"] in (models or ["m0", "m1"])
    ]
    assert found.to_dict("records") == expected
    assert expected


def test_a_rating_without_a_language_is_of_none() -> None:
    frame = FRAME.copy()
    frame.loc[frame["scene"] == "en-0", "language"] = None
    assert set(Selection("en").of(frame)["scene"]) == {"en-1"}
    assert len(Selection(models=("m0", "m1")).of(frame)) == len(frame)


def test_ratings_that_name_no_language_are_selected_by_model() -> None:
    found = Selection(models=("m1",)).of(FRAME.drop(columns="language"))
    assert set(found["model"]) == {"m1"}


def test_the_same_choices_are_the_same_selection_in_another_process_too() -> None:
    chosen = Selection("en", ("m0",), "scenes and models")
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    assert len({chosen, Selection("en", ("m0",), "scenes and models"), Selection("en", ("m0",))}) == 2


@pytest.mark.parametrize(
    ("selection", "short"),
    [
        (Selection(), ""),
        (Selection("zh"), "zh"),
        (Selection(models=("m0",)), "m0"),
        (Selection("en", ("m0", "m1")), "en-m0+m1"),
    ],
)
def test_the_part_in_a_few_letters(selection: Selection, short: str) -> None:
    assert selection.short == short


def test_the_name_of_a_file_is_one_on_any_system() -> None:
    assert file_name("figures", "") == "figures"
    assert file_name("scatter 裁判/../..\\:*?<b>\n KA", "en") == "scatter-裁判-..-..-b-KA-en"
    long = file_name("scatter", "裁判" * 100, "x" * 300 + "y", "KA")
    assert long.startswith("scatter-裁判裁判")
    assert long.endswith("x-KA")
    assert len(f"{long}.svg".encode()) < 255
