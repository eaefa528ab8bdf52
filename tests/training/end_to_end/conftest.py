"""From stories to models and back: a tiny base, four adapters, and the app's own vLLM server, all of it made once."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from characterbox.accounts.account import COMMAND_LINE
from characterbox.llm.server import Launch, Server
from characterbox.store import Store
from characterbox.training.datasets.example import Kind
from characterbox.training.serving import serve
from tests.fakes.databases import database_in
from tests.fakes.ports import free_port
from tests.training.end_to_end.stories import datasets_of, journals_in
from tests.vllm.server import ENVIRONMENT

MAKER = Path(__file__).parents[1] / "with_torch" / "tiny_base.py"
ROOT = Path(__file__).parents[3]
CONTEXT, REPLY = 4096, 160
"""Tokens of the window, and of a reply: the longest of the teacher has 150."""
LAUNCHED = (
    *("--served-model-name", "base", "--enforce-eager", "--max-model-len", str(CONTEXT)),
    # On a CPU, vLLM 0.32.0 dies of a prompt that comes with a seed and is taken in in chunks.
    *("--no-enable-chunked-prefill", "--max-num-batched-tokens", "32768"),
)
RECIPE = """
name = "{kind}"
dataset = "data/{kind}"
base = "base"

[training]
epochs = {epochs}
accumulation = {accumulation}
learning_rate = {rate}
warmup_steps = 5
save_steps = 100000
evaluation_steps = 100000

[lora]
dropout = 0.0
"""
TRAINED: Mapping[Kind, Mapping[str, float]] = {
    "judge": {"epochs": 3, "accumulation": 2, "rate": 5e-3},
    "narrator": {"epochs": 3, "accumulation": 2, "rate": 4e-3},
    "guided": {"epochs": 1, "accumulation": 4, "rate": 4e-3},
    "reflective": {"epochs": 1, "accumulation": 4, "rate": 4e-3},
}
"""The longest first: two at a time are trained."""


@dataclass(frozen=True)
class World:
    """A folder with all of it: a database, datasets, the base, and runs."""

    folder: Path
    url: str

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the project to its end."""
        whole = [sys.executable, "-m", "characterbox", *words]
        return subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, timeout=590, check=False)

    def run(self, kind: Kind) -> Path:
        """The folder of a run."""
        return self.folder / "runs" / kind


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The stories and their datasets, with a base that has seen them for a moment."""
    python = os.environ.get("CHARACTERBOX_TRAIN")
    if python is None or "CHARACTERBOX_VLLM" not in os.environ:
        pytest.skip("no PyTorch and no vLLM are set up here: make test-train")
    folder = tmp_path_factory.mktemp("end-to-end")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "0")
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        for name in ("CHARACTERBOX_TRAIN", "CHARACTERBOX_VLLM"):
            patch.setenv(name, str(Path(os.environ[name]).absolute()))
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        url = database_in(folder / "stories.db")
        (folder / "data").mkdir()
        store = Store(url)
        datasets = datasets_of(store, journals_in(store), folder / "data")
        store.close()
        words = [python, MAKER, folder / "base", "300", datasets["narrator"], datasets["judge"]]
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        yield World(folder, url)


@pytest.fixture(scope="session")
def trained(world: World) -> World:
    """The same, once an adapter of each kind is trained."""

    def train(kind: Kind) -> None:
        file = world.folder / f"{kind}.toml"
        file.write_text(RECIPE.format(kind=kind, **TRAINED[kind]), encoding="utf-8")
        said = world.command("train", str(file))
        assert said.returncode == 0, said.stderr

    with ThreadPoolExecutor(2) as pool:
        [*pool.map(train, TRAINED)]
    return world


@dataclass(frozen=True)
class Models:
    """The names of what is served."""

    base: str
    tuned: Mapping[str, str]
    """By the names of their runs."""


@contextmanager
def serving(url: str, base: Path, runs: Mapping[str, Path]) -> Iterator[Models]:
    """A base and the adapters of runs on the server that the app starts, by `characterbox serve`."""
    port = free_port()
    launch = Launch(model=str(base), port=port, flags=LAUNCHED)
    address = f"http://127.0.0.1:{port}/v1"
    server = Server(
        url=address, name="Tiny", kind="started", models=("base",), launch=launch, context=CONTEXT, reply_tokens=REPLY
    )
    store = Store(url)
    store.servers.save(COMMAND_LINE, server)
    tuned = {name: str(serve(store, COMMAND_LINE, run).tuned) for name, run in runs.items()}
    store.close()
    first, run = next(iter(runs.items()))
    words = [sys.executable, "-m", "characterbox", "serve", str(run), "--db", url]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = dict(process.stdout.readline().split() for _ in range(2))
            assert told == {"base": f"{address}#base", "tuned": tuned[first]}
            yield Models(told["base"], tuned)
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 130


@pytest.fixture(scope="session")
def served(trained: World) -> Iterator[Models]:
    """The base and all adapters, served."""
    runs = {kind: trained.run(kind) for kind in TRAINED}
    with serving(trained.url, trained.folder / "base", runs) as models:
        yield models


Evaluate = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def evaluate(trained: World, served: Models) -> Evaluate:
    """Has a kind evaluated by the command; gives its figures."""

    def evaluate(kind: Kind, *words: str) -> dict[str, Any]:
        models = ("--base", served.base, "--tuned", served.tuned[kind])
        said = trained.command("evaluate", str(trained.run(kind)), *models, *words, "--json", "--db", trained.url)
        assert said.stdout, said.stderr
        figures: dict[str, Any] = json.loads(said.stdout)
        return {**figures, "status": said.returncode, "said": said.stderr}

    return evaluate
