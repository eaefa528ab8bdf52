"""Cards that are written here, as card-forge sees them: another program with models of V2 and V3 and a reader of its
own for pictures."""

from pathlib import Path

import pytest
from forge.helper import embed_card_data, extract_card_data
from forge.models import CharacterCardV2, CharacterCardV3

from characterbox.scenes.cards.card import as_v2, as_v3
from characterbox.scenes.cards.export import as_json, as_png, card_of
from characterbox.scenes.cards.profile import read_card
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import Profile
from tests.scenes.cards.sherlock import CARDS, files_of

PROFILES = [
    profile.model_copy(update={"knowledge": (*profile.knowledge, "It rains.", "保险箱是空的。")})
    for name in ("disc-ridge", "honglou-shigao")
    for profile in bundled_scene(name).cast
]
each_profile = pytest.mark.parametrize("profile", PROFILES, ids=[profile.name for profile in PROFILES])


@each_profile
def test_the_models_take_the_cards(profile: Profile) -> None:
    card = card_of(profile, "A hotel.")
    assert CharacterCardV3.model_validate_json(as_json(card), strict=True).data.name == profile.name
    assert (
        CharacterCardV2.model_validate_json(as_json(as_v2(card)), strict=True).data.description == profile.description
    )


@pytest.mark.parametrize("version", CARDS)
def test_the_models_take_what_was_read_in_another_version(version: str) -> None:
    card = read_card("card.json", files_of(CARDS[version])["card.json"]).card
    CharacterCardV3.model_validate(as_v3(card).document, strict=True)
    CharacterCardV2.model_validate(as_v2(card).document, strict=True)


@each_profile
def test_the_other_reader_finds_the_card_in_the_picture(profile: Profile, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(as_png(card_of(profile)))
    found = extract_card_data(str(tmp_path / "a.png"))
    assert found is not None
    assert found.data.character_book is not None
    assert [entry.content for entry in found.data.character_book.entries] == [*profile.knowledge]
    assert found.data.extensions["characterbox"]["position"] == profile.position


def test_a_picture_that_the_other_program_wrote_is_read(tmp_path: Path) -> None:
    profile = PROFILES[0]
    (tmp_path / "plain.png").write_bytes(as_png(card_of(PROFILES[1])))
    metadata = CharacterCardV3.model_validate(card_of(profile).document).model_dump_json()
    embed_card_data(metadata, str(tmp_path / "plain.png"), str(tmp_path / "made.png"))
    assert read_card("made.png", (tmp_path / "made.png").read_bytes()).profile() == profile
