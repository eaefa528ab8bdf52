"""The file of a sweep: read with the line of each fault, and written so that it reads the same."""

import json

import pytest

from annotations.rubrics.rubric_file import FaultyFile
from characterbox.errors import SceneError
from characterbox.judging.protocol import Protocol
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.sampling import UNSENT, Sampling
from characterbox.play.settings import MemorySettings, Settings
from characterbox.scenes.library import brought_along, bundled_scene
from characterbox.sweeps.file import SCENES, read_sweep, write_sweep
from tests.fakes.sweeps import REHEARSAL, a_sweep

HEAD = 'name = "first"\ncharacters = ["rehearsal", "http://x:1/v1#m"]\nnarrators = ["rehearsal"]\n'
SCENE = '[[scenes]]\nfile = "bundled:holmes-study"\n'


@pytest.fixture
def read(tmp_path):
    def read(toml):
        file = tmp_path / "sweep.toml"
        file.write_text(toml, "utf-8")
        return read_sweep(file).sweep

    return read


@pytest.fixture
def scene_file(tmp_path):
    """Five scenes of this project's own form, beside the sweep."""
    scenes = [scene.model_dump(mode="json", exclude_none=True) for scene in a_sweep().scenes]
    more = [{**scenes[0], "id": f"more-{number}"} for number in range(3)]
    (tmp_path / "five.json").write_text(json.dumps({"scenes": scenes + more}), "utf-8")


def test_the_defaults_are_the_paper_s(read):
    sweep = read(HEAD + SCENE)
    assert (sweep.rounds, sweep.seeds, sweep.repeats, sweep.budget, sweep.judges) == (3, (1,), 1, None, ())
    assert sweep.scenes[0].id == "holmes-study"
    assert [str(one) for one in sweep.characters] == ["rehearsal", "http://x:1/v1#m"]


def test_judges_judge_as_the_paper_s_of_their_name_do_unless_the_file_says_otherwise(read):
    judges = "".join(
        f'[[judges]]\nname = "{name}"\nendpoint = "rehearsal"\n{more}'
        for name, more in (("GPT-4", ""), ("CharacterRM", ""), ("Mine", 'replies = "each"\ntemperature = 0.5\n'))
    )
    gpt4, rm, mine = read(HEAD + SCENE + judges).judges
    assert (gpt4.protocol, rm.protocol) == (Protocol(temperature=0), Protocol(manner="brief", temperature=0))
    assert mine.protocol == Protocol(replies="each", temperature=0.5)
    (own,) = read(f'{HEAD}{SCENE}[[judges]]\nname = "GPT-4"\nendpoint = "rehearsal"\ntemperature = "endpoint"\n').judges
    assert own.protocol == Protocol()


def test_stories_have_the_usual_settings_unless_the_file_says_otherwise(read):
    assert read(HEAD + SCENE).settings == Settings()
    told = read(
        f'{HEAD}{SCENE}[settings]\nlast_beliefs = false\n[settings.narrator]\ntemperature = "endpoint"\n'
        "[settings.memory]\nrecalled = 3\n"
    )
    assert told.settings == Settings(
        narrator=Sampling(temperature=None), memory=MemorySettings(recalled=3), last_beliefs=False
    )


@pytest.mark.parametrize(
    ("told", "what"),
    [("[settings.narrator]\ntemperature = 3", "temperature"), ("[settings]\nprompts = 1", "omit their version")],
)
def test_settings_that_can_not_be_are_refused(read, told, what):
    with pytest.raises(FaultyFile, match=what):
        read(f"{HEAD}{SCENE}{told}\n")


@pytest.mark.usefixtures("scene_file")
@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ("", ["watch-1", "watch-2", "more-0", "more-1", "more-2"]),
        ("first = 2", ["watch-1", "watch-2"]),
        ('ids = ["more-2", "watch-1"]', ["more-2", "watch-1"]),
    ],
)
def test_scenes_are_taken_from_files_beside_it(read, wanted, ids):
    assert [scene.id for scene in read(f'{HEAD}[[scenes]]\nfile = "five.json"\n{wanted}\n').scenes] == ids


@pytest.mark.parametrize("wanted", ["", 'ids = ["holmes-study", "mine"]\n'])
def test_an_edited_export_of_a_bundled_scene_gets_another_id_which_is_told(tmp_path, wanted):
    bundled = bundled_scene("holmes-study")
    edited = bundled.model_copy(update={"title": "Another title"})
    scenes = [
        one.model_dump(mode="json", exclude_none=True) for one in (edited, edited.model_copy(update={"id": "mine"}))
    ]
    (tmp_path / "export.json").write_text(json.dumps({"scenes": scenes}), "utf-8")
    (tmp_path / "sweep.toml").write_text(f'{HEAD}{SCENE}[[scenes]]\nfile = "export.json"\n{wanted}', "utf-8")
    file = read_sweep(tmp_path / "sweep.toml")
    assert [scene.id for scene in file.sweep.scenes] == ["holmes-study", "holmes-study-2", "mine"]
    assert [scene.id for scene in brought_along(file.sweep.scenes)] == ["holmes-study-2", "mine"]
    (told,) = [one for one in file.repairs if "bundled" in str(one)]
    assert str(told) == (
        "export.json: scene holmes-study-2: id: 'holmes-study' is the id of a different bundled scene;"
        " renamed to 'holmes-study-2'"
    )


def test_a_bundled_scene_that_was_exported_as_it_is_stays_the_bundled_one(tmp_path):
    bundled = bundled_scene("holmes-study")
    (tmp_path / "export.json").write_text(bundled.model_dump_json(exclude_none=True), "utf-8")
    (tmp_path / "sweep.toml").write_text(f'{HEAD}[[scenes]]\nfile = "export.json"\n', "utf-8")
    assert read_sweep(tmp_path / "sweep.toml").sweep.scenes == (bundled,)


@pytest.mark.usefixtures("scene_file")
@pytest.mark.parametrize(
    ("toml", "told"),
    [
        (HEAD, "line 1, scenes: is missing"),
        (HEAD.replace('"rehearsal", ', '"nowhere", ') + SCENE, "line 2, characters: .*nowhere.*neither an http"),
        (HEAD + 'budget = "much"\n' + SCENE, "line 4, budget: "),
        (HEAD + "budget = true\n" + SCENE, "line 4, budget: "),
        (HEAD + "seeds = [true]\n" + SCENE, "line 4, seeds: "),
        (HEAD + 'rounds = "3"\n' + SCENE, "line 4, rounds: "),
        (HEAD + "may_conclude = 1\n" + SCENE, "line 4, may_conclude: "),
        (HEAD + '[[scenes]]\nfile = "five.json"\nfirst = true\n', "line 6, scenes.first: "),
        (HEAD + "seed = 1\n" + SCENE, "line 4, seed: does not belong here"),
        (HEAD + 'memory = "bge-m3"\n' + SCENE, "line 4, memory: .*bge-m3.*neither an http"),
        (HEAD + 'memory = "rehearsal"\n' + SCENE, "line 4, memory: the rehearsal has no embeddings"),
        (HEAD + SCENE + '[[judges]]\nname = "a v2"\nendpoint = "rehearsal"\n', "line 6, judges: .*version"),
        (HEAD + SCENE + '[[judges]]\nname = "a"\nendpoint = "rehearsal"\nmanner = "kind"\n', "line 9, judges.manner: "),
        (HEAD + '[[scenes]]\nfile = "none.json"\n', "line 4, scenes: .*the file does not exist"),
        (HEAD + '[[scenes]]\nfile = "five.json"\nfirst = 9\n', "line 4, scenes: .*the first 9 are requested"),
        (HEAD + '[[scenes]]\nfile = "five.json"\nids = ["x"]\n', "line 4, scenes: .*there is no scene with the id 'x'"),
        (HEAD + '[[scenes]]\nfile = "bundled:none"\n', "line 4, scenes: .*no bundled scene"),
        (HEAD + SCENE + SCENE, "scenes: .*is listed twice"),
        (HEAD + SCENE + "[", "line 6"),
    ],
)
def test_a_fault_is_told_with_its_line(read, toml, told):
    with pytest.raises(FaultyFile, match=f"^sweep.toml: .*{told}"):
        read(toml)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
@pytest.mark.parametrize("named", [None, "GB18030"])
def test_a_file_that_is_not_utf_8_is_refused_with_its_line_whatever_encoding_its_scenes_have(tmp_path, encoding, named):
    """A long text, whose encoding is certain; but no TOML has another than UTF-8."""
    file = tmp_path / "sweep.toml"
    file.write_bytes(f'{HEAD}{SCENE}label = "{"这是我们在西安说的话" * 40}"\n'.encode(encoding))
    line = 6 if encoding == "gb18030" else 1
    with pytest.raises(
        SceneError, match=rf"sweep\.toml: byte \d+ \(line {line}\) is not UTF-8; save the file as UTF-8"
    ):
        read_sweep(file, named)


def test_ascii_in_utf_16_is_not_utf_8_either(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_bytes(f"{HEAD}{SCENE}".encode("utf-16-le"))
    with pytest.raises(SceneError, match=r"sweep\.toml: this is not UTF-8 text; save the file as UTF-8"):
        read_sweep(file)


def test_a_file_that_can_not_be_read_is_told(tmp_path):
    with pytest.raises(SceneError, match="cannot be read"):
        read_sweep(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"judges": (), "budget": 1.5, "seeds": (3, 5), "repeats": 2, "may_conclude": True},
        {"memory": Endpoint.parse("http://x:1/v1#bge-m3")},
        {"name": 'a "quoted" 名字\\', "parallel": {"http://x/v1": 4}, "narrators": (REHEARSAL,)},
        {"judges": tuple(judge.model_copy(update={"protocol": Protocol(manner="brief", temperature=0.0)})
                         for judge in a_sweep().judges)},
        {"settings": Settings(narrator=UNSENT, characters=Sampling(temperature=0.2, top_p=None), last_beliefs=False)},
    ],
)  # fmt: skip
def test_what_is_written_reads_the_same(read, tmp_path, changes):
    sweep = a_sweep(**changes)
    scenes = [scene.model_dump(mode="json", exclude_none=True) for scene in sweep.scenes]
    (tmp_path / SCENES).write_text(json.dumps({"scenes": scenes}), "utf-8")
    assert read(write_sweep(sweep)) == sweep
