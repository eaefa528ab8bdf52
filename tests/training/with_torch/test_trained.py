"""What a real training makes: an adapter that has learnt, with its model card, and merged weights."""

import json
import subprocess

import pytest

from characterbox.training.progress import read_progress
from characterbox.training.recipe import read_recipe
from characterbox.training.run_folder import RunFolder
from tests.training.with_torch.conftest import HERE, train

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_the_adapter_has_learnt_and_its_card_says_from_what(undisturbed, folder):
    run, said = undisturbed
    recipe = read_recipe(folder / "undisturbed.toml")
    found = json.loads((run / "result.json").read_text(encoding="utf-8"))
    assert (found["steps"], found["identity"]) == (12, recipe.identity)
    assert found["validation_loss"]["last"] < 0.9 * found["validation_loss"]["first"]
    assert found["counts"]["train"]["examples"] == 20
    assert found["counts"]["train"]["sequences"] == 30, "each answer is learnt"
    assert found["counts"]["train"]["left_out"] == 1
    card = (run / "adapter/README.md").read_text(encoding="utf-8")
    for told in (
        recipe.dataset_digest,
        recipe.base_digest,
        recipe.identity,
        "| seed | 1 |",
        "rank 4, alpha 32, dropout 0.1, on all-linear",
        "20, 1 left out as too long",
        f"{found['validation_loss']['last']:.4f}",
        f"| trl | {found['versions']['trl']} |",
    ):
        assert told in card
    assert {file.name for file in (run / "adapter").iterdir()} == {
        "README.md",
        "adapter_config.json",
        "adapter_model.safetensors",
    }
    assert not (run / "checkpoints").exists()
    assert "12 steps" in said.stdout
    assert f"{run / 'adapter'}: written" in said.stdout


def test_what_is_too_long_is_listed_and_its_progress_is_told(undisturbed):
    run, said = undisturbed
    (line,) = (run / "left_out_train.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["line"] == 21
    assert json.loads(line)["tokens"] > 256
    assert "1 examples of train are longer than the cutoff and were left out" in said.stderr
    progress = read_progress(run / "progress.jsonl")
    assert [point.step for point in progress.losses] == list(range(1, 13))
    assert [point.step for point in progress.validation] == [0, 4, 8, 12]
    assert progress.tokens_per_second > 0
    assert "step 12 of 12, loss " in said.stderr


def test_merged_weights_say_what_base_and_adapter_say(undisturbed, folder, python):
    run, _ = undisturbed
    said = train(folder / "undisturbed.toml", "--merge")
    assert said.returncode == 0, said.stderr
    assert f"{run / 'merged'}: written" in said.stdout
    assert RunFolder(run).state().merged
    words = [python, HERE / "same_logits.py", folder / "base", run / "adapter", run / "merged"]
    compared = subprocess.run(words, capture_output=True, text=True, check=False)
    assert compared.returncode == 0, compared.stderr
