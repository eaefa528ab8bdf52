"""Scenes that are written to a file and read again are the same scenes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import SceneError
from characterbox.scenes import export
from characterbox.scenes.export import as_authors, as_json, as_yaml
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.library import bundled, bundled_scene
from characterbox.scenes.scene import Alias, Crafted, Passage, Profile, Scene, slug_of
from tests.fakes.examples import examples

SIGNS = ["~", "null", "no", "12:30", "1e3", "- a", "# x", "a: b", "'", '"', "{}", "[", "&a", "*a", "!x", "|", ">", "%"]
BREAKS = [
    "a\n\nb",
    "a\n b",
    "a \nb",
    "a\n\n\nb\n c",
    "a\tb",
    "a\u2028b",
    "a\x85b",
    "a\n---\nb",
    "a\n...\nb",
    "---",
    "...",
]
LONG = [
    "x" * 300,
    "x " * 200 + "y",
    "。" * 150,
    "a  b   c" * 30,
    "@",
    "<<",
    "=",
    "?",
    "a #b",
    "\\n",
    "\u00a0a",
    "\U0001f600",
]
ODD = st.sampled_from([*SIGNS, *BREAKS, *LONG])
WRITTEN = (st.text(max_size=40) | ODD | st.lists(ODD, max_size=4).map(" ".join)).map(str.strip)
PROSE = WRITTEN.filter(bool)


@st.composite
def house_fields(draw: st.DrawFn, number: int = 0) -> dict[str, Any]:
    """A scene in house form, as somebody may have written it."""
    names = draw(st.lists(st.text(min_size=1, max_size=12).filter(slug_of), min_size=1, max_size=3, unique_by=slug_of))
    cast = [
        {
            "name": name,
            **draw(st.fixed_dictionaries(dict.fromkeys(("description", "position", "state"), PROSE))),
            "gender": draw(st.none() | PROSE),
            "knowledge": draw(st.lists(PROSE, max_size=3)),
            "public_face": draw(st.none() | PROSE),
            "other_names": draw(st.lists(PROSE, max_size=2)),
            "known_as": draw(st.just([]) | st.just([{"name": "the 7th guest", "by": names[:at] + names[at + 1 :]}])),
            "unseen_by": draw(
                st.lists(st.sampled_from(names), max_size=2).map(lambda who, at=at: [*{*who} - {names[at]}])
            ),
        }
        for at, name in enumerate(names)
    ]
    made = {
        "author": st.none() | PROSE,
        "plot": st.none() | PROSE,
        "passage": st.none() | st.just({"source": "emma.txt", "start": 3, "end": 9, "chapter": "I"}),
        "crafted": st.none() | st.just({"method": "direct", "screenwriter": "a: b"}),
        "pair": st.none() | PROSE,
    }
    return {
        "id": f"{draw(st.sampled_from(['scene', '7', 'null', '场景']))}-{number}",
        "title": draw(PROSE)[:200],
        "work": draw(PROSE)[:200],
        "language": draw(st.sampled_from(["en", "zh"])),
        "origin": draw(st.sampled_from(["extracted", "generated", "original"])),
        "environment": draw(st.fixed_dictionaries(dict.fromkeys(("time", "location", "description"), PROSE))),
        "cast": cast,
        **draw(st.fixed_dictionaries(made)),
    }


@st.composite
def house_scenes(draw: st.DrawFn) -> tuple[Scene, ...]:
    """Scenes as the importer gives them: what it would put right is put right in them."""
    fields = [draw(house_fields(number)) for number in range(draw(st.integers(1, 3)))]
    return read_scene_bytes("a.json", json.dumps({"scenes": fields}).encode()).scenes


@pytest.mark.slow
@settings(max_examples=examples(20, 150), deadline=None)
@given(house_scenes().filter(len))
def test_what_is_written_reads_back_as_the_same_scenes(scenes: tuple[Scene, ...]) -> None:
    for name, raw in (("a.json", as_json(scenes)), ("a.yaml", as_yaml(scenes))):
        read = read_scene_bytes(name, raw)
        assert read.scenes == scenes
        assert [repair for repair in read.repairs if "placeholder" not in repair.what] == []


@pytest.mark.slow
def test_the_bundled_scenes_come_back_alone_and_together() -> None:
    for scenes in (bundled(), bundled()[:1]):
        assert read_scene_bytes("a.yaml", as_yaml(scenes)).scenes == scenes
        assert read_scene_bytes("a.json", as_json(scenes)).scenes == scenes


def test_a_scene_is_written_as_the_bundled_files_are() -> None:
    """Field for field in the same order and on lines that begin alike; where paragraphs are broken is left open."""
    for name in ("disc-ridge", "honglou-shigao"):
        scene = bundled_scene(name)
        file = Path(export.__file__).parent / "bundled" / scene.language / f"{name}.yaml"
        assert heads(as_yaml([scene]).decode()) == heads(file.read_text(encoding="utf-8"))


def heads(text: str) -> list[str]:
    """The lines that say which field comes next."""
    return [line for line in text.splitlines() if line.endswith((":", ">-"))]


def test_yaml_is_for_people() -> None:
    told = Profile(
        name="Ann",
        description="A clerk. " * 30,
        position="Desk",
        state="Calm",
        knowledge=("She saw the thief.", "She does not know his name."),
    )
    scene = bundled()[0].model_copy(
        update={
            "cast": (told,),
            "passage": Passage(source="hotel.txt", start=0, end=9),
            "crafted": Crafted(method="direct", screenwriter="gpt-4o"),
        }
    )
    text = as_yaml([scene]).decode()
    assert max(map(len, text.splitlines())) <= 120
    assert "    knowledge:\n      - >-\n        She saw the thief.\n      - >-\n        She does not know" in text
    assert text.endswith(
        "passage:\n  source: hotel.txt\n  start: 0\n  end: 9\ncrafted:\n  method: direct\n  screenwriter: gpt-4o\n"
    )
    assert read_scene_bytes("a.yaml", text.encode()).scenes[0].cast[0].knowledge == told.knowledge


def test_names_and_the_public_face_are_written_beside_what_they_belong_to() -> None:
    ann, *others = bundled_scene("disc-ridge").cast
    masked = ann.model_copy(
        update={
            "public_face": "A woman in grey.",
            "other_names": ("Miss Lee",),
            "known_as": (Alias(name="the clerk", by=(others[0].name,)),),
            "unseen_by": (others[1].name,),
        }
    )
    scene = bundled_scene("disc-ridge").model_copy(update={"cast": (masked, *others)})
    text = as_yaml([scene]).decode()
    assert "    public_face: >-\n      A woman in grey.\n    description: >-" in text
    names = f"    known_as:\n      - name: the clerk\n        by:\n          - {others[0].name}\n"
    assert (
        f"{names}    other_names:\n      - Miss Lee\n    unseen_by:\n      - {others[1].name}\n    knowledge:" in text
    )
    assert read_scene_bytes("a.yaml", text.encode()).scenes == (scene,)
    left_out = [str(one.field) for one in as_authors([scene]).left_out]
    assert [field for field in left_out if field.startswith("cast[0]")] == [
        f"cast[0].{field}" for field in ("public_face", "other_names", "unseen_by", "known_as", "knowledge", "unaware")
    ]


def test_the_authors_form_says_what_it_leaves_out() -> None:
    ridge = bundled_scene("disc-ridge")
    bare_of = {"knowledge": (), "unaware": (), "public_face": None}
    plain = [profile.model_copy(update=bare_of) for profile in ridge.cast]
    known = plain[0].model_copy(update={"knowledge": ("A secret.",), "gender": None})
    told = {"origin": "extracted", "work": "The Hotel"}
    scene = ridge.model_copy(update={**told, "cast": (known, *plain[1:]), "pair": "other"})
    file = as_authors([scene, ridge.model_copy(update={**told, "cast": (*plain,)})])
    assert file.name == "the-hotel-extracted.json"
    assert [str(repair) for repair in file.left_out] == [
        "the file: id: the scenes are numbered instead",
        "the file: language: left out",
        "scene disc-ridge: author: left out",
        "scene disc-ridge: pair: left out",
        "scene disc-ridge: cast[0].knowledge: left out",
        "scene disc-ridge: author: left out",
    ]
    data = json.loads(file.content)
    assert data["title"] == "The_Hotel"
    assert [list(data["scenes"][0]), data["scenes"][1]["id"]] == [
        ["id", "event", "time", "location", "description", "characters", "actions", "plot"],
        1,
    ]
    assert list(data["scenes"][0]["characters"][0]) == ["id", "name", "gender", "description", "position", "states"]
    read = read_scene_bytes(file.name, file.content).scenes[0]
    bare = scene.model_copy(update={"cast": (known.model_copy(update={"knowledge": ()}), *scene.cast[1:])})
    assert read == bare.model_copy(update={"id": "the-hotel-extracted-0", "author": None, "pair": None})


def test_several_works_or_origins_are_no_file_of_the_authors() -> None:
    with pytest.raises(SceneError, match=r"these have 2 combinations of them; write one file for each"):
        as_authors([bundled()[0], bundled()[0].model_copy(update={"work": "Another"})])


@pytest.mark.parametrize("write", [as_json, as_yaml, as_authors])
def test_none_and_too_many_are_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SceneError, match="there are none to write"):
        write([])
    monkeypatch.setattr(export, "MOST_SCENES", 2)
    with pytest.raises(SceneError, match="3 scenes exceed the limit of 2"):
        write([bundled()[0]] * 3)


def test_more_than_is_read_again_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(export.LARGEST, ".yaml", 1_000)
    with pytest.raises(SceneError, match=r"more than 1,000 bytes .*; choose JSON, or fewer scenes"):
        as_yaml(bundled()[:2])
