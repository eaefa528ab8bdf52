"""`characterbox rolebench instruct` and `build`: killed at any moment, they go on where they were; all is told."""

import json
import time
from pathlib import Path

import pytest

from characterbox.rolebench.released import read_rows
from characterbox.roles.role_files import as_json
from tests.fakes.databases import store_in
from tests.fakes.instructing_model import InstructingModel, distinct, is_form, last, triplet, triplets
from tests.fakes.mock_server import serving
from tests.fakes.warm_cli import start
from tests.rolebench.generating import talkative

INSTRUCTIONS = "Name three fruits.\nHow does a kettle work?\nname three fruits!\n"
CALLS = 2 + 20 + 20 + 2 * (6 + 1)
"""Two segments, 40 runs, and two instructions that each have six answers and a plain one."""


def says(body, number):
    if not is_form(body):
        return "So it was."
    count = int(last(body).rpartition(": ")[2])
    return triplets(*(triplet(distinct(100 * number + n)) for n in range(count)))


@pytest.fixture
def model():
    model = InstructingModel(says)
    with serving(model.app()) as address:
        model.url = f"{address}/v1#writer"
        yield model


@pytest.fixture
def files(tmp_path):
    (tmp_path / "roles.json").write_bytes(as_json([talkative()]))
    (tmp_path / "told.txt").write_text(INSTRUCTIONS, encoding="utf-8")


@pytest.fixture
def recorded(environment):
    """Gives the replies in a journal, as they are on the disk."""
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    yield store.craftings.journal
    store.close()


def wait_until(true):
    while not true():
        time.sleep(0.01)


def id_in(command):
    wait_until(lambda: "--resume " in command.err.read_text())
    return command.err.read_text().split("--resume ")[1].split()[0]


@pytest.mark.slow
def test_killed_five_times_it_is_built_and_nothing_was_asked_twice(model, files, tmp_path, environment, recorded):
    words = ["roles.json", "--instructions", "told.txt", "--model", model.url]
    for answers in (5, 14, 23, 36, 47):
        model.hangs_from = len(model.bodies) + answers - sum(model.answered.values())
        command = start(["rolebench", "build", *words, "--out", "out"], tmp_path, environment)
        id = id_in(command)
        wait_until(lambda: len(model.bodies) > model.hangs_from)
        wait_until(lambda: len(recorded(id)) == sum(model.answered.values()) == answers)  # noqa: B023
        command.kill()
        words = ["--resume", id]
    model.hangs_from = None
    command = start(["rolebench", "build", *words, "--out", "out"], tmp_path, environment)
    assert command.wait() == 0, command.err.read_text()
    assert set(model.answered.values()) == {1}
    assert sum(model.answered.values()) == CALLS
    assert "which may be charged twice" in command.err.read_text(), "what was under way at a kill is told"
    train = tmp_path / "out" / "rolebench-eng" / "instruction-generalization" / "general" / "train.jsonl"
    assert [one.row.generated for one in read_rows(train)] == [("So it was.",) * 6]


@pytest.mark.slow
def test_the_rehearsal_is_killed_five_times_as_well(files, tmp_path, environment, recorded):
    words = ["roles.json", "bundled:en-captain-ahab", "--instructions", "told.txt"]
    for replies in (1, 15, 40, 70, 100):
        command = start(["rolebench", "build", *words, "--out", "out"], tmp_path, environment)
        id = id_in(command)
        wait_until(lambda: len(recorded(id)) >= replies)  # noqa: B023
        command.kill()
        words = ["--resume", id]
    before = recorded(id)
    command = start(["rolebench", "build", *words, "--out", "out"], tmp_path, environment)
    assert command.wait() == 0, command.err.read_text()
    replies = recorded(id)
    assert replies[: len(before)] == before
    assert len({reply.path for reply in replies}) == len(replies)
    assert {reply.take for reply in replies} == {0}
    assert "Demo output (no language model); do not report" in command.err.read_text()
    assert json.loads((tmp_path / "out" / "about.json").read_text())["no_language_model"] is True


@pytest.mark.slow
def test_questions_are_printed_with_what_was_rejected_and_why(in_process, files, tmp_path):
    done = in_process("rolebench", "instruct", "bundled:zh-zhuge-liang", "--json")
    assert done.status == 0, done.err
    lines = done.events()
    assert {line.get("reason") for line in lines} == {None, "unsure", "unfinished", "duplicate"}
    kept = [line for line in lines if line.get("part") == "train"]
    assert kept
    assert all(line["question"] and line["answer"] and line["rationale"] for line in kept)
    duplicate = next(line for line in lines if line.get("reason") == "duplicate")
    assert float(duplicate["similarity"]) >= 0.5
    assert "诸葛亮: 5 segments," in done.err
    assert "unsure: the model's confidence in the question is low" in done.err
    assert "0.0000 US dollars" in done.err
    id = done.err.split("--resume ")[1].split()[0]
    again = in_process("rolebench", "instruct", "--resume", id, "--json")
    assert again.events() == lines
    refused = in_process("rolebench", "build", "--resume", id, "--out", "out")
    assert "it is of another kind" in refused.one_line()


@pytest.mark.slow
def test_what_was_built_is_told_and_its_statistics(in_process, files, tmp_path):
    done = in_process("rolebench", "build", "roles.json", "--instructions", "told.txt", "--out", "out")
    assert done.status == 0, done.err
    assert "told.txt, line 3: left out, as it says much the same as line 1" in done.err
    assert "general/train.jsonl: 1 rows" in done.out
    told = in_process("rolebench", "statistics", "out")
    assert "Samples / instructions: " in told.out
    assert "  General: 2 / 2" in told.out
    assert json.loads(in_process("rolebench", "statistics", "out", "--json").out)[0]["name"] == "Role categories"


@pytest.mark.slow
def test_where_the_endpoint_fails_the_status_says_so_and_what_came_is_kept(model, files, tmp_path, environment):
    model.refuses = lambda body: not is_form(body)
    words = ["roles.json", "--instructions", "told.txt", "--model", model.url, "--out", "out"]
    command = start(["rolebench", "build", *words], tmp_path, environment)
    assert command.wait() == 3
    assert "it is not done: " in command.err.read_text()
    assert "22 of 36 tasks are done" in command.err.read_text()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["instruct"], "ROLE: name a role or more"),
        (["instruct", "bundled:nobody"], "bundled:nobody: there is no bundled role with this id"),
        (["instruct", "none.json"], "none.json: it cannot be read"),
        (["instruct", "told.txt"], "told.txt"),
        (["instruct", "silent.json"], "has no dialogues; add some from a script"),
        (["instruct", "roles.json", "roles.json"], "two roles are called 'Old Tam'"),
        (["instruct", "roles.json", "--budget", "0"], "budget: "),
        (["instruct", "roles.json", "--budget", "1", "--model", "http://h/v1#m"], "a budget needs prices"),
        (["instruct", "roles.json", "--model", "nowhere"], "enter URL#MODEL or rehearsal"),
        (["instruct", "--resume", "nothing"], "there is no "),
        (["instruct", "roles.json", "--resume", "nothing"], "leave them out"),
        (["build", "roles.json", "--out", "out"], "--instructions: a new benchmark needs a file"),
        (["build", "roles.json", "--instructions", "told.txt", "--out", "."], "it is there already"),
        (["build", "roles.json", "--instructions", "roles.json", "--out", "out"], "it must be a list"),
        (["build", "roles.json", "--instructions", "told.csv", "--out", "out"], "end in .txt, .jsonl or .json"),
        (["statistics", "."], "there are no rows of RoleBench"),
    ],
)
def test_what_cannot_be_generated_is_told_in_a_line(in_process, files, tmp_path, words, why):
    silent = talkative().model_copy(update={"dialogues": ()})
    (tmp_path / "silent.json").write_bytes(as_json([silent]))
    done = in_process("rolebench", *words)
    assert done.status == 2
    assert why in done.err
    assert "Traceback" not in done.err
