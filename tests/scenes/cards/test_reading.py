"""What character cards say, in all versions and kinds of files."""

import copy
import json
import zlib
from typing import Any

import pytest

from characterbox.errors import SceneError
from characterbox.scenes.cards.profile import CardFile, read_card
from characterbox.scenes.scene import Profile
from tests.scenes.cards.sherlock import CARDS, END, HEAD, PIXEL, V1, V2, V3, base64_of, chunk, files_of, png_of

EVERY_FILE = [(version, name) for version, card in CARDS.items() for name in files_of(card)]


def read(card: dict[str, Any], **changes: Any) -> CardFile:
    """The card with some fields of its data changed."""
    found = copy.deepcopy(card)
    (found if card is V1 else found["data"]).update(changes)
    return read_card("card.json", json.dumps(found).encode())


def told(file: CardFile) -> list[str]:
    return [f"{repair.field}: {repair.what}" for repair in file.repairs]


@pytest.mark.parametrize(("version", "name"), EVERY_FILE)
def test_a_character_comes_out_of_every_kind_of_file(version: str, name: str) -> None:
    file = read_card(name, files_of(CARDS[version])[name], user="Watson")
    who = "Holmes" if version == "V3" else "Sherlock Holmes"
    knowledge = ("He lives at 221B.", "His brother is in Whitehall.", f"To {who} she is the woman.")
    assert file.profile("By the fire", "Bored") == Profile(
        name="Sherlock Holmes",
        description=f"{who} is a consulting detective. {who} knows Watson from the war.\n\n{V1['personality']}",
        position="By the fire",
        state="Bored",
        knowledge=() if version == "V1" else knowledge,
        other_names=("Holmes",) if version == "V3" else (),
    )
    assert file.scenario == f"{who} sits by the fire; Watson has just come in."
    assert (file.card.version, file.card.document, file.name) == (version, CARDS[version], name)


def test_what_is_left_out_is_told() -> None:
    assert told(read_card("card.json", json.dumps(V2).encode())) == [
        "personality: appended to the description",
        "character_book.entries: 2 appear in a chat only after certain words; here the character knows them from the "
        "start",
        "character_book.entries: 1 left out; disabled",
        "character_book.entries: 1 left out; empty",
        "description: '{{user}}' read as 'the other person'",
        "scenario: '<USER>' read as 'the other person'",
        "first_mes: not used; a character profile has no such field",
        "mes_example: not used; a character profile has no such field",
        "creator_notes: not used; a character profile has no such field",
        "alternate_greetings: not used; a character profile has no such field",
        "tags: not used; a character profile has no such field",
        "creator: not used; a character profile has no such field",
        "character_version: not used; a character profile has no such field",
        "extensions: depth_prompt, fav, which belong to other programs, not used",
    ]


@pytest.mark.parametrize(("position", "state", "missing"), [(None, "Calm", "position"), ("Here", " ", "state")])
def test_where_and_how_it_is_is_asked_for_and_never_made_up(
    position: str | None, state: str | None, missing: str
) -> None:
    with pytest.raises(SceneError, match=f"^card.json: {missing}: a character card does not have this; fill it in$"):
        read(V2).profile(position, state)


def test_a_chinese_card_speaks_of_the_user_in_chinese() -> None:
    file = read(V1, description="{{user}}的侦探", personality="", scenario="")
    assert (file.description, file.user) == ("对方的侦探", "对方")


def test_who_the_user_is_is_asked_for_only_where_it_matters() -> None:
    assert read_card("card.json", json.dumps(V2).encode(), "Watson").user == "Watson"
    assert read(V1, description="A detective.", scenario="").user is None
    knows = {"entries": [{"content": "He knows <USER>.", "insertion_order": 0}]}
    assert read(V2, description="A detective.", scenario="", character_book=knows).user == "the other person"


def test_v3_goes_ahead_in_a_picture_that_holds_both() -> None:
    other = {**V2, "data": {**V2["data"], "name": "Somebody else"}}
    for texts in ({"chara": other, "ccv3": V3}, {"ccv3": V3, "chara": other}):
        file = read_card("a.png", png_of(**{key: base64_of(card) for key, card in texts.items()}))
        assert (file.card.version, file.character) == ("V3", "Sherlock Holmes")


@pytest.mark.parametrize(
    "text",
    [
        chunk(b"zTXt", b"chara\0\0" + zlib.compress(base64_of(V2))),
        chunk(b"iTXt", b"chara\0\0\0en\0Karte\0" + base64_of(V2)),
        chunk(b"iTXt", b"chara\0\1\0\0\0" + zlib.compress(base64_of(V2))),
        chunk(b"tEXt", b"Chara\0" + base64_of(V2)),
        chunk(b"tEXt", b"Comment\0chara") + chunk(b"tEXt", b"chara\0" + base64_of(V2)),
    ],
)
def test_other_kinds_of_text_in_a_picture(text: bytes) -> None:
    for raw in (HEAD + text + PIXEL + END, HEAD + PIXEL + text + END + b"something after it"):
        assert read_card("a.png", raw).card.document == V2


def test_knowledge_goes_by_insertion_order_and_decorators_are_trimmed() -> None:
    def entry(content: str, order: object, **more: object) -> dict[str, object]:
        return {"keys": [], "content": content, "extensions": {}, "insertion_order": order, "constant": True, **more}

    entries = [
        entry("@@depth 4\n@@@instruct_depth 5\n\nSecond.\n@@not at the head", 1.5),
        entry("Last.", None),
        entry("@@dont_activate\nNever.", 1),
        entry("@@dont_activate\n@@activate\nThird.", 2),
        entry("First.", -3),
        entry("@@role system", 0),
        "no entry",
    ]
    file = read(V3, character_book={"extensions": {}, "entries": entries})
    assert file.knowledge == ("First.", "Second.\n@@not at the head", "Third.", "Last.")
    found = [note for note in told(file) if note.startswith("character_book")]
    assert found == [
        "character_book.entries: decorators of 3 left out; they are only for chat programs",
        "character_book.entries: 1 left out; disabled",
        "character_book.entries: 1 left out; empty",
    ]


def test_missing_texts_are_empty_ones() -> None:
    card = {"name": "Ann", "description": None, "personality": "Kind."}
    file = read_card("a.json", json.dumps(card).encode())
    assert (file.description, file.scenario, file.knowledge) == ("Kind.", None, ())


def test_texts_are_tidied_as_those_of_scenes_are() -> None:
    file = read(V2, name=" Ann\u200b  Lee ", description="\r\nA\u0000 clerk.\r\n", personality=" clerk.\n")
    assert (file.character, file.description) == ("Ann Lee", "A clerk.")
    assert "name: invisible control characters removed" in told(file)


def test_a_newer_card_is_read_and_said_to_be_newer() -> None:
    newer = {**V3, "spec_version": "3.1", "data": {**V3["data"], "mood_board": [1]}, "create_date": "x"}
    file = read_card("a.json", json.dumps(newer).encode())
    assert file.card.document == newer
    assert "spec_version: '3.1' is newer than 3.0; its new features are not supported" in told(file)
    assert "mood_board, create_date: unknown; not used" in told(file)
    assert not any("spec_version" in note for note in told(read(V3)))


def test_a_key_that_stands_twice_is_told() -> None:
    raw = json.dumps(V1).replace('"name":', '"name": "Moriarty", "name":').encode()
    assert told(read_card("a.json", raw))[0] == "'name': occurs twice in one object; the last one is used"


UNUSABLE: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": ""}, "name: it has no letter or digit"),
    "a name of signs": ({"name": "???"}, "name: it has no letter or digit"),
    "a name too long": ({"name": "x" * 81}, "name: it is longer than 80 characters"),
    "a name that is no text": ({"name": 3}, "name: it must be text, not a number; change it to text"),
    "nothing said of it": (
        {"description": " ", "personality": ""},
        "description: neither it nor 'personality' describes",
    ),
    "nothing left of it": ({"description": "{{// x}}", "personality": ""}, "description: neither it nor 'personality'"),
    "a scenario that is no text": ({"scenario": ["x"]}, "scenario: it must be text, not a list"),
    "a lorebook that is none": ({"character_book": []}, "character_book: not a lorebook"),
    "a world of another program": ({"character_book": {"entries": {"0": {}}}}, "character_book: not a lorebook"),
    "a lorebook of 10,000": (
        {"character_book": {"entries": [{}] * 10_000}},
        "character_book.entries: 10,000 entries exceed the limit",
    ),
}


@pytest.mark.parametrize(("changes", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
@pytest.mark.parametrize("card", [V1, V2, V3], ids=["V1", "V2", "V3"])
def test_a_card_that_cannot_be_used_gives_one_line_that_names_the_field(
    card: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(SceneError) as caught:
        read(card, **changes)
    assert str(caught.value).startswith(f"card.json: line 1: {'' if card is V1 else 'data.'}{message}")
    assert "\n" not in str(caught.value)
    assert "; " in str(caught.value)


def test_the_line_is_that_of_the_field() -> None:
    raw = json.dumps({**V2, "data": {**V2["data"], "scenario": 3}}, indent=2)
    line = 1 + raw[: raw.index('"scenario"')].count("\n")
    with pytest.raises(SceneError, match=rf"^a\.json: line {line}: data\.scenario: it must be text, not a number"):
        read_card("a.json", raw.encode())
