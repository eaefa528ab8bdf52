"""A model finds its published row by the name under which it is served."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import RatingError
from annotations.report.published_names import PUBLISHED, SHIPPED, PublishedNames, checked_name, shipped


@pytest.mark.parametrize(
    ("served", "row"),
    [
        ("Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-8B"),
        ("mistralai/Mistral-7B-Instruct-v0.2", "Mistral-7B-v0.2"),
        ("gpt-4-1106-preview", "GPT-4"),
        ("gpt-3.5-turbo-1106", "GPT-3.5"),
        ("microsoft/Phi-3.5-mini-instruct", "Phi-3.5-mini"),
        ("baichuan-inc/Baichuan2-7B-Chat", "Baichuan2-7B"),
        ("Mistral-7B-Instruct-v0.3", None),
        ("gpt-4o", None),
        ("gpt-3.5-turbo-0125", None),
        ("", None),
    ],
)
def test_names_that_come_with_the_package(served: str, row: str | None) -> None:
    assert SHIPPED.row(served) == row


@given(
    st.sampled_from(PUBLISHED), st.sampled_from([str.upper, str.lower, str.title]), st.sampled_from(["", "a/", "/b/c/"])
)
def test_every_published_model_is_found_by_its_own_name_in_any_case_and_place(row: str, case, place: str) -> None:
    assert SHIPPED.row(place + case(row)) == row


def test_all_names_that_come_along_lead_to_a_published_row() -> None:
    assert set(shipped().values()) == set(PUBLISHED)


def test_what_people_add_goes_before_and_the_whole_name_before_its_end() -> None:
    names = PublishedNames({"qwen2.5-7b-instruct": None, "us/qwen2.5-7b-instruct": "Qwen2.5-14B", "mine": "GPT-4"})
    assert names.row("Qwen/Qwen2.5-7B-Instruct") is None
    assert names.row("us/Qwen2.5-7B-Instruct") == "Qwen2.5-14B"
    assert names.row("org/Mine") == "GPT-4"
    assert names.row("Phi-3.5-mini-instruct") == "Phi-3.5-mini"


@pytest.mark.parametrize("name", ["", "  ", "a\u200bb", "a\nb", "x" * 201])
def test_a_name_that_nobody_can_read_is_refused(name: str) -> None:
    with pytest.raises(RatingError, match="visible characters only"):
        checked_name(name, "GPT-4")


def test_a_row_that_is_not_published_is_refused() -> None:
    with pytest.raises(RatingError, match="has no row 'GPT-5'"):
        checked_name("x", "GPT-5")
