"""`characterbox sweep`: one command from an empty database to the tables, killed and resumed to the same bytes."""

import csv
import json
import sqlite3
from contextlib import closing
from statistics import mean

import pytest

from characterbox.sweeps.folder import sums_of
from tests.fakes.databases import database_in
from tests.fakes.mock_server import mock_server
from tests.fakes.real_data import real
from tests.fakes.warm_cli import start

pytestmark = pytest.mark.slow

REAL = ("harry-potter-generated.json", "the-matrix-extracted.json", "三国演义-generated.json", "西游记-extracted.json")
MODELS = ("rehearsal", "rehearsal-plain", "rehearsal-wooden")
"""The best first."""
JUDGES = """
[[judges]]
name = "GPT-4"
endpoint = "rehearsal#strict"

[[judges]]
name = "CharacterRM"
endpoint = "rehearsal#mild"
"""
SMALL = """
name = "small"
characters = ["rehearsal"]
narrators = ["rehearsal"]
rounds = 1

[[scenes]]
file = "bundled:holmes-study"
"""


@pytest.fixture(params=[3, pytest.param(5, marks=pytest.mark.soak)])
def unequal(tmp_path, request):
    """So many scenes from each of four files of the paper's authors, two in each language; three unequal models."""
    scenes = "".join(f'[[scenes]]\nfile = "{real("scenes", name)}"\nfirst = {request.param}\n' for name in REAL)
    models = json.dumps([f"rehearsal#{model}" for model in MODELS])
    file = tmp_path / "real.toml"
    file.write_text(f'name = "real"\ncharacters = {models}\nnarrators = ["rehearsal"]\n{scenes}{JUDGES}', "utf-8")
    return file, 4 * request.param


def assert_models_stand_as_they_were_made(folder, scenes):
    """By each judge in each language, and by the ratings themselves, reckoned without the leaderboard."""
    boards = [*(folder / "leaderboard").glob("*.json")]
    assert len(boards) == 4
    for file in boards:
        board = json.loads(file.read_text("utf-8"))
        overall = sorted((one for one in board["standings"] if one["metric"] == "overall"), key=lambda one: one["rank"])
        assert [(one["model"], one["scenes"]) for one in overall] == [(model, scenes) for model in MODELS], file.name
        assert overall[0]["first"] >= 0.8, (file.name, overall)
        assert "Demo output (no language model); do not report" in json.dumps(board)
    with (folder / "ratings.csv").open(encoding="utf-8", newline="") as opened:
        rows = [*csv.DictReader(opened)]
    assert {row["improvised"] for row in rows} == {"story and judge"}
    for language in ("en", "zh"):
        for rater in ("GPT-4", "CharacterRM"):
            own = [row for row in rows if (row["language"], row["rater"]) == (language, rater)]
            means = [mean(float(row["score"]) for row in own if row["model"] == model) for model in MODELS]
            assert means == sorted(means, reverse=True)


def kill_when(words, folder, environment, stored):
    """Run a command, and kill it as soon as its database holds so many events."""
    running = start(words, folder, environment)
    with closing(sqlite3.connect(environment["CHARACTERBOX_DB"])) as database:
        running.until(lambda: database.execute("select count(*) from event").fetchone()[0] >= stored)
    running.kill()


def test_imported_scenes_by_three_models_killed_and_resumed_are_the_same_bytes(command, environment, tmp_path, unequal):
    file, scenes = unequal
    done = command("sweep", file, "--out", "whole")
    assert done.status == 0, done.err
    assert f"{3 * scenes} of {3 * scenes} stories played, {6 * scenes} of {6 * scenes} judged; " in done.err
    assert "Demo output (no language model); do not report" in done.out
    assert_models_stand_as_they_were_made(tmp_path / "whole", scenes // 2)
    database_in(tmp_path / "other.db")
    other = {**environment, "CHARACTERBOX_DB": str(tmp_path / "other.db")}
    for stored in (20 * scenes, 60 * scenes):
        kill_when(["sweep", str(file)], tmp_path, other, stored)
    again = command("sweep", "whole/sweep.toml", "--out", "again", "--against", "whole", **other)
    assert again.status == 0
    assert again.out.splitlines()[-1] == "again: the same as whole"
    assert sums_of(tmp_path / "whole") == sums_of(tmp_path / "again")


def test_a_plan_asks_nothing(in_process, tmp_path):
    (tmp_path / "small.toml").write_text(SMALL + JUDGES, "utf-8")
    done = in_process("sweep", "small.toml", "--plan")
    assert done.status == 0
    assert "sweep small: 1 stories, 0 of them played; 2 judgements, 0 of them made" in done.out
    assert "0 of them played" in in_process("sweep", "small.toml", "--plan").out
    assert in_process("sweep", "small.toml").status == 0
    assert (
        "1 of them played; 2 judgements, 2 of them made\nmissing: about 0 calls"
        in in_process("sweep", "small.toml", "--plan").out
    )


def test_the_paper_s_setting_is_printed_and_planned_once_its_models_have_addresses(in_process, tmp_path):
    printed = in_process("sweep", "--preset", "paper")
    assert printed.status == 0
    (tmp_path / "paper.toml").write_text(printed.out, "utf-8")
    refused = in_process("sweep", "paper.toml", "--plan")
    assert refused.status == 2
    assert "no address yet for GPT-4, GPT-3.5, Baichuan2-7B" in refused.one_line()
    (tmp_path / "paper.toml").write_text(printed.out.replace('"#', '"rehearsal#'), "utf-8")
    assert "sweep as in the paper: 108 stories" in in_process("sweep", "paper.toml", "--plan").out


def test_a_plan_names_the_scenes_in_which_nobody_reacts(in_process, tmp_path):
    (tmp_path / "alone.toml").write_text(SMALL.replace("holmes-study", "crusoe-footprint"), "utf-8")
    assert "\none character, nobody reacts: crusoe-footprint\n" in in_process("sweep", "alone.toml", "--plan").out


@pytest.mark.process
def test_what_failed_is_told_and_tried_again_alone(in_process, tmp_path):
    with mock_server() as server:
        judge = f'[[judges]]\nname = "Late"\nendpoint = "{server.url}#m"\n'
        (tmp_path / "late.toml").write_text(SMALL + judge, "utf-8")
        server.always = "401"
        failed = in_process("sweep", "late.toml", "--out", "late")
        assert failed.status == 3
        assert "/Late: " in failed.err
        assert "not all of it is done" in failed.err
        assert not (tmp_path / "late").exists(), "a folder is whole"
        server.always = None
        mended = in_process("sweep", "late.toml", "--failed", "--out", "late")
    assert mended.status == 0
    assert (tmp_path / "late" / "stories.csv").is_file()
    assert "failed" not in mended.err


@pytest.mark.process
def test_what_a_judge_wrote_and_nobody_could_read_is_told_and_asked_for_again_alone(in_process, tmp_path):
    with mock_server(style="prose") as server:
        judge = f'[[judges]]\nname = "Vague"\nendpoint = "{server.url}#m"\n'
        (tmp_path / "vague.toml").write_text(SMALL + judge, "utf-8")
        unread = in_process("sweep", "vague.toml", "--out", "vague")
        assert unread.status == 3
        assert "1 of 1 stories played, 0 of 1 judged, 1 failed" in unread.err
        assert "/Vague: at least one metric has no score: " in unread.err
        assert "1 judgements have scores missing; the same command with --failed" in unread.err
        assert (tmp_path / "vague" / "ratings.csv").is_file(), "it is whole, but for what is told as missing"
        again = in_process("sweep", "vague.toml", "--out", "same", "--against", "vague")
        assert (again.status, "; 0 calls" in again.err) == (3, True)
        assert "same: the same as vague" in again.out
        server.style = "json"
        mended = in_process("sweep", "vague.toml", "--failed")
    assert mended.status == 0
    assert "1 of 1 judged; " in mended.err
    assert "failed" not in mended.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.toml"], "none.toml: the file cannot be read"),
        (["bad.toml"], "bad.toml: line 1"),
        ([], "SWEEP.toml is missing"),
        (["small.toml", "--preset", "paper"], "omit SWEEP.toml"),
        (["--preset", "mine"], "--preset: invalid choice"),
        (["small.toml", "--against", "x"], "give --out too"),
        (["small.toml", "--out", "there"], "there: it is there already"),
    ],
)
def test_bad_input_is_told_in_one_line(in_process, tmp_path, words, told):
    (tmp_path / "small.toml").write_text(SMALL, "utf-8")
    (tmp_path / "bad.toml").write_text('name = "x"\n', "utf-8")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    done = in_process("sweep", *words)
    assert done.status == 2
    assert told in done.one_line()
