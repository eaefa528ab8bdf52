"""`characterbox craft`: killed at any moment, it goes on where it was, and pays for nothing twice."""

import json
import time
from pathlib import Path

import pytest

from characterbox.crafting.draft import draft_of
from characterbox.crafting.progress import WAYS
from characterbox.scenes.importer import read_scene_file
from characterbox.scenes.library import bundled_scene
from tests.fakes.crafting_models import Crew, written
from tests.fakes.databases import store_in
from tests.fakes.mock_server import serving
from tests.fakes.warm_cli import start

DRAFTS = [written("A watch is missing", "Ann", "Bea"), written("A watch is missing, and it rains", "Ann", "Bea")]
NOVEL = "\n\n".join(
    f"Chapter {chapter}\n\n" + "\n\n".join(f"“Where is it?” asked Ann, {chapter}.{line}, and Bea looked away." * 4
    for line in range(12)) for chapter in range(1, 9)
)  # fmt: skip


@pytest.fixture
def crew():
    crew = Crew(drafts=DRAFTS, scores=[2, 5])
    with serving(crew.app()) as address:
        crew.url = f"{address}/v1"
        yield crew


def roles(crew):
    return [word for role in ("screenwriter", "director", "evaluator") for word in (f"--{role}", f"{crew.url}#{role}")]


def lines_of(command):
    return [json.loads(line) for line in command.out.read_text().splitlines()]


def test_a_scene_is_rejected_refined_accepted_and_written_to_a_file(crew, tmp_path, environment):
    novel = tmp_path / "novel.txt"
    novel.write_text(NOVEL, encoding="utf-8")
    out = tmp_path / "scenes.yaml"
    words = ["craft", str(novel), "--language", "en", "--work", "The Hotel", "--out", str(out), *roles(crew)]
    command = start(words, tmp_path, environment)
    assert command.wait() == 0, command.err.read_text()
    *steps, checked = lines_of(command)
    assert [line.get("accepted") for line in steps] == [None, None, False, None, None, True]
    (scene,) = read_scene_file(out).scenes
    assert scene.title == DRAFTS[1]["title"]
    assert scene.passage.source == "novel.txt"
    assert NOVEL[scene.passage.start : scene.passage.end].strip() in crew.asked("screenwriter")[0]
    assert all(len(str(body)) < len(NOVEL) for body in crew.bodies)
    assert checked["copied"] == {"share": 0.0, "notable": False, "longest": []}


def test_what_is_copied_and_which_known_scene_is_close_is_told_of_each_accepted_scene(crew, tmp_path, environment):
    known = bundled_scene("holmes-study")
    crew.drafts, crew.scores = [draft_of(known), DRAFTS[0]], [5]
    novel = tmp_path / "novel.txt"
    copied = "Awake for 1 hours, a clerk keeps the keys and wants the watch back before the guests come down."
    novel.write_text(f"{NOVEL}\n\n{known.environment.description}\n\n{copied}", encoding="utf-8")
    words = ["craft", str(novel), "--language", "en", "--work", "Holmes", "--characters", "1-8", "--count", "2"]
    command = start([*words, *roles(crew)], tmp_path, environment)
    assert command.wait() == 0, command.err.read_text()
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    scenes = {scene.id: scene for scene in store.scenes.all()}
    store.close()
    checked = [line for line in lines_of(command) if "copied" in line]
    assert {line["id"] for line in checked} == {*scenes}
    assert len(checked) == 2
    for line in checked:
        scene, copy, closest = scenes[line["id"]], line["copied"], line["closest"]
        is_copy = scene.title == known.title
        assert (closest["id"] == known.id) == closest["near"] == is_copy
        assert closest["similarity"] > 0.85 if is_copy else closest["similarity"] < 0.85
        assert 0 < copy["share"] < 0.5
        assert copy["notable"] == (copy["share"] >= 0.2)
        assert copy["longest"][0] in (known.environment.description if is_copy else scene.cast[0].description)


@pytest.mark.parametrize("calls", [1, 4, *(pytest.param(calls, marks=pytest.mark.soak) for calls in (0, 2, 5))])
def test_killed_in_the_middle_it_goes_on_without_a_call_paid_twice(crew, tmp_path, environment, calls):
    crew.hangs_from = calls
    command = start(["craft", "--language", "en", "--work", "The Hotel", *roles(crew)], tmp_path, environment)
    while len(crew.bodies) <= calls:
        time.sleep(0.01)
    command.kill()
    id = command.err.read_text().split()[-1]
    crew.hangs_from = None
    del crew.bodies[calls:]
    again = start(["craft", "--resume", id], tmp_path, environment)
    assert again.wait() == 0, again.err.read_text()
    told = again.err.read_text()
    assert "1 of 1 scenes are accepted" in told
    assert told.count("1 call without reply, which may be charged twice") == 2, "as it goes on, and in the end"
    assert set(crew.answered.values()) == {1}
    assert sum(crew.answered.values()) == 6


def test_where_no_scene_is_accepted_the_exit_status_says_so_and_all_is_kept(crew, tmp_path, environment):
    crew.scores = [1]
    out = tmp_path / "scenes.yaml"
    words = ["craft", "--language", "en", "--work", "The Hotel", "--returns", "0", "--out", str(out), *roles(crew)]
    command = start(words, tmp_path, environment)
    assert command.wait() == 1
    assert "0 of 1 scenes are accepted" in command.err.read_text()
    assert "no scene was generated; the drafts and the reasons are kept" in command.err.read_text()
    assert not out.exists()
    assert [line for line in lines_of(command) if "copied" in line] == []
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    (standing,) = store.craftings.all(WAYS)
    assert (standing.status, len(store.craftings.journal(standing.id))) == ("ended", 3)
    store.close()


def test_an_evaluation_that_could_not_be_read_is_asked_anew_with_resume(crew, tmp_path, environment):
    crew.reasons, crew.scores = "", [5]
    command = start(["craft", "--language", "en", "--work", "The Hotel", *roles(crew)], tmp_path, environment)
    assert command.wait() == 1
    crew.reasons = "It is good."
    id = command.err.read_text().splitlines()[0].split()[-1]
    again = start(["craft", "--resume", id], tmp_path, environment)
    assert again.wait() == 0, again.err.read_text()
    assert len(crew.asked("evaluator")) == 3


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--work", "W"], "--language: needed"),
        (["--language", "en", "--work", "W", "--way", "extract"], "needs a source; choose one"),
        (["none.txt", "--language", "en", "--work", "W"], "none.txt"),
        (["--resume", "nothing"], "there is no scene generation nothing"),
        (
            ["--language", "en", "--work", "W", "--characters", "4-2"],
            "the minimum of 4 characters is above the maximum of 2",
        ),
        (["--language", "en", "--work", "W", "--characters", "9-9"], "--characters: it is more than 8; give 8 or less"),
        (["--language", "en", "--work", "W", "--characters", "0-3"], "--characters: it is less than 1; give 1 or more"),
        (["--language", "en", "--work", ""], "--work: it is empty; write something there"),
        (["--language", "en", "--work", "W", "--author", " "], "--author: it is empty; write something there"),
        (["--language", "en", "--work", "W" * 201], "--work: it is longer than 200 characters; shorten it"),
        (["--language", "en", "--work", "\udcff"], "--work: what is there cannot be used; give something else"),
        (["--language", "en", "--work", "W", "--out", "cli.db"], "it is there already"),
        (["--language", "en", "--work", "W", "--out", "none/scenes.yaml"], "there is no folder none; make it first"),
    ],
)
def test_what_cannot_be_crafted_is_told_in_a_line(in_process, words, why):
    done = in_process("craft", *words)
    assert done.status == 2
    assert why in done.err
    assert "Traceback" not in done.err


def test_the_rehearsal_is_told_to_be_no_result(tmp_path, environment):
    words = ["craft", "--language", "zh", "--work", "聊斋志异", "--count", "2", "--seed", "1"]
    command = start(words, tmp_path, environment)
    assert command.wait() == 0
    assert "Demo output (no language model); do not report" in command.err.read_text()
    store = store_in(Path(environment["CHARACTERBOX_DB"]))
    assert [scene.crafted.screenwriter for scene in store.scenes.all()] == ["rehearsal"] * 2
    store.close()


def test_a_scene_is_translated_and_kept_as_the_pair_of_the_original(command, tmp_path):
    done = command("craft", "--translate", "bundled:pride-rain", "--to", "zh", "--out", tmp_path / "t.yaml")
    assert done.status == 0, done.err
    assert "1 of 1 scenes are accepted" in done.err
    assert "Demo output (no language model); do not report" in done.err
    [step] = done.events()
    assert step["path"] == "scene-1/1/translator"
    [scene] = read_scene_file(tmp_path / "t.yaml").scenes
    assert (scene.language, scene.pair) == ("zh", "pride-rain")
    id = done.err.split("crafting ")[1].split(":")[0]
    again = command("craft", "--resume", id)
    assert (again.status, again.events()) == (0, [step]), "nothing is left to ask"
    refused = command("craft", "--translate", "bundled:pride-rain", "--to", "en")
    assert refused.status != 0
    assert "choose the other one" in refused.one_line()
