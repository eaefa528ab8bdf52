"""Whatever is read, the importer answers with a scene file or a SceneError."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import SceneError
from characterbox.scenes.import_report import SceneFile
from characterbox.scenes.importer import read_scene_bytes
from characterbox.values import Language
from tests.fakes.examples import examples
from tests.scenes.hotel import WATCH

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = """id event title time location description characters actions plot name gender position states state cast
environment language origin work author chunk scenes public_face other_names known_as by unseen_by"""
KEYS = st.sampled_from(WORDS.split()) | st.text(max_size=3)
JUNK = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=15
)
SPOILT = st.lists(st.tuples(KEYS, JUNK), max_size=4).map(lambda pairs: {**WATCH, **dict(pairs)})


LISTS = st.lists(JUNK | SPOILT, max_size=3)


def outcome(name: str, raw: bytes, language: Language | None = None) -> SceneFile | SceneError:
    """What reading gives. Any other error fails the test."""
    try:
        return read_scene_bytes(name, raw, language)
    except SceneError as error:
        return error


@pytest.mark.slow
@settings(max_examples=examples(60, 250), deadline=None)
@given(
    data=JUNK | LISTS | st.builds(lambda scenes: {"scenes": scenes}, LISTS),
    name=st.sampled_from(["junk.json", "junk.yaml", "片段-extracted.json"]),
    language=st.sampled_from((None, "en", "zh")),
)
def test_whatever_is_read_there_is_a_scene_file_or_a_scene_error(
    data: Any, name: str, language: Language | None
) -> None:
    file = outcome(name, json.dumps(data).encode(), language)
    if isinstance(file, SceneError):
        assert str(file).startswith(name)
        return
    entries = data["scenes"] if isinstance(data, dict) and "scenes" in data else data
    assert len(file.scenes) + len(file.refused) == (len(entries) if isinstance(entries, list) else 1)
    ids = [scene.id for scene in file.scenes] + [refusal.scene for refusal in file.refused]
    assert len(set(ids)) == len(ids)
    assert "\n".join(map(str, [*file.repairs, *file.refused])).encode("utf-8") is not None
    for scene in file.scenes:
        again = read_scene_bytes("again.json", scene.model_dump_json().encode())
        assert again.scenes == (scene,)
        assert [repair for repair in again.repairs if "placeholder" not in repair.what] == []


@settings(max_examples=examples(50, 150), deadline=None)
@given(
    raw=st.binary(max_size=60) | st.text(max_size=60).map(str.encode),
    name=st.sampled_from(["a.json", "a.yaml", "a.yml"]),
)
def test_whatever_bytes_are_read_there_is_a_scene_file_or_a_scene_error(raw: bytes, name: str) -> None:
    file = outcome(name, raw)
    if isinstance(file, SceneError):
        assert str(file).startswith(name)
        assert "\n" not in str(file)
    else:
        assert file.scenes == ()
