"""The example in an empty list is data, and is heard as one sentence."""

import re

from streamlit.testing.v1 import AppTest


def draw():
    from pages.shared.examples import show_example  # noqa: PLC0415 - the script is run by itself

    show_example("<b>Pilot", ["12 items", '3 "experts"'])


def test_it_is_escaped_and_marked():
    (drawn,) = AppTest.from_function(draw).run().get("html")
    body = drawn.proto.body
    assert 'role="img" aria-label="Example: &lt;b&gt;Pilot; 12 items; 3 &quot;experts&quot;"' in body
    assert re.findall(r"<p[^>]*>([^<]*)</p>", body) == [
        "Example", "&lt;b&gt;Pilot", "12 items", "3 &quot;experts&quot;"
    ]  # fmt: skip
