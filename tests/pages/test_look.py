"""Text of stories on the pages is data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pages.parts.look import plain

MARKS = st.text(st.sampled_from("*_`~[](){}<>!|$#+-=.:;/\\&@1aw \n雨"), max_size=30)


def read(text: str) -> tuple[str, set[str]]:
    """What a reader of Markdown sees, and what it is made of."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [child for token in tokens for child in token.children or []]
    kinds = {token.type for token in tokens} | {child.type for child in inline}
    return "".join(child.content for child in inline), kinds


@given(MARKS)
def test_a_label_shows_the_text_as_it_is(text: str) -> None:
    shown, kinds = read(plain(text))
    assert "".join(shown.split()) == "".join(text.split())
    assert kinds <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak", "hardbreak"}


@pytest.mark.parametrize(
    "text", [":material/home:", "$5$ or $6$", ":red[x]", "http://evil/x.png", "www.evil.com", "a@b.com"]
)
def test_what_streamlit_makes_of_text_besides_is_not_made(text: str) -> None:
    told = plain(text)
    assert ":" not in told
    assert "@" not in told
    assert "www." not in told
    assert told.count("$") == told.count("\\$")


@pytest.mark.parametrize("name", ["Mr. Darcy", "Dr. Watson (retired)", "Ann-Marie", "孙悟空！"])
def test_a_name_is_read_out_without_backslashes(name: str) -> None:
    assert plain(name) == name
