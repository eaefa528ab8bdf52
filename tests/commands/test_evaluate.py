"""`characterbox evaluate` keeps its contract: a plan that asks nobody, figures, going on."""

import json

import pytest

from tests.fakes.mock_server import mock_server
from tests.training.evaluation.run_folders import write_run

SCENES = ("alice-tarts", "treasure-watch")
MODELS = ("--base", "rehearsal#rehearsal-wooden", "--tuned", "rehearsal#rehearsal-plain")
NARRATOR = (*MODELS, "--teacher", "rehearsal", "--characters", "rehearsal", "--judge", "GPT-4=rehearsal")


@pytest.fixture
def run_folder(in_process, tmp_path):
    """The folder of a run whose dataset the command wrote of two scenes, of which one is held out."""

    def made(kind, *words):
        for scene in SCENES:
            done = in_process("play", f"bundled:{scene}", "--rounds", "1")
            assert done.status == 0, done.err
            if kind == "judge":
                assert in_process("judge", done.story(), "--judge", "GPT-4=rehearsal").status == 0
        data = tmp_path / "data"
        done = in_process("dataset", kind, "--out", data, "--improvised", "--test", SCENES[0], *words)
        assert done.status == 0, done.err
        write_run(tmp_path / "run", data)
        return tmp_path / "run"

    return made


@pytest.mark.slow
def test_a_narrator_is_planned_evaluated_and_gone_on_with(in_process, run_folder):
    folder = run_folder("narrator")
    planned = in_process("evaluate", folder, *NARRATOR, "--rounds", "1", "--plan")
    assert planned.status == 0, planned.err
    assert planned.out.startswith(
        "evaluation of small (narrator) on 1 held-out scene: 3 stories, 0 of them played; 3 judgements, 0 of them"
        " made; "
    )
    assert "price: $0.00; spent so far: $0.0000" in planned.out
    assert planned.out.endswith("Demo output (no language model); do not report\n")
    assert not (folder / "evaluation.json").exists()
    done = in_process("evaluate", folder, *NARRATOR, "--rounds", "1")
    assert done.status == 0, done.err
    for told in ("Replies readable at the first try", "Agreement with the teacher", "Narrators on Grice's maxims"):
        assert f"**{told}" in done.out
    assert "† Demo output (no language model); do not report." in done.out
    again = in_process("evaluate", folder, "--json")
    assert again.status == 0, again.err
    assert "; 0 calls, " in again.err
    figures = json.loads(again.out)
    assert figures["note"] == "Demo output (no language model); do not report"
    assert figures["models"]["tuned"] == "rehearsal-plain"
    assert json.loads((folder / "evaluation.json").read_text("utf-8"))["status"] == "ended"
    assert "calls, 0 tokens in, 0 out" in in_process("evaluate", folder, "--plan").out
    assert json.loads(in_process("evaluate", folder, "--plan", "--json").out)["calls"] == 0
    ignored = in_process("evaluate", folder, "--budget", "1")
    assert (ignored.status, "goes on as it was planned; give both to plan it anew" in ignored.err) == (2, True)


@pytest.mark.slow
@pytest.mark.process
def test_a_judge_that_can_not_be_reached_is_told_and_the_same_command_goes_on(in_process, run_folder):
    folder = run_folder("judge", "--judge", "GPT-4", "--critique")
    with mock_server() as server:
        words = ("evaluate", folder, "--base", "rehearsal#rehearsal-wooden", "--tuned", f"{server.url}#tuned")
        server.always = "401"
        failed = in_process(*words)
        assert failed.status == 3
        assert "/tuned: endpoint " in failed.err
        assert "the same command goes on with what is missing" in failed.err
        server.always = None
        done = in_process("evaluate", folder)
    assert done.status == 0, done.err
    assert "2 of 2 judged" in done.err
    assert "Paper, table 3: CharacterRM" in done.out


@pytest.mark.slow
@pytest.mark.process
def test_scores_that_can_not_be_read_are_told(in_process, run_folder):
    folder = run_folder("judge", "--judge", "GPT-4")
    with mock_server(style="prose") as server:
        done = in_process("evaluate", folder, *MODELS[:3], f"{server.url}#tuned")
    assert done.status == 3
    assert "1 judgements have scores missing" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run",), "no evaluation was begun here; name the models with --base and --tuned"),
        (("run", "--base", "rehearsal"), "give both --base and --tuned"),
        (("run", *MODELS), "run: there is no training run; name the folder of one"),
        (("run", "--base", "x", "--tuned", "rehearsal"), "endpoint 'x'"),
        (("run", *MODELS, "--judge", "rehearsal"), "judge: use the form NAME=URL#MODEL"),
        (("run", *MODELS, "--budget", "0"), "evaluation: Input should be greater than 0"),
        (("run", *MODELS, "--rounds", "0"), "--rounds"),
    ],
)
def test_what_can_not_be_evaluated_is_told_in_a_line(in_process, words, told):
    done = in_process("evaluate", *words)
    assert done.status == 2
    assert told in done.err
