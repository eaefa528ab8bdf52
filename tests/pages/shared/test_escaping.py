"""Text of stories on the pages is data."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from characterbox.errors import SceneError
from characterbox.scenes.library import bundled_scene
from pages.shared.text import plain

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


def test_forty_thousand_empty_lines_are_set_at_once() -> None:
    """A label from the address: escaping it took half a minute, in which the app answered nobody."""
    started = time.thread_time()
    plain("\n" * 40_000)
    assert time.thread_time() - started < 2


@pytest.mark.parametrize("reference", ["\n" * 40_000, "x" * 40_000])
def test_what_the_address_says_is_not_repeated_at_length(reference: str) -> None:
    with pytest.raises(SceneError) as raised:
        bundled_scene(reference)
    assert len(str(raised.value)) < 2_500  # with the names that there are
    assert "\n" not in str(raised.value)
