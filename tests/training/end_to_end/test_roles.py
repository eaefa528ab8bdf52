"""RoCIT on a tiny base: it learns what roles alone know, is served, and answers questions in wordings that it has not
seen; base and tuned model then stand on the leaderboard."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from characterbox.rolebench.answers.standings import above, scored
from characterbox.rolebench.running import look
from characterbox.store import Store
from tests.fakes.databases import database_in
from tests.training.end_to_end.conftest import MAKER, ROOT, serving
from tests.training.end_to_end.little_roles import heard, write_benchmark
from tests.training.folders import write_dataset
from tests.vllm.server import ENVIRONMENT

pytestmark = [pytest.mark.process, pytest.mark.slow]

RECIPE = """
name = "roles"
dataset = "data"
base = "base"
preset = "RoleLLaMA"

[training]
epochs = 16
learning_rate = 1e-2
save_steps = 100000
evaluation_steps = 100000

[lora]
dropout = 0.0
"""
"""A rate and epochs for a model that knows no language yet; all else is as RoleLLaMA was trained."""


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def done(*words):
    """What a process prints, which ends well."""
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def command(*words):
    """What a command of the project prints, which ends well."""
    return done(sys.executable, "-m", "characterbox", *map(str, words))


@pytest.fixture(scope="module")
def python():
    if (python := os.environ.get("CHARACTERBOX_TRAIN")) is None or "CHARACTERBOX_VLLM" not in os.environ:
        pytest.skip("no PyTorch and no vLLM are set up here: make test-train")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        for name in ("CHARACTERBOX_TRAIN", "CHARACTERBOX_VLLM"):
            patch.setenv(name, str(Path(os.environ[name]).absolute()))
        yield Path(python).absolute()


@pytest.fixture(scope="module")
def folder(python, tmp_path_factory):
    """A benchmark and its dataset, and a base that has heard of the roles, what is asked, and what is answered, but not
    by whom."""
    folder = tmp_path_factory.mktemp("roles")
    split, roles = write_benchmark(folder)
    command("rolebench", "dataset", split, "--roles", roles, "--mix", "specific", "--out", folder / "data")
    write_dataset(folder / "heard", heard())
    done(python, MAKER, folder / "base", "400", folder / "data", folder / "heard")
    return folder


@pytest.fixture(scope="module")
def answers(folder):
    """Base and tuned model, served, have answered the questions of the test: the database, and what was printed."""
    (folder / "run.toml").write_text(RECIPE, encoding="utf-8")
    command("train", folder / "run.toml")
    url = database_in(folder / "roles.db")
    split, roles = folder / "rolebench-eng/instruction-generalization", folder / "roles.json"
    with serving(url, folder / "base", {"roles": folder / "runs/roles"}) as models:
        asked = ("rolebench", "answer", split, "--roles", roles, "--customisation", "system", "--temperature", 0)
        told = ("--json", "--db", url)
        named = {"base": models.base, "tuned": models.tuned["roles"]}
        return url, {name: json.loads(command(*asked, "--model", model, *told)) for name, model in named.items()}


def test_the_questions_of_the_test_are_worded_otherwise_than_all_that_was_learnt(folder):
    learnt, asked = (
        {one["messages"][-2]["content"] for one in lines(folder / f"data/{split}.jsonl")} for split in ("train", "test")
    )
    assert len(asked) == 8
    assert not learnt & asked
    texts = "".join((folder / f"{name}/train.jsonl").read_text("utf-8") for name in ("data", "heard"))
    assert not [one for one in asked if one in texts]


def test_a_model_that_was_trained_by_rocit_knows_its_roles_better_than_its_base(answers):
    """SPE (RoleLLM, section 4.1): Rouge-L of answers about what a role alone knows."""
    url, told = answers
    base, tuned = (told[name]["scores"]["spe"] for name in ("base", "tuned"))
    assert base["n"] == tuned["n"] == 48
    store = Store(url)
    try:
        (first, one), (second, other) = (scored(look(store, told[name]["generation"])) for name in ("base", "tuned"))
    finally:
        store.close()
    assert (first.model, second.model.partition("-")[0], second.strategy) == ("base", "roles", "zsp")
    gain = above(one, other)["spe"]
    print(f"SPE of the base {base}, tuned {tuned}; gain {gain}")
    assert gain.interval.low > 0.2, "clearly above"
    assert tuned["low"] > base["high"]
