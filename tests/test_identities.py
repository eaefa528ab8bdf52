"""No text that is composed of identities is taken apart: what stands in it is asked for where it was known."""

import ast
import re
from pathlib import Path

import pytest

from tests.fakes.in_english import in_english

ROOT = Path(__file__).parents[1]
TAKEN_APART = ("partition", "rpartition", "split", "rsplit", "startswith", "endswith", "removeprefix", "removesuffix")
IDENTITIES = re.compile(r"\b(item|items|rater|raters|judge|judges|label|labels|task|filed|assignment|owner)\b")
BORDERS = {
    "characterbox/store/migrations/versions/0023_codes_sheets_items.py",  # what older databases stored
    "characterbox/store/stories/branch_tree.py",  # the name that people gave a branch
    "pages/story/answer_form.py",  # a prompt, of which a task is the end
}
"""Modules that read what comes from outside."""


def taken_apart(source: str) -> list[str]:
    """The expressions of a module that take such a text apart."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    found = (call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in TAKEN_APART)
    return [ast.unparse(call) for call in found if IDENTITIES.search(ast.unparse(call.func.value))]


def modules() -> dict[str, str]:
    files = [*ROOT.glob("characterbox/**/*.py"), *ROOT.glob("pages/**/*.py"), *ROOT.glob("annotations/**/*.py")]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_no_identity_is_taken_apart():
    found = {name: parts for name, source in modules().items() if (parts := taken_apart(source))}
    assert in_english({name: parts for name, parts in found.items() if name not in BORDERS}) == {}
    assert found.keys() >= BORDERS, "what takes nothing apart any more is left out of the list"


@pytest.mark.parametrize(
    "source",
    ['item.partition(":")', 'str(rater).split("~")', 'frame["item"].str.partition(":")', "x.item.startswith(S)"],
)
def test_what_takes_one_apart_is_found(source):
    assert taken_apart(source) == [source.replace('"', "'")]
