"""The plan of an evaluation: what it plays and asks, and what it refuses."""

import json

import pytest
from pydantic import ValidationError

from characterbox.errors import TrainingError
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.training.evaluation.folder import Evaluation, evaluated_in, evaluation_in, keep_evaluation
from characterbox.training.evaluation.plan import EvaluationPlan, Models, plan_evaluation
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.training.evaluation.conftest import BEST, HELD_OUT, PLAIN, WOODEN, scenes
from tests.training.evaluation.run_folders import write_run
from tests.training.role_datasets import write_roles

JUDGE = Judge.parse("GPT-4=rehearsal")
REAL = Endpoint.parse("http://127.0.0.1:9/v1#qwen")


def a_plan(kind, **changes):
    """A plan of a kind on one scene."""
    fields = {"base": WOODEN, "tuned": PLAIN, "name": "small", "kind": kind, "dataset": "d" * 64, "stories": ("s1",)}
    fields |= {"scenes": (a_scene(),), "improvised": False}
    return EvaluationPlan(**{**fields, **changes})


def test_a_narrator_is_compared_with_the_same_characters_and_its_judges_come_after():
    plan = a_plan("narrator", teacher=BEST, characters=BEST, judges=(JUDGE,), seeds=(1, 2))
    sweep = plan.sweep
    assert (sweep.narrators, sweep.characters) == ((WOODEN, PLAIN, BEST), (BEST,))
    assert (sweep.size, sweep.judges, plan.judged) == (6, (), "narrator")


def test_nobody_is_listed_twice():
    with pytest.raises(ValidationError, match="listed twice"):
        a_plan("narrator", characters=BEST, judges=(JUDGE, JUDGE))


@pytest.mark.parametrize("kind", ["guided", "reflective"])
def test_characters_are_compared_beside_the_same_narrator_and_judged_by_the_sweep(kind):
    sweep = a_plan(kind, narrator=BEST, judges=(JUDGE,)).sweep
    assert (sweep.narrators, sweep.characters, sweep.judges) == ((BEST,), (WOODEN, PLAIN), (JUDGE,))


@pytest.mark.parametrize(("critique", "manner"), [(False, "brief"), (True, "critique")])
def test_a_judge_judges_as_it_was_trained_and_plays_nothing(critique, manner):
    plan = a_plan("judge", critique=critique)
    assert {part: (one.endpoint, one.protocol.manner, one.protocol.temperature) for part, one in
            plan.trained_judges.items()} == {"base": (WOODEN, manner, 0), "tuned": (PLAIN, manner, 0)}  # fmt: skip
    with pytest.raises(ValueError, match="no story is played"):
        _ = plan.sweep


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        ("narrator", {}, "name who plays the characters"),
        ("narrator", {"characters": BEST, "narrator": BEST}, "and no narrator"),
        ("guided", {"judges": (JUDGE,)}, "name who narrates"),
        ("reflective", {"narrator": BEST}, "name a judge"),
        ("judge", {"teacher": BEST}, "leave out teacher"),
        ("judge", {"judges": (JUDGE,)}, "leave out teacher, judges"),
        ("judge", {"tuned": WOODEN}, "need different model names"),
        ("guided", {"narrator": BEST, "judges": (JUDGE,), "teacher": PLAIN}, "need different model names"),
    ],
)
def test_models_that_do_not_fit_are_refused(kind, changes, reason):
    with pytest.raises(ValidationError, match=reason):
        a_plan(kind, **changes)


def test_an_evaluation_is_told_from_others_by_its_models_and_its_dataset():
    one = a_plan("judge")
    assert one.called == a_plan("judge", budget=1.0).called
    assert len({one.called, a_plan("judge", dataset="e" * 64).called, a_plan("judge", base=BEST).called}) == 3
    assert len(a_plan("narrator", characters=BEST, name="n" * 80).called) <= 80


def test_demo_output_is_known_by_who_is_asked_and_by_what_is_held_out():
    real = {"base": REAL, "tuned": Endpoint(url=REAL.url, model="tuned")}
    assert a_plan("judge").demo
    assert not a_plan("judge", **real).demo
    assert a_plan("judge", **real, improvised=True).demo


@pytest.mark.slow
async def test_what_is_held_out_is_found_in_the_dataset(store, run_folder):
    _, evaluated = await run_folder("narrator", languages=("zh",))
    plan = plan_evaluation(store, evaluated, Models(base=WOODEN, tuned=PLAIN, characters=BEST))
    assert {scene.id for scene in plan.scenes} == {scene.id for scene in scenes("zh")[:HELD_OUT]}
    assert {store.stories.story(id).script.scene.id for id in plan.stories} == {scene.id for scene in plan.scenes}
    assert plan.dataset == json.loads((evaluated.dataset / "dataset.json").read_text())["digest"]
    assert plan.improvised


BROKEN = {
    "dataset.json": {
        "": "dataset.json: it is damaged",
        "{}": "dataset.json: it is damaged",
        '{"recipe": {"kind": "judge"}, "digest": "d", "splits": {"test": {"improvised": 0}}}': "another dataset",
        None: "dataset.json: it cannot be read",
    },
    "provenance/test.jsonl": {
        "": "holds no scene out",
        "{\n": "test.jsonl: it is damaged",
        "[]\n": "test.jsonl: it is damaged",
        '{"story": "abc"}\n': "evaluate with the database from which the dataset was written",
        None: "test.jsonl: it cannot be read",
    },
}


@pytest.mark.slow
async def test_a_dataset_that_is_damaged_or_holds_nothing_out_is_refused(store, run_folder):
    _, evaluated = await run_folder("narrator")
    models = Models(base=WOODEN, tuned=PLAIN, characters=BEST)
    for name, contents in BROKEN.items():
        file = evaluated.dataset / name
        before = file.read_text("utf-8")
        for content, reason in contents.items():
            file.unlink(missing_ok=True)
            if content is not None:
                file.write_text(content, "utf-8")
            with pytest.raises(TrainingError, match=reason):
                plan_evaluation(store, evaluated, models)
        file.write_text(before, "utf-8")
    with pytest.raises(TrainingError, match="evaluation: narrators are compared"):
        plan_evaluation(store, evaluated, Models(base=WOODEN, tuned=PLAIN))
    with pytest.raises(TrainingError, match=r"evaluation: .*is listed twice"):
        plan_evaluation(store, evaluated, Models(base=WOODEN, tuned=PLAIN, characters=BEST, seeds=(1, 1)))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no training run; name the folder of one"),
        ("", "run.json is damaged"),
        ('{"recipe": {"kind": "judge"}}', "run.json is damaged"),
    ],
)
def test_a_folder_that_is_no_run_is_refused(tmp_path, content, reason):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(TrainingError, match=reason):
        evaluated_in(tmp_path)


def test_a_model_of_roles_is_evaluated_by_no_stories(tmp_path):
    write_roles(tmp_path / "data")
    write_run(tmp_path / "run", tmp_path / "data")
    with pytest.raises(TrainingError, match="this model answers as roles, and is not evaluated by stories of scenes"):
        evaluated_in(tmp_path / "run")


def test_an_evaluation_is_kept_in_the_folder_of_its_run(tmp_path, store):
    folder = tmp_path / "run"
    folder.mkdir()
    assert evaluation_in(folder, store) is None
    kept = Evaluation(database=store.identity(), plan=a_plan("judge"), status="running", launched_from="app")
    for status in ("running", "ended"):
        keep_evaluation(folder, kept.model_copy(update={"status": status}))
        assert evaluation_in(folder, store) == kept.model_copy(update={"status": status})
    assert [file.name for file in folder.iterdir()] == ["evaluation.json"]
    (folder / "evaluation.json").write_text('{"format": 1}')
    with pytest.raises(TrainingError, match="delete it and evaluate again"):
        evaluation_in(folder, store)


def test_an_evaluation_of_another_database_is_none_of_this_ones(tmp_path, store):
    other = store_in(tmp_path / "other.db")
    keep_evaluation(
        tmp_path, Evaluation(database=other.identity(), plan=a_plan("judge"), status="running", launched_from="app")
    )
    other.close()
    with pytest.raises(TrainingError, match="begun with another database"):
        evaluation_in(tmp_path, store)
