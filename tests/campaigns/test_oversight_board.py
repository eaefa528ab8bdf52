"""The board of a campaign, worked out by hand, and the oversight that keeps it."""

from datetime import UTC, datetime

import pytest

from annotations.errors import Undefined
from annotations.marking.marks import Score, Skip, Submit, Time
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.assignments import check_assignment, check_items
from characterbox.campaigns.oversight import Overseer
from characterbox.campaigns.rater_statistics import Count
from characterbox.store.campaigns import marks
from characterbox.store.campaigns.campaign import new_assignment
from tests.fakes.campaigns import mark, rate, running, started
from tests.fakes.in_english import in_english
from tests.fakes.scenes import a_scene

KEYS = load_rubric().keys
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def scene():
    return a_scene("Ann", "Bob", "Cleo")


def see(store, campaign):
    return Overseer(store).of(store.campaigns.campaign(campaign.id))


async def test_a_board_by_hand(store, scene, monkeypatch):
    monkeypatch.setattr(marks, "now", lambda: NOON)
    campaign, _, assigned = running(store, scene, "Dee", "Eve")
    first, second, third = assigned["Dee"]
    await mark(store, first, Time(reading=60_000, idle=5_000))
    await mark(store, first, Time(reading=30_000, idle=0))
    await rate(store, first, 1, 2, 3, 4, 5, 1, 2)
    await mark(store, second, Time(reading=10_000, idle=1_000))
    await mark(store, second, Skip(reason="I know it"))
    await mark(store, assigned["Eve"][0], Score(metric="KA", score=3))
    board = see(store, campaign).board
    dee, eve = sorted(board.raters, key=lambda line: line.rater != first.rater)
    assert dee.count == Count(total=3, done=1, begun=0, skipped=1)
    assert (dee.count.open, dee.count.left) == (1, 1)
    assert (dee.reading, dee.idle, dee.seen, dee.training) == (100, 6, NOON, None)
    assert (dee.pace.median, dee.pace.n) == (90, 1)  # the skipped one was not read to its end
    assert (dee.time_left.seconds, dee.time_left.items) == (90, 1)
    assert eve.count == Count(total=3, done=0, begun=1, skipped=0)
    assert isinstance(eve.pace, Undefined)
    assert isinstance(eve.time_left, Undefined)
    counts = {line.item.item: line.count for line in board.items}
    assert counts[first.item] == Count(total=2, done=1, begun=1, skipped=0)
    assert counts[second.item] == Count(total=2, done=0, begun=0, skipped=1)
    assert counts[third.item] == Count(total=2, done=0, begun=0, skipped=0)
    assert board.all == Count(total=6, done=1, begun=1, skipped=1)


async def test_repeats_and_checks_are_the_raters_work_and_no_items(store, scene):
    campaign, _, assigned = running(store, scene, "Dee")
    dee = assigned["Dee"][0].rater
    check = check_items(load_rubric(), ["en"])[0]
    repeat = new_assignment(campaign.id, dee, assigned["Dee"][0].item, place=8, take=1)
    store.campaigns.add([repeat, check_assignment(campaign.id, dee, check.key, 9)], LOCAL)
    await rate(store, repeat, 1, 1, 1, 1, 1, 1, 1)
    board = see(store, campaign).board
    assert board.raters[0].count == Count(total=5, done=1, begun=0, skipped=0)
    assert board.all == Count(total=3, done=0, begun=0, skipped=0)


async def test_what_was_submitted_and_taken_back_is_not_done(store, scene):
    campaign, _, assigned = running(store, scene, "Dee")
    first = assigned["Dee"][0]
    await rate(store, first, 1, 1, 1, 1, 1, 1, 1)
    await mark(store, first, Score(metric="KA", score=None))
    seen = see(store, campaign)
    assert seen.board.all == Count(total=3, done=0, begun=1, skipped=0)
    assert "KA" not in set(seen.ratings["metric"])


async def test_the_ratings_are_those_of_the_rating_store(store, scene):
    campaign, story, assigned = running(store, scene, "Dee", "Eve")
    await rate(store, assigned["Dee"][0], 1, 2, 3, 4, 5, 1, 2)
    await rate(store, assigned["Dee"][1], 5, 5, 5, 5, 5, 5, 5)
    await mark(store, assigned["Dee"][1], Skip(reason="no"))
    await rate(store, assigned["Eve"][0], 2, 2, 2, 2, 2, 2, 2)
    await mark(store, assigned["Eve"][0], Score(metric="BA", score=None))
    await mark(store, assigned["Eve"][1], Score(metric="KA", score=1))
    again = new_assignment(campaign.id, assigned["Dee"][0].rater, assigned["Dee"][0].item, place=9, take=1)
    store.campaigns.add([again], LOCAL)
    await rate(store, again, 5, 5, 5, 5, 5, 5, 5)
    other = started(store, story, "Dee")
    await rate(store, other[2]["Dee"][0], 4, 4, 4, 4, 4, 4, 4)
    ours, names = see(store, campaign).ratings, {one.id: one.name for one in store.accounts.all()}
    theirs = store.ratings.frame(campaign=campaign.id)
    columns = ["item", "scene", "model", "metric", "rater", "kind", "score"]
    ours["rater"] = ours["rater"].map(names)
    assert sorted(ours[columns].values.tolist()) == sorted(theirs[columns].values.tolist())
    assert len(ours) == 7 + 6


async def test_disagreements_are_ranked(store, scene):
    campaign, _, assigned = running(store, scene, "Dee", "Eve")
    assert isinstance(see(store, campaign).disputes, Undefined)
    await rate(store, assigned["Dee"][0], 1, 3, 3, 3, 3, 3, 3)
    assert "two experts" in in_english(see(store, campaign).disputes.reason)
    await rate(store, assigned["Eve"][0], 5, 4, 3, 3, 3, 3, 3)
    await rate(store, assigned["Dee"][1], 2, 2, 2, 2, 2, 2, 2)
    await rate(store, assigned["Eve"][1], 4, 4, 4, 4, 4, 4, 4)
    seen = see(store, campaign)
    worst = seen.disputes.cells[0]
    assert (worst.item, worst.metric, worst.range, worst.median) == (assigned["Dee"][0].item, "KA", 4, 3)
    assert [one.item for one in seen.disputed_items] == [assigned["Dee"][1].item, assigned["Dee"][0].item]
    assert seen.dispute(worst.item, "BA").range == 1
    assert seen.dispute(assigned["Dee"][2].item, "KA") is None
    assert {row.assignment.rater for row in seen.of_item(worst.item)} == {one[0].rater for one in assigned.values()}


async def test_it_is_kept_until_there_is_something_new(store, scene):
    campaign, story, assigned = running(store, scene, "Dee")
    overseer = Overseer(store)
    first = overseer.of(campaign)
    assert overseer.of(campaign) is first
    other, _, elsewhere = started(store, story, "Dee")
    await rate(store, elsewhere["Dee"][0], 1, 1, 1, 1, 1, 1, 1)
    assert overseer.of(campaign) is first, "a mark in another campaign changes nothing here"
    await mark(store, assigned["Dee"][0], Score(metric="KA", score=1))
    second = overseer.of(campaign)
    assert second.board.all.begun == 1
    await mark(store, assigned["Dee"][0], Score(metric="KA", score=None))
    assert overseer.of(campaign).board.all.begun == 0
    assert second.board.all.begun == 1, "a state stays what it was"
    store.campaigns.add([new_assignment(campaign.id, assigned["Dee"][0].rater, "x", place=9, purpose="check")], LOCAL)
    assert overseer.of(campaign).board.raters[0].count.total == 4
    assert overseer.of(other).board.all.done == 1


@pytest.mark.slow
async def test_read_on_and_read_anew_are_the_same(store, scene):
    campaign, _, assigned = running(store, scene, "Dee", "Eve")
    overseer = Overseer(store)
    for one in (*assigned["Dee"], assigned["Eve"][0]):
        for metric in KEYS:
            await mark(store, one, Score(metric=metric, score=2))
            kept = overseer.of(campaign)
        await mark(store, one, Submit())
        assert overseer.of(campaign).board == see(store, campaign).board
    assert kept.sheets != overseer.of(campaign).sheets
