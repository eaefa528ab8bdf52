"""Verdicts stand beside the ratings: the last one counts, it can be taken back, and all stay to be read."""

import pytest

from annotations.errors import RatingError
from characterbox.accounts.account import LOCAL
from characterbox.errors import CampaignError
from characterbox.store.campaigns.verdicts import Ruling
from tests.fakes.campaigns import rate, running, settings
from tests.fakes.scenes import a_scene


@pytest.fixture
def campaign(store):
    return running(store, a_scene("Ann", "Bob"), "Cai")[0]


@pytest.fixture
def item(store, campaign):
    return store.campaigns.items(campaign.id)[0].item


def rule(item, metric="KA", score=3, reason="读了两遍 <b>“ok”</b>"):
    return Ruling(item=item, metric=metric, score=score, reason=reason)


def counting(store, campaign):
    return [(one.item, one.metric, one.score) for one in store.verdicts.of_campaign(campaign.id)]


def test_the_last_one_counts_and_all_stay(store, campaign, item):
    first = store.verdicts.add(campaign.id, rule(item, score=2), LOCAL)
    other = store.verdicts.add(campaign.id, rule(item, "BA", 5), LOCAL)
    last = store.verdicts.add(campaign.id, rule(item, score=4), LOCAL)
    assert counting(store, campaign) == [(item, "BA", 5), (item, "KA", 4)]
    assert store.verdicts.history(campaign.id, item) == [first, other, last]
    assert (first.reason, first.adjudicator, first.campaign) == ("读了两遍 <b>“ok”</b>", LOCAL.name, campaign.id)


def test_a_verdict_is_taken_back_and_given_again(store, campaign, item):
    store.verdicts.add(campaign.id, rule(item), LOCAL)
    store.verdicts.add(campaign.id, rule(item, score=None, reason="wrong item"), LOCAL)
    assert counting(store, campaign) == []
    with pytest.raises(CampaignError, match="KA: there is no decision to withdraw"):
        store.verdicts.add(campaign.id, rule(item, score=None, reason="again"), LOCAL)
    store.verdicts.add(campaign.id, rule(item, score=5), LOCAL)
    assert counting(store, campaign) == [(item, "KA", 5)]
    assert [one.score for one in store.verdicts.history(campaign.id, item)] == [3, None, 5]


async def test_the_ratings_stay_as_they_are(store):
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Cai")
    await rate(store, assigned["Cai"][0], 1, 1, 1, 1, 1, 1, 1)
    before = store.ratings.frame(), store.marks.histories(campaign.id)
    store.verdicts.add(campaign.id, rule(assigned["Cai"][0].item, score=5), LOCAL)
    after = store.ratings.frame(), store.marks.histories(campaign.id)
    assert before[0].equals(after[0])
    assert before[1] == after[1]


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"score": 6}, RatingError, "KA: 6 is outside the scale; enter a whole number from 1 to 5"),
        ({"score": 0}, RatingError, "KA: 0 is outside"),
        ({"score": 2.5}, RatingError, "KA: 2.5 is not a whole number"),
        ({"metric": "XX"}, RatingError, "no metric 'XX'"),
        ({"reason": "  "}, RatingError, "KA: enter a reason of 1 to 4000 characters; this one has 0"),
        ({"reason": "x" * 4001}, RatingError, "this one has 4001"),
        ({"reason": "a\x00b"}, RatingError, "KA: enter a reason"),
        ({"item": "nowhere:ann"}, CampaignError, "has no item 'nowhere:ann'"),
    ],
)
def test_what_is_refused_leaves_nothing(store, campaign, item, changes, error, said):
    entries = len(store.audit.read(100))
    with pytest.raises(error, match=said):
        store.verdicts.add(campaign.id, rule(item).model_copy(update=changes), LOCAL)
    assert store.verdicts.history(campaign.id, item) == []
    assert len(store.audit.read(100)) == entries


def test_nothing_is_decided_in_a_draft_or_in_no_campaign(store, item):
    draft = store.campaigns.create(settings(), LOCAL)
    with pytest.raises(CampaignError, match="has not started"):
        store.verdicts.add(draft.id, rule(item), LOCAL)
    with pytest.raises(CampaignError, match="does not exist"):
        store.verdicts.add("ffffffffffff", rule(item), LOCAL)


def test_a_closed_campaign_is_still_decided_on(store, campaign, item):
    store.campaigns.move(campaign.id, "closed", LOCAL)
    store.verdicts.add(campaign.id, rule(item), LOCAL)
    assert counting(store, campaign) == [(item, "KA", 3)]


def test_every_verdict_is_in_the_log_of_changes(store, campaign, item):
    store.verdicts.add(campaign.id, rule(item), LOCAL)
    entry = store.audit.read(1)[0]
    assert (entry.action, entry.subject, entry.actor_name) == ("campaign.adjudicate", campaign.id, LOCAL.name)
    assert entry.detail == {"item": item, "metric": "KA", "score": 3, "reason": "读了两遍 <b>“ok”</b>"}


def test_a_campaign_knows_its_own_verdicts_only(store, campaign, item):
    other = running(store, a_scene("Ann", "Bob"), "Dee")[0]
    store.verdicts.add(campaign.id, rule(item), LOCAL)
    assert counting(store, other) == []
    assert store.verdicts.history(other.id, item) == []
