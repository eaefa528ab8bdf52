"""`characterbox rolebench answer`, `experiment` and `dataset`: killed, they go on where they were; all is told."""

import json
import time
from pathlib import Path

import pytest

from characterbox.roles.role_files import as_json
from tests.fakes.databases import store_in
from tests.fakes.instructing_model import InstructingModel
from tests.fakes.mock_server import serving
from tests.fakes.roles import role
from tests.fakes.warm_cli import start
from tests.rolebench.answers.asked import OF, a_benchmark

HEARD = "Why is water wet? How? Where do you live?"
ROLES = [role(name, "You ferry.", [[("Merchant", HEARD), (name, "So.")]], "Slow.") for name in ("Old Tam", "Ann")]
BENCH = ["river", "--roles", "roles.json"]
WORDS = ["rolebench", "experiment", "strategy", *BENCH]


@pytest.fixture
def files(tmp_path):
    a_benchmark(tmp_path / "river")
    (tmp_path / "roles.json").write_bytes(as_json(ROLES))


@pytest.fixture
def model():
    model = InstructingModel(lambda body, number: f"It is answer {number}.")
    with serving(model.app()) as address:
        model.url = f"{address}/v1#writer"
        yield model


@pytest.fixture
def recorded(environment):
    """How many replies all generations have, as they are on the disk."""
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    yield lambda: [len(store.craftings.journal(one.id)) for one in store.craftings.all(["answers"])]
    store.close()


def wait_until(true):
    while not true():
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("resumes", [False, True])
def test_an_experiment_killed_three_times_asks_nothing_twice(model, files, tmp_path, environment, recorded, resumes):
    words = [*WORDS, "--model", model.url, "--yes"]
    for answers in (3, 8, 15):
        model.hangs_from = len(model.bodies) + answers - sum(model.answered.values())
        command = start(words, tmp_path, environment)
        wait_until(lambda: sum(recorded()) == sum(model.answered.values()) == answers)  # noqa: B023
        wait_until(lambda: len(model.bodies) > model.hangs_from)
        command.kill()
        id = command.err.read_text().split("--resume ")[1].split()[0]
        words = ["rolebench", "experiment", "--resume", id, "--yes"] if resumes else words
    model.hangs_from = None
    command = start([*words, "--json"], tmp_path, environment)
    assert command.wait() == 0, command.err.read_text()
    assert (sum(model.answered.values()), {*model.answered.values()}) == (18, {1})
    assert recorded() == [6, 6, 6], "three conditions, each stored once"
    found = json.loads(command.out.read_text())
    assert [one["condition"] for one in found] == ["zsp", "fsp", "fsd"]
    assert {(one["answers"], one["waiting"], one["unread"]) for one in found} == {(6, 0, 0)}
    assert found[0]["above_first"]["mean"]["rougeL"] == 0
    gap = found[2]["scores"]["spe"]["rougeL"] - found[0]["scores"]["spe"]["rougeL"]
    assert found[2]["above_first"]["spe"]["rougeL"] == pytest.approx(gap)


@pytest.mark.slow
def test_the_plan_is_told_and_agreed_to_before_anything_is_asked(in_process, files, recorded):
    refused = in_process(*WORDS)
    assert refused.status == 2
    assert "river: 6 of 6 questions (4 general, 2 about roles) to Old Tam, Ann" in refused.err
    assert "all together: 18 calls, 0.0000 US dollars" in refused.err
    assert "give --yes to run it" in refused.err
    assert recorded() == []
    done = in_process(*WORDS, "--yes", "--limit", "1")
    assert done.status == 0, done.err
    assert "river: 2 of 6 questions (1 general, 1 about roles)" in done.err
    title, *rows = done.out.splitlines()
    assert title.split()[-4:] == ["CUS", "RAW", "SPE", "mean"]
    assert [row.split("  ")[0] for row in rows] == [
        "zsp",
        "fsp",
        "fsd",
        "",
        "above zsp, on the same questions",
        "fsp",
        "fsd",
    ]
    assert "Demo output (no language model); do not report" in done.err
    again = in_process(*WORDS, "--limit", "1")
    assert again.out == done.out, "there is nothing left to agree to"


@pytest.mark.process
@pytest.mark.slow
def test_a_model_answers_and_is_scored_and_its_answers_are_those_that_score_reads(in_process, files, tmp_path, model):
    done = in_process("rolebench", "answer", *BENCH, "--model", model.url, "--out", "said.jsonl", "--json")
    assert done.status == 0, done.err
    [told] = done.events()
    assert (told["answers"], told["tokenizer"], told["references"]["cus"]) == (6, "rouge-score", "best of 5")
    for part, kind, folder in (("cus", "general", "general"), ("spe", "specific", "role_specific")):
        references = ["--references", f"river/{OF}/{folder}/test.jsonl", "--part", part, "--language", "en", "--json"]
        [score] = in_process("rolebench", "score", f"said.{kind}.jsonl", *references).events()
        assert {key: score[key] for key in ("rougeL", "low", "high", "n")} == told["scores"][part]
    again = in_process("rolebench", "answer", "--resume", told["generation"], "--json")
    assert again.events() == [told]
    assert {*model.answered.values()} == {1}


@pytest.mark.process
@pytest.mark.slow
def test_models_trained_otherwise_are_compared_by_name(in_process, files, model):
    """A trained adapter that vLLM serves is a model of its server, called after its run."""
    tuned = [f"{model.url.partition('#')[0]}#roles-{number}a1b2c3d" for number in range(3)]
    named = zip(("general", "specific", "both"), tuned, strict=True)
    models = [word for name, url in named for word in ("--model", f"{name}={url}")]
    done = in_process("rolebench", "experiment", "mix", *BENCH, *models, "--yes", "--json")
    assert done.status == 0, done.err
    assert [one["model"] for one in json.loads(done.out)] == tuned
    assert {body["model"] for body in model.bodies} == {one.partition("#")[2] for one in tuned}
    done = in_process("rolebench", "experiment", "customisation", *BENCH, "--model", tuned[0], "--yes", "--json")
    assert [one["condition"] for one in json.loads(done.out)] == ["roles-0a1b2c3d, system", "roles-0a1b2c3d, retrieval"]


def test_a_dataset_is_written(in_process, files, tmp_path):
    for kind in ("general", "role_specific"):
        folder = tmp_path / "river" / OF / kind
        (folder / "train.jsonl").write_bytes((folder / "test.jsonl").read_bytes())
    words = ["--mix", "specific", "--customisation", "retrieval", "--out", "data"]
    done = in_process("rolebench", "dataset", *BENCH, *words)
    assert done.status == 0, done.err
    assert done.out.startswith("train: 2 examples, about ")
    example = json.loads((tmp_path / "data/train.jsonl").read_text().splitlines()[0])
    assert [one["role"] for one in example["messages"]] == ["system", "user", "assistant", "user", "assistant"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["answer"], "FOLDER and --roles: name the benchmark"),
        (["answer", *BENCH, "--limit", "0"], "it must be a whole number from 1"),
        (["answer", *BENCH, "--model", "nowhere"], "enter URL#MODEL or rehearsal"),
        (["answer", *BENCH, "--strategy", "zsp", "--customisation", "system"], "not allowed with"),
        (["answer", *BENCH, "--out", "roles.json"], "it is there already"),
        (["answer", *BENCH, "--budget", "0"], "budget: "),
        (["answer", *BENCH, "--budget", "1", "--model", "http://h/v1#m"], "a budget needs prices"),
        (["answer", "river", "--roles", "bundled:en-captain-ahab"], "there is no question for tests to Captain Ahab"),
        (["answer", *BENCH, "--roles", "bundled:zh-zhuge-liang"], "they are of two languages"),
        (["answer", "river", "--resume", "x"], "leave them out"),
        (["answer", "--resume", "x", "--temperature", "0"], "leave them out"),
        (["answer", *BENCH, "--temperature", "3"], "sampling: "),
        (["answer", "--resume", "x"], "there is no "),
        (["experiment"], "EXPERIMENT: name one"),
        (["experiment", "--resume", "x"], "there is no experiment x"),
        (["experiment", "mix", *BENCH, "--yes"], "it needs three models"),
        (["experiment", "strategy", *BENCH, "--yes", "--budget", "1", "--model", "http://h/v1#m"], "no price for http"),
        (["dataset", *BENCH, "--out", "data"], "there is no train.jsonl"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(in_process, files, words, why):
    done = in_process("rolebench", *words)
    assert done.status == 2
    assert why in done.err
    assert "Traceback" not in done.err
