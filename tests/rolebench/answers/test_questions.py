"""Questions in the released form: with the references of each part, drawn by chance, and none left out silently."""

import pytest

from characterbox.errors import RoleError
from characterbox.rolebench.answers.questions import Choice, Question, read_questions
from tests.fakes.roles import MONKEY
from tests.rolebench.answers.asked import ANN, OF, TAM, a_benchmark
from tests.rolebench.generating import talkative
from tests.rolebench.role_answers import a_file, a_row


def test_a_general_question_is_scored_against_the_plain_answer_and_the_role_s(tmp_path):
    found = read_questions(a_benchmark(tmp_path / "river"), [TAM, ANN])
    assert found.questions.benchmark == "river"
    assert (found.questions.available, found.questions.place) == (6, ("first", False))
    assert [(one.kind, one.role) for one in found.questions.questions] == [
        *(("general", name) for name in ("Old Tam", "Old Tam", "Ann", "Ann")),
        *(("specific", name) for name in ("Old Tam", "Ann")),
    ]
    assert found.questions.questions[0] == Question(
        kind="general",
        role="Old Tam",
        text="Why is water wet?",
        raw=("it is a liquid",),
        cus=tuple(f"Old Tam because {n}" for n in range(5)),
    )
    assert found.questions.questions[-1].references("spe") == ("at the old river",)
    assert (found.roles, found.silent, found.others) == ((TAM, ANN), (), {})


def test_roles_that_are_not_asked_and_questions_to_others_are_told(tmp_path):
    found = read_questions(a_benchmark(tmp_path), [talkative("ANN"), talkative("Bo")])
    assert [role.name for role in found.roles] == ["ANN"]
    assert {one.role for one in found.questions.questions} == {"ANN"}, "called as the role is"
    assert (found.silent, found.others) == (("Bo",), {"Old Tam": 3})


def test_so_many_of_each_kind_are_drawn_by_the_seed_in_their_order(tmp_path):
    folder = a_benchmark(tmp_path)
    every = read_questions(folder, [TAM, ANN]).questions.questions
    drawn = {seed: read_questions(folder, [TAM, ANN], Choice(limit=1, seed=seed)).questions for seed in range(9)}
    assert all((one.count("general"), one.count("specific")) == (1, 1) for one in drawn.values())
    assert len({one.questions for one in drawn.values()}) > 2
    assert drawn[3] == read_questions(folder, [TAM, ANN], Choice(limit=1, seed=3)).questions
    assert read_questions(folder, [TAM, ANN], Choice(limit=4)).questions.questions == every
    assert drawn[0].available == 6


def test_a_file_alone_and_a_folder_of_one_kind(tmp_path):
    file = a_benchmark(tmp_path) / OF / "role_specific/test.jsonl"
    for place in (file, file.parent):
        found = read_questions(place, [TAM, ANN], Choice("river"))
        assert (found.questions.benchmark, found.questions.place) == ("river", None)
        assert found.questions.available == 2


def test_in_chinese_plain_answers_come_from_a_file_beside(tmp_path):
    folder = tmp_path / "rolebench-zh/general"
    folder.mkdir(parents=True)
    a_file(
        folder / "test.jsonl", a_row("一加二？", "三，师父", role=MONKEY.name), a_row("谁？", "俺", role=MONKEY.name)
    )
    assert {one.raw for one in read_questions(tmp_path, [MONKEY]).questions.questions} == {()}
    a_file(folder / "plain.jsonl", a_row("一加二？", "三", role=MONKEY.name))
    found = read_questions(tmp_path, [MONKEY]).questions
    assert [(one.raw, one.cus) for one in found.questions] == [(("三",), ("三，师父",)), ((), ("俺",))]


def test_what_cannot_be_asked_is_told(tmp_path):
    folder = a_benchmark(tmp_path / "river")
    with pytest.raises(RoleError, match="no question for tests to Bo; name the benchmark of these roles"):
        read_questions(folder, [talkative("Bo")])
    with pytest.raises(RoleError, match=r"no test\.jsonl of language zh in a folder general or role_specific"):
        read_questions(folder, [MONKEY])
    (folder / "rolebench-eng/role-generalization/general").mkdir(parents=True)
    a_file(folder / "rolebench-eng/role-generalization/general/test.jsonl", a_row("Who?", "I"))
    with pytest.raises(RoleError, match=r"several files of general questions .*name the folder of one split"):
        read_questions(folder, [TAM])
