"""How a campaign stands, read in bulk, is the fold of its marks."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.marks import MOST_READING, Comment, Evidence, Flag, Guess, Score, Skip, Submit, Time
from characterbox.store import marks
from tests.fakes.campaigns import mark, rate, running, started
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
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
    store = store_in(tmp_path_factory.mktemp("tallies") / "tallies.db")
    yield store
    store.close()


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
    tallies = kept.tallies.tallies(campaign.id)
    assert {id: tally.sheet for id, tally in tallies.items()} == kept.marks.sheets(campaign.id)


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
    tallies = store.tallies.tallies(campaign.id)
    assert {id: tally.sheet for id, tally in tallies.items()} == store.marks.sheets(campaign.id)
    assert tallies[first.id].seen == store.marks.entries(first.id)[-1].at
    assert store.tallies.tallies("ffffffffffff") == {}


async def test_the_moments_lie_on_every_day_with_a_mark(store, monkeypatch):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    midnight = datetime(2026, 1, 2, tzinfo=UTC)
    at = [midnight + timedelta(seconds=seconds) for seconds in (-700, -0.4, 0.3, 40, 86_400, 3 * 86_400 - 0.2)]
    for moment in at:
        monkeypatch.setattr(marks, "now", lambda moment=moment: moment)
        await mark(store, assigned["Cai"][0], Time(reading=1, idle=0))
    (tally,) = store.tallies.tallies(campaign.id).values()
    assert {moment.date() for moment in tally.moments} == {moment.date() for moment in at}
    assert tally.moments <= set(at)
    assert tally.seen == at[-1]


async def test_since_a_mark_only_what_has_changed_is_read(store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    first, second = assigned["Cai"]
    await rate(store, first, 1, 2, 3, 4, 5, 1, 2)
    before = store.tallies.edition(campaign.id)
    assert before.assignments == 2
    await mark(store, second, Score(metric="KA", score=1))
    since = store.tallies.tallies(campaign.id, since=before.mark)
    assert list(since) == [second.id]
    assert {**since, first.id: store.tallies.tallies(campaign.id)[first.id]} == store.tallies.tallies(campaign.id)
    assert store.tallies.edition(campaign.id).mark > before.mark
