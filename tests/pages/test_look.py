"""Text of stories on the pages is data."""

import pytest

from pages.parts.look import plain


@pytest.mark.parametrize("text", [":material/home:", "**b**", "![a](http://evil/x.png)", "<i>x</i>", "$5$", ":red[x]"])
def test_no_mark_of_a_label_stays_bare(text: str) -> None:
    escaped = plain(text)
    assert ":" not in escaped
    for mark in "*[]()<>$!":
        assert escaped.count(mark) == escaped.count(f"\\{mark}")
