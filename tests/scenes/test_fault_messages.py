"""What is wrong with files is a message, wherever it is found, and told in English to models."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.i18n.translation import speaking, translate
from characterbox.crafting.draft import scene_of
from characterbox.errors import ReplyError
from tests.fakes.in_english import in_english

ROOT = Path(__file__).parents[2] / "characterbox"
FILES = [*(ROOT / "scenes").rglob("*.py"), *(ROOT / "crafting").glob("*.py")]
TOLD = {"Unusable", "Repair"}


def written_out(file: Path) -> Iterator[str]:
    """The texts that go into a repair as they stand, without being messages; those of one word are fields."""
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
    assert in_english([*written_out(file)]) == []


def test_a_model_is_told_in_english_what_is_wrong_with_a_draft() -> None:
    with speaking("zh"), pytest.raises(ReplyError, match="title: it is missing; add it") as refused:
        scene_of({"id": "a", "language": "en", "cast": []}, "")
    with speaking("zh"):
        assert "title：缺失；请补上" in translate(refused.value)
