"""`characterbox role`: roles in and out of the database, and dialogues with them in the terminal."""

import io
import json

import pytest

from characterbox.roles.library import bundled_role, bundled_roles
from characterbox.roles.role import Dialogues, Provenance, Round, Turn
from characterbox.roles.role_files import as_json, read_roles

HOLMES = "bundled:en-sherlock-holmes"
WUKONG = "bundled:zh-sun-wukong"


@pytest.fixture
def says(monkeypatch):
    """What is typed, one line after the other."""

    def typed(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return typed


def small_role():
    role = bundled_role("en-sherlock-holmes")
    return role.model_copy(update={"id": "en-my-holmes", "dialogues": ()})


def resumed_as(done):
    """The command that goes on with a dialogue."""
    return done.err.splitlines()[-1].partition("go on with: characterbox ")[2].split()


def test_bundled_roles_are_listed(in_process):
    listed = in_process("role", "list")
    assert [line.partition(": ")[0] for line in listed.out.splitlines()] == [
        f"bundled:{one.id}" for one in bundled_roles()
    ]
    told = [json.loads(line) for line in in_process("role", "list", "--json").out.splitlines()]
    assert {one["place"] for one in told} >= {HOLMES, WUKONG}


def test_a_role_goes_in_and_comes_out_as_it_was(in_process, tmp_path):
    file = tmp_path / "mine.json"
    file.write_bytes(as_json([small_role()]))
    brought = in_process("role", "import", file)
    assert brought.status == 0
    assert brought.out.endswith("mine.json: 1 roles read, 1 new\n")
    assert "only 0 turns" in brought.one_line()
    assert in_process("role", "import", file).out.endswith("1 roles read, 0 new\n")
    out = in_process("role", "export", "en-my-holmes")
    assert read_roles("out.json", out.out.encode()) == (small_role(),)
    shown = in_process("role", "show", "en-my-holmes").out
    assert small_role().description.text in shown
    assert "Catchphrases" in shown
    assert "Dialogues" not in shown


def test_a_card_holds_one_role(in_process):
    card = json.loads(in_process("role", "export", HOLMES, "--format", "card").out)
    assert card["data"]["name"] == "Sherlock Holmes"
    refused = in_process("role", "export", HOLMES, WUKONG, "--format", "card")
    assert refused.status == 2
    assert "name one" in refused.one_line()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("show", "nobody"), "nobody: there is no such role; `role list` tells all"),
        (("show", "bundled:nobody"), "there is no bundled role with this id"),
        (("talk",), "name a role to talk with"),
        (("talk", HOLMES, "--as", "Sherlock Holmes"), "that is not the role's"),
        (("talk", HOLMES, "--with", WUKONG), "the same language"),
        (("talk", HOLMES, "--rounds", "3"), "they are for two roles"),
        (("talk", HOLMES, "--with", "bundled:en-captain-ahab", "--as", "Ann"), "two roles talk without you"),
        (("talk", HOLMES, "--resume", "abc"), "leave the other options out"),
        (("talk", "--resume", "abc"), "abc"),
        (("import", "missing.json"), "missing.json"),
    ],
)
def test_what_cannot_be_done_is_told(in_process, words, told):
    refused = in_process("role", *words)
    assert refused.status == 2
    assert told in refused.one_line()


@pytest.mark.slow
@pytest.mark.parametrize(("role", "guest"), [(HOLMES, "Guest"), (WUKONG, "访客")])
def test_a_dialogue_is_kept_goes_on_and_ends(in_process, says, role, guest):
    says("Who are you?")
    first = in_process("role", "talk", role)
    assert first.status == 130
    asked, answered = first.out.splitlines()
    assert asked == f"{guest}: Who are you?"
    assert answered.partition(": ")[0] == bundled_role(role.removeprefix("bundled:")).name
    says("", "And your friend?", "/end")
    second = in_process(*resumed_as(first))
    assert second.status == 0
    assert second.out.splitlines()[:3] == [asked, answered, f"{guest}: And your friend?"]
    over = in_process(*resumed_as(first))
    assert over.status == 2
    assert "has ended" in over.one_line()


@pytest.mark.slow
def test_another_reply_is_asked_for_in_a_branch(in_process, says):
    says("Who are you?", "/retry", "/end")
    done = in_process("role", "talk", HOLMES, "--as", "Ann", "--persona", "A client from Surrey")
    assert done.status == 0
    asked, one, other = done.out.splitlines()
    assert asked == "Ann: Who are you?"
    assert one.startswith("Sherlock Holmes: ")
    assert other.startswith("Sherlock Holmes: ")
    stories = [line for line in done.err.splitlines() if line.startswith("characterbox: story ")]
    assert len(set(stories)) == 2


@pytest.mark.slow
def test_two_roles_talk_without_a_person(in_process):
    done = in_process("role", "talk", HOLMES, "--with", "bundled:en-captain-ahab", "--rounds", "2")
    assert done.status == 0
    names = [line.partition(": ")[0] for line in done.out.splitlines()]
    assert names == ["Captain Ahab", "Sherlock Holmes"] * 2


def test_a_role_without_dialogues_is_asked_without_examples(in_process, says, tmp_path):
    file = tmp_path / "mine.json"
    file.write_bytes(as_json([small_role()]))
    assert "use zsp" in in_process("role", "talk", file, "--strategy", "fsd").one_line()
    says("/end")
    assert in_process("role", "talk", file).status == 0


def test_a_place_tells_apart_roles_of_one_id(in_process, tmp_path):
    rounds = (Round(turns=(Turn(speaker="Sherlock Holmes", text="Quite so."),)),)
    part = Dialogues(provenance=Provenance(source="a note"), rounds=rounds)
    for number, role in enumerate((small_role(), small_role().model_copy(update={"dialogues": (part,)}))):
        file = tmp_path / f"{number}.json"
        file.write_bytes(as_json([role]))
        in_process("role", "import", file)
    assert "several roles" in in_process("role", "show", "en-my-holmes").one_line()
    [place, _] = [
        line.partition(": ")[0]
        for line in in_process("role", "list").out.splitlines()
        if "My" in line or "bundled" not in line
    ]
    assert in_process("role", "show", place).status == 0
