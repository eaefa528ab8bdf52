"""The scenes that come with the project: sixty of them, whole, in the language they say, playable, openable by name."""

from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from annotations.blinding.folded_text import han_share, latin_share
from characterbox.errors import SceneError
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.library import bundled, bundled_scene, open_scene
from characterbox.scenes.scene import Scene
from characterbox.stage.forecast import rehearsed_events

SCENES = {scene.id: scene for scene in bundled()}
each_scene = pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
FEWEST_LETTERS = {"en": {"description": 350, "profile": 400}, "zh": {"description": 120, "profile": 140}}


def texts(scene: Scene) -> list[str]:
    profiles = [text for p in scene.cast for text in (p.name, p.description, p.position, p.state)]
    profiles += [note for p in scene.cast for note in (*p.knowledge, *p.unaware)]
    place = scene.environment
    return [scene.title, place.time, place.location, place.description, scene.plot or "", *profiles]


def test_thirty_scenes_or_more_in_each_language_in_a_steady_order() -> None:
    languages = [scene.language for scene in bundled()]
    assert languages.count("en") >= 30
    assert languages.count("zh") >= 30
    assert [s.id for s in bundled()] == [s.id for s in sorted(bundled(), key=lambda s: (s.language, s.id))]
    assert len(SCENES) == len(bundled())


def test_every_file_is_named_after_its_scene_and_needs_no_repair() -> None:
    folder = files("characterbox.scenes") / "bundled"
    for language in ("en", "zh"):
        for file in (folder / language).iterdir():
            read = read_scene_bytes(file.name, file.read_bytes())
            assert read.repairs == ()
            assert [f"{scene.id}.yaml" for scene in read.scenes] == [file.name]
            assert [scene.language for scene in read.scenes] == [language]


@each_scene
def test_the_text_is_in_the_language_of_the_scene(scene: Scene) -> None:
    share = han_share if scene.language == "zh" else latin_share
    assert all(share(text) >= 0.99 for text in texts(scene))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_most_have_two_to_four_characters_and_some_have_one_or_five(language: str) -> None:
    sizes = Counter(len(scene.cast) for scene in bundled() if scene.language == language)
    assert {*sizes} == {1, 2, 3, 4, 5}
    assert sizes[1] + sizes[5] <= len(bundled()) / 10


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_origins_many_works_ordinary_people_and_disc(language: str) -> None:
    scenes = [scene for scene in bundled() if scene.language == language]
    origins = Counter(scene.origin for scene in scenes)
    assert min(origins[origin] for origin in ("extracted", "generated", "original")) >= 8
    assert len({scene.work for scene in scenes if scene.origin != "original"}) >= 15
    assert sum(scene.id.startswith("disc-") for scene in scenes) >= 3


def test_what_belongs_to_a_work_names_who_wrote_it_and_no_other_scene_does() -> None:
    """Original scenes are this project's own."""
    for scene in bundled():
        assert (scene.author == "CharacterBox") is (scene.origin == "original"), scene.id


def test_no_two_scenes_are_close_to_each_other() -> None:
    titles = Counter(scene.title for scene in bundled())
    assert max(titles.values()) == 1
    profiles = Counter(profile.description for scene in bundled() for profile in scene.cast)
    assert max(profiles.values()) == 1


@pytest.mark.slow
@each_scene
def test_it_can_be_played_for_three_rounds(scene: Scene) -> None:
    events = rehearsed_events(scene, 3)
    actions = [event for event in events if event.kind == "action"]
    assert [event.character for event in actions] == [*scene.names] * 3
    assert not [event.path for event in events if getattr(event, "degraded", None)]


@each_scene
def test_characters_know_something_and_not_everything(scene: Scene) -> None:
    for profile in scene.cast:
        assert profile.knowledge
        assert profile.unaware
        assert not {*profile.knowledge} & {*profile.unaware}


@each_scene
def test_characters_with_something_to_play(scene: Scene) -> None:
    fewest = FEWEST_LETTERS[scene.language]
    assert len({profile.name for profile in scene.cast}) == len(scene.cast)
    assert len(scene.environment.description) >= fewest["description"]
    for profile in scene.cast:
        assert len(profile.description) >= fewest["profile"]
        assert profile.gender
    assert len({profile.position for profile in scene.cast}) == len(scene.cast)
    assert len({profile.state for profile in scene.cast}) == len(scene.cast)
    assert scene.plot
    assert scene.author


@each_scene
def test_chinese_text_has_no_ascii_punctuation_or_stray_blank(scene: Scene) -> None:
    if scene.language == "zh":
        assert not [sign for text in texts(scene) for sign in text if sign in " ,.;:!?()\"'\n"]
    else:
        assert not [text for text in texts(scene) if "  " in text or "\n" in text]


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("disc-ridge", ("dominance", "influence", "steadiness", "compliance")),
        ("disc-shanji", ("支配型", "影响型", "稳健型", "服从型")),
    ],
)
def test_the_disc_pair_has_one_character_of_each_type_in_the_papers_order(name: str, types: tuple[str, ...]) -> None:
    cast = bundled_scene(name).cast
    found = [[kind for kind in types if kind in profile.description] for profile in cast]
    assert found == [[kind] for kind in types]


def test_open_scene_opens_a_bundled_one() -> None:
    assert open_scene("bundled:pride-rain", None) is SCENES["pride-rain"]
    assert open_scene("bundled:pride-rain", "pride-rain") is SCENES["pride-rain"]


def test_an_unknown_bundled_name_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(SceneError, match="bundled:hamlet: there is no bundled scene") as caught:
        open_scene("bundled:hamlet", None)
    assert all(name in str(caught.value) for name in [*SCENES][:40])
    assert f"and {len(SCENES) - 40} more" in str(caught.value)


def test_a_bundled_scene_holds_no_second_scene() -> None:
    with pytest.raises(SceneError, match="omit the scene id '3'"):
        open_scene("bundled:pride-rain", "3")


@each_scene
def test_a_scene_written_out_as_json_reads_back_the_same(scene: Scene, tmp_path: Path) -> None:
    file = tmp_path / "copy.json"
    file.write_text(scene.model_dump_json(), encoding="utf-8")
    assert open_scene(str(file), None) == scene
