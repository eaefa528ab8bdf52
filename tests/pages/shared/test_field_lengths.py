"""Nobody writes a book into a field that is meant for a name: each field for text says how much it takes."""

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[3] / "pages"
KINDS = ("text_input", "text_area", "chat_input")


def fields():
    """The fields for text of all pages: where each is, and the names of what it is given."""
    for file in sorted(PAGES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in KINDS:
                yield f"{file.name}:{node.lineno}", {keyword.arg for keyword in node.keywords}


def test_each_field_for_text_says_how_much_it_takes():
    found = dict(fields())
    assert len(found) > 20
    assert [where for where, given in found.items() if "max_chars" not in given] == []


@pytest.mark.parametrize("kind", ["text_input", "text_area"])
def test_no_more_is_taken_whatever_a_browser_sends(kind):
    app = AppTest.from_string(f"import streamlit as st\nst.write(len(st.{kind}('Name', max_chars=5)))").run()
    getattr(app, kind)[0].set_value("x" * 1_000).run()  # a browser would send five
    assert app.markdown[0].value == "`5`"
