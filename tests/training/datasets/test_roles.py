"""Datasets of roles: the last answer alone is learnt, splits are the caller's, and the folder is whole or not there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import FileError, TrainingError
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.datasets.example import RoleProvenance, role_example
from characterbox.training.datasets.folder import fault_of, open_dataset
from characterbox.training.datasets.recipe import RoleRecipe
from characterbox.training.datasets.writing import write_role_dataset

RECIPE = RoleRecipe(source="RoleBench of tests; roles by their descriptions")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def of_role(number, role="holmes", part="specific", earlier=(("Who are you?", "Sherlock Holmes."),), **source):
    """An example in which a role is asked a question that no other example has."""
    told = RoleProvenance(role, part, "en", "benchmark", f"{part}/{role}:{number}", **source)
    return role_example(f"You are {role}.", earlier, f"Question {number}?", f"Answer {number} of {role}.", told)


def lines(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_earlier_answers_are_shown_and_the_last_one_is_learnt():
    example = of_role(1, earlier=[("Who are you?", "Holmes."), ("And he?", "Watson.")])
    assert example.as_json() == {
        "messages": [
            {"role": "system", "content": "You are holmes."},
            {"role": "user", "content": "Who are you?"},
            {"role": "assistant", "content": "Holmes.", "weight": 0},
            {"role": "user", "content": "And he?"},
            {"role": "assistant", "content": "Watson.", "weight": 0},
            {"role": "user", "content": "Question 1?"},
            {"role": "assistant", "content": "Answer 1 of holmes."},
        ]
    }


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), TEXTS, TEXTS, TEXTS)
def test_every_example_can_be_stored_and_teaches_one_answer(earlier, system, question, answer):
    told = RoleProvenance("holmes", "general", "en", "benchmark", "general:1")
    stored = json.loads(json.dumps(role_example(system, earlier, question, answer, told).as_json()))
    assert fault_of(stored) is None
    learnt = [one["content"] for one in stored["messages"] if one["role"] == "assistant" and one.get("weight", 1) == 1]
    assert learnt == [answer]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"system": " "}, r"example of role holmes \(benchmark, general:1\): message 1, of the system, is blank"),
        ({"earlier": [("Why?", "")]}, "message 3, of the assistant, is blank"),
        ({"question": "\n"}, "message 2, of the user, is blank"),
        ({"answer": "　"}, "message 3, of the assistant, is blank; leave the example out, or write the text"),
    ],
)
def test_a_blank_text_is_refused_with_its_place(texts, told):
    given = {"system": "You are Holmes.", "earlier": (), "question": "Why?", "answer": "Elementary.", **texts}
    source = RoleProvenance("holmes", "general", "en", "benchmark", "general:1")
    with pytest.raises(TrainingError, match=told):
        role_example(**given, provenance=source)


def test_splits_by_instruction_share_their_roles(tmp_path):
    """Each role is in all splits, with questions of its own (RoleLLM, section 3.3: instruction generalization)."""
    roles = ("holmes", "watson")
    split = {number: "train" if number < 4 else "test" for number in range(6)}
    examples = [(split[number], of_role(number, role)) for role in roles for number in split]
    report = write_role_dataset(tmp_path / "data", examples, RECIPE)
    assert {name: told.examples for name, told in report.splits.items()} == {"train": 8, "validation": 0, "test": 4}
    assert report.scenes == {"train": ("holmes", "watson"), "validation": (), "test": ("holmes", "watson")}
    assert (report.roles, report.examples) == ({"holmes", "watson"}, 12)
    assert lines(tmp_path / "data/test.jsonl") == [example.as_json() for name, example in examples if name == "test"]


def test_splits_by_role_share_none(tmp_path):
    """A role of the test is in no other split (role generalization)."""
    split = {"holmes": "train", "watson": "validation", "moriarty": "test"}
    examples = [(split[role], of_role(number, role)) for role in split for number in range(3)]
    report = write_role_dataset(tmp_path / "data", examples, RECIPE)
    assert report.scenes == {"train": ("holmes",), "validation": ("watson",), "test": ("moriarty",)}
    sources = {
        name: {one["role"] for one in lines(tmp_path / f"data/provenance/{name}.jsonl")} for name in report.splits
    }
    assert sources == {"train": {"holmes"}, "validation": {"watson"}, "test": {"moriarty"}}


def test_the_folder_is_a_dataset_with_its_hashes_and_where_all_of_it_comes_from(tmp_path):
    source = {"take": 2, "models": {"answer": "gpt-4"}, "by_person": True}
    examples = [("train", of_role(1, part="general", **source)), ("train", of_role(2)), ("test", of_role(3))]
    report = write_role_dataset(tmp_path / "data", examples, RECIPE)
    found = open_dataset(tmp_path / "data")
    assert (found.kind, dict(found.counts), found.demo) == ("role", {"train": 2, "validation": 0, "test": 1}, False)
    assert DatasetCollection(tmp_path).report("data") == report
    train = report.splits["train"]
    assert (dict(train.parts), dict(train.languages), train.by_people) == (
        {"general": 1, "specific": 1},
        {"en": 2},
        1,
    )
    assert lines(tmp_path / "data/provenance/train.jsonl")[0] == {
        "role": "holmes",
        "part": "general",
        "language": "en",
        "journal": "benchmark",
        "path": "general/holmes:1",
        "improvised": False,
        **source,
    }
    write_role_dataset(tmp_path / "again", iter(examples), RECIPE)
    assert (tmp_path / "again/SHA256SUMS").read_bytes() == (tmp_path / "data/SHA256SUMS").read_bytes()


def test_the_card_says_what_is_learnt_of_whom_and_from_where(tmp_path):
    source = RoleRecipe(source="RoleBench <b>2023</b>", cutoff=64)
    long = role_example(
        "You are Watson.", (), "What?", "Much. " * 100, RoleProvenance("watson", "general", "en", "j", "p")
    )
    report = write_role_dataset(tmp_path / "data", [("train", of_role(1)), ("train", long)], source)
    assert report.over_cutoff == 1
    [listed] = lines(tmp_path / "data/over-cutoff.jsonl")
    assert (listed["split"], listed["line"], listed["role"]) == ("train", 2, "watson")
    card = (tmp_path / "data/README.md").read_text("utf-8")
    for told in (
        "| split | examples | tokens (estimated) | roles |",
        "| train | 2 |",
        "holmes, watson",
        "one with a `weight` of 0 is shown and not learnt",
        "LLaMA-Factory learns all answers unless it is told `mask_history: true`",
        "Questions of train, by what of a role they are about: 1 general, 1 specific.",
        "for each line of these the role, part, journal, path, take, and models",
    ):
        assert told in card
    assert "<b>" not in card.split("## Recipe")[0], "what comes from outside is no markup"
    assert "versions and translations of a scene" not in card


def test_demo_output_is_marked(tmp_path):
    report = write_role_dataset(tmp_path / "data", [("train", of_role(1, improvised=True))], RECIPE)
    assert report.improvised
    assert open_dataset(tmp_path / "data").demo
    assert "Do not report results" in (tmp_path / "data/README.md").read_text("utf-8")


def test_what_fails_leaves_nothing_behind(tmp_path):
    half = role_example("You are Holmes.", (), "Why?", "\ud800", RoleProvenance("holmes", "general", "en", "j", "p"))
    with pytest.raises(TrainingError, match=r"example 2 for train: a message holds half of a character"):
        write_role_dataset(tmp_path / "data", [("train", of_role(1)), ("train", half)], RECIPE)
    with pytest.raises(TrainingError, match="no example is for training"):
        write_role_dataset(tmp_path / "data", [("test", of_role(1))], RECIPE)

    def broken():
        yield "train", of_role(1)
        raise TrainingError("the journal is gone")

    with pytest.raises(TrainingError, match="the journal is gone"):
        write_role_dataset(tmp_path / "data", broken(), RECIPE)
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "data").mkdir()
    with pytest.raises(FileError, match="it is there already"):
        write_role_dataset(tmp_path / "data", [("train", of_role(1))], RECIPE)
