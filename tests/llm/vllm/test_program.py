import sys
from pathlib import Path

import pytest

from characterbox.errors import EndpointError
from characterbox.llm.vllm.command import find_vllm

pytestmark = pytest.mark.process

MODULE = ("-m", "vllm.entrypoints.openai.api_server", "--model")


def script(path: Path, *lines: str) -> str:
    """A program of the shell."""
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    path.chmod(0o755)
    return str(path)


WORKS = ('[ "$1" = --version ] && echo 0.32.0',)


@pytest.fixture(autouse=True)
def empty_path(monkeypatch, tmp_path):
    (tmp_path / "path").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/usr/bin:/bin")


def test_a_command_on_the_path_that_works_is_taken(tmp_path):
    command = script(tmp_path / "path/vllm", *WORKS)
    assert find_vllm(None) == (command, "serve")


def test_a_command_that_fails_is_replaced_by_the_module_of_its_python(tmp_path):
    real = script(tmp_path / "venv/bin/vllm", "exit 1")
    python = script(tmp_path / "venv/bin/python", "exit 0")
    (tmp_path / "path/vllm").symlink_to(real)
    assert find_vllm(None) == (python, *MODULE)
    assert find_vllm(real) == (python, *MODULE)


def test_what_is_set_comes_before_the_path(tmp_path):
    script(tmp_path / "path/vllm", *WORKS)
    mine = script(tmp_path / "mine/vllm", *WORKS)
    assert find_vllm(mine) == (mine, "serve")


def test_a_python_may_be_set(tmp_path):
    python = script(tmp_path / "venv/bin/python3.12", "exit 0")
    assert find_vllm(python) == (python, *MODULE)
    command = script(tmp_path / "venv/bin/vllm", *WORKS)
    assert find_vllm(python) == (command, "serve")


def test_what_is_set_and_does_not_work_is_an_error_though_another_works(tmp_path):
    script(tmp_path / "path/vllm", *WORKS)
    for text in (
        script(tmp_path / "a/vllm", "exit 1"),
        sys.executable,
        script(tmp_path / "b/vllm").replace("b/", "c/"),
    ):
        with pytest.raises(EndpointError, match="CHARACTERBOX_VLLM: "):
            find_vllm(text)


def test_without_vllm_it_is_said_what_to_do(tmp_path):
    with pytest.raises(EndpointError, match="vLLM was not found: install it"):
        find_vllm(None)
    script(tmp_path / "path/vllm", "exit 1")
    with pytest.raises(EndpointError, match="path/vllm does not work: install vLLM"):
        find_vllm(None)


def test_the_environment_of_the_app_is_looked_at_last(tmp_path, monkeypatch):
    (tmp_path / "site/vllm").mkdir(parents=True)
    (tmp_path / "site/vllm/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    assert find_vllm(None) == (sys.executable, *MODULE)
