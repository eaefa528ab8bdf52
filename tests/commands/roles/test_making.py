"""`characterbox role make`: of each source a role; what a model proposes is told, and accepted by name."""

import json
import time
from pathlib import Path

import pytest

from characterbox.roles.role_files import as_json, read_roles
from tests.fakes.databases import store_in
from tests.fakes.instructing_model import InstructingModel
from tests.fakes.mock_server import serving
from tests.fakes.role_writer import writes
from tests.fakes.roles import FERRYMAN
from tests.fakes.warm_cli import start

SCRIPT = "\n\n".join(f"BOB: Who is at door {n}?\n\nANNA: Nobody is at door {n}." for n in range(30))
NOVEL = "CHAPTER I\n\n“Who goes there?” asked Bob.\n\n“Only I,” said Anna.\n\nCHAPTER II\n\n“Good night!” said Anna."
CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Zoe", "description": "A pilot of the sky."}}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "doors.txt").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "gate.txt").write_text(NOVEL, encoding="utf-8")
    (tmp_path / "zoe.json").write_text(json.dumps(CARD), encoding="utf-8")
    (tmp_path / "tam.json").write_bytes(as_json([FERRYMAN]))


def written(folder, name="out.json"):
    [role] = read_roles(name, (folder / name).read_bytes())
    return role


def test_each_source_becomes_a_role_without_a_model(in_process, files, tmp_path):
    for number, (words, name, turns) in enumerate(
        [
            (["--script", "doors.txt", "--role", "ANNA", "--work", "Doors"], "ANNA", 30),
            (["--card", "zoe.json", "--work", "The Sky"], "Zoe", 0),
            (["--scene", "bundled:hamlet-playbook", "--role", "Hamlet"], "Hamlet", 0),
            (["--from", "tam.json"], "Old Tam", 3),
        ]
    ):
        done = in_process("role", "make", *words, "--out", f"{number}.json")
        assert done.status == 0, done.err
        role = written(tmp_path, f"{number}.json")
        assert (role.name, role.turns) == (name, turns)
        assert ("hardly learn" in done.err) == (turns < 25)


@pytest.mark.slow
def test_a_story_that_was_played_becomes_a_role(in_process, tmp_path):
    played = in_process("play", "bundled:hamlet-playbook", "--rounds", "2")
    spoke = {one["character"] for one in played.events() if one["kind"] == "dialogue" and one["text"]}
    name = sorted(spoke)[0]
    done = in_process("role", "make", "--story", played.story(), "--role", name, "--out", "out.json")
    assert done.status == 0, done.err
    role = written(tmp_path)
    assert role.turns >= 1
    assert {part.provenance.model for part in role.dialogues} == {"rehearsal"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--script", "doors.txt", "--work", "x", "--out", "o.json"], "--role: name the character"),
        (["--script", "doors.txt", "--role", "ANNA", "--out", "o.json"], "--work: name the work"),
        (["--script", "doors.txt", "--role", "EVE", "--work", "x", "--out", "o.json"], "EVE never speaks"),
        (["--novel", "gate.txt", "--role", "Anna", "--work", "x"], "--novel: a model has to read it"),
        (["--from", "tam.json", "--accept", "description", "--out", "o.json"], "--accept: nothing is proposed"),
        (["--from", "tam.json"], "--out: name a new file"),
        (["--from", "tam.json", "--out", "tam.json"], "tam.json"),
        (["--from", "tam.json", "--model", "rehearsal", "--budget", "-1"], "budget: "),
        (["--resume", "nothing"], "there is no"),
    ],
)
def test_what_is_missing_or_wrong_is_told(in_process, files, words, why):
    done = in_process("role", "make", *words)
    assert done.status == 2
    assert why in done.err


def test_what_a_model_proposes_is_told_and_put_into_the_role_when_it_is_accepted(in_process, files, tmp_path):
    first = in_process("role", "make", "--from", "tam.json", "--model", "rehearsal", "--out", "plain.json")
    assert first.status == 0, first.err
    assert written(tmp_path, "plain.json") == FERRYMAN
    assert "Audit: does the model know Old Tam? Check its answers." in first.out
    assert first.out.count("\n- ") >= 8
    assert "Proposed description\nYou " in first.out
    assert "Distinctiveness of its speech, by what it says: " in first.out
    assert "Demo output (no language model); do not report" in first.err
    id = first.err.split("--resume ")[1].split()[0]
    again = in_process(
        "role", "make", "--resume", id, "--accept", "description", "distinctiveness", "--out", "out.json"
    )
    assert again.status == 0, again.err
    role = written(tmp_path)
    assert role.description.text in first.out
    assert (role.description.provenance.model, role.description.provenance.verified) == ("rehearsal", False)
    assert role.distinctiveness is not None
    assert role.catchphrases == FERRYMAN.catchphrases
    other = in_process("rolebench", "instruct", "--resume", id)
    assert "it is of another kind" in other.one_line()


def wait_until(true):
    while not true():
        time.sleep(0.01)


@pytest.mark.slow
def test_a_novel_is_read_on_after_it_was_killed_and_nothing_is_asked_twice(files, tmp_path, environment):
    model = InstructingModel(lambda body, _: writes(body))
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    with serving(model.app()) as address:
        words = ["--novel", "gate.txt", "--role", "Anna", "--work", "The Gate", "--model", f"{address}/v1#writer"]
        for answers in (1, 4, 7, 10, 12):
            model.hangs_from = len(model.bodies) + answers - sum(model.answered.values())
            command = start(["role", "make", *words, "--out", "out.json"], tmp_path, environment)
            wait_until(lambda: "--resume " in command.err.read_text())  # noqa: B023
            id = command.err.read_text().split("--resume ")[1].split()[0]
            wait_until(lambda: len(store.craftings.journal(id)) == answers)  # noqa: B023
            wait_until(lambda: len(model.bodies) > model.hangs_from)
            command.kill()
            words = ["--resume", id]
        model.hangs_from = None
        command = start(["role", "make", *words, "--out", "out.json"], tmp_path, environment)
        assert command.wait() == 0, command.err.read_text()
    store.close()
    assert set(model.answered.values()) == {1}
    assert sum(model.answered.values()) == 8 + 1 + 2 + 2 + 1, "audit, level, passages, description twice, catchphrases"
    assert written(tmp_path).turns == 0
