"""Marks are appended one by one, each once, and are there when they are acknowledged."""

import asyncio
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from annotations.errors import RatingError
from annotations.marking.marks import Comment, Evidence, Flag, Guess, Score, Skip, Submit, Time, sheet_of
from characterbox.errors import CampaignError
from characterbox.store.campaigns.marks import MARK, Check
from tests.fakes.campaigns import mark, rate, running, take_all
from tests.fakes.databases import connection_to
from tests.fakes.scenes import a_scene

SAID = [
    Score(metric="KA", score=4),
    Score(metric="KA", score=None),
    Score(metric="BA", score=2.5),
    Evidence(metric="BA", steps=(3, 1)),
    Evidence(metric="BA", steps=()),
    Comment(text="=1+1 <b>“好”</b>\n"),
    Flag(unknown_work=True),
    Skip(reason="没读过"),
    Skip(reason=None),
    Submit(),
    Guess(model=None),
    Guess(model="Zephyr-9B"),
    Time(reading=1200, idle=0),
]


@pytest.fixture
def assignment(store):
    _, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    return assigned["Cai"][0]


async def test_every_mark_is_read_as_it_was_made(store, assignment):
    for said in SAID:
        await mark(store, assignment, said)
    entries = store.marks.entries(assignment.id)
    assert [entry.mark for entry in entries] == [*SAID[:5], Comment(text="=1+1 <b>“好”</b>"), *SAID[6:]]
    assert [entry.revision for entry in entries] == list(range(1, len(SAID) + 1))
    assert store.marks.histories(assignment.campaign) == {assignment.id: entries}
    assert store.marks.sheets(assignment.campaign, assignment.rater) == {assignment.id: sheet_of(entries)}
    assert store.marks.sheets(assignment.campaign, "nobody") == {}


async def test_a_click_that_comes_twice_is_one(store, assignment):
    click = uuid4()
    first = await mark(store, assignment, Score(metric="KA", score=4), click)
    await mark(store, assignment, Score(metric="KA", score=5))
    assert await mark(store, assignment, Score(metric="KA", score=4), click) == first
    assert [entry.mark.score for entry in store.marks.entries(assignment.id)] == [4, 5]


async def test_many_at_once_are_numbered_without_gaps(store, assignment):
    clicks = [mark(store, assignment, Score(metric="KA", score=1 + n % 5)) for n in range(60)]
    receipts = await asyncio.gather(*clicks)
    assert sorted(receipt.revision for receipt in receipts) == list(range(1, 61))


async def test_what_is_refused_leaves_nothing_and_holds_nobody_up(store, assignment):
    def refuse(place, mark, sheet):
        raise RatingError("no")

    with pytest.raises(RatingError, match="no"):
        await store.marks.append(assignment.id, uuid4(), Submit(), Check(take_all.place, refuse))
    with pytest.raises(CampaignError, match="you have no item"):
        await store.marks.append("ffffffffffff", uuid4(), Submit(), take_all)
    assert store.marks.entries(assignment.id) == []


async def test_the_check_sees_the_sheet_and_the_campaign(store, assignment):
    seen = []

    def look(place, said, sheet):
        seen.append((place, sheet.scores))
        return said

    await store.marks.append(assignment.id, uuid4(), Score(metric="KA", score=4), Check(take_all.place, look))
    await store.marks.append(assignment.id, uuid4(), Score(metric="BA", score=1), Check(take_all.place, look))
    assert [scores for _, scores in seen] == [{}, {"KA": 4}]
    place = seen[0][0]
    assert (place.rater, place.purpose, place.status) == (assignment.rater, "rate", "running")


async def test_the_database_itself_keeps_marks_as_they_are(url, store, assignment):
    await mark(store, assignment, Score(metric="KA", score=4))
    statements = ["UPDATE mark SET score = 5", "DELETE FROM mark"]
    if url.startswith("sqlite"):
        columns = "INSERT OR REPLACE INTO mark (assignment, revision, click, kind, at) SELECT assignment,"
        statements += [f"{columns} 1, 'another', kind, at FROM mark", f"{columns} 2, click, kind, at FROM mark"]
    for statement in statements:
        with pytest.raises(DBAPIError, match="only added to"), connection_to(url) as connection:
            connection.execute(text(statement))
    with connection_to(url) as connection:
        assert connection.execute(MARK.select()).one().score == 4


async def test_scores_count_when_the_item_is_submitted_and_not_skipped(store):
    campaign, story, assigned = running(store, a_scene("Ann", "Bob"), "Cai", "Dora")
    await rate(store, assigned["Cai"][0], 1, 2, 3, 4, 5, 4, 3)
    await mark(store, assigned["Cai"][0], Score(metric="KA", score=2))
    await mark(store, assigned["Cai"][1], Score(metric="KA", score=5))
    await rate(store, assigned["Dora"][0], 5)
    await mark(store, assigned["Dora"][0], Skip(reason="no time"))
    frame = store.ratings.frame()
    assert frame["rater"].unique().tolist() == ["Cai"]
    assert dict(zip(frame["metric"], frame["score"], strict=True)) == dict(
        zip(("KA", "BA", "EE", "PT", "IM", "AD", "BC"), (2, 2, 3, 4, 5, 4, 3), strict=True)
    )
    await mark(store, assigned["Dora"][0], Skip(reason=None))
    assert sorted(store.ratings.frame(campaign=campaign.id)["rater"].unique()) == ["Cai", "Dora"]
    assert store.ratings.frame(campaign="none").empty
    assert store.ratings.frame([f"{story.id}:bob"]).empty
    assert store.ratings.frame(rubric="scene").empty
