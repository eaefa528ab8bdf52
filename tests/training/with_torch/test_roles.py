"""RoCIT as the worker does it: Lion, restarts of the rate, and the last answer alone, within lengths of its own."""

import json
import math
import subprocess
from pathlib import Path

import pytest

from characterbox.training.datasets.example import RoleProvenance, role_example
from characterbox.training.datasets.recipe import RoleRecipe
from characterbox.training.datasets.writing import write_role_dataset
from characterbox.training.run_folder import RunFolder
from tests.training.with_torch.conftest import HERE
from tests.training.with_torch.test_damaged import fault_of, write_run_folder

pytestmark = [pytest.mark.process, pytest.mark.slow]
LOADS = HERE.parent / "end_to_end/loads.py"
EXAMPLES = 12
RATE = 1e-3
LION = f"""
[training]
optimizer = "lion"
schedule = "cosine-restarts"
learning_rate = {RATE}
warmup_steps = 0
epochs = 3
batch = 4
accumulation = 1
save_steps = 4
evaluation_steps = 100
[lora]
dropout = 0.1
"""
"""Of nine steps."""
WARM = f"""
[training]
learning_rate = {RATE}
warmup_share = 0.25
epochs = 4
batch = 4
accumulation = 1
evaluation_steps = 100
"""
"""Of twelve steps, three of which are warm-up."""


def asked(number):
    """A question to a role, after a round of before; questions and answers get longer."""
    return role_example(
        "You narrate scene 1.",
        [("Holmes opens door 1.", "Door 1 opens with a creak.")],
        " ".join(["Holmes opens door 2?", *["Again."] * (number % 5)]),
        " ".join(["The lamp is lit.", *["And out."] * number]),
        RoleProvenance("holmes", "general", "en", "tests", f"line {number}"),
    )


def said(python, *words):
    """What a script prints as JSON."""
    done = subprocess.run([python, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def tokens(python, folder):
    """What is learnt of each example of a dataset of roles."""
    write_role_dataset(
        folder / "roles", [("train", asked(number)) for number in range(EXAMPLES)], RoleRecipe(source="tests")
    )
    return said(python, HERE / "learnt_tokens.py", folder / "base", folder / "roles")


@pytest.fixture(scope="module")
def runs(python, write_run, tokens):
    """The folders of some runs, all done in one process; lengths are bounded by those of example 5."""
    [bounds] = tokens[5]

    def begun(name: str, training: str) -> Path:
        file = write_run(name, training=training)
        file.write_text(file.read_text("utf-8").replace('dataset = "data"', 'dataset = "roles"'), "utf-8")
        return write_run_folder(file)

    lengths = {
        "input": f"[training]\nepochs = 1\ninput_cutoff = {bounds['input']}\n",
        "output": f"[training]\nepochs = 1\noutput_cutoff = {bounds['output']}\n",
        "both": "[training]\ninput_cutoff = 16\noutput_cutoff = 16\n",
    }
    made = {name: begun(name, training) for name, training in {"lion": LION, "warm": WARM, **lengths}.items()}
    done = subprocess.run([python, HERE / "in_one.py", *made.values()], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {**made, "stopped": begun("stopped", LION)}


def steps(run):
    """What was told of each step."""
    events = [json.loads(line) for line in (run / "progress.jsonl").read_text("utf-8").splitlines()]
    return [event for event in events if event["event"] == "step"]


def result(run):
    return json.loads((run / "result.json").read_text("utf-8"))


def test_lion_steps_as_worked_by_hand(python):
    """In the second step, momentum outweighs the gradients: .9 * .002 - .1 * .01 > 0 > -.9 * .003 + .1 * .02."""
    found = said(python, HERE / "lion_steps.py")
    first, second = found["steps"]
    assert first["learnt"] == pytest.approx([0.9, 1.1, 1.0])
    assert first["momentum"] == pytest.approx([0.002, -0.003, 0.0])
    assert second["learnt"] == pytest.approx([0.8, 1.2, 1.0])
    assert second["momentum"] == pytest.approx([0.001988, -0.002977, 0.0])
    assert first["loss"] == 1.5
    assert (found["still"], found["states"]) == ([1.0] * 3, 1), "what has no gradient is left alone"


def test_the_last_answer_alone_is_learnt_and_the_earlier_one_is_read(tokens):
    assert len(tokens) == EXAMPLES
    for number, sequences in enumerate(tokens):
        [one] = sequences
        assert one["learnt"] == asked(number).messages[-1].content + "<|im_end|>\n"
        for message in asked(number).messages[:-1]:
            assert f"<|im_start|>{message.role}\n{message.content}<|im_end|>" in one["shown"]
        assert one["shown"].endswith("<|im_start|>assistant\n")


def test_datasets_and_trl_take_weights_as_they_are(python, folder, tokens):
    told = said(python, LOADS, folder / "roles")
    assert told == {"rows": {"train": EXAMPLES}, "conversational": True, "columns": ["messages"]}


@pytest.mark.parametrize("bound", ["input", "output"])
def test_prompts_and_answers_have_lengths_of_their_own(runs, tokens, bound):
    """What is exactly as long as the bound stays."""
    lengths = [one[bound] for [one] in tokens]
    longer = [number for number, length in enumerate(lengths, 1) if length > lengths[5]]
    assert 0 < len(longer) < EXAMPLES - 1
    listed = [json.loads(line) for line in (runs[bound] / "left_out_train.jsonl").read_text("utf-8").splitlines()]
    assert [one["line"] for one in listed] == longer
    for one in listed:
        [told] = tokens[one["line"] - 1]
        assert one == {
            **one,
            "input": told["input"],
            "output": told["output"],
            "tokens": told["input"] + told["output"],
        }
    counts = result(runs[bound])["counts"]["train"]
    assert (counts["examples"], counts["left_out"]) == (EXAMPLES - len(longer), len(longer))


def test_where_all_are_too_long_the_bounds_are_named(runs):
    assert fault_of(runs["both"]) == (
        "all 12 training examples are longer, in tokens, than cutoff = 8192, input_cutoff = 16, output_cutoff = 16;"
        " raise these in the recipe"
    )


def test_the_rate_restarts_in_each_epoch(runs):
    """In thirds of a cosine: (1 + cos 0) / 2, (1 + cos 60°) / 2 and (1 + cos 120°) / 2."""
    rates = [step["learning_rate"] / RATE for step in steps(runs["lion"])]
    assert rates == pytest.approx([1.0, 0.75, 0.25] * 3)


def test_a_share_of_the_steps_is_warm_up(runs):
    rates = [step["learning_rate"] / RATE for step in steps(runs["warm"])]
    falling = [(1 + math.cos(math.pi * step / 9)) / 2 for step in range(9)]
    assert rates == pytest.approx([0, 1 / 3, 2 / 3, *falling])


def test_lion_learns_and_its_card_says_so(runs):
    told = steps(runs["lion"])
    assert told[-1]["loss"] < 0.9 * told[0]["loss"]
    card = (runs["lion"] / "adapter/README.md").read_text("utf-8")
    for words in (
        "| optimizer | Lion, no weight decay, betas 0.9 and 0.999 |",
        "| learning rate | 0.001, cosine that restarts in each epoch, 0 steps of warm-up |",
        "| loss | on the tokens of the answers alone, without those that are only shown |",
    ):
        assert words in card
    assert "0.25 of the steps are warm-up" in (runs["warm"] / "adapter/README.md").read_text("utf-8")
    assert "8,192 in all," in (runs["input"] / "adapter/README.md").read_text("utf-8")


def test_lion_goes_on_from_a_checkpoint_with_the_same_momentum(python, runs):
    words = [python, HERE / "stopped_once.py", runs["stopped"], "5"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [step["step"] for step in steps(runs["stopped"])] == list(range(1, 10))
    whole, stopped = ((runs[name] / "adapter/adapter_model.safetensors").read_bytes() for name in ("lion", "stopped"))
    assert stopped == whole
    assert result(runs["stopped"])["steps"] == 9


def test_a_run_of_before_optimizers_could_be_chosen_is_merged(python, runs):
    """Its `run.json` is of form 1, and tells of no optimizer."""
    file = runs["warm"] / "run.json"
    content = json.loads(file.read_text("utf-8"))
    for later in ("optimizer", "schedule", "warmup_share", "input_cutoff", "output_cutoff"):
        del content["recipe"]["training"][later]
    for later in ("preset", "answering"):
        del content["recipe"][later]
    file.write_text(json.dumps({**content, "format": 1}), "utf-8")
    words = [python, "-m", "characterbox.training.worker", runs["warm"], "merge"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (runs["warm"] / "merged").is_dir()
    assert RunFolder(runs["warm"]).recipe().training.optimizer == "adamw"
