"""What the files of a study say together, and one clear error for each fault."""

import json
from pathlib import Path

import pytest

from annotations.i18n.translation import translate
from characterbox.errors import CharacterBoxError, FileError, SceneError, StudyError
from characterbox.scenes.export import as_yaml
from characterbox.scenes.library import bundled_scene
from characterbox.studies.folder import DESIGN, read_study
from characterbox.studies.new_study import make_study
from characterbox.sweeps.file import read_sweep
from characterbox.sweeps.preset import preset, preset_file


def test_a_new_study_is_called_as_its_folder_and_can_be_used_as_it_is(folder):
    study = read_study(folder)
    assert (study.file.title, study.sweep.name, study.campaign.name) == ("pilot",) * 3
    assert study.sweep.improvised
    assert {scene.language for scene in study.sweep.scenes} == {"en"}
    assert [hypothesis.test.kind for hypothesis in study.file.hypotheses] == ["models", "agreement", "reliability"]
    assert study.design_files == list(DESIGN)
    assert "# pilot" in (folder / "README.md").read_text("utf-8")
    assert (folder / "scenes").is_dir()


def test_its_sweep_file_is_one_that_the_sweep_command_takes(folder):
    assert read_sweep(folder / "sweep.toml").sweep == read_study(folder).sweep


def test_the_paper_s_setting_is_such_a_folder_once_its_models_have_addresses(tmp_path):
    folder = tmp_path / "again"
    make_study(folder, "paper")
    with pytest.raises(StudyError, match=r"cast\.toml: line 6, models\.GPT-4\.endpoint: is empty") as refused:
        read_study(folder)
    assert str(refused.value).count("cast.toml") == 1, "told once, and not again for the sweep that needs it"
    cast = (folder / "cast.toml").read_text("utf-8")
    for number, name in enumerate(preset("paper").written.characters):
        cast = cast.replace(
            f'"{name[1:]}" = {{ endpoint = "" }}', f'"{name[1:]}" = {{ endpoint = "rehearsal#{number}" }}'
        )
    (folder / "cast.toml").write_text(cast, "utf-8")
    study = read_study(folder)
    assert study.sweep.scenes == preset("paper").scenes
    assert (study.sweep.size, study.campaign.raters_per_item, study.campaign.items.scenes) == (12 * 9, 3, 5)
    assert study.model("GPT-3.5") == "1"
    written = (folder / "sweep.toml").read_text("utf-8")
    assert written == preset_file("paper").replace('"as in the paper"', '"again"'), "one source, no copy"


def test_a_study_is_not_made_over_another_one_or_under_no_name(folder, tmp_path, monkeypatch):
    with pytest.raises(FileError, match="it is there already"):
        make_study(folder)
    with pytest.raises(StudyError, match="a name needs a letter or digit"):
        make_study(tmp_path / "!!!")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is no folder"):
        make_study(tmp_path / "file" / "pilot")
    monkeypatch.chdir(folder)
    with pytest.raises(FileError, match="pilot: it is there already"):
        make_study(Path())
    assert {*tmp_path.iterdir()} == {folder, tmp_path / "file"}, "nothing is left of what could not be made"


def own_scene(file):
    """A scene file that is not bundled."""
    scene = bundled_scene("dracula-wolves").model_copy(update={"id": "own", "pair": None})
    file.write_bytes(as_yaml([scene]))


def test_a_scene_file_of_one_s_own_is_part_of_the_design(folder, edited):
    own_scene(folder / "scenes" / "mine.yaml")
    edited("sweep.toml", "bundled:dracula-wolves", "scenes/mine.yaml")
    study = read_study(folder)
    assert study.design_files == [*DESIGN, "scenes/mine.yaml"]
    assert study.sweep.scenes[0].id == "own"


FAULTS = {
    "a wrong key": (
        "analysis.toml",
        "level = 0.05",
        "levle = 0.05",
        "analysis.toml: line 5, levle: does not belong here",
    ),
    "no TOML": ("study.toml", 'title = "pilot"', "title = pilot", "study.toml: line 4: this is not valid TOML"),
    "an unknown metric": (
        "study.toml",
        '"overall", direction = "greater" }\n',
        '"XY", direction = "greater" }\n',
        "study.toml: line 9, hypotheses.test.metric: there is no XY; choose one of KA, BA, EE",
    ),
    "an unknown metric in the analysis": (
        "analysis.toml",
        "# language",
        'metrics = ["XY"]\n# language',
        "analysis.toml: line 7, metrics: there is no XY; choose one of KA",
    ),
    "an unknown dimension": ("study.toml", '"Consistency"', '"Wit"', "hypotheses.test.dimension: there is no Wit"),
    "a test without what it needs": (
        "study.toml",
        'judge = "GPT-4", ',
        "",
        "hypotheses.test.judge: is missing; a test of the kind agreement needs it",
    ),
    "a test with what it does not take": (
        "study.toml",
        'judge = "GPT-4"',
        'judge = "GPT-4", models = ["weak", "strong"]',
        "hypotheses.test.models: does not belong to a test of the kind agreement",
    ),
    "a model that does not play": (
        "study.toml",
        '"weak"]',
        '"judge"]',
        "there is no judge; choose one of strong, weak",
    ),
    "twice the same model": ("study.toml", '["strong", "weak"]', '["weak", "weak"]', "weak is listed twice"),
    "an unknown judge": ("study.toml", 'judge = "GPT-4"', 'judge = "GPT-5"', "there is no GPT-5; choose one of GPT-4"),
    "an r beyond 1": ("study.toml", "beyond = 0.0", "beyond = 1.5", "beyond: must lie between -1 and 1"),
    "a language in which nothing is played": (
        "analysis.toml",
        '# language = "en" ',
        'language = "zh" ',
        "analysis.toml: line 7, language: no scene of the sweep is in this language",
    ),
    "a model without an address": (
        "cast.toml",
        '"rehearsal#rehearsal-wooden"',
        '""',
        "cast.toml: line 9, models.weak.endpoint: is empty",
    ),
    "a model at no address": (
        "cast.toml",
        '"rehearsal#rehearsal-wooden"',
        '"gpt-4"',
        "models.weak.endpoint: endpoint 'gpt-4': it is neither an http(s) URL nor 'rehearsal'",
    ),
    "a name that the cast has not": ("sweep.toml", '"#weak"', '"#frail"', "there is no address yet for frail; replace"),
    "no expert": ("experts.toml", "[[experts]]", "[[people]]", "experts.toml: line 1, experts: is missing"),
    "an expert who reads nothing": ("experts.toml", '["en"]', "[]", "experts.languages: is empty"),
    "an expert twice": ("experts.toml", "Expert 2", "expert  1", "experts.name: expert 1 is listed twice"),
    "too few repeats": ("campaign.toml", "repeats = 0.0 ", "repeats = 0.01 ", "repeats: give 0, or from 0.05 to 0.1"),
    "another version of the rubric": (
        "campaign.toml",
        "seed = 1 ",
        'rubric_version = "0.9"\nseed = 1 ',
        "rubric_version: this version of the app has version",
    ),
    "a scene file that is not there": ("sweep.toml", "bundled:dracula-wolves", "scenes/mine.yaml", "scenes/mine.yaml"),
}


@pytest.mark.parametrize(("name", "before", "after", "told"), FAULTS.values(), ids=[*FAULTS])
def test_a_fault_is_told_with_its_file_and_line(folder, edited, name, before, after, told):
    edited(name, before, after)
    with pytest.raises(StudyError) as refused:
        read_study(folder)
    assert told in translate(refused.value)
    assert "\n" not in translate(refused.value)


@pytest.mark.parametrize("name", [*DESIGN, "experts.toml"])
def test_a_missing_file_is_told(folder, name):
    (folder / name).unlink()
    with pytest.raises(StudyError, match=f"{name}.* missing|there is no {name} in it"):
        read_study(folder)


def test_faults_of_all_files_are_told_at_once(folder, edited):
    edited("analysis.toml", "level = 0.05", "level = 0.5")
    edited("campaign.toml", "raters_per_item = 2", "raters_per_item = 0")
    with pytest.raises(StudyError, match=r"campaign\.toml: line 4, raters_per_item: .*; analysis\.toml: line 5, level"):
        read_study(folder)


def test_what_is_no_study_is_told(tmp_path):
    with pytest.raises(StudyError, match=r"there is no study\.toml in it"):
        read_study(tmp_path)
    with pytest.raises(StudyError, match="there is no such folder"):
        read_study(tmp_path / "nowhere")


def test_scenes_outside_the_folder_would_be_missing_in_the_results(folder, edited, tmp_path):
    own_scene(tmp_path / "mine.yaml")
    edited("sweep.toml", "bundled:dracula-wolves", "../mine.yaml")
    with pytest.raises(StudyError, match=r"sweep\.toml: \.\./mine\.yaml: outside the folder of the study"):
        read_study(folder)
    edited("sweep.toml", "../mine.yaml", "scenes/link.yaml")
    (folder / "scenes" / "link.yaml").symlink_to(tmp_path / "mine.yaml")
    with pytest.raises(StudyError, match=r"sweep\.toml: scenes/link\.yaml: outside the folder of the study"):
        read_study(folder)


@pytest.mark.parametrize(
    "name", ["{folder}/scenes/mine.yaml", "scenes/../scenes/mine.yaml", "../pilot/scenes/mine.yaml"]
)
def test_scenes_are_named_by_the_path_at_which_they_are_registered_and_published(folder, edited, name):
    own_scene(folder / "scenes" / "mine.yaml")
    edited("sweep.toml", "bundled:dracula-wolves", name.format(folder=folder))
    with pytest.raises(StudyError, match=r"mine\.yaml: give the path from the folder of the study, without \.\."):
        read_study(folder)


def test_a_scene_file_does_not_take_the_name_under_which_scenes_are_registered(folder, edited):
    own = bundled_scene("dracula-wolves").model_copy(update={"id": "own", "pair": None})
    (folder / "scenes.json").write_text(json.dumps({"scenes": [own.model_dump(mode="json")]}))
    edited("sweep.toml", "bundled:dracula-wolves", "scenes.json")
    with pytest.raises(StudyError, match=r"scenes\.json: a registration keeps the scenes under this name"):
        read_study(folder)


LEFT_OUT = {
    "a model": ('models = ["strong"]', {}, "line 9, hypotheses.test.models: analysis.toml leaves out weak; have it"),
    "a judge": ('judges = ["Other"]', {}, "line 13, hypotheses.test.judge: analysis.toml leaves out GPT-4"),
    "one of two judges": (
        'judges = ["GPT-4"]',
        {'kind = "agreement", judge = "GPT-4"': 'kind = "judges", judges = ["GPT-4", "Other"]', ", beyond = 0.0": ""},
        "line 13, hypotheses.test.judges: analysis.toml leaves out Other",
    ),
    "the judge by whose scores": (
        'judges = ["GPT-4"]',
        {'kind = "models"': 'kind = "models", by = "Other"'},
        "line 9, hypotheses.test.by: analysis.toml leaves out Other",
    ),
    "a language": (
        'language = "en"',
        {'kind = "models"': 'kind = "models", language = "zh"'},
        "line 9, hypotheses.test.language: analysis.toml leaves out zh",
    ),
    "a metric": (
        'metrics = ["KA", "BA", "EE", "PT", "IM", "AD"]',
        {'"weak"], metric = "overall"': '"weak"], metric = "BC"'},
        "line 9, hypotheses.test.metric: analysis.toml leaves out BC",
    ),
    "a metric, and so all dimensions": (
        'metrics = ["KA", "BA", "EE", "PT", "IM"]',
        {},
        "line 17, hypotheses.test.dimension: dimensions need all metrics of the rubric, and analysis.toml leaves out"
        " AD, BC; have them analysed, or omit this test",
    ),
}


@pytest.fixture
def with_more(folder, edited):
    """The study has a second judge, and scenes in both languages."""
    edited("sweep.toml", "bundled:odyssey-bed", "bundled:xiyou-jieshan")
    with (folder / "sweep.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[judges]]\nname = "Other"\nendpoint = "#judge"\n')
    read_study(folder)


@pytest.mark.usefixtures("with_more")
@pytest.mark.parametrize(("analysed", "tests", "told"), LEFT_OUT.values(), ids=[*LEFT_OUT])
def test_a_test_of_what_the_analysis_leaves_out_is_told_before_anything_is_paid(folder, edited, analysed, tests, told):
    for before, after in tests.items():
        edited("study.toml", before, after)
    read_study(folder)
    edited("analysis.toml", "# language", f"{analysed}\n# language")
    with pytest.raises(StudyError, match="leaves out") as refused:
        read_study(folder)
    assert f"study.toml: {told}" in translate(refused.value) or f"; {told}" in translate(refused.value)


@pytest.mark.usefixtures("with_more")
def test_a_test_of_what_is_analysed_is_none_of_them(folder, edited):
    edited("study.toml", '[[hypotheses]]\nsays = "The metrics of Consistency', '[[none]]\nsays = "The metrics of')
    text, _, _ = (folder / "study.toml").read_text("utf-8").partition("[[none]]")
    (folder / "study.toml").write_text(text, "utf-8")
    wanted = 'models = ["weak", "strong"]\njudges = ["GPT-4"]\nlanguage = "en"\nmetrics = ["KA"]\n'
    edited("analysis.toml", "# language", f"{wanted}# language")
    assert read_study(folder).analysis.metrics == ("KA",)


def test_its_cast_is_read_and_refused_whether_or_not_its_sweep_names_models_of_it(folder, edited):
    cast = (folder / "cast.toml").read_text("utf-8")
    for name, endpoint in read_study(folder).sweep_file.cast.models.items():
        text = (folder / "sweep.toml").read_text("utf-8")
        (folder / "sweep.toml").write_text(text.replace(f'"#{name}"', f'"{endpoint}"'), "utf-8")
    study = read_study(folder)
    assert study.sweep_file.written.characters == ("rehearsal", "rehearsal#rehearsal-wooden")
    assert study.model("weak") == "rehearsal-wooden", "hypotheses go on naming models by the cast"
    (folder / "cast.toml").write_text(cast.replace("[models]", "[modles]"), "utf-8")
    with pytest.raises(StudyError, match=r"cast\.toml: line \d+, models: is missing"):
        read_study(folder)


def test_errors_of_studies_are_of_one_tree():
    assert issubclass(StudyError, CharacterBoxError)
    assert not issubclass(StudyError, SceneError)
