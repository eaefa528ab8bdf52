"""The rehearsal writes questions to a role with its answers, and what it writes can be read."""

from collections import Counter

import pytest

from characterbox.llm.rehearsal.brief import Turn
from characterbox.llm.rehearsal.improvise import improvise
from characterbox.prompts import render
from characterbox.rolebench.candidates import read_triplets
from characterbox.rolebench.cleaning import flaw_of
from tests.fakes.roles import FERRYMAN, MONKEY

BOTH = pytest.mark.parametrize("role", [FERRYMAN, MONKEY], ids=["en", "zh"])


def asked(role, task="instruct_description", **more):
    values = {"name": role.name, "work": role.work, "profile": "You are who you are.", "catchphrases": "-", **more}
    return [Turn("system", "-"), Turn("user", render(task, role.language, **values))]


@BOTH
def test_as_many_questions_as_are_asked_for_some_of_them_doubted(role):
    found = [read_triplets(improvise("rehearsal", asked(role, count="10"), seed, "triplets")) for seed in range(20)]
    assert {len(one.triplets) for one in found} == {10}
    assert {one.unreadable for one in found} == {()}
    every = [triplet for one in found for triplet in one.triplets]
    assert 0.2 < Counter(one.confidence for one in every)["low"] / len(every) < 0.5
    assert all(role.name in one.question for one in every)
    assert {flaw_of(one.answer, role) for one in every} == {None, "unfinished"}
    assert len({one.question for one in every}) > 50


@BOTH
def test_a_passage_may_say_anything(role):
    passage = render("instruct_description", role.language, name="X", work="Y", profile="", catchphrases="", count="7")
    turns = asked(role, "instruct_passage", passage=passage, count="3")
    assert len(read_triplets(improvise("rehearsal", turns, 1, "triplets")).triplets) == 3
