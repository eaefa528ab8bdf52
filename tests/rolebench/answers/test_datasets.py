"""Datasets of roles from a benchmark: by mix, by customisation, with the prompts that models are asked with."""

import json

import pytest

from characterbox.errors import RoleError
from characterbox.rolebench.answers.answering import PROMPT_OF
from characterbox.rolebench.answers.datasets import RoleExamples, Teaching
from characterbox.roles.prompting import question_prompt
from characterbox.training.datasets.recipe import RoleRecipe
from characterbox.training.datasets.writing import write_role_dataset
from tests.fakes.roles import role
from tests.rolebench.answers.asked import ANN, OF, TAM, a_benchmark
from tests.rolebench.generating import talkative
from tests.rolebench.role_answers import a_file, a_row

ROUNDS = [[("Merchant", f"Why is water wet, and river {n}?"), ("Old Tam", f"Mud {n}.")] for n in range(6)]
FERRYMAN = role("Old Tam", "You ferry.", ROUNDS, "Slow.")


@pytest.fixture
def folder(tmp_path):
    folder = a_benchmark(tmp_path / "river")
    plain = ("is wet", "it is", "as I say", "for I say so", "so", "because")
    a_file(
        folder / OF / "general/train.jsonl",
        a_row(" Why do rivers run? ", *plain),
        a_row("Why do rivers run?", "plain", "Ann says", " ", role="Ann"),
    )
    a_file(folder / OF / "role_specific/train.jsonl", a_row("Who are you?", "Tam, ferryman.", type="script_based"))
    return folder


def examples(folder, *roles, **teaching):
    return RoleExamples(folder, roles or (TAM, ANN), Teaching(**teaching))


@pytest.mark.parametrize(("mix", "learnt", "tested"), [("general", 6, 4), ("specific", 1, 2), ("both", 7, 6)])
def test_a_mix_has_the_answers_of_roles_of_its_kinds(folder, mix, learnt, tested):
    found = examples(folder, mix=mix)
    splits = [split for split, _ in found]
    assert (splits.count("train"), splits.count("test")) == (learnt, tested)
    assert found.blank == (0 if mix == "specific" else 1)
    kinds = {example.provenance.part for _, example in found}
    assert kinds == ({"general", "specific"} if mix == "both" else {mix})


def test_each_answer_of_the_role_is_learnt_and_the_plain_one_is_not(folder):
    learnt = [one for split, one in examples(folder, TAM, mix="general") if split == "train"]
    assert [one.messages[-1].content for one in learnt] == ["it is", "as I say", "for I say so", "so", "because"]
    assert {one.messages[-2].content for one in learnt} == {"Visitor: Why do rivers run?"}
    assert [(one.provenance.path, one.provenance.take) for one in learnt] == [
        (f"river/{OF}/general/train.jsonl:1", take) for take in range(5)
    ]


@pytest.mark.parametrize("customisation", ["system", "retrieval"])
def test_what_is_shown_in_training_is_what_is_asked_afterwards(folder, customisation):
    prompt = question_prompt(FERRYMAN, PROMPT_OF[customisation])
    for _, example in examples(folder, FERRYMAN, customisation=customisation):
        asked = example.messages[-2].content.removeprefix("Visitor: ")
        assert example.messages[:-1] == prompt(asked)
    count = {len(one.messages) for _, one in examples(folder, FERRYMAN, customisation=customisation)}
    assert max(count) == (3 if customisation == "system" else 13)


def test_a_folder_that_training_takes_says_what_was_learnt_and_who_wrote_it(folder, tmp_path):
    about = {"model": "rehearsal", "no_language_model": True}
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    found = examples(folder / OF, TAM)
    report = write_role_dataset(tmp_path / "data", found, RoleRecipe(source=found.teaching.told))
    assert report.improvised
    assert report.splits["train"].models == {"rehearsal": 6}
    assert (report.splits["train"].parts, found.others) == ({"general": 5, "specific": 1}, {"Ann": 4})
    assert "both questions; roles by system instruction" in (tmp_path / "data/README.md").read_text("utf-8")


def test_what_cannot_be_made_is_told(folder):
    silent = talkative("Ann").model_copy(update={"dialogues": ()})
    with pytest.raises(RoleError, match="the roles Ann have no rounds to be shown"):
        [*examples(folder, silent, customisation="retrieval")]
    assert [*examples(folder, silent, customisation="system")]
    with pytest.raises(RoleError, match=r"there is no train\.jsonl"):
        [*examples(folder / OF / "nothing", TAM)]
