"""What differs between two versions of a role, and nothing else."""

from characterbox.roles.differences import role_differences
from characterbox.roles.library import bundled_role
from characterbox.roles.role import Catchphrase, Provenance

HOLMES = bundled_role("en-sherlock-holmes")


def fields(before, after):
    return [one.field for one in role_differences(before, after)]


def test_nothing_differs_between_the_same():
    assert role_differences(HOLMES, HOLMES) == []


def test_only_what_was_changed_is_told():
    phrase = Catchphrase(text="Quite so.", provenance=HOLMES.catchphrases[0].provenance)
    assert fields(HOLMES, HOLMES.model_copy(update={"catchphrases": (*HOLMES.catchphrases, phrase)})) == [
        "catchphrases"
    ]
    assert fields(HOLMES, HOLMES.model_copy(update={"work": "Another"})) == ["work"]
    assert fields(HOLMES, HOLMES.model_copy(update={"description": None})) == ["description"]


def test_a_source_that_was_verified_is_told():
    def told(*, verified):
        part = HOLMES.dialogues[0].model_copy(update={"provenance": Provenance(source="A play", verified=verified)})
        return HOLMES.model_copy(update={"dialogues": (part,)})

    [one] = role_differences(told(verified=False), told(verified=True))
    assert one.field == "sources"
    assert [piece.text.strip() for piece in one.after if not piece.same] == ["· ✓"]


def test_another_round_is_told_with_the_turns():
    part = HOLMES.dialogues[0]
    fewer = HOLMES.model_copy(update={"dialogues": (part.model_copy(update={"rounds": part.rounds[:-1]}),)})
    assert fields(fewer, HOLMES)[:2] == ["dialogues", "turns"]
