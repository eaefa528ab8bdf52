"""Campaigns: a draft can be changed, what has started stays, and each change is in the log."""

from datetime import UTC, datetime

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.errors import CampaignError
from characterbox.store.campaigns.campaign import OPEN, Campaign, CampaignRater, new_assignment
from characterbox.store.tables.columns import now
from tests.fakes.campaigns import campaign_item, running, settings
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story


def test_a_draft_is_changed_as_a_whole(store):
    story = a_story(store, a_scene("Ann", "Bob"))
    campaign = store.campaigns.create(settings(), LOCAL)
    expert = store.accounts.expert_named("Cai")
    raters = [CampaignRater(rater=expert.id, languages=("zh",))]
    ann, bob = (campaign_item(story, name) for name in ("Ann", "Bob"))
    store.campaigns.draft(campaign.id, settings(name="Second"), [ann, bob], raters, LOCAL)
    store.campaigns.draft(campaign.id, settings(name="Third"), [bob], raters, LOCAL)
    assert store.campaigns.campaign(campaign.id).settings == settings(name="Third")
    assert store.campaigns.items(campaign.id) == [bob]
    assert store.campaigns.item(campaign.id, bob.item) == bob
    assert store.campaigns.raters(campaign.id) == raters
    with pytest.raises(CampaignError, match="has no item"):
        store.campaigns.item(campaign.id, ann.item)


def test_what_has_started_keeps_its_design(store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    with pytest.raises(CampaignError, match="copy it"):
        store.campaigns.draft(campaign.id, settings(), [], [], LOCAL)
    with pytest.raises(CampaignError, match="cannot become running"):
        store.campaigns.start(campaign.id, [], LOCAL)
    assert store.campaigns.assignments(campaign=campaign.id) == assigned["Cai"]
    assert store.campaigns.assignments(rater=assigned["Cai"][0].rater) == assigned["Cai"]
    assert store.campaigns.assignment(assigned["Cai"][1].id) == assigned["Cai"][1]


@pytest.mark.parametrize(
    ("moves", "refused"),
    [
        (["paused", "running", "closed", "running"], "draft"),
        (["closed"], "paused"),
        (["paused", "closed"], "closed"),
    ],
)
def test_it_moves_as_it_may(store, moves, refused):
    campaign, _, _ = running(store, a_scene("Ann", "Bob"), "Cai")
    for status in moves:
        store.campaigns.move(campaign.id, status, LOCAL)
        assert store.campaigns.campaign(campaign.id).status == status
    with pytest.raises(CampaignError, match=f"cannot become {refused}"):
        store.campaigns.move(campaign.id, refused, LOCAL)


def test_it_is_extended_while_it_is_open(store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    more = a_story(store, a_scene("Eve"))
    item = campaign_item(more, "Eve")
    dora = store.accounts.expert_named("Dora")
    new = new_assignment(campaign.id, dora.id, item.item, place=1)
    raters = [CampaignRater(rater=dora.id, languages=("en",))]
    before, wider = (campaign.settings, assigned["Cai"]), settings(raters_per_item=2)
    store.campaigns.extend(campaign.id, wider, ([item], raters, [new]), before, LOCAL)
    assert len(store.campaigns.items(campaign.id)) == 3
    assert store.campaigns.assignments(rater=dora.id) == [new]
    assert store.campaigns.assignments(rater=assigned["Cai"][0].rater) == assigned["Cai"]
    again = new_assignment(campaign.id, dora.id, assigned["Cai"][0].item, place=2)
    with pytest.raises(CampaignError, match="somebody else has extended it in the meantime"):
        store.campaigns.extend(campaign.id, wider, ([], [], [again]), (wider, assigned["Cai"]), LOCAL)
    assert store.campaigns.assignments(rater=dora.id) == [new]
    store.campaigns.move(campaign.id, "closed", LOCAL)
    with pytest.raises(CampaignError, match="only a running or paused campaign"):
        store.campaigns.extend(campaign.id, settings(), ([], [], []), (wider, [*assigned["Cai"], new]), LOCAL)


def test_of_two_who_change_its_settings_at_once_the_second_is_refused(store):
    campaign, _, assigned = running(store, a_scene("Ann"), "Cai")
    before = (campaign.settings, assigned["Cai"])
    later = settings(deadline=datetime(2030, 1, 1, tzinfo=UTC))
    store.campaigns.extend(campaign.id, later, ([], [], []), before, LOCAL)
    with pytest.raises(CampaignError, match="somebody else has extended it in the meantime"):
        store.campaigns.extend(campaign.id, settings(name="Second"), ([], [], []), before, LOCAL)
    assert store.campaigns.campaign(campaign.id).settings == later


def test_each_change_is_in_the_log(store):
    campaign, _, _ = running(store, a_scene("Ann", "Bob"), "Cai")
    store.campaigns.move(campaign.id, "paused", LOCAL)
    told = [(entry.action, entry.subject) for entry in store.audit.read(20) if entry.action.startswith("campaign.")]
    assert told == [(f"campaign.{act}", campaign.id) for act in ("move", "start", "draft", "create")]


def test_an_unknown_one_is_refused(store):
    with pytest.raises(CampaignError, match="does not exist"):
        store.campaigns.campaign("nothing")
    with pytest.raises(CampaignError, match="you have no item"):
        store.campaigns.assignment("nothing")


def test_a_draft_that_was_changed_after_it_was_planned_does_not_start(store):
    story = a_story(store, a_scene("Ann", "Bob"))
    campaign = store.campaigns.create(settings(), LOCAL)
    cai, dora = (store.accounts.expert_named(name).id for name in ("Cai", "Dora"))
    items = [campaign_item(story, name) for name in ("Ann", "Bob")]
    store.campaigns.draft(campaign.id, settings(), items, [CampaignRater(rater=cai, languages=("en",))], LOCAL)
    ann, bob = (new_assignment(campaign.id, cai, item.item, place=place) for place, item in enumerate(items, 1))
    for planned in ([], [ann], [ann, bob, new_assignment(campaign.id, dora, ann.item, place=1)]):
        with pytest.raises(CampaignError, match="changed in the meantime; check the plan again"):
            store.campaigns.start(campaign.id, planned, LOCAL)
    assert store.campaigns.campaign(campaign.id).status == "draft"
    store.campaigns.start(campaign.id, [ann, bob], LOCAL)
    assert store.campaigns.assignments(rater=cai) == [ann, bob]


def test_what_two_do_at_the_same_moment_is_done_once(store):
    campaign, _, assigned = running(store, a_scene("Ann"), "Cai")
    again = [
        new_assignment(campaign.id, assigned["Cai"][0].rater, "1", place=2, purpose="practice", take=2)
        for _ in range(2)
    ]
    store.campaigns.add(again[:1], LOCAL)
    with pytest.raises(CampaignError, match="somebody else changed this campaign at the same time"):
        store.campaigns.add(again[1:], LOCAL)
    assert store.campaigns.assignments(campaign=campaign.id) == [*assigned["Cai"], *again[:1]]
    (entry,) = (entry for entry in store.audit.read(9) if entry.action == "campaign.assign")
    assert (entry.subject, entry.detail) == (campaign.id, {"assignments": 1})


def test_where_nothing_is_taken_nothing_new_is_given(store):
    campaign, _, assigned = running(store, a_scene("Ann"), "Cai")
    store.campaigns.move(campaign.id, "paused", LOCAL)
    with pytest.raises(CampaignError, match="it is paused, and gives nobody anything new"):
        store.campaigns.add([new_assignment(campaign.id, assigned["Cai"][0].rater, "x", place=9)], LOCAL)
    assert store.campaigns.assignments(campaign=campaign.id) == assigned["Cai"]


def test_the_open_campaign_is_in_the_log_once(store):
    story = a_story(store, a_scene("Ann", "Bob"))
    campaign = Campaign(id=OPEN, settings=settings(), status="running", created_by="CharacterBox", created_at=now())
    items = [campaign_item(story, name) for name in ("Ann", "Bob")]
    for name in ("Cai", "Dora", "Cai"):
        store.campaigns.open(campaign, items, store.accounts.expert_named(name).id)
    assert [len(store.campaigns.assignments(rater=account.id)) for account in store.accounts.all()] == [2, 2]
    told = [(entry.action, entry.subject) for entry in store.audit.read(20) if entry.action.startswith("campaign.")]
    assert told == [("campaign.create", OPEN)]
