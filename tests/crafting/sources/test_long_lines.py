"""A line of a source that goes on and on is read at once, whatever it consists of."""

import time

import pytest

from characterbox.crafting.sources.paragraphs import markdown_paragraphs
from characterbox.crafting.sources.pdf import _without_number


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (markdown_paragraphs, "# " + "# " * 40_000 + "!"),
        (_without_number, "a" + " " * 80_000 + "a"),
        (_without_number, "a" + "-" * 80_000 + "a"),
    ],
)
def test_it_is_read_at_once(read, line):
    started = time.thread_time()
    read(line)
    assert time.thread_time() - started < 2


def test_headings_lose_their_marks():
    said = "# One\n\n## Two ##\n\n# # Three # \n\nfour"
    assert [one.text for one in markdown_paragraphs(said)] == ["One", "Two", "# Three", "four"]


@pytest.mark.parametrize(
    ("line", "bare"), [("12  A watch", "A watch"), ("A watch - 12", "A watch"), ("A watch", "A watch")]
)
def test_a_line_loses_the_number_of_its_page(line, bare):
    assert _without_number(line) == bare
