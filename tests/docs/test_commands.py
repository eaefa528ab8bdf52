"""Every command of the documentation runs: on a database of its own, in a folder of its own, against the rehearsal."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.app import play, run
from tests.docs.site import Piece, blocks, pages, told
from tests.fakes.databases import database_in

CALLED = ".venv/bin/characterbox"
NOT_HERE = {
    "make app": "serves the app until it is stopped; the tutorials are walked in that app",
    "pip install vllm": "needs a GPU",
    "vllm serve": "needs a GPU; make test-vllm walks the tutorial with a real server",
    "ssh -N": "needs a second machine",
    f"CHARACTERBOX_DB=restored.db {CALLED} app": "serves until it is stopped; tests/commands/test_start.py starts it",
    f"{CALLED} rehearsal": "serves until it is stopped; tests/commands/test_contract.py starts it",
    f"{CALLED} study run pilot": "stops as people have to rate; tests/commands/test_study.py has them rate",
    f"{CALLED} play bundled:treasure-watch --memory": "needs an embedding model; tests/vllm/test_embeddings.py has one",
    f"{CALLED} play bundled:xiyou-shiqiao --memory": "needs an embedding model; tests/vllm/test_embeddings.py has one",
    "CHARACTERBOX_DB='postgresql:": "needs PostgreSQL; tests/store/test_least_rights.py brings its schema up to date",
    f"{CALLED} sweep sweep.toml": "needs the server of its tutorial, which test_sweep.py has",
    "python3 -m venv .venv-train": "sets up PyTorch; make test-train has such an environment",
    ".venv-train/bin/": "needs the environment with PyTorch; make test-train has it",
    "export CHARACTERBOX_TRAIN": "names the environment with PyTorch; make test-train has it",
    f"{CALLED} dataset narrator --judge": "needs stories of language models; tests/training/datasets has them",
    f"{CALLED} dataset judge": "needs scores of stories of language models; tests/training/datasets has them",
    f"{CALLED} dataset guided": "needs a leaderboard of language models; tests/training/datasets has it",
    f"{CALLED} dataset reflective": "needs rewritings by language models; tests/training/datasets has them",
    f"{CALLED} train run.toml": "needs PyTorch and a base model; tests/training/with_torch has both",
    f"{CALLED} serve runs": "needs a trained adapter and vLLM; tests/training/end_to_end has both",
    f"{CALLED} play bundled:treasure-watch --narrator http": "needs a trained model: tests/training/end_to_end",
    f"{CALLED} play bundled:treasure-watch --character http": "needs a trained model: tests/training/end_to_end",
    f"{CALLED} judge STORY --judge CharacterRM=http": "needs a trained model: tests/training/end_to_end",
    f"{CALLED} evaluate runs": "needs a trained model and its server; tests/training/end_to_end has both",
}
"""Lines that can't be run here, by how they begin, and why. What begins no line any more must go."""


def lines() -> Iterator[tuple[Path, Piece, str]]:
    """All lines that a reader is to run, with their places."""
    for page in pages():
        for block in blocks(page, "sh"):
            for line in block.text.replace("\\\n", " ").splitlines():
                yield page, block, line


def runnable() -> list[object]:
    return [
        pytest.param(line, id=f"{told(page)}:{block.line} {line[:60]}")
        for page, block, line in lines()
        if not line.startswith(tuple(NOT_HERE)) or line.endswith("--plan")
    ]


def test_what_can_t_be_run_is_in_a_page() -> None:
    said = [line for _, _, line in lines()]
    assert [start for start in NOT_HERE if not any(line.startswith(start) for line in said)] == []


def test_each_command_stands_in_a_block_that_is_run() -> None:
    """What is merely indented is no block whose language is told: nobody would run it here."""
    indented = [
        told(page) for page in pages() if re.search(r"^ {4}\S*characterbox ", page.read_text("utf-8"), re.MULTILINE)
    ]
    assert indented == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the pages name, and a database with a story."""
    for page in pages():
        for form in ("csv", "text", "toml", "yaml"):
            for block in blocks(page, form):
                if block.name:
                    (tmp_path / block.name).write_text(block.text, encoding="utf-8")
    database_in(tmp_path / "app.db")
    return tmp_path


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("line", runnable())
def test_a_command_runs(line: str, folder: Path) -> None:
    called, *words = shlex.split(line)
    assert called == CALLED, "a page runs something else: say in NOT_HERE why it can't be run, or write it otherwise"
    db = folder / "app.db"
    if "STORY" in words:
        story = play(db, "bundled:treasure-watch", "--rounds", "1")
        words = [story if word == "STORY" else word for word in words]
    if words[:1] == ["study"] and words[1] != "init":
        run(db, "study", "init", words[2], folder=folder)
    if words[0] == "restore":
        run(db, "backup", words[1], folder=folder)
    run(db, *words, folder=folder)
