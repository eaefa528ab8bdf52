"""What only the worker can find wrong: one clear error each, with what to change."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from characterbox.training.progress import read_progress
from characterbox.training.recipe import read_recipe
from characterbox.training.run_errors import run_fault
from characterbox.training.run_folder import FORMAT
from tests.training.with_torch.conftest import HERE, TRAINING

pytestmark = [pytest.mark.process, pytest.mark.slow]
REFUSING = "{{ raise_exception('System role not supported') }}"
CHANGING = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}" + (
    "{% if add_generation_prompt %}assistant: <think>{% endif %}"
)


def _template(text: str) -> Callable[[Path], object]:
    return lambda base: (base / "chat_template.jinja").write_text(text, encoding="utf-8")


def _nothing(_: Path) -> None:
    pass


def _without_numbers(base: Path) -> None:
    """Let all numbers of the weights be NaN (0xffffffff in float32); the header of the file says where they begin."""
    file = base / "model.safetensors"
    content = file.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    file.write_bytes(content[:begin] + b"\xff" * (len(content) - begin))


CASES: dict[str, tuple[str, str, Callable[[Path], object], str]] = {
    "too-long": ("cutoff = 256", "cutoff = 16", _nothing, "all 21 training examples are longer than cutoff"),
    "targets": ("rank = 4", 'rank = 4\ntargets = ["q_proj", "query"]', _nothing, "lora.targets: query is in no layer"),
    "packing": ("cutoff", "packing = true\ncutoff", _nothing, "training.packing needs a GPU"),
    "refuses": ("", "", _template(REFUSING), r"refuses a conversation of the dataset \(System role not supported\)"),
    "changes": ("", "", _template(CHANGING), "writes a prompt in another way once it is answered"),
    "drops": ("", "", _template("{{ messages[0]['content'] }}"), "leaves out the assistant's answers"),
    "tokenizer": ("", "", lambda base: (base / "tokenizer.json").unlink(), "the tokenizer of the base loses most of"),
    "weights": (
        "",
        "",
        lambda base: (base / "model.safetensors").unlink(),
        r"base .* cannot be loaded \(.*safetensors",
    ),
    "nan": ("", "", _without_numbers, "the loss is not a finite number at step 0; lower learning_rate"),
    "full": ("", "", _nothing, "the disk is full; make room, then start the run again"),
    "full-late": ("", "", _nothing, "the disk is full; make room, then start the run again"),
}
"""What is changed in the recipe, what in the base, and what is told."""


@pytest.fixture(scope="module")
def told(python, folder, write_run) -> dict[str, str]:
    """What is told of each case; all are run in one process."""
    runs = {}
    for name, (before, after, damage, _) in CASES.items():
        shutil.copytree(folder / "base", folder / f"base-{name}")
        damage(folder / f"base-{name}")
        file = write_run(name, base=f"base-{name}", training=TRAINING.replace(before, after, 1))
        runs[name] = write_run_folder(file)
    for name, place in (("full", "prepared/train.arrow"), ("full-late", "result.part")):
        (runs[name] / place).parent.mkdir(exist_ok=True)
        (runs[name] / place).symlink_to("/dev/full")
    done = subprocess.run([python, HERE / "in_one.py", *runs.values()], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: fault_of(run) for name, run in runs.items()}


def write_run_folder(recipe_file: Path) -> Path:
    """The folder of a run that is to be started by hand."""
    recipe = read_recipe(recipe_file)
    recipe.out.mkdir(parents=True)
    content = {"format": FORMAT, "identity": recipe.identity, "recipe": recipe.model_dump(mode="json")}
    (recipe.out / "run.json").write_text(json.dumps(content), encoding="utf-8")
    return recipe.out


def fault_of(run: Path) -> str:
    progress = read_progress(run / "progress.jsonl")
    assert progress.error is not None, f"{run} ended as {progress.ending}"
    return str(run_fault(*progress.error, log="worker.log", task="train"))


@pytest.mark.parametrize("case", CASES)
def test_each_has_one_clear_error(told, case):
    assert re.search(CASES[case][3], told[case])


def test_too_little_memory_is_told(python, write_run, folder):
    training = TRAINING.replace("batch = 2", "batch = 512").replace("epochs = 3", "epochs = 100")
    run = write_run_folder(write_run("memory", training=training))
    done = subprocess.run([python, HERE / "short_of_memory.py", run], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "there is not enough memory" in fault_of(run)
    assert "lower batch or cutoff" in fault_of(run)


def test_a_worker_of_another_version_is_told(python, write_run):
    run = write_run_folder(write_run("version"))
    content = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**content, "format": 99}))
    done = subprocess.run(
        [python, "-m", "characterbox.training.worker", run, "train"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "another version of CharacterBox" in fault_of(run)
