"""What a role is made of."""

import pytest
from pydantic import ValidationError

from characterbox.roles.role import Description, Dialogues, Provenance, Role, Round, Turn
from tests.fakes.roles import FERRYMAN


def test_a_round_ends_with_the_role():
    wrong = Round(turns=(Turn(speaker="Old Tam", text="Aye."), Turn(speaker="Merchant", text="No.")))
    with pytest.raises(ValidationError, match=r"rounds\[0\]: a round has to end with a turn of .Old Tam"):
        Role(**{**dict(FERRYMAN), "dialogues": (Dialogues(provenance=Provenance(source="x"), rounds=(wrong,)),)})


def test_a_name_needs_a_letter():
    with pytest.raises(ValidationError, match="no letter or digit"):
        Role(id="x", name="?!", language="en", work="W")


def test_turns_are_those_of_the_role():
    assert FERRYMAN.turns == 3
    assert len([*FERRYMAN.rounds]) == 3


def test_a_role_is_verified_when_all_its_parts_are():
    assert FERRYMAN.verified
    doubtful = Description(text="You row.", provenance=Provenance(source="a model", model="m"))
    assert not FERRYMAN.model_copy(update={"description": doubtful}).verified
    assert not Role(id="x", name="X", language="en", work="W").verified


def test_it_comes_back_from_json():
    assert Role.model_validate_json(FERRYMAN.model_dump_json()) == FERRYMAN
