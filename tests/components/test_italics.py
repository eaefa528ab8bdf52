"""Chinese is never set in italics: whatever page or file has a rule for italics has the one that takes Chinese out."""

import re
from pathlib import Path

import pytest

from characterbox.components import mounts
from characterbox.components.answer_form import _ANSWER
from characterbox.components.dialogue import _DIALOGUE
from characterbox.components.player import PLAYER
from characterbox.components.rubric_panel import _RUBRIC
from characterbox.components.web import Component
from pages.shared.text import STYLE

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"(?m)^:lang\(zh\) \{\s*font-style: normal !important;\s*\}")
COMPONENTS = [
    *(one for one in vars(mounts).values() if isinstance(one, Component)),
    _ANSWER,
    _DIALOGUE,
    PLAYER,
    _RUBRIC,
]


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda one: one.name)
def test_a_component_with_a_style_of_its_own_has_the_rule(component):
    assert not component.css or RULE.search(component.css)


def test_no_component_is_left_out():
    made = sum(
        len(re.findall(r"(?m)^[A-Z_]+ = Component\(", file.read_text(encoding="utf-8")))
        for file in (ROOT / "characterbox" / "components").rglob("*.py")
    )
    assert made == len(COMPONENTS)


def test_all_pages_have_it_and_so_has_what_is_put_on_them():
    assert RULE.search(STYLE)


def test_no_rule_is_stronger():
    files = [
        file
        for kind in ("*.css", "*.py")
        for folder in ("characterbox", "pages")
        for file in (ROOT / folder).rglob(kind)
    ]
    strong = [file.name for file in files if re.search(r"italic\s*!important", file.read_text(encoding="utf-8"))]
    assert strong == []


def test_pages_of_their_own_have_no_italics():
    """What the app answers outside of Streamlit has a style sheet of its own."""
    for file in (ROOT / "characterbox" / "routes").rglob("*.py"):
        assert "italic" not in file.read_text(encoding="utf-8"), file.name
