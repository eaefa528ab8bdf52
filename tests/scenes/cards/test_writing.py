"""Cards that are written: they are what the specifications say, and come back as they were."""

import io
import json
import zipfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from characterbox.errors import SceneError
from characterbox.scenes.cards.card import Card, as_v2, as_v3
from characterbox.scenes.cards.export import as_charx, as_json, as_png, card_of
from characterbox.scenes.cards.profile import read_card
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.repairs import tidy
from characterbox.scenes.scene import Alias, Profile, slug_of
from tests.scenes.cards import sherlock, specifications
from tests.scenes.cards.sherlock import CARDS, V1, V2, V3, base64_of, charx_of, files_of, png_of

PROFILES = [profile for name in ("disc-ridge", "honglou-shigao") for profile in bundled_scene(name).cast]
ANN = Profile(
    name="Ann Lee",
    description="A clerk.\n\nShe says {{user}} and <bot> aloud.",
    position="At the desk",
    state="Calm",
    knowledge=("@@depth 4\nis what she wrote.", "The safe is empty; 保险箱是空的。"),
)
WORDS = st.sampled_from(
    ["{{char}}", "{{user}}", "<BOT>", "{{random:a,b}}", "@@depth 4\n", "@@@x\n", "\n", "墨", '"', "\\u"]
)
TEXTS = st.lists(WORDS | st.text(max_size=9), min_size=1, max_size=4).map("".join)


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Profiles as the importer of scenes gives them."""
    fields: dict[str, Any] = {
        "name": draw(st.text(min_size=1, max_size=20)),
        **{key: draw(TEXTS) for key in ("description", "position", "state")},
        "gender": draw(st.none() | TEXTS),
        "knowledge": draw(st.lists(TEXTS, max_size=4)),
        "unaware": draw(st.lists(TEXTS, max_size=2)),
        "public_face": draw(st.none() | TEXTS),
        "other_names": draw(st.lists(TEXTS, max_size=2)),
        "known_as": [
            {"name": name, "by": by}
            for name, by in draw(st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=2)), max_size=2))
        ],
        "unseen_by": draw(st.lists(TEXTS, max_size=2)),
    }
    tidy({"cast": [fields]})
    for kind in ("knowledge", "unaware", "other_names", "unseen_by"):
        fields[kind] = [note for note in fields[kind] if note]
    fields["known_as"] = [
        {"name": one["name"] or "x", "by": [name for name in one["by"] if name]} for one in fields["known_as"]
    ]
    fields |= {key: fields[key] or "x" for key in ("description", "position", "state")}
    return Profile.model_validate(fields | {"name": fields["name"] if slug_of(fields["name"]) else "x"})


def all_files(card: Card) -> dict[str, bytes]:
    return {
        "v3.json": as_json(as_v3(card)),
        "v2.json": as_json(as_v2(card)),
        "a.png": as_png(card),
        "v2.png": as_png(as_v2(card)),
        "a.charx": as_charx(card),
    }


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(profiles(), TEXTS.map(str.strip))
def test_a_profile_comes_back_from_every_kind_of_card(profile: Profile, scenario: str) -> None:
    for name, raw in all_files(card_of(profile, scenario)).items():
        assert read_card(name, raw).profile() == profile


@pytest.mark.parametrize("profile", [*PROFILES, ANN], ids=lambda profile: profile.name)
def test_the_cards_are_what_the_specifications_say(profile: Profile) -> None:
    card = card_of(profile, "A hotel.")
    specifications.V3.validate_python(card.document)
    specifications.V2.validate_python(as_v2(card).document)
    for name, raw in all_files(card).items():
        file = read_card(name, raw)
        assert (file.profile(), file.scenario) == (profile, "A hotel.")
        assert [repair for repair in file.repairs if "not used" not in repair.what] == []


def test_the_specifications_are_strict() -> None:
    for spec, card in ((specifications.V1, V1), (specifications.V2, V2), (specifications.V3, V3)):
        spec.validate_python(card)
        for broken in ({**card, "more": 1}, {key: value for key, value in card.items() if key not in ("spec", "name")}):
            with pytest.raises(ValueError, match=r"more|spec|name"):
                spec.validate_python(broken)


def test_where_things_stand_in_a_card() -> None:
    data = card_of(ANN, "A hotel.").fields
    assert {key: data[key] for key in ("name", "description", "personality", "scenario")} == {
        "name": "Ann Lee",
        "description": ANN.description,
        "personality": "",
        "scenario": "A hotel.",
    }
    assert data["extensions"] == {"characterbox": {"position": "At the desk", "state": "Calm", "literal": True}}
    book = data["character_book"]
    assert isinstance(book, dict)
    assert [(entry["content"], entry["insertion_order"], entry["constant"]) for entry in book["entries"]] == [
        (ANN.knowledge[0], 0, True),
        (ANN.knowledge[1], 1, True),
    ]
    assert "character_book" not in card_of(PROFILES[0].model_copy(update={"knowledge": ()})).fields


def test_names_and_the_public_face_stand_in_the_extension_and_in_no_entry_of_the_lorebook() -> None:
    masked = ANN.model_copy(
        update={
            "public_face": "A woman in grey.",
            "other_names": ("Miss Lee",),
            "known_as": (Alias(name="the clerk", by=("Bob",)),),
            "unseen_by": ("Bob",),
        }
    )
    data = card_of(masked).fields
    assert data["character_book"] == card_of(ANN).fields["character_book"]
    assert {key: data["extensions"]["characterbox"][key] for key in ("public_face", "known_as")} == {
        "public_face": "A woman in grey.",
        "known_as": [{"name": "the clerk", "by": ["Bob"]}],
    }


def test_what_another_program_changes_in_a_card_of_ours_counts() -> None:
    card = json.loads(as_json(as_v2(card_of(PROFILES[0]))))
    card["data"]["description"] = "{{char}} has changed."
    card["data"]["character_book"] = {"extensions": {}, "entries": [{"content": "New.", "insertion_order": 1}]}
    profile = read_card("a.json", json.dumps(card).encode()).profile()
    assert (profile.description, profile.knowledge) == (f"{profile.name} has changed.", ("New.",))
    assert (profile.position, profile.state) == (PROFILES[0].position, PROFILES[0].state)


def test_what_the_caller_says_goes_ahead_of_what_the_card_says() -> None:
    file = read_card("a.json", as_json(card_of(ANN)))
    assert file.profile(position="On the stairs").position == "On the stairs"
    assert file.profile(state="Angry").state == "Angry"


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version, card in CARDS.items() for name in files_of(card)]
)
def test_a_card_that_is_read_and_written_keeps_every_field(version: str, name: str) -> None:
    document = {**CARDS[version], "\ud800": [1e-7, 10**30, None, {"深": "\udfff"}], "fav": True}
    card = read_card(name, files_of(document)[name]).card
    write = {"card.json": as_json, "card.png": as_png, "card.charx": as_charx}[name]
    again = read_card(name, write(card)).card
    assert again.document == document
    assert write(again) == write(card)


def test_a_picture_keeps_its_pixels_and_its_other_texts() -> None:
    comment = sherlock.chunk(b"tEXt", b"Comment\0by hand") + sherlock.chunk(b"tEXt", b"chara-ext-asset_:a\0eA==")
    old = sherlock.chunk(b"iTXt", b"chara\0\0\0\0\0" + base64_of(V1))
    raw = (
        sherlock.HEAD
        + comment
        + old
        + sherlock.PIXEL
        + sherlock.chunk(b"tEXt", b"CCV3\0" + base64_of(V3))
        + sherlock.END
    )
    card = read_card("a.png", raw).card
    written = as_png(card)
    assert comment in written
    assert written.count(b"chara\0") == written.count(b"ccv3\0") == 1
    with Image.open(io.BytesIO(written)) as picture:
        picture.load()
        assert (picture.size, picture.getpixel((0, 0))) == ((1, 1), 0x7F)
    assert as_png(card_of(ANN), picture=raw).startswith(sherlock.HEAD + comment + sherlock.PIXEL)


def test_the_plain_picture_can_be_seen_and_holds_both_versions() -> None:
    with Image.open(io.BytesIO(as_png(card_of(ANN)))) as picture:
        picture.load()
        assert picture.size == (400, 600)
        assert picture.convert("RGB").getcolors() == [(400 * 600, (0x5B, 0x6B, 0x7F))]
        assert list(picture.text) == ["chara", "ccv3"]


def test_the_v2_beside_a_v3_says_that_there_is_more() -> None:
    raw = as_png(read_card("a.json", json.dumps(V3).encode()).card).replace(b"ccv3\0", b"ccv4\0")
    with Image.open(io.BytesIO(raw[: raw.index(b"tEXtccv4") - 4] + sherlock.END)) as picture:
        picture.load()
    older = read_card("a.png", raw[: raw.index(b"tEXtccv4") - 4] + sherlock.END).card
    specifications.V2.validate_python(older.document)
    notes = older.fields["creator_notes"]
    assert isinstance(notes, str)
    assert notes.startswith("This character card is a Character Card V3")
    assert notes.endswith("\n\nAfter Conan Doyle.")


def test_versions_become_each_other() -> None:
    for card in (V1, V2, V3):
        read = read_card("a.json", json.dumps(card).encode()).card
        specifications.V2.validate_python(as_v2(read).document)
        specifications.V3.validate_python(as_v3(read).document)
    v2 = read_card("a.json", json.dumps(V2).encode()).card
    assert as_v2(as_v3(v2)).document == V2
    decorated = {"content": "@@depth 4\nHe smokes.", "use_regex": True}
    v3 = Card("V3", {**V3, "data": {**V3["data"], "character_book": {"extensions": {}, "entries": [decorated]}}})
    assert as_v2(v3).fields["character_book"] == {"extensions": {}, "entries": [{"content": "He smokes."}]}


def test_an_archive_keeps_its_files() -> None:
    card = read_card("a.charx", charx_of(V3, assets__other__song_mp3=b"la", module_risum=b"\0")).card
    with zipfile.ZipFile(io.BytesIO(as_charx(card))) as archive:
        assert {name: archive.read(name) for name in archive.namelist() if name != "card.json"} == {
            "assets/other/song_mp3": b"la",
            "module_risum": b"\0",
        }
    for write in (as_json, as_png):
        with pytest.raises(SceneError, match=r"its 2 files cannot be stored in .* save the card as CHARX"):
            write(card)


def test_a_picture_becomes_the_icon_of_an_archive_and_the_other_way_round() -> None:
    card = read_card("a.png", png_of(ccv3=base64_of(V3))).card
    packed = as_charx(card)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("assets/icon/images/main.png") == png_of()
    again = read_card("a.charx", packed).card
    specifications.V3.validate_python(again.document)
    assert again.fields["assets"] == [
        {"type": "icon", "uri": "embeded://assets/icon/images/main.png", "name": "main", "ext": "png"}
    ]
    assert read_card("a.png", as_png(again)).card.document == V3


def test_more_knowledge_than_is_read_again_is_no_card() -> None:
    with pytest.raises(SceneError, match="1,001 notes exceed the limit of 1,000"):
        card_of(ANN.model_copy(update={"knowledge": ("x",) * 1_001}))


def test_a_picture_that_is_none_is_refused() -> None:
    with pytest.raises(SceneError, match="the image: not a PNG file"):
        as_png(card_of(ANN), picture=b"GIF89a")
