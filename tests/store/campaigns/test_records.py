"""What is exported is all that was left, with where it comes from, on both databases."""

from dataclasses import replace

import pytest

from annotations.marking.marks import Score, sheet_of
from characterbox.accounts.account import LOCAL
from characterbox.store.campaigns import records
from characterbox.store.campaigns.campaign import new_assignment
from characterbox.store.ratings.ratings import item_of, rating_of
from tests.fakes.campaigns import mark, rate, running, started
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene


def judged(story, metric="KA", score=4, rater="GPT-4", name="Ann", **more):
    return rating_of(story, name, rater=rater, metric=metric, score=score, **more)


async def test_every_assignment_is_a_record_with_its_marks(store):
    campaign, story, assigned = running(store, a_scene("Ann", "Bob"), "Max", "Eve")
    await rate(store, assigned["Max"][0], 1, 2, 3, 4, 5, 1, 2)
    await mark(store, assigned["Eve"][1], Score(metric="KA", score=3))
    found = {record.assignment: record for record in store.records.records(campaign.id, history=True)}
    assert found.keys() == {one.id for each in assigned.values() for one in each}
    assert [record.item for record in found.values()] == sorted(
        [item_of(story, "Ann").label, item_of(story, "Bob").label] * 2
    )
    first = found[assigned["Max"][0].id]
    assert (first.rater, first.scene, first.model, first.language) == ("Max", "The Hotel: watch", "m", "en")
    assert (first.campaign, first.rubric, first.rubric_version) == (
        campaign.id, "character", campaign.settings.rubric_version
    )  # fmt: skip
    assert (first.purpose, first.take) == ("rate", 0)
    assert len(first.entries) == 8
    for id, record in found.items():
        assert list(record.entries) == store.marks.entries(id)
        assert record.sheet == sheet_of(store.marks.entries(id))
    assert found[assigned["Eve"][0].id].entries == ()
    without = {record.assignment: record for record in store.records.records(campaign.id)}
    assert without == {id: replace(record, entries=()) for id, record in found.items()}


async def test_repeats_and_practice_are_records_too(store):
    campaign, story, assigned = running(store, a_scene("Ann"), "Max")
    max = assigned["Max"][0].rater
    more = [
        new_assignment(campaign.id, max, item_of(story, "Ann").label, place=2, take=1),
        new_assignment(campaign.id, max, "p1", place=1, purpose="practice", take=1),
    ]
    store.campaigns.add(more, LOCAL)
    await mark(store, more[1], Score(metric="KA", score=3))
    told = {(record.purpose, record.take): record for record in store.records.records(campaign.id)}
    assert told.keys() == {("rate", 0), ("rate", 1), ("practice", 1)}
    practice = told["practice", 1]
    assert (practice.item, practice.scene, practice.model, practice.language) == ("practice/p1", None, None, None)
    assert practice.sheet.scores == {"KA": 3}


async def test_records_come_in_portions_and_none_is_lost_or_doubled(store, monkeypatch):
    monkeypatch.setattr(records, "_PORTION", 2)
    campaign, story, assigned = running(store, a_scene("Ann", "Bob", "Cy"), "Max", "Eve", "Ida")
    started(store, story, "Max")
    await rate(store, assigned["Ida"][2], 1)
    found = list(store.records.records(campaign.id, history=True))
    assert sorted(record.assignment for record in found) == sorted(one.id for each in assigned.values() for one in each)
    assert sum(len(record.entries) for record in found) == 2
    store.ratings.add([judged(story, metric) for metric in ("KA", "BA", "EE", "PT", "IM")])
    assert [row.metric for row in store.records.judged()] == ["KA", "BA", "EE", "PT", "IM"]


def test_of_a_judge_the_last_rating_counts(store):
    campaign, story, _ = running(store, a_scene("Ann", "Bob"), "Max")
    store.ratings.add([judged(story, score=2), judged(story, "BA", None, reason=a_reason("no score"))])
    store.ratings.add([judged(story, score=5), judged(story, rater="CharacterRM", name="Bob")])
    rows = list(store.records.judged(campaign.id))
    assert [(row.item, row.metric, row.rater, row.score, row.reason) for row in rows] == [
        (item_of(story, "Ann").label, "BA", "GPT-4", None, "no score"),
        (item_of(story, "Ann").label, "KA", "GPT-4", 5, None),
        (item_of(story, "Bob").label, "KA", "CharacterRM", 4, None),
    ]
    assert {(row.kind, row.campaign, row.take, row.submitted) for row in rows} == {("judge", None, None, None)}
    assert all(row.at.tzinfo is not None for row in rows)


def test_judges_of_other_stories_are_in_the_whole_only(store):
    campaign, _, _ = running(store, a_scene("Ann"), "Max")
    _, other, _ = running(store, a_scene("Ann"), "Max")
    store.ratings.add([judged(other)])
    assert list(store.records.judged(campaign.id)) == []
    assert [row.item for row in store.records.judged()] == [item_of(other, "Ann").label]


async def test_raters_are_told_in_the_order_in_which_they_began(store):
    campaign, _, assigned = running(store, a_scene("Ann"), "Max", "Eve", "Ida", "Bo")
    for name in ("Ida", "Eve", "Ida"):
        await mark(store, assigned[name][0], Score(metric="KA", score=3))
    before = store.records.raters(campaign.id)
    assert before[:2] == ["Ida", "Eve"]
    assert set(before) == {"Ida", "Eve", "Max", "Bo"}
    await mark(store, assigned["Max"][0], Score(metric="KA", score=3))
    assert store.records.raters(campaign.id) == ["Ida", "Eve", "Max", "Bo"]
    _, _, elsewhere = running(store, a_scene("Ann"), "Zoe")
    await mark(store, elsewhere["Zoe"][0], Score(metric="KA", score=3))
    assert store.records.raters(campaign.id) == ["Ida", "Eve", "Max", "Bo"]
    assert store.records.raters() == ["Ida", "Eve", "Max", "Zoe", "Bo"]


@pytest.mark.parametrize("campaign", ["none", None])
def test_where_there_is_nothing_there_is_nothing(store, campaign):
    assert list(store.records.judged(campaign)) == []
    assert store.records.raters(campaign) == []
    assert list(store.records.records("none")) == []
