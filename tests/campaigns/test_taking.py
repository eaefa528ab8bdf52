"""Whether a mark is taken depends on who makes it, in which campaign, and on whether they have qualified."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from annotations.errors import RatingError
from annotations.marks import Evidence, Score, Submit, Time
from annotations.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.desk import begin_again, desks_of
from characterbox.campaigns.taking import taking_of
from characterbox.campaigns.training import practice_item
from characterbox.errors import CampaignError
from characterbox.settings import database_url
from characterbox.store import Store
from characterbox.store.campaign import Assignment
from tests.fakes.campaigns import account, ready, running
from tests.fakes.scenes import a_scene

RUBRIC = load_rubric()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(database_url(tmp_path / "taking.db"))
    yield store
    store.close()


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


async def test_evidence_is_of_a_metric_that_there_is(store):
    _, _, given = running(store, a_scene("Ann"), "Cai")
    await take(store, given["Cai"][0], Evidence(metric="KA", steps=(1, 2)))
    with pytest.raises(RatingError, match="no metric 'XX'"):
        await take(store, given["Cai"][0], Evidence(metric="XX", steps=(1,)))


async def test_work_is_for_those_who_have_qualified(store):
    campaign, rater = ready(store, a_scene("Ann"), "Cai", practice=True, attempts=2)
    practice = [one for one in store.campaigns.assignments(rater=rater.id) if one.purpose == "practice"]
    [work] = [one for one in store.campaigns.assignments(rater=rater.id) if one.purpose == "rate"]
    with pytest.raises(CampaignError, match="practice set first"):
        await take(store, work, Score(metric="KA", score=3))
    for one in practice:
        await give(store, one, [3] * 7)
    [desk] = desks_of(store, rater)
    assert (desk.training.state, desk.rows, desk.onward()) == ("failed", desk.practice, None)
    with pytest.raises(CampaignError, match="practice set first"):
        await take(store, work, Score(metric="KA", score=3))
    with pytest.raises(CampaignError, match="have been shown"):
        await take(store, practice[0], Score(metric="KA", score=4))
    await take(store, practice[0], Time(reading=10, idle=0))
    with pytest.raises(CampaignError, match="you have no item"):
        desk.row(work.id)

    begin_again(store, desk, rater)
    begin_again(store, desks_of(store, rater)[0], rater)
    [desk] = desks_of(store, rater)
    assert (desk.training.state, desk.training.attempt, len(desk.rows)) == ("open", 2, len(practice))
    for row in desk.rows:
        gold = {one.metric: one.score for one in practice_item(row.assignment, RUBRIC).gold}
        await give(store, row.assignment, [gold[key] for key in RUBRIC.keys])
    [desk] = desks_of(store, rater)
    assert (desk.training.state, desk.training.outcome.exact, desk.rows) == ("passed", 1.0, desk.work)
    await take(store, work, Score(metric="KA", score=3))
    begin_again(store, desk, rater)
    assert desks_of(store, rater)[0].training.attempt == 2, "who has qualified need not practise again"
    assert campaign.id == work.campaign


async def test_there_are_no_more_attempts_than_the_campaign_gives(store):
    _, rater = ready(store, a_scene("Ann"), "Cai", practice=True, attempts=1)
    for one in store.campaigns.assignments(rater=rater.id):
        if one.purpose == "practice":
            await give(store, one, [1] * 7)
    [desk] = desks_of(store, rater)
    begin_again(store, desk, rater)
    assert desks_of(store, rater)[0].training == desk.training
