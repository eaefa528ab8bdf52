"""The paper's setting as a file of a sweep: it is what it says, and its models wait for their addresses."""

import re
import textwrap
from collections import Counter

import pytest

from annotations.report.published import TABLE_1
from annotations.rubrics.rubric_file import FaultyFile
from characterbox.judging.protocol import PRESETS
from characterbox.scenes.library import bundled
from characterbox.sweeps.file import read_given_sweep, read_sweep, unaddressed
from characterbox.sweeps.preset import ABOUT, PAPER, preset, preset_file

PAPERS_CHINESE = {"西游记", "三国演义", "红楼梦"}
"""Those of the paper's ten works (table 5) of which scenes come along."""


def test_it_is_set_as_the_paper_has_it():
    written = preset(PAPER).written
    assert (written.rounds, written.seeds, written.repeats, written.may_conclude) == (3, (1,), 1, False)
    assert {*unaddressed(written.characters)} == {one.model for one in TABLE_1}
    assert len(written.characters) == 9
    assert unaddressed(written.narrators) == ("GPT-3.5",)
    [judge] = written.judges
    assert (judge.name, judge.endpoint, judge.manner) == ("GPT-4", "#GPT-4", "critique")
    assert judge.model_copy(update={"endpoint": "rehearsal"}).judge().protocol == PRESETS["GPT-4"]


def test_its_scenes_are_what_it_says_of_them():
    scenes = preset(PAPER).scenes
    assert all(2 <= len(scene.cast) <= 4 for scene in scenes)
    assert Counter((scene.language, scene.origin) for scene in scenes) == dict.fromkeys(
        [("en", "extracted"), ("en", "generated"), ("zh", "extracted"), ("zh", "generated")], 3
    )
    works = {language: {scene.work for scene in scenes if scene.language == language} for language in ("en", "zh")}
    assert (len(works["en"]), works["zh"]) == (6, PAPERS_CHINESE | {"水浒传"})


def test_what_it_says_of_the_bundled_scenes_is_so():
    """Once they give more, the preset can come nearer to the paper."""
    works = Counter((scene.work, scene.origin) for scene in bundled() if scene.origin != "original")
    assert max(works.values()) < 5
    english = Counter(scene.work for scene in bundled() if scene.language == "en" and scene.origin != "original")
    assert {*english.values()} == {1}
    assert {scene.work for scene in bundled()} & {
        "西游记",
        "三国演义",
        "红楼梦",
        "还珠格格",
        "笑傲江湖",
    } == PAPERS_CHINESE


def test_each_line_of_its_file_is_true_of_the_scene_that_it_names():
    origins, sizes = zip(*re.findall(r"# .*: (\w+), (\d) characters", preset_file(PAPER)), strict=True)
    assert [(scene.origin, str(len(scene.cast))) for scene in preset(PAPER).scenes] == [
        *zip(origins, sizes, strict=True)
    ]


def test_its_file_says_what_it_is_as_pages_do():
    about, _, _ = preset_file(PAPER).partition("\n\n")
    assert " ".join(line.removeprefix("# ") for line in about.splitlines()) == ABOUT[PAPER]
    assert all(len(line) <= 120 for line in textwrap.dedent(preset_file(PAPER)).splitlines())


def test_until_all_models_have_an_address_it_is_refused_and_names_them(tmp_path):
    file = tmp_path / "paper.toml"
    file.write_text(preset_file(PAPER).replace('"#GPT-4",', '"http://h:1/v1#gpt-4",'), "utf-8")
    with pytest.raises(FaultyFile) as refused:
        read_sweep(file)
    told = [str(one) for one in refused.value.faults]
    assert [re.sub(r"^line \d+, ", "", one) for one in told] == [
        "characters: there is no address yet for GPT-3.5, Baichuan2-7B, Baichuan2-13B, Qwen2.5-7B, Qwen2.5-14B,"
        " Mistral-7B-v0.2, Llama-3-8B, Phi-3.5-mini; replace #NAME with URL#MODEL, or add the name to cast.toml",
        "narrators: there is no address yet for GPT-3.5; replace #NAME with URL#MODEL, or add the name to cast.toml",
        "judges: there is no address yet for GPT-4; replace #NAME with URL#MODEL, or add the name to cast.toml",
    ]
    with pytest.raises(FaultyFile, match=r"no address yet for GPT-4, GPT-3\.5, "):
        read_given_sweep({"paper.toml": preset_file(PAPER).encode()})


def test_with_addresses_it_is_a_sweep(tmp_path):
    file = tmp_path / "paper.toml"
    file.write_text(preset_file(PAPER).replace('"#', '"http://h:1/v1#'), "utf-8")
    sweep = read_sweep(file).sweep
    assert (sweep.name, sweep.size, len(sweep.judges)) == ("as in the paper", 12 * 9, 1)
    assert sweep.scenes == preset(PAPER).scenes


def test_a_name_that_waits_is_told_from_an_address():
    assert unaddressed(["#GPT-4", " # a b ", "rehearsal", "http://h/v1#m", ""]) == ("GPT-4", "a b")
