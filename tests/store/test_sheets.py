"""The sheet that is kept beside the marks of an assignment is the fold of these marks."""

import asyncio
import json
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import pytest
from alembic import command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import inspect, select

from annotations.errors import RatingError
from annotations.marking.marks import MOST_READING, Comment, Evidence, Flag, Guess, Score, Skip, Submit, Time, sheet_of
from characterbox.store import Store
from characterbox.store.campaigns import marks
from characterbox.store.campaigns.marks import SHEET
from characterbox.store.engine import migrations
from tests.fakes.campaigns import mark, rate, running, started
from tests.fakes.databases import connection_to, store_in
from tests.fakes.scenes import a_scene
from tests.fakes.sheets import fold_all
from tests.fakes.stories import a_story

METRIC = st.sampled_from(["KA", "BA", "EE"])
MARKS = st.lists(
    st.one_of(
        st.builds(Score, metric=METRIC, score=st.sampled_from([None, 1, 4, 2.5])),
        st.builds(Evidence, metric=METRIC, steps=st.lists(st.integers(0, 5), max_size=3).map(tuple)),
        st.builds(Comment, text=st.sampled_from(["", "好", "<b>"])),
        st.builds(Flag, unknown_work=st.booleans()),
        st.builds(Skip, reason=st.sampled_from([None, "known"])),
        st.just(Submit()),
        st.builds(Guess, model=st.sampled_from([None, "m"])),
        st.builds(Time, reading=st.integers(0, MOST_READING), idle=st.integers(0, 10**6)),
    ),
    max_size=14,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    store = store_in(tmp_path_factory.mktemp("sheets") / "sheets.db")
    yield store
    store.close()


def folded(store, campaign):
    """What the marks of a campaign come to, as the fold says."""
    return {id: sheet_of(entries) for id, entries in store.marks.histories(campaign).items()}


@pytest.mark.slow
@given(said=st.lists(MARKS, min_size=2, max_size=2))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_sheets_are_those_of_the_fold(kept, said):
    story = a_story(kept, a_scene("Ann", "Bob"))
    campaign, _, assigned = started(kept, story, "Cai")

    async def say():
        for assignment, each in zip(assigned["Cai"], said, strict=True):
            for one in each:
                await mark(kept, assignment, one)

    asyncio.run(say())
    assert kept.marks.sheets(campaign.id) == folded(kept, campaign.id)


@pytest.mark.slow
@given(said=st.lists(MARKS, min_size=3, max_size=3))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_marks_that_come_at_once_are_folded_one_after_the_other(kept, said):
    campaign, _, assigned = started(kept, a_story(kept, a_scene("Ann", "Bob")), "Cai")

    async def say():
        await asyncio.gather(*(mark(kept, assigned["Cai"][0], one) for each in said for one in each))

    asyncio.run(say())
    assert kept.marks.sheets(campaign.id) == folded(kept, campaign.id)


async def test_both_databases_fold_alike(store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    first, second = assigned["Cai"]
    said = [
        Score(metric="KA", score=4),
        Score(metric="BA", score=2.5),
        Score(metric="BA", score=None),
        Evidence(metric="KA", steps=(3, 1, 3)),
        Comment(text="好"),
        Flag(unknown_work=True),
        Time(reading=1500, idle=20),
        Time(reading=500, idle=0),
        Submit(),
        Guess(model=None),
        Skip(reason="known"),
    ]
    for one in said:
        await mark(store, first, one)
    await mark(store, second, Skip(reason=None))
    sheets = store.marks.sheets(campaign.id)
    assert sheets == folded(store, campaign.id)
    assert json.dumps(sheets[first.id].scores) == '{"KA": 4}', "whole numbers stay whole"
    assert sheets[first.id].seen == store.marks.entries(first.id)[-1].at
    assert store.marks.sheets("ffffffffffff") == {}


async def test_the_moments_lie_on_every_day_with_a_mark(store, monkeypatch):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    midnight = datetime(2026, 1, 2, tzinfo=UTC)
    at = [midnight + timedelta(seconds=seconds) for seconds in (-700, -0.4, 0.3, 40, 86_400, 3 * 86_400 - 0.2)]
    for moment in at:
        monkeypatch.setattr(marks, "now", lambda moment=moment: moment)
        await mark(store, assigned["Cai"][0], Time(reading=1, idle=0))
    (sheet,) = store.marks.sheets(campaign.id).values()
    for zone in (UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-11))):
        days = {moment.astimezone(zone).date() for moment in at}
        assert {moment.astimezone(zone).date() for moment in sheet.moments} == days
    assert max(sheet.moments) == sheet.seen == at[-1]


async def test_since_a_mark_only_what_has_changed_is_read(store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    first, second = assigned["Cai"]
    await rate(store, first, 1, 2, 3, 4, 5, 1, 2)
    before = store.marks.edition(campaign.id)
    assert before.assignments == 2
    await mark(store, second, Score(metric="KA", score=1))
    since = store.marks.sheets(campaign.id, since=before.mark)
    assert list(since) == [second.id]
    assert {**since, first.id: store.marks.sheets(campaign.id)[first.id]} == store.marks.sheets(campaign.id)
    assert store.marks.edition(campaign.id).mark > before.mark


async def test_a_mark_that_is_refused_leaves_the_sheet_as_it_is(store):
    campaign, _, assigned = running(store, a_scene("Ann"), "Cai")
    await mark(store, assigned["Cai"][0], Score(metric="KA", score=4))
    before = store.marks.sheets(campaign.id)

    def refuse(place, said, sheet):
        raise RatingError("no")

    with pytest.raises(RatingError):
        await store.marks.append(assigned["Cai"][0].id, uuid4(), Submit(), marks.Check(lambda place: None, refuse))
    assert store.marks.sheets(campaign.id) == before == folded(store, campaign.id)


async def test_an_older_database_gets_its_sheets_from_its_marks(url, store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai", "Dora")
    await rate(store, assigned["Cai"][0], 1, 2, 3, 4, 5, 1, 2)
    await mark(store, assigned["Cai"][1], Skip(reason="没读过"))
    await mark(store, assigned["Dora"][0], Guess(model=None))
    with connection_to(url) as connection:
        before = connection.execute(select(SHEET).order_by(SHEET.c.assignment)).all()
    store.close()
    with migrations() as config, connection_to(url) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0022")
        assert not inspect(connection).has_table("sheet")
    again = Store(url)
    assert again.marks.sheets(campaign.id) == folded(store, campaign.id)
    again.close()
    with connection_to(url) as connection:
        assert connection.execute(select(SHEET).order_by(SHEET.c.assignment)).all() == before
        assert [index["name"] for index in inspect(connection).get_indexes("sheet")] == ["ix_sheet_mark"]
        fold_all(connection)
        assert connection.execute(select(SHEET).order_by(SHEET.c.assignment)).all() == before
