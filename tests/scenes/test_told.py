"""What is wrong with files is told in the language of the interface, wherever it is found."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.i18n.wording import Tongue, speaking
from characterbox.crafting.draft import scene_of
from characterbox.errors import ReplyError

ROOT = Path(__file__).parents[2] / "characterbox"
FILES = [*(ROOT / "scenes").rglob("*.py"), *(ROOT / "crafting").glob("*.py")]
TOLD = {"SceneError", "Unusable", "Repair"}


def written_out(file: Path) -> Iterator[str]:
    """The texts that go into an error or a repair as they stand, without being said; those of one word are fields."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name), args=args) if name in TOLD:
                for value in args:
                    match value:
                        case ast.JoinedStr():
                            yield ast.unparse(value)
                        case ast.Constant(value=str(text)) if " " in text:
                            yield text


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_error_and_no_repair_is_written_out(file: Path) -> None:
    assert [*written_out(file)] == []


@pytest.mark.parametrize(("language", "told"), [("en", "title: it is missing; add it"), ("zh", "title：缺失；请补上")])
def test_what_is_wrong_with_a_draft_is_told_in_the_language_of_who_reads_it(language: Tongue, told: str) -> None:
    with speaking(language), pytest.raises(ReplyError, match=told):
        scene_of({"id": "a", "language": "en", "cast": []}, "")
