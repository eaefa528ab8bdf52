"""Roles made of scripts, profiles and cards: nothing is added, and each part says where it comes from."""

import json

import pytest

from characterbox.errors import RoleError
from characterbox.roles.making import role_of_card, role_of_profile, role_of_script
from characterbox.roles.scripts import parse_script
from characterbox.scenes.cards.profile import read_card
from tests.fakes.scenes import a_scene

SCRIPT = """ANNA: Who is there?

BOB: Only me, the night watch.

(He comes in.)

ANNA: Sit down, then.

BOB: I would rather stand.
"""


def test_a_speaker_of_a_script_becomes_a_role():
    role = role_of_script(parse_script("night.txt", SCRIPT), ["BOB"], "en", "The Night", "")
    assert (role.name, role.work, role.author, role.turns) == ("BOB", "The Night", None, 2)
    assert [one.provenance.source for one in role.dialogues] == ["night.txt"]
    assert not role.verified
    assert [turn.speaker for turn in [*role.rounds][1].turns] == [None, "ANNA", "BOB"] or role.turns == 2


def test_one_who_never_speaks_is_refused_with_those_who_do():
    with pytest.raises(RoleError, match="the most frequent speakers are"):
        role_of_script(parse_script("night.txt", SCRIPT), ["EVE"], "en", "The Night", None)


def test_a_character_of_a_scene_becomes_a_role_without_dialogues():
    scene = a_scene()
    role = role_of_profile(scene, scene.cast[0])
    assert role.description is not None
    assert role.description.text == scene.cast[0].description
    assert scene.title in role.description.provenance.source
    assert role.turns == 0


def card(**fields):
    data = {"name": "Zoe", "description": "A pilot.", **fields}
    return read_card("zoe.json", json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode())


def test_greetings_and_examples_of_a_card_are_its_dialogues():
    example = "<START>\n{{user}}: Can we land?\n{{char}}: We can always land.\n{{user}}: Safely?\n{{char}}: Ah."
    role = role_of_card(card(first_mes="Hello, {{user}}.", mes_example=example), "en", "The Sky")
    rounds = [[(turn.speaker, turn.text) for turn in one.turns] for one in role.rounds]
    assert rounds == [
        [("Zoe", "Hello, the other person.")],
        [("the other person", "Can we land?"), ("Zoe", "We can always land.")],
        [("the other person", "Safely?"), ("Zoe", "Ah.")],
    ]
    assert role.description is not None
    assert role.description.provenance.source == "zoe.json"


@pytest.mark.parametrize("example", [None, 3, "no labels at all", "<START>", "{{char}}:"])
def test_a_card_without_examples_is_a_role_without_dialogues(example):
    assert role_of_card(card(mes_example=example), "en", "The Sky").dialogues == ()
