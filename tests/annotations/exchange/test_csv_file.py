"""No cell begins like a formula, and every text comes back as it was."""

import pytest
from hypothesis import given

from annotations.exchange.csv_file import guarded, unguarded
from tests.annotations.exchange.records import NASTY, texts


@given(texts())
def test_a_text_comes_back_and_its_cell_is_no_formula(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
    assert cell == cell.lstrip()


@pytest.mark.parametrize("text", ["Ann", "王", "a=b", "3-4", "o'clock", "a 'b'", ""])
def test_a_plain_text_is_its_own_cell(text: str) -> None:
    assert guarded(text) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("'=1", "''=1"),
        (" a", "' a"),
        ("a ", "'a "),
        ("'tis", "''tis"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\u200b=1", "'\u200b=1"),
        ("\u3000＝1", "'\u3000＝1"),
    ],
)
def test_what_needs_it_gets_an_apostrophe(text: str, cell: str) -> None:
    assert guarded(text) == cell


@pytest.mark.parametrize(("cell", "text"), [(" Ann\t", "Ann"), ("'tis", "'tis"), ("'Ann'", "'Ann'"), (" '=x", "'=x")])
def test_cells_of_others_lose_their_outer_blanks_only(cell: str, text: str) -> None:
    assert unguarded(cell) == text


def test_guarding_keeps_apart_what_is_apart() -> None:
    assert len({guarded(text) for text in NASTY}) == len(NASTY)
