"""What the pages say in Python, and of the assistants' server: each block is run, or read as the other side does."""

import json
from pathlib import Path

import pytest

from characterbox import cli
from characterbox.settings import settings
from tests.docs.site import Piece, blocks, pages, told


def with_blocks(form: str) -> list[object]:
    """The pages with blocks of code in one language, each with all of them."""
    found = ((page, [*blocks(page, form)]) for page in pages())
    return [pytest.param(some, id=told(page)) for page, some in found if some]


@pytest.mark.process
@pytest.mark.parametrize("some", with_blocks("python"))
def test_a_page_runs_from_its_first_block_to_its_last(
    some: list[Piece], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHARACTERBOX_DB", str(tmp_path / "app.db"))
    monkeypatch.chdir(tmp_path)
    settings.cache_clear()
    names: dict[str, object] = {}
    for block in some:
        exec(compile(block.text, f"line {block.line}", "exec"), names)
    settings.cache_clear()
    assert "ended" in capsys.readouterr().out


@pytest.mark.parametrize("some", with_blocks("json"))
def test_an_assistant_can_read_how_to_start_the_server(some: list[Piece]) -> None:
    for block in some:
        server = json.loads(block.text)["mcpServers"]["characterbox"]
        assert server["command"].endswith("/.venv/bin/characterbox")
        assert cli._parser().parse_args(server["args"]).called == "mcp"
