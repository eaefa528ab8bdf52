"""What others are told of an act: it always tells whose it was, and never twice."""

import pytest

from characterbox.play.events import (
    Action,
    ActionInfluence,
    ByWhom,
    EnvironmentUpdate,
    InteractionResult,
    Reaction,
)
from characterbox.play.observations import memories
from characterbox.play.world import Chronicle
from tests.fakes.scenes import a_scene


def told(event, language):
    passage = Chronicle.opening(a_scene(event.character, "Bob")).turn(1).after(event).passages[-1]
    [memory] = memories("Bob", passage, language)
    return memory.text


def action(name, text):
    return Action(path="p", round=1, turn=name, character=name, text=text)


SAYS_WHO = [
    ("Ann", "Ann slams the door on Bob."),
    ("Ann", "Ann's hands shake."),
    ("Ann", "Ann’s hands shake."),
    ("Ann", "Ann, annoyed, leaves."),
    ("Ann", "Ann - tired - leaves."),
    ("Ann", "Ann"),
    ("Dr. Watson", "Dr. Watson draws his revolver."),
    ("Mary Ann Smith", "Mary Ann Smith\nleaves."),
    ("Henry Jones Jr.", "Henry Jones Jr. leaves."),
    ("Ann", "Ann鞠躬。"),
    ("鲁智深", "鲁智深举起禅杖。"),
    ("孙悟空", "孙悟空的金箍棒飞起。"),
    ("约翰·华生", "约翰·华生走开。"),
]
DOES_NOT = [
    ("Ann", "Annoyed, she slams the door on Bob."),
    ("Ann", "Ann-Marie is what she writes on the wall."),
    ("Ann", "Ann2 is carved into the wood by her."),
    ("Élo", "Éloïse is the name that she calls out."),
    ("Dr. Watson", "Dr. Watsons are called for."),
    ("Mary Ann", "Mary Anning's fossil falls from her hand."),
    ("Ann", "She opens the safe for Ann."),
    ("鲁智深", "他举起禅杖。"),
]


@pytest.mark.parametrize(("name", "text"), SAYS_WHO)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_text_that_begins_with_the_name_is_told_as_it_is(name, text, language):
    assert told(action(name, text), language) == text


@pytest.mark.parametrize(("name", "text"), DOES_NOT)
def test_another_text_is_told_with_the_name_before_it(name, text):
    assert told(action(name, text), "en") == f"{name} acts: {text}"
    assert name in told(action(name, text), "zh").removesuffix(text)


def test_so_it_is_with_reactions():
    fields = {"path": "p", "round": 1, "turn": "Bob", "to": "Bob"}
    assert told(Reaction(character="Ann", text="Annoyed, she leaves.", **fields), "en") == (
        "Ann reacts to Bob: Annoyed, she leaves."
    )
    assert told(Reaction(character="Ann", text="Ann leaves.", **fields), "en") == "Ann leaves."


def test_who_leaves_is_seen_leaving_and_who_comes_is_seen_coming():
    turn = {"path": "p", "round": 1, "turn": "Bob"}
    place = a_scene().environment.model_dump()
    gone = ByWhom(who="Ann", by=("Bob",))

    def interaction(hidden):
        return (
            action("Bob", "Bob points at the door.").model_copy(update=turn),
            ActionInfluence(**turn, character="Bob", affected="Ann", text="It is for her.", importance=3),
            Reaction(**turn, character="Ann", to="Bob", text="Ann walks through the door."),
            InteractionResult(**turn, character="Bob", affected="Ann", text="The door bangs.", importance=3),
            EnvironmentUpdate(**turn, **place, hidden=hidden),
        )

    now = Chronicle.opening(a_scene())
    for hidden in ((gone,), ()):
        now = now.turn(1)
        for event in interaction(hidden):
            now = now.after(event)
        told = [one.text for one in memories("Bob", now.passages[-1], "en")]
        assert told[1:] == ["Ann walks through the door.", "Result: The door bangs."]
