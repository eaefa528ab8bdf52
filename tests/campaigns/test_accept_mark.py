"""Whether a mark is taken depends on who makes it, in which campaign, and on whether they have qualified."""

from uuid import uuid4

import pytest

from annotations.errors import RatingError
from annotations.marking.marks import Evidence, Guess, Score, Skip, Submit, Time
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.accept_mark import taking_of
from characterbox.campaigns.assignments import practice_item
from characterbox.campaigns.workload import begin_again, workloads_of
from characterbox.errors import CampaignError, CampaignUnreadable, StoryError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment
from characterbox.store.tables.ratings import Item
from tests.campaigns.played import played
from tests.fakes.campaigns import account, campaign_item, ready, running, started
from tests.fakes.scenes import a_scene

RUBRIC = load_rubric()


async def take(store: Store, assignment: Assignment, mark, asked_by=None) -> None:
    by = account(store, assignment) if asked_by is None else asked_by
    await store.marks.append(assignment.id, uuid4(), mark, taking_of(store).check(by))


async def give(store: Store, assignment: Assignment, scores) -> None:
    for key, score in zip(RUBRIC.keys, scores, strict=True):
        await take(store, assignment, Score(metric=key, score=score))
    await take(store, assignment, Submit())


async def test_an_item_is_marked_by_its_rater_and_where_nobody_signs_in_by_anybody(store):
    _, _, given = running(store, a_scene("Ann"), "Cai", "Dora")
    [cai], [dora] = given["Cai"], given["Dora"]
    await take(store, cai, Score(metric="KA", score=3))
    await take(store, cai, Score(metric="KA", score=4), LOCAL)
    with pytest.raises(CampaignError, match="you have no item"):
        await take(store, cai, Score(metric="KA", score=5), account(store, dora))
    assert store.marks.sheets(cai.campaign)[cai.id].scores == {"KA": 4}


@pytest.mark.parametrize("status", ["paused", "closed"])
async def test_a_campaign_that_does_not_run_takes_nothing(store, status):
    campaign, _, given = running(store, a_scene("Ann"), "Cai")
    store.campaigns.move(campaign.id, status, LOCAL)
    with pytest.raises(CampaignError, match=status):
        await take(store, given["Cai"][0], Score(metric="KA", score=3))


async def test_evidence_is_of_a_metric_and_of_steps_that_there_are(store):
    _, _, given = started(store, await played(store, a_scene("Ann", "Bob")), "Cai")
    ann, bob = given["Cai"]  # Bob did nothing, and saw what Ann did
    await take(store, ann, Evidence(metric="KA", steps=(1, 0)))
    await take(store, bob, Evidence(metric="KA", steps=()))
    for one in (ann, bob):
        with pytest.raises(RatingError, match=r"there is no step 2; the item has 2\b"):
            await take(store, one, Evidence(metric="KA", steps=(0, 2)))
    with pytest.raises(RatingError, match="no metric 'XX'"):
        await take(store, ann, Evidence(metric="XX", steps=(1,)))
    assert store.marks.sheets(ann.campaign)[ann.id].evidence == {"KA": (0, 1)}


async def test_the_steps_of_a_practice_item_are_its_own(store):
    _, rater = ready(store, a_scene("Ann"), "Cai", practice=True)
    first = next(one for one in store.campaigns.assignments(rater=rater.id) if one.purpose == "practice")
    count = len(practice_item(first, RUBRIC).steps)
    await take(store, first, Evidence(metric="KA", steps=(count - 1,)))
    with pytest.raises(RatingError, match=f"no step {count}; the item has {count} steps,"):
        await take(store, first, Evidence(metric="KA", steps=(count,)))


async def test_steps_are_counted_once_and_a_story_that_cannot_be_read_has_none(store, monkeypatch):
    _, _, given = started(store, await played(store, a_scene("Ann", "Bob")), "Cai")
    ann, bob = given["Cai"]
    await take(store, ann, Evidence(metric="KA", steps=(1,)))

    def unreadable(id):
        raise StoryError(f"story {id}: it cannot be read")

    monkeypatch.setattr(store.stories, "story", unreadable)
    await take(store, ann, Evidence(metric="BA", steps=(1,)))
    with pytest.raises(CampaignUnreadable, match="cannot be read"):
        await take(store, bob, Evidence(metric="KA", steps=(0,)))


async def test_what_the_app_can_not_read_is_no_fault_of_a_mark(store, monkeypatch):
    _, rater = ready(store, a_scene("Ann"), "Cai", practice=True)
    [work] = [one for one in store.campaigns.assignments(rater=rater.id) if one.purpose == "rate"]
    changed = RUBRIC.model_copy(update={"title": RUBRIC.metrics[0].name})
    monkeypatch.setattr(store.rubrics, "rubric", lambda name, version: changed)
    for one in store.campaigns.assignments(rater=rater.id):
        if one.purpose == "practice":
            await give(store, one, [3] * 7)
    with pytest.raises(CampaignUnreadable, match="campaign's practice set cannot be read"):
        await take(store, work, Score(metric="KA", score=3))


async def test_only_a_model_of_the_campaign_is_guessed(store):
    campaign, story, given = running(store, a_scene("Ann"), "Cai", asks_model=True)
    [cai] = given["Cai"]
    await give(store, cai, [3] * 7)
    for guess in ("m", None):
        await take(store, cai, Guess(model=guess))
    with pytest.raises(RatingError, match="this model is not among the choices"):
        await take(store, cai, Guess(model="n"))
    assert store.marks.sheets(cai.campaign)[cai.id].guess == Guess(model=None)
    another = Item(kind="character", owner="later", slug="ann")
    later = campaign_item(story, "Ann").model_copy(update={"identity": another, "model": "n"})
    store.campaigns.extend(campaign.id, campaign.settings, ([later], [], []), (campaign.settings, [cai]), LOCAL)
    await take(store, cai, Guess(model="n"))
    assert store.marks.sheets(cai.campaign)[cai.id].guess == Guess(model="n"), "an extension brings in other models"


async def test_a_model_is_guessed_only_where_the_campaign_asks(store):
    _, _, given = running(store, a_scene("Ann"), "Cai")
    [cai] = given["Cai"]
    await give(store, cai, [3] * 7)
    with pytest.raises(RatingError, match="does not ask"):
        await take(store, cai, Guess(model=None))


@pytest.mark.slow
async def test_work_is_for_those_who_have_qualified(store):
    campaign, rater = ready(store, a_scene("Ann"), "Cai", practice=True, attempts=2)
    practice = [one for one in store.campaigns.assignments(rater=rater.id) if one.purpose == "practice"]
    [work] = [one for one in store.campaigns.assignments(rater=rater.id) if one.purpose == "rate"]
    with pytest.raises(CampaignError, match="practice set first"):
        await take(store, work, Score(metric="KA", score=3))
    with pytest.raises(CampaignError, match="cannot be skipped"):
        await take(store, practice[0], Skip(reason="dull"))
    for one in practice:
        await give(store, one, [3] * 7)
    [desk] = workloads_of(store, rater)
    assert (desk.training.state, desk.rows, desk.onward()) == ("failed", desk.practice, None)
    with pytest.raises(CampaignError, match="practice set first"):
        await take(store, work, Score(metric="KA", score=3))
    with pytest.raises(CampaignError, match="have been shown"):
        await take(store, practice[0], Score(metric="KA", score=4))
    await take(store, practice[0], Time(reading=10, idle=0))
    with pytest.raises(CampaignError, match="you have no item"):
        desk.row(work.id)

    store.campaigns.move(campaign.id, "paused", LOCAL)
    begin_again(store, campaign.id, rater)
    assert workloads_of(store, rater)[0].training.attempt == 1, "a campaign that is paused gives nothing out"
    store.campaigns.move(campaign.id, "running", LOCAL)
    begin_again(store, campaign.id, rater)
    begin_again(store, campaign.id, rater)
    [desk] = workloads_of(store, rater)
    assert (desk.training.state, desk.training.attempt, len(desk.rows)) == ("open", 2, len(practice))
    for row in desk.rows:
        gold = {one.metric: one.score for one in practice_item(row.assignment, RUBRIC).gold}
        await give(store, row.assignment, [gold[key] for key in RUBRIC.keys])
    [desk] = workloads_of(store, rater)
    assert (desk.training.state, desk.training.outcome.exact, desk.rows) == ("passed", 1.0, desk.work)
    await take(store, work, Score(metric="KA", score=3))
    begin_again(store, campaign.id, rater)
    assert workloads_of(store, rater)[0].training.attempt == 2, "who has qualified need not practise again"
    assert campaign.id == work.campaign


@pytest.mark.slow
async def test_there_are_no_more_attempts_than_the_campaign_gives(store):
    campaign, rater = ready(store, a_scene("Ann"), "Cai", practice=True, attempts=1)
    for one in store.campaigns.assignments(rater=rater.id):
        if one.purpose == "practice":
            await give(store, one, [1] * 7)
    [desk] = workloads_of(store, rater)
    begin_again(store, campaign.id, rater)
    assert workloads_of(store, rater)[0].training == desk.training
