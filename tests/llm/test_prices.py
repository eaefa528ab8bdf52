"""Prices: worked by hand, and never 0 for what is not known."""

import pytest

from characterbox.errors import CharacterBoxError
from characterbox.llm.usage import Price, Prices

PRICES = Prices({"a": Price(input=2, cached=0.5, output=8), "b": Price(input=10, output=30)})


@pytest.mark.parametrize(
    ("model", "counts", "dollars"),
    [
        ("a", (1_000_000, 0, 0), 2.0),
        ("a", (1_000_000, None, 1_000_000), 10.0),
        ("a", (1_000_000, 400_000, 100_000), 1.2 + 0.2 + 0.8),
        ("b", (1_000_000, 400_000, 100_000), 10.0 + 3.0),
        ("a", (1_000, 5_000, 0), 0.0005),
        ("a", (0, 0, 0), 0.0),
        ("a-2024-08-06", (1_000_000, 0, 0), 2.0),
        ("a-20240806", (1_000_000, 0, 0), 2.0),
        ("a-0613", (1_000_000, 0, 0), 2.0),
        ("a-2024", (1_000_000, 0, 0), 2.0),
        ("a-mini", (1_000_000, 0, 0), None),
        ("A", (1_000_000, 0, 0), None),
        ("c", (0, 0, 0), None),
        ("a", (None, None, 5), None),
        ("a", (5, None, None), None),
    ],
)
def test_what_a_call_cost(model, counts, dollars):
    assert PRICES.price(model, *counts) == (None if dollars is None else pytest.approx(dollars))


def test_the_bundled_prices_are_per_million_tokens():
    bundled = Prices.load()
    assert bundled.price("gpt-4o-2024-08-06", 1_000_000, 1_000_000, 1_000_000) == pytest.approx(1.25 + 10)
    assert bundled.price("gpt-4o-2024-05-13", 1_000_000, 0, 0) == pytest.approx(5), "a date with a price of its own"
    assert bundled.price("gpt-4.1", 1_000_000, 0, 1_000_000) == pytest.approx(10)
    assert bundled.price("gpt-4", 1_000, 0, 1_000) == pytest.approx(0.09)


def test_an_own_file_wins_and_need_not_be_there(tmp_path):
    own = tmp_path / "prices.toml"
    assert Prices.load(own) == Prices.load()
    own.write_text('[gpt-4o]\ninput = 1\noutput = 2\n["my.model"]\ninput = 0\noutput = 0\n', encoding="utf-8")
    both = Prices.load(own)
    assert both.price("gpt-4o", 1_000_000, 1_000_000, 0) == pytest.approx(1)
    assert both.price("my.model", 5, 0, 5) == 0
    assert both.price("gpt-4o-mini", 1_000_000, 0, 0) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[m]\ninput = 1", r"\[m\] output"),
        ("[m]\ninput = -1\noutput = 1", r"\[m\] input"),
        ("[m]\ninput = nan\noutput = 1", r"\[m\] input"),
        ("[m]\ninput = 1\noutput = 1\ncache = 1", r"\[m\] cache"),
        ("m = 3", r"\[m\]"),
        ("[gpt-4.1]\ninput = 1\noutput = 1", "put a name with dots in quotes"),
        ("[m]\ninput = one", "line 2"),
    ],
)
def test_a_file_that_can_not_be_used_says_where(tmp_path, text, told):
    own = tmp_path / "prices.toml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(CharacterBoxError, match=told) as caught:
        Prices.load(own)
    assert str(own) in str(caught.value)


def test_a_file_that_can_not_be_read_says_so(tmp_path):
    with pytest.raises(CharacterBoxError, match="cannot be read"):
        Prices.load(tmp_path)


def test_a_file_is_utf_8_with_or_without_a_byte_order_mark(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('["通义"]\ninput = 1.0\noutput = 2.0\n', "utf-8-sig")
    assert Prices.load(own).of["通义"].output == 2.0
    own.write_text('["通义"]\n', "gb18030")
    with pytest.raises(CharacterBoxError, match=r"byte \d+ \(line 1\) is not UTF-8"):
        Prices.load(own)
