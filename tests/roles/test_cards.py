"""A role as a character card, and back."""

import pytest

from characterbox.errors import RoleError
from characterbox.roles.cards import MOST_EXAMPLES, card_of_role
from characterbox.roles.library import bundled_roles
from characterbox.roles.making import role_of_card
from characterbox.roles.role import Catchphrase, Description, Dialogues, Provenance, Role, Round, Turn
from characterbox.scenes.cards.export import as_json
from characterbox.scenes.cards.profile import read_card

HAND = Provenance(source="by hand", verified=True)


def ferryman(*rounds, **more):
    dialogues = (Dialogues(provenance=HAND, rounds=rounds),) if rounds else ()
    told = {"description": Description(text="You row.", provenance=HAND), **more}
    return Role(id="en-ferryman", name="Ferryman", language="en", work="By hand", dialogues=dialogues, **told)


def example_of(role):
    return card_of_role(role).fields["mes_example"]


def test_rounds_are_examples_and_narration_stands_in_the_next_turn():
    turns = (Turn(speaker="Ana", text="How deep?"), Turn(text="He looks down."), Turn(speaker="Ferryman", text="Deep."))
    assert example_of(ferryman(Round(turns=turns))) == "<START>\n{{user}}: How deep?\n{{char}}: *He looks down.* Deep."


def test_catchphrases_are_examples_of_speech():
    phrase = Catchphrase(text="Row on!", provenance=HAND)
    assert example_of(ferryman(catchphrases=(phrase,))) == "<START>\n{{char}}: Row on!"


@pytest.mark.parametrize("role", bundled_roles(), ids=lambda role: role.id)
def test_what_a_card_holds_reads_back(role):
    read = role_of_card(read_card("card.json", as_json(card_of_role(role))), role.language, role.work)
    assert (read.name, read.other_names, read.description.text) == (role.name, role.other_names, role.description.text)
    answers = [one.answer for one in read.rounds]
    spoken = [one.turns[-1].text for one in role.rounds][:MOST_EXAMPLES]
    assert len(answers) >= len(spoken)
    assert all(any(answer.endswith(text) for answer in answers) for text in spoken)


def test_a_role_without_description_has_no_card():
    with pytest.raises(RoleError, match="needs a description"):
        card_of_role(ferryman(description=None))


@pytest.mark.parametrize("text", ["I am {{user}}.", "<start> of it"])
def test_what_cards_would_read_otherwise_is_refused(text):
    with pytest.raises(RoleError, match="export JSON instead"):
        card_of_role(ferryman(Round(turns=(Turn(speaker="Ferryman", text=text),))))
