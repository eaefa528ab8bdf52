"""`characterbox import`: what a file holds is stored once, and what is refused is told."""

import json

from tests.fakes.real_data import real
from tests.fakes.scenes import masked_scene


def test_scenes_are_imported_once(in_process):
    file = real("scenes", "the-matrix-extracted.json")
    first, again = (in_process("import", file, "--language", "en") for _ in range(2))
    assert (first.status, again.status) == (0, 0)
    count = len(json.loads(file.read_text(encoding="utf-8"))["scenes"])
    assert f"{count} scenes read, {count} new, 0 refused" in first.out.splitlines()[-1]
    assert f"{count} scenes read, 0 new, 0 refused" in again.out.splitlines()[-1]


def test_what_a_scene_gives_away_is_told(in_process, tmp_path):
    (tmp_path / "watch.json").write_text(masked_scene().model_dump_json(), "utf-8")
    done = in_process("import", "watch.json")
    assert done.status == 0
    assert done.out.splitlines()[0] == (
        "to look at: scene watch: cast[0].position: it uses the name Ann, which Bob should not know"
    )


def test_a_file_whose_scenes_are_all_refused_is_told(in_process, tmp_path):
    (tmp_path / "bad.json").write_text(json.dumps({"scenes": [{"characters": []}, {"characters": 7}]}), "utf-8")
    done = in_process("import", "bad.json")
    assert done.status == 2
    refused = [line.removeprefix("refused: ") for line in done.out.splitlines() if line.startswith("refused: ")]
    assert len(refused) == 2
    assert done.one_line() == f"characterbox: bad.json: all 2 scenes are refused; the first: {refused[0]}"


def test_a_character_card_is_told_and_nothing_is_stored(in_process, tmp_path):
    card = {"name": "Ann", "description": "A clerk whom {{user}} knows.", "first_mes": "Hi", "personality": ""}
    (tmp_path / "ann.json").write_text(json.dumps(card), encoding="utf-8")
    done = in_process("import", "ann.json")
    assert done.status == 2
    assert "repaired: the file: first_mes: not used; a character profile has no such field" in done.out.splitlines()
    assert "ann.json: {{user}} is taken to be 'the other person'" in done.out.splitlines()
    assert done.out.splitlines()[-1] == "ann.json: a character card: Ann, 0 notes of what it knows, 0 stored"
    assert "bring it in on the page Scenes" in done.one_line()
