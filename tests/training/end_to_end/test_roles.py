"""RoCIT on a tiny base: it learns what roles alone know, and answers questions in wordings that it has not seen."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from annotations.resampling.crossed import crossed_mean
from characterbox.rolebench.rouge import Answered, rouge_scores
from characterbox.training.datasets.recipe import RoleRecipe
from characterbox.training.datasets.writing import write_role_dataset
from tests.training.end_to_end.conftest import MAKER, ROOT
from tests.training.end_to_end.little_roles import examples, heard
from tests.training.folders import write_dataset

pytestmark = [pytest.mark.process, pytest.mark.slow]
ANSWERS = Path(__file__).with_name("role_answers.py")
RECIPE = """
name = "roles"
dataset = "data"
base = "base"
preset = "RoleLLaMA"

[training]
epochs = 8
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


@pytest.fixture(scope="module")
def python():
    if (python := os.environ.get("CHARACTERBOX_TRAIN")) is None:
        pytest.skip("no PyTorch is set up here: make test-train")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("CHARACTERBOX_TRAIN", str(Path(python).absolute()))
        yield Path(python).absolute()


@pytest.fixture(scope="module")
def folder(python, tmp_path_factory):
    """A dataset of roles, and a base that has heard of them, what is asked, and what is answered, but not by whom."""
    folder = tmp_path_factory.mktemp("roles")
    write_role_dataset(folder / "data", examples(), RoleRecipe(source="little roles; by system instruction"))
    write_dataset(folder / "heard", heard())
    done(python, MAKER, folder / "base", "400", folder / "data", folder / "heard")
    return folder


@pytest.fixture(scope="module")
def answers(python, folder):
    """What base and tuned model answer to the questions of the test."""
    (folder / "run.toml").write_text(RECIPE, encoding="utf-8")
    done(sys.executable, "-m", "characterbox", "train", str(folder / "run.toml"))
    said = done(python, ANSWERS, folder / "base", folder / "runs/roles/adapter", folder / "data")
    return json.loads(said.splitlines()[-1])


def test_the_questions_of_the_test_are_worded_otherwise_than_all_that_was_learnt(folder):
    learnt, asked = (
        {one["messages"][-2]["content"] for one in lines(folder / f"data/{split}.jsonl")} for split in ("train", "test")
    )
    assert len(asked) == 8
    assert not learnt & asked
    texts = "".join((folder / f"{name}/train.jsonl").read_text("utf-8") for name in ("data", "heard"))
    assert not [one for one in asked if one in texts]


def test_a_model_that_was_trained_by_rocit_knows_its_roles_better_than_its_base(folder, answers):
    """SPE (RoleLLM, section 4.1): Rouge-L of answers about what a role alone knows."""
    wanted = [(one["messages"][-1]["content"],) for one in lines(folder / "data/test.jsonl")]
    sources = lines(folder / "data/provenance/test.jsonl")
    roles, questions = (np.unique([one[of] for one in sources], return_inverse=True)[1] for of in ("role", "path"))
    scores = {
        model: np.array(rouge_scores([*map(Answered, answers[model], wanted)], "en", "best"))
        for model in ("base", "tuned")
    }
    base, tuned = (crossed_mean(scores[model], roles, questions) for model in ("base", "tuned"))
    gain = crossed_mean(scores["tuned"] - scores["base"], roles, questions)
    print(f"SPE of the base {base}, tuned {tuned}; gain {gain}")
    assert gain.interval.low > 0.2, "clearly above"
    assert tuned.interval.low > base.interval.high
