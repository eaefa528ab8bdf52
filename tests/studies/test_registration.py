"""What is registered, when it is refused, and what is told of changes afterwards."""

import hashlib
import json
import shutil
import tomllib
from datetime import UTC, datetime, timedelta

import pytest

from characterbox.errors import FileError, StudyError
from characterbox.scenes.export import as_yaml
from characterbox.scenes.library import bundled_scene
from characterbox.studies import registration
from characterbox.studies.changes import changes_since, changes_text, values_changed
from characterbox.studies.folder import DESIGN, read_study
from characterbox.studies.registration import read_registration, register
from characterbox.sweeps.sweep import cells_of
from tests.studies.test_folder import own_scene


@pytest.fixture
def registered(folder, store):
    """The study, once it is registered."""
    register(read_study(folder), store, None)
    return folder


def changes(folder, store):
    """What is told of changes, without what the version of the app has to do with it."""
    study = read_study(folder)
    return changes_since(read_registration(folder), study, store, study.sweep, None)


def play_one(store, folder):
    """A story of the study is begun."""
    study = read_study(folder)
    cell = next(iter(cells_of(study.sweep)))
    store.stories.create(cell.script, cell.casting, "sweep", id=cell.id)


def test_each_file_is_copied_and_hashed_and_the_hash_of_one_file_stands_for_all(folder, store):
    before = datetime.now(UTC)
    made = register(read_study(folder), store, None)
    home = folder / "registered"
    for name in DESIGN:
        assert (home / name).read_bytes() == (folder / name).read_bytes()
        assert made.content.files[name] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert made.hash == hashlib.sha256((home / "registration.toml").read_bytes()).hexdigest()
    assert before - timedelta(seconds=1) <= made.content.registered_at <= datetime.now(UTC)
    written = tomllib.loads((home / "registration.toml").read_text("utf-8"))
    assert written["experts"] == {"en": 2}
    assert "Dracula: dracula-wolves" in written["scenes"]
    assert len(json.loads((home / "scenes.json").read_text("utf-8"))["scenes"]) == 6
    assert not (home / "experts.toml").exists()
    assert all("Expert 1" not in file.read_text("utf-8") for file in home.iterdir()), "people are not published"
    assert read_registration(folder) == made
    assert changes(folder, store).sentences == ()
    assert "Nothing was changed" in changes_text(made, changes(folder, store))


def test_a_study_is_registered_once(registered, store):
    known = read_registration(registered)
    with pytest.raises(StudyError, match=f"registered already .*{known.hash}"):
        register(read_study(registered), store, None)


def test_it_is_refused_once_there_are_data_with_how_many(folder, store):
    play_one(store, folder)
    with pytest.raises(StudyError, match="1 story of this study is in the database already"):
        register(read_study(folder), store, None)
    assert not (folder / "registered").exists()


def test_what_is_broken_off_leaves_no_registration(folder, store, monkeypatch):
    monkeypatch.setattr(registration, "scenes_file", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        register(read_study(folder), store, None)
    assert read_registration(folder) is None
    assert [one.name for one in folder.iterdir() if one.name.startswith(".")] == []


def test_a_folder_that_cannot_be_written_to_is_told(folder, store, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    study = read_study(folder)
    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    with pytest.raises(FileError, match="you may not write in the folder"):
        register(study, store, None)


def test_a_registration_that_cannot_be_read_is_told(registered):
    (registered / "registered" / "registration.toml").write_text("registered_at = 1", "utf-8")
    with pytest.raises(StudyError, match="the registration cannot be read"):
        read_registration(registered)
    (registered / "registered" / "registration.toml").unlink()
    with pytest.raises(StudyError, match="the registration cannot be read"):
        read_registration(registered)


@pytest.mark.parametrize("name", ["../../secret.txt", "scenes/../../../secret.txt", "{outside}/secret.txt"])
def test_a_registration_of_somebody_else_names_no_file_outside_the_folder(registered, tmp_path, name):
    (tmp_path / "secret.txt").write_text("mine alone", "utf-8")
    file = registered / "registered" / "registration.toml"
    name = name.format(outside=tmp_path)
    file.write_text(file.read_text("utf-8").replace("[files]", f'[files]\n"{name}" = "0"'), "utf-8")
    with pytest.raises(StudyError, match=r"cannot be read .*secret\.txt' is not a file in the folder of the study"):
        read_registration(registered)


def test_a_link_that_leads_out_of_what_was_registered_is_not_followed(registered, store, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("mine alone", "utf-8")
    for name in ("study.toml", "notes.txt"):
        (registered / "registered" / name).unlink(missing_ok=True)
        (registered / "registered" / name).symlink_to(secret)
    (registered / "study.toml").write_text((registered / "study.toml").read_text("utf-8") + "# more\n", "utf-8")
    found, known = changes(registered, store), read_registration(registered)
    assert "registered/study.toml: the registered copy is gone." in found.sentences
    assert "mine alone" not in changes_text(known, found)
    copies = dict(known.copies)
    assert {*copies} == {*DESIGN, "scenes.json", "registration.toml"} - {"study.toml"}
    assert all(b"mine alone" not in copy for copy in copies.values())


def test_a_registration_without_the_hypotheses_is_told_before_anything_is_asked(registered):
    file = registered / "registered" / "registration.toml"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.startswith('"study.toml" = ')), "utf-8")
    with pytest.raises(StudyError, match=r"cannot be read \(the SHA-256 of study\.toml is missing\); put back") as told:
        read_registration(registered)
    assert "\n" not in str(told.value)


CHANGED = {
    "a hypothesis": ("study.toml", "beyond = 0.7", "beyond = 0.6", "hypotheses[3].test.beyond was 0.7, is 0.6"),
    "its sentence": (
        "study.toml",
        "measure one thing",
        "agree",
        'hypotheses[3].says was "The metrics of Consistency me',
    ),
    "the analysis": ("analysis.toml", '"Holm"  ', '"none"  ', 'analysis.toml: multiplicity was "Holm", is "none"'),
    "an exclusion": (
        "analysis.toml",
        "# failed_checks = 1 ",
        "failed_checks = 1 ",
        "exclusions.failed_checks was (nothing), is 1",
    ),
    "the budget": ("sweep.toml", "budget = 20.0", "budget = 25.0", "sweep.toml: budget was 20.0, is 25.0"),
    "a model": (
        "cast.toml",
        "#rehearsal-wooden",
        "#rehearsal-plain",
        'models.weak.endpoint was "rehearsal#rehearsal-wooden", is "rehearsal#rehearsal-plain"',
    ),
    "the campaign": ("campaign.toml", "raters_per_item = 2", "raters_per_item = 1", "raters_per_item was 2, is 1"),
    "a comment": (
        "analysis.toml",
        "# How the figures",
        "# In which way the figures",
        "analysis.toml: comments or layout were changed, no value was.",
    ),
    "the experts": (
        "experts.toml",
        '\n[[experts]]\nname = "Expert 2"\nlanguages = ["en"]\n',
        "",
        "Experts who read en: were 2, are 1.",
    ),
    "a scene less": (
        "sweep.toml",
        '    { file = "bundled:moby-musket" },\n',
        "",
        "Scene Moby-Dick: moby-musket: was registered, and is not played any more.",
    ),
    "another scene": (
        "sweep.toml",
        "bundled:moby-musket",
        "bundled:pride-rain",
        "Scene Pride and Prejudice: pride-rain: was added after the registration.",
    ),
}


@pytest.mark.parametrize(("name", "before", "after", "told"), CHANGED.values(), ids=[*CHANGED])
def test_a_change_is_told_in_words_and_as_a_difference(registered, store, edited, name, before, after, told):
    edited(name, before, after)
    found = changes(registered, store)
    assert any(told in sentence for sentence in found.sentences), found.sentences
    text = changes_text(read_registration(registered), found)
    assert "Nothing was changed" not in text
    if name != "experts.toml":
        assert f"\n--- registered/{name}\n+++ {name}\n" in text


def test_a_changed_scene_is_told_by_field_also_in_a_file_of_one_s_own(folder, store, edited):
    own_scene(folder / "scenes" / "mine.yaml")
    edited("sweep.toml", "bundled:dracula-wolves", "scenes/mine.yaml")
    register(read_study(folder), store, None)
    assert (folder / "registered" / "scenes" / "mine.yaml").is_file()
    scene = bundled_scene("dracula-wolves").model_copy(update={"id": "own", "pair": None, "title": "Another title"})
    (folder / "scenes" / "mine.yaml").write_bytes(as_yaml([scene]))
    told = changes(folder, store).sentences
    assert any(one.startswith("Scene Dracula: own: title was ") and 'is "Another title"' in one for one in told), told
    assert any(one.startswith("scenes/mine.yaml: the file was changed") for one in told)


def test_a_bundled_scene_that_another_version_of_the_app_brings_is_told(registered, store):
    study = read_study(registered)
    other = study.sweep.scenes[0].model_copy(update={"title": "Once more"})
    sweep = study.sweep.model_copy(update={"scenes": (other, *study.sweep.scenes[1:])})
    [told] = changes_since(read_registration(registered), study, store, sweep, None).sentences
    assert told.startswith("Scene Dracula: dracula-wolves: title was ")
    assert told.endswith('is "Once more".')


def test_a_registered_scene_that_was_altered_is_told_and_nothing_is_compared_with_it(registered, store):
    file = registered / "registered" / "scenes.json"
    file.write_text(file.read_text("utf-8").replace('"work": "Dracula"', '"work": "dracula"'), "utf-8")
    assert changes(registered, store).sentences == (
        "Scene Dracula: dracula-wolves: its registered copy is gone or was altered.",
    )
    file.write_text("{", "utf-8")
    assert len(changes(registered, store).sentences) == 6


def test_other_prompts_are_told(registered, store):
    file = registered / "registered" / "registration.toml"
    known = read_registration(registered).content
    file.write_text(file.read_text("utf-8").replace(f'"{known.prompts}"', '"0123456789ab"'), "utf-8")
    told = changes(registered, store).sentences
    assert f"Version of the prompts of the stories: was 0123456789ab, is {known.prompts}." in told


def test_stories_from_before_the_registration_are_told(registered, store):
    play_one(store, registered)
    assert changes(registered, store).sentences == ()
    file = registered / "registered" / "registration.toml"
    date = read_registration(registered).content.registered_at
    later = f"{date + timedelta(days=1):%Y-%m-%d %H:%M:%S}+00:00"
    file.write_text(file.read_text("utf-8").replace(f"{date:%Y-%m-%d %H:%M:%S}+00:00", later), "utf-8")
    [told] = changes(registered, store).sentences
    assert told.startswith("Stories: 1 of 1 were begun before the registration, the first on ")


def test_a_copy_that_was_altered_or_is_gone_is_told(registered, store):
    copy = registered / "registered" / "analysis.toml"
    copy.write_text(copy.read_text("utf-8").replace("0.05", "0.50"), "utf-8")
    (registered / "registered" / "cast.toml").unlink()
    told = changes(registered, store).sentences
    assert "registered/cast.toml: the registered copy is gone." in told
    assert any(one.startswith("registered/analysis.toml: the registered copy was altered") for one in told)


def test_a_folder_that_is_copied_takes_its_registration_along(registered, store, tmp_path):
    shutil.copytree(registered, tmp_path / "copy")
    assert changes(tmp_path / "copy", store).sentences == ()


def test_values_are_compared_by_their_place():
    before = {"a": 1, "b": {"c": [1, 2]}, "d": [{"e": True}], "f": 1}
    after = {"a": 1, "b": {"c": [2, 1]}, "d": [{"e": 1}, {"e": False}], "g": None}
    assert [*values_changed(before, after)] == [
        "b.c was [1, 2], is [2, 1]",
        "d[1].e was true, is 1",
        'd[2] was (nothing), is {"e": false}',
        "f was 1, is (nothing)",
    ]
