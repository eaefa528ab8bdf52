"""RoleBench against a scripted endpoint: six answers each, cleaned, split, and written in the released form."""

import json
import shutil

import pytest

from characterbox.errors import FileError, RoleError, StoryError
from characterbox.llm.endpoint import Endpoint
from characterbox.rolebench.benchmark import Building
from characterbox.rolebench.folder import ABOUT, REJECTED, ROLES, write_benchmark
from characterbox.rolebench.released import Row, read_rows, write_rows
from characterbox.rolebench.running import begin, look
from characterbox.rolebench.scoring import Asked, score_files
from characterbox.rolebench.splits import share
from characterbox.rolebench.statistics import table_of
from characterbox.roles.role_files import read_roles
from tests.fakes.in_process_servers import nearby
from tests.fakes.instructing_model import InstructingModel, distinct, is_form, last, triplet, triplets
from tests.fakes.roles import MONKEY
from tests.rolebench.generating import generated, talkative

pytestmark = pytest.mark.slow
INSTRUCTIONS = tuple(f"{distinct(n)[:-1]}." for n in range(10))
SEED = 7


def answered(body, number):
    if is_form(body):
        few = min(int(last(body).rpartition(": ")[2]), 10)
        return triplets(*(triplet(distinct(100 * number + n)) for n in range(few)))
    draw = (body["seed"] - SEED) // 1000
    name = "plain" if len(body["messages"]) == 1 else "role"
    return {0: "No end", 1: "As an AI language model, no."}.get(draw if name == "role" else 9, f"A {name} {draw}.")


@pytest.fixture
def model():
    model = InstructingModel(answered)
    with nearby(model.app()) as address:
        model.url = f"{address}/v1"
        yield model


def wish(model, *roles, **more):
    roles = roles or (talkative(), talkative("Ann"))
    endpoint = Endpoint(url=model.url, model="writer")
    common = {"language": roles[0].language, "model": endpoint, "instructions": INSTRUCTIONS, "seed": SEED}
    return Building(roles=roles, **{**common, **more})


def built(store, model, *roles, **more):
    id = begin(store, wish(model, *roles, **more))
    generated(store, id)
    return look(store, id)


def rows(file):
    return [one.row for one in read_rows(file)]


def test_six_answers_of_each_role_and_one_without_each_asked_once(store, model):
    found = built(store, model)
    general = [body for body in model.bodies if not is_form(body)]
    plain = [body for body in general if len(body["messages"]) == 1]
    assert (len(general), len(plain)) == (10 * (2 * 6 + 1), 10)
    assert {last(body) for body in plain} == {*INSTRUCTIONS}
    assert set(model.answered.values()) == {1}
    assert {(body["temperature"], body["top_p"], body["max_completion_tokens"]) for body in general} == {
        (0.7, 0.95, 200)
    }
    for one in found.result.answers:
        assert one.references == ("A role 2.", "A role 3.", "A role 4.")
        assert (one.baseline, one.plain) == ("A role 5.", "A plain 0.")
    assert found.result.flaws == {"unfinished": 20, "reveals_model": 20}
    assert {(one.number, one.flaw) for one in found.result.removed} == {(1, "unfinished"), (2, "reveals_model")}


@pytest.mark.parametrize(("strategy", "messages"), [("zsp", 2), ("fsp", 2), ("fsd", 12)])
def test_roles_are_shown_examples_as_the_strategy_has_it(store, model, strategy, messages):
    said = ("Name water1 water2.",)
    built(store, model, talkative(), strategy=strategy, instructions=said)
    asked = [body for body in model.bodies if not is_form(body) and len(body["messages"]) > 1]
    assert {len(body["messages"]) for body in asked} == {messages}
    assert all("Name water1 water2." in last(body) for body in asked)
    assert all(("<examples>" in last(body)) == (strategy == "fsp") for body in asked)


def test_an_answer_that_was_cut_off_is_seen_by_the_cleaning_and_not_asked_again(store, model):
    model.finish = lambda body: "stop" if is_form(body) else "length"
    found = built(store, model, talkative())
    assert found.result.answers[0].references == ("A role 2.", "A role 3.", "A role 4.")
    assert set(model.answered.values()) == {1}
    assert len([body for body in model.bodies if not is_form(body)]) == 70


def test_the_folder_has_both_splits_and_reads_back(store, model, tmp_path):
    generation = built(store, model)
    counts = write_benchmark(tmp_path / "out", generation)
    top = tmp_path / "out" / "rolebench-eng"
    by_instruction, by_role = top / "instruction-generalization", top / "role-generalization"
    assert {str(top.parent / path): len(rows(top.parent / path)) for path in counts} == {
        str(top.parent / path): count for path, count in counts.items()
    }
    train, test = (rows(by_instruction / "general" / f"{part}.jsonl") for part in ("train", "test"))
    assert (len(train), len(test)) == (8 * 2, 2 * 2), "four of five instructions train, for both roles"
    assert not {row.question for row in train} & {row.question for row in test}
    assert {row.generated for row in train} == {("A plain 0.", "A role 2.", "A role 3.", "A role 4.")}
    baseline = rows(by_instruction / "general" / "baseline.jsonl")
    assert [row.key for row in baseline] == [row.key for row in test]
    [tested] = {row.role for row in rows(by_role / "general" / "test.jsonl")}
    [trained] = {row.role for row in rows(by_role / "general" / "train.jsonl")}
    assert {tested, trained} == {"Ann", "Old Tam"}
    specific = [rows(by_role / "role_specific" / f"{part}.jsonl") for part in ("train", "test")]
    assert [{row.role for row in one} for one in specific] == [{trained}, {tested}]
    assert {type(row.type) for row in specific[0]} == {str}
    assert {type(row.type) for row in specific[1]} == {tuple}
    score = score_files(
        by_instruction / "general" / "baseline.jsonl", by_instruction / "general" / "test.jsonl", Asked("cus", "en")
    )
    assert score.mean.n == 4
    assert read_roles(ROLES, (tmp_path / "out" / ROLES).read_bytes()) == generation.wish.roles


def test_what_is_in_no_file_is_told_with_its_reason_and_how_it_came_to_be(store, model, tmp_path):
    write_benchmark(tmp_path / "out", built(store, model))
    lines = [json.loads(line) for line in (tmp_path / "out" / REJECTED).read_text().splitlines()]
    assert [line["reason"] for line in lines].count("unfinished") == 20
    assert {line["text"] for line in lines if line["reason"] == "reveals_model"} == {"As an AI language model, no."}
    about = json.loads((tmp_path / "out" / ABOUT).read_text())
    assert about["references_removed"] == {"unfinished": 20, "reveals_model": 20}
    assert (about["model"].endswith("#writer"), about["no_language_model"]) == (True, False)
    assert (about["instructions"], about["strategy"], about["answers"]["max_tokens"]) == (10, "fsd", 200)


def test_in_chinese_the_plain_answers_have_a_file_of_their_own(store, model, tmp_path):
    def says(body, number):
        if is_form(body):
            return triplets(*(triplet(distinct(100 * number + n)) for n in range(10)))
        return "好的。"

    model.says = says
    asked = ("请写一首关于春天的诗。", "水壶怎样烧水？", "列出三种水果。")
    write_benchmark(tmp_path / "out", built(store, model, MONKEY, instructions=asked))
    general = tmp_path / "out" / "rolebench-zh" / "instruction-generalization" / "general"
    assert {row.generated for row in rows(general / "train.jsonl")} == {("好的。",) * 5}
    assert {row.generated for row in rows(general / "plain.jsonl")} == {("好的。",)}
    assert not (tmp_path / "out" / "rolebench-zh" / "role-generalization").exists(), "there is one role alone"


def test_one_that_is_not_done_is_not_written_and_nothing_is_written_over(store, model, tmp_path):
    id = begin(store, wish(model))
    with pytest.raises(StoryError, match="no benchmark that is done"):
        write_benchmark(tmp_path / "out", look(store, id))
    assert not (tmp_path / "out").exists()
    generated(store, id)
    leftover = tmp_path / ".out.part" / "rolebench-eng"
    leftover.mkdir(parents=True)
    write_benchmark(tmp_path / "out", look(store, id))
    assert not leftover.exists()
    with pytest.raises(FileError, match="there already"):
        write_benchmark(tmp_path / "out", look(store, id))


@pytest.mark.parametrize(
    ("count", "part", "tests"), [(1500, 1 / 5, 300), (90, 1 / 9, 10), (2, 1 / 9, 1), (1, 1 / 5, 0), (0, 1 / 5, 0)]
)
def test_the_parts_are_those_of_the_paper(count, part, tests):
    assert share(count, part) == tests


def test_statistics_count_each_sample_once_and_no_plain_answer(tmp_path):
    """Hand-worked: two English roles answer one instruction, one Chinese role has a question."""
    english = tmp_path / "rolebench-eng"
    for split in ("instruction", "role"):
        place = english / f"{split}-generalization" / "general"
        place.mkdir(parents=True)
        both = [Row(role=name, question=" Name it. ", generated=("Plain.", "One two.", "Three.")) for name in "AB"]
        write_rows(place / "train.jsonl", both)
    chinese = tmp_path / "rolebench-zh" / "role_specific"
    chinese.mkdir(parents=True)
    write_rows(chinese / "test.jsonl", [Row(role="悟空", question="谁？", generated=("我。",), type=("script_based",))])
    write_rows(chinese / "baseline.jsonl", [Row(role="悟空", question="何处？", generated=("这。",))])
    told = {(line.name, line.depth): (line.samples, line.instructions) for line in table_of(tmp_path)}
    assert told["Roles", 0] == (3, None)
    assert told["English", 1] == (2, None)
    assert told["Samples / instructions", 0] == (3, 2)
    assert told["General", 1] == (2, 1)
    assert told["Role-specific", 1] == (1, 1)
    assert told["script-based", 2] == (1, None)
    assert told["script-agnostic", 2] == (0, None)
    assert told["Dialogue rounds", 0] == (None, None), "the folder has no roles"
    assert told["Instruction length in words (mean)", 0] == (3 / 2, None)
    assert told["Response length in words (mean)", 0] == ((2 * (2 + 1) + 1) / 5, None)


def test_statistics_of_a_folder_that_was_built_tell_its_roles(store, model, tmp_path):
    write_benchmark(tmp_path / "out", built(store, model))
    told = {(line.name, line.depth): (line.samples, line.instructions) for line in table_of(tmp_path / "out")}
    assert told["Dialogue rounds", 0] == (20, None)
    assert told["General", 1] == (20, 10)
    shutil.move(tmp_path / "out" / "rolebench-eng", tmp_path / "other")
    with pytest.raises(RoleError, match="which language it has"):
        table_of(tmp_path / "other")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RoleError, match="no rows of RoleBench"):
        table_of(tmp_path / "empty")
