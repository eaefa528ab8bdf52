"""Scene files and cards in other encodings than UTF-8: read where it is known which, and told; else refused."""

import json

import pytest

from characterbox.errors import SceneError
from characterbox.scenes.cards.profile import CardFile
from characterbox.scenes.export import as_authors, as_json, as_yaml
from characterbox.scenes.import_files import read_any
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.library import bundled
from tests.scenes.cards.sherlock import V3

CHINESE = [scene for scene in bundled() if scene.language == "zh"]
KINDS = {"a.json": as_json, "a.yaml": as_yaml}


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["UTF-16", "GB18030"])
@pytest.mark.parametrize("name", KINDS)
def test_a_file_in_another_encoding_gives_the_same_scenes_and_says_so(name: str, encoding: str) -> None:
    for scenes in (CHINESE, CHINESE[:1]):
        raw = KINDS[name](scenes)
        file = read_scene_bytes(name, raw.decode().encode(encoding))
        assert file.scenes == tuple(scenes)
        assert [str(repair) for repair in file.repairs] == [f"the file: encoding: the file was read as {encoding}"]
        assert read_scene_bytes(name, raw.decode().encode("utf-8-sig")).repairs == ()


@pytest.mark.parametrize("scene", CHINESE, ids=lambda scene: scene.id)
def test_each_chinese_scene_is_known_in_gbk_in_the_authors_form_too(scene) -> None:
    raw = as_authors([scene]).content
    file = read_scene_bytes("a.json", raw.decode().encode("gb18030"))
    assert [one.cast for one in file.scenes] == [one.cast for one in read_scene_bytes("a.json", raw).scenes]


def test_an_english_scene_is_read_in_utf_16_only() -> None:
    raw = as_json(bundled()[:1]).decode()
    assert read_scene_bytes("a.json", raw.encode("utf-16")).scenes == bundled()[:1]
    for told in ("naïve — “so”", "Größe, façade, don’t", "PERÒ», Straße"):
        with pytest.raises(SceneError, match=r"\(line \d+\) is not UTF-8, and no other encoding is certain"):
            read_scene_bytes("a.json", raw.replace("Alice", told).encode("cp1252", "replace"))


def test_a_card_in_another_encoding() -> None:
    card = read_any("a.json", json.dumps(V3, ensure_ascii=False).encode("utf-16"))
    assert isinstance(card, CardFile)
    assert card.character == "Sherlock Holmes"
    assert "the file: encoding: the file was read as UTF-16" in map(str, card.repairs)


@pytest.mark.parametrize("encoding", ["UTF-16", "GB18030"])
def test_lines_are_those_of_the_file_in_any_encoding(encoding: str) -> None:
    raw = as_yaml(CHINESE[:2]).decode().replace("    title: ", "    titel: ", 1)
    [refusal] = read_scene_bytes("a.yaml", raw.encode(encoding)).refused
    assert (refusal.field, refusal.line) == ("title", 2)
