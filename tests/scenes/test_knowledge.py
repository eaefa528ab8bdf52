"""What characters know and do not know: who reads it, and how it stands in files."""

import asyncio

import pytest

from characterbox.judging.subject import Opening, Part
from characterbox.play.world import Script
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.scene import Scene
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import next_in
from tests.scenes.hotel import WATCH, file_of

KNOWS, UNAWARE = "Ann saw the porter take it.", "Ann does not know that the guest is her brother."
HOUSE = {
    "id": "hotel",
    "title": "A watch goes missing",
    "work": "The Hotel",
    "language": "en",
    "origin": "original",
    "environment": {key: WATCH[key] for key in ("time", "location", "description")},
    "cast": [
        {"name": "Ann", "description": "The clerk.", "position": "Desk", "state": "Calm", "knowledge": [KNOWS],
         "unaware": [UNAWARE]},
        {"name": "Bob", "description": "A guest.", "position": "Stairs", "state": "Angry"},
    ],
}  # fmt: skip


def scene(**ann: object) -> Scene:
    cast = [{**HOUSE["cast"][0], **ann}, HOUSE["cast"][1]]
    file = read_scene_bytes("hotel.json", file_of({**HOUSE, "cast": cast}))
    assert file.refused == ()
    return file.scenes[0]


def test_a_character_reads_what_it_knows_and_never_what_it_does_not() -> None:
    script = Script(scene=scene(), rounds=1)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    asyncio.run(played(script, ask))
    shown = {"Ann": "", "Bob": "", None: ""}
    for request in ask.requests:
        shown[request.agent] += "\n".join(message.content for message in request.messages)
    assert {agent: KNOWS in text for agent, text in shown.items()} == {"Ann": True, "Bob": False, None: True}
    assert {agent: UNAWARE in text for agent, text in shown.items()} == {"Ann": False, "Bob": False, None: True}


def test_judges_read_both() -> None:
    story = scene()
    for shown in (Part(story, "Ann", ()).shown()["profile"], Opening(story).shown()["cast"]):
        assert KNOWS in shown
        assert UNAWARE in shown


def test_a_scene_without_is_written_down_as_before_there_was_any() -> None:
    assert "knowledge" not in scene(knowledge=None, unaware=[]).model_dump_json()
    assert Scene.model_validate_json(scene().model_dump_json()) == scene()


@pytest.mark.parametrize("field", ["knowledge", "unaware"])
def test_a_single_text_is_a_list_of_one_and_told(field: str) -> None:
    cast = [{**HOUSE["cast"][0], field: " Only this. "}, HOUSE["cast"][1]]
    file = read_scene_bytes("hotel.json", file_of({**HOUSE, "cast": cast}))
    assert getattr(file.scenes[0].cast[0], field) == ("Only this.",)
    assert [f"{one.field}: {one.what}" for one in file.repairs] == [
        f"cast[0].{field}: a single text; read as a list with one entry"
    ]


@pytest.mark.parametrize("value", [[""], [{"a": "b"}], {"a": "b"}, [1, None]])
def test_what_is_no_list_of_texts_is_refused(value: object) -> None:
    cast = [{**HOUSE["cast"][0], "knowledge": value}, HOUSE["cast"][1]]
    (refusal,) = read_scene_bytes("hotel.json", file_of({**HOUSE, "cast": cast})).refused
    assert refusal.field.startswith("cast[0].knowledge")
