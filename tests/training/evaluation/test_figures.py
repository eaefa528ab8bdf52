"""What an evaluation shows is what the house's own functions find in the same journals, in both languages."""

import json
from statistics import mean

import numpy as np
import pytest

from annotations.errors import Undefined
from annotations.leaderboard.standings import standings
from annotations.rubrics.rubric import load_rubric
from annotations.validity.overlapping_correlations import williams, zou
from characterbox.judging.cross_check import agreement, checks_of, rows_of
from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.store.ratings.ratings import item_of
from characterbox.training.evaluation.figures import figures_of
from characterbox.training.evaluation.plan import Models, plan_evaluation
from characterbox.training.evaluation.running import EvaluationRun
from tests.fakes.campaigns import assigned, rate
from tests.fakes.in_process_servers import nearby_mock
from tests.training.evaluation.conftest import BEST, HELD_OUT, PLAIN, WOODEN

pytestmark = pytest.mark.slow

JUDGE = Judge.parse("GPT-4=rehearsal")
METRICS = load_rubric().keys


async def evaluated_by(store, client, run, models):
    """The plan of an evaluation that was done."""
    _, evaluated = run
    plan = plan_evaluation(store, evaluated, models)
    done = await EvaluationRun(store, client, plan).run()
    assert done.done
    return plan


def scores_by(store, plan, rater):
    """The mean score of each held-out trajectory that a judge scored on all metrics, by item."""
    frame = store.ratings.frame()
    mine = frame[(frame["rater"] == rater) & (frame["kind"] == "judge")].astype({"score": float})
    means = mine.pivot_table(index="item", columns="metric", values="score").dropna().mean(axis=1)
    stories = [store.stories.story(id) for id in plan.stories]
    items = [item_of(story, name).label for story in stories for name in story.script.scene.names]
    return means.reindex(items)


async def test_narrators_stand_beside_each_other(store, client, run_folder):
    models = Models(base=WOODEN, tuned=PLAIN, teacher=BEST, characters=BEST, judges=(JUDGE,), rounds=1)
    plan = await evaluated_by(store, client, await run_folder("narrator"), models)
    found = figures_of(store, plan)
    assert (found.demo, found.scenes, found.kind) == (True, HELD_OUT, "narrator")
    assert found.models == {"base": WOODEN.model, "tuned": PLAIN.model, "teacher": BEST.model}
    narrators = found.of
    assert {part: share.estimate for part, share in narrators.readable.items()} == dict.fromkeys(found.models, 1)
    assert narrators.readable_gain.difference.estimate == 0
    stories = [store.stories.story(id) for id in plan.stories]
    rows = {
        part: tuple(row for story in stories for row in rows_of(story, checks_of(store, story)[endpoint]))
        for part, endpoint in (("base", WOODEN), ("tuned", PLAIN))
    }
    assert narrators.agreement == {part: agreement(of_part) for part, of_part in rows.items()}
    equal = {
        part: {row[0] + row[3]: row[5] == row[6] for row in of_part if row[4] == "influence"}
        for part, of_part in rows.items()
    }
    assert narrators.agreement_gain.n == len(equal["base"])
    assert narrators.agreement_gain.estimate == pytest.approx(
        mean(equal["tuned"].values()) - mean(equal["base"].values())
    )
    assert narrators.left_out == {"base": {}, "tuned": {}}
    [(judge, scored)] = narrators.scored.items()
    assert judge == "Rehearsal judge, GPT-4 protocol"
    given = store.ratings.frame(rubric="narrator").astype({"score": float})
    here = given[given["owner"].isin(store.scores.stories_of(plan.called))]
    assert len(here) == 3 * HELD_OUT * 4
    by_model = here.groupby(["model", "metric"])["score"].mean()
    for part, model in found.models.items():
        assert {maxim: one.mean for maxim, one in scored.scores[part].items()} == pytest.approx(dict(by_model[model]))
    for part in ("tuned", "teacher"):
        model = found.models[part]
        gain = scored.gains[part]["quality"].difference
        assert gain.n == HELD_OUT
        assert gain.estimate == pytest.approx(by_model[model]["quality"] - by_model[WOODEN.model]["quality"])
        over_all = scored.gains[part]["overall"].difference.estimate
        assert over_all == pytest.approx(by_model[model].mean() - by_model[WOODEN.model].mean())


async def test_a_narrator_whose_replies_are_mended_stands_below_one_that_is_read_at_once(store, client, run_folder):
    with nearby_mock(style="prose") as base, nearby_mock() as tuned:
        models = Models(
            base=Endpoint(url=base.url, model="base"),
            tuned=Endpoint(url=tuned.url, model="tuned"),
            characters=BEST,
            rounds=1,
        )
        plan = await evaluated_by(store, client, await run_folder("narrator"), models)
    narrators = figures_of(store, plan).of
    assert narrators.readable["base"].estimate < 0.2
    assert narrators.readable["tuned"].estimate == 1
    gain = narrators.readable_gain
    assert (gain.mean, gain.difference.n) == (1, HELD_OUT)
    assert gain.difference.estimate == pytest.approx(1 - gain.other)
    assert sum(narrators.left_out["base"].values()) > 0
    assert isinstance(narrators.agreement["base"].affected, Undefined)
    named = narrators.agreement["tuned"].affected.share
    gain = narrators.agreement_gain
    assert (gain.estimate, gain.n) == (pytest.approx(named.estimate), named.n), "what can't be read is not right"
    assert narrators.scored == {}


@pytest.mark.parametrize("kind", ["guided", "reflective"])
async def test_characters_gain_in_each_language_as_the_leaderboard_has_them(store, client, run_folder, kind):
    languages = ("en", "zh")
    models = Models(base=WOODEN, tuned=BEST, teacher=PLAIN, narrator=BEST, judges=(JUDGE,), rounds=1)
    run = await run_folder("guided", (BEST, WOODEN), languages=languages, judge="GPT-4")
    plan = await evaluated_by(store, client, run, models)
    plan = plan.model_copy(update={"kind": kind})  # both are compared alike; the name of the sweep tells them apart
    if kind == "reflective":
        await EvaluationRun(store, client, plan).run()
    found = figures_of(store, plan).of
    [(_, by_language)] = found.scored.items()
    assert [*by_language] == [*languages]
    ids = store.scores.stories_of(plan.called)
    for language, scored in by_language.items():
        rows = store.scores.judged()
        rows = rows[rows["story"].isin(ids) & (rows["language"] == language)]
        expected = {(one.model, one.metric): one for one in standings(rows, METRICS)}
        for part, endpoint in plan.of_parts.items():
            for metric in (*METRICS, "overall"):
                assert scored.standings[part][metric].mean == expected[endpoint.model, metric].mean
        gain = scored.gains["tuned"]["overall"]
        base, tuned = (expected[endpoint.model, "overall"].mean for endpoint in (WOODEN, BEST))
        assert gain.difference.n == HELD_OUT
        assert gain.difference.estimate == pytest.approx(tuned - base)
        assert gain.percent.estimate == pytest.approx(100 * (tuned - base) / base)
        assert gain.difference.interval.low > 0, "the rehearsal's models differ, and its judge sees it"


async def test_a_judge_goes_with_its_teacher_and_with_the_experts(store, client, run_folder):
    run = await run_folder("judge", (BEST, WOODEN), judge="GPT-4")
    plan = await evaluated_by(store, client, run, Models(base=WOODEN, tuned=PLAIN))
    judges = figures_of(store, plan).of
    assert judges.taught_by == "GPT-4"
    taught, base, tuned = (scores_by(store, plan, one) for one in ("GPT-4", WOODEN.model, PLAIN.model))
    r = {part: float(np.corrcoef(taught, one)[0, 1]) for part, one in (("base", base), ("tuned", tuned))}
    between = float(np.corrcoef(base, tuned)[0, 1])
    standard, n = judges.teacher, len(taught)
    assert {part: of["overall"].estimate for part, of in standard.r.items()} == pytest.approx(r)
    assert standard.r["tuned"]["overall"].n == n
    compared = standard.compared["overall"]
    assert compared.difference.difference.estimate == pytest.approx(r["tuned"] - r["base"])
    assert compared.williams.p == pytest.approx(williams(r["tuned"], r["base"], between, n).p)
    assert compared.zou.low == pytest.approx(zou(r["tuned"], r["base"], between, n).low)
    assert {*judges.experts.r} == {"base", "tuned", "teacher"}
    assert "needs at least 3 items" in str(judges.experts.r["tuned"]["KA"].reason)
    await with_experts(store, plan)
    experts = figures_of(store, plan).of.experts
    assert experts.r["base"]["KA"].n == n
    assert experts.r["teacher"]["overall"].estimate == pytest.approx(1), "they said what the teacher said"
    assert experts.r["tuned"]["overall"].estimate == pytest.approx(r["tuned"])


async def with_experts(store, plan):
    """Have an expert give the held-out trajectories what the teacher gave."""
    given = store.ratings.frame()
    given = given[given["rater"] == "GPT-4"].set_index(["item", "metric"])["score"]
    for id in plan.stories:
        for assignment in assigned(store, store.stories.story(id), "Erika"):
            await rate(store, assignment, *(int(given[assignment.item, metric]) for metric in METRICS))


async def test_where_the_teacher_gave_no_scores_that_vary_the_reason_says_who_it_is(store, client, run_folder):
    run = await run_folder("judge", judge="GPT-4")
    plan = await evaluated_by(store, client, run, Models(base=WOODEN, tuned=PLAIN))
    unknown = plan.model_copy(update={"taught_by": "GPT-5"})
    reason = str(figures_of(store, unknown).of.teacher.r["tuned"]["KA"].reason)
    assert reason.endswith("(the teacher, GPT-5, stands in the place of the experts)")
    by_experts = figures_of(store, plan.model_copy(update={"taught_by": None})).of
    assert (by_experts.teacher, {*by_experts.experts.r}) == (None, {"base", "tuned"})


async def test_a_held_out_story_that_is_not_there_is_left_out_of_judges(store, client, run_folder):
    run = await run_folder("judge", judge="GPT-4")
    plan = await evaluated_by(store, client, run, Models(base=WOODEN, tuned=PLAIN))
    before = figures_of(store, plan).of
    after = figures_of(store, plan.model_copy(update={"stories": (*plan.stories, "0123456789ab")})).of
    assert (before.unended, after.unended) == (0, 1)
    assert after.teacher == before.teacher


async def test_before_anything_is_done_there_are_reasons_and_json_holds_all(store, client, run_folder):
    runs = {"narrator": Models(base=WOODEN, tuned=PLAIN, characters=BEST, judges=(JUDGE,), rounds=1)}
    _, evaluated = await run_folder("narrator")
    plan = plan_evaluation(store, evaluated, runs["narrator"])
    empty = figures_of(store, plan)
    assert "no story with this narrator has ended" in str(empty.of.readable["base"].reason)
    assert empty.of.scored == {}
    told = json.loads(json.dumps(empty.as_json(), allow_nan=False))
    assert told["note"] == "Demo output (no language model); do not report"
    assert told["of"]["readable"]["tuned"] == {"undefined": "no story with this narrator has ended"}
    await EvaluationRun(store, client, plan).run()
    told = json.loads(json.dumps(figures_of(store, plan).as_json(), allow_nan=False))
    assert told["of"]["agreement"]["tuned"]["affected"]["share"]["estimate"] <= 1
