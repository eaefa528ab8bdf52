"""Roles made of scripts, profiles and cards: nothing is added, and each part says where it comes from."""

import json

import pytest
from pydantic import TypeAdapter

from characterbox.errors import RoleError
from characterbox.play.events import Event
from characterbox.roles.making import profile_in, role_of_card, role_of_profile, role_of_script, role_of_story
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


EVENT = TypeAdapter(Event)


def event(kind, turn, who, text, **more):
    path = f"r1/{turn}/{kind}"
    told = {"kind": kind, "path": path, "round": 1, "turn": turn, "character": who, "text": text, **more}
    return EVENT.validate_python(told)


def test_a_character_of_a_story_becomes_a_role_with_what_it_said_and_perceived():
    scene = a_scene("Anna", "Bob", "Cy")
    events = [
        event("action", "Anna", "Anna", "Anna knocks."),
        event("dialogue", "Anna", "Anna", "Who is there?"),
        event("action", "Bob", "Bob", "Bob hides a key.", unseen=True),
        event("dialogue", "Bob", "Bob", "Say nothing.", to="Cy", whispered=True),
        event("action", "Cy", "Cy", "Cy opens."),
        event("dialogue", "Cy", "Cy", "It was never locked.", degraded=True),
    ]
    again = [one.model_copy(update={"round": 2}) for one in events]
    role = role_of_story(scene, [*events, *again], "Anna", "s1", "writer")
    rounds = [[(turn.speaker, turn.text) for turn in one.turns] for one in role.rounds]
    assert rounds == [
        [(None, "Anna knocks."), ("Anna", "Who is there?")],
        [(None, "Cy opens."), (None, "Anna knocks."), ("Anna", "Who is there?")],
    ], "what is whispered to another, hidden or stands in for a reply is in no round"
    [part] = role.dialogues
    assert part.provenance.source == f"{scene.title} (s1)"
    assert (part.provenance.model, part.provenance.verified) == ("writer", False)
    assert role.description is not None
    cy = role_of_story(scene, [*events[:4], event("dialogue", "Cy", "Cy", "Hm.")], "Cy", "s1", None)
    assert ("Bob", "Say nothing.") in [(turn.speaker, turn.text) for one in cy.rounds for turn in one.turns]


def test_a_character_that_is_not_there_or_says_nothing_is_refused():
    scene = a_scene("Anna", "Bob")
    with pytest.raises(RoleError, match="there is no character Eve"):
        profile_in(scene, "Eve")
    with pytest.raises(RoleError, match="Bob never speaks; the most frequent speakers are Anna"):
        role_of_story(scene, [event("dialogue", "Anna", "Anna", "Hm.")], "Bob", "s1", None)
