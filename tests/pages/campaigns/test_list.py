"""The list of campaigns stays whole when one of them can't be read."""

from annotations.marking.marks import Submit
from characterbox.accounts.account import LOCAL
from characterbox.store.campaigns.campaign import new_assignment
from pages.campaigns.list import progress
from tests.fakes.campaigns import mark, rate, running
from tests.fakes.scenes import a_scene


async def test_how_far_a_campaign_is(store):
    campaign, _, given = running(store, a_scene("Ann", "Bob"), "Cai", "Dora")
    assert progress(store, campaign) == "0 of 4 ratings done (0%)"
    await rate(store, given["Cai"][0], *[3] * 7)
    assert progress(store, campaign) == "1 of 4 ratings done (25%)"


async def test_one_that_cannot_be_read_says_so_in_its_line(store):
    campaign, _, given = running(store, a_scene("Ann"), "Cai", practice=True)
    gone = new_assignment(campaign.id, given["Cai"][0].rater, "gone", place=1, purpose="practice", take=1)
    store.campaigns.add([gone], LOCAL)
    await mark(store, gone, Submit())
    assert progress(store, campaign).startswith("progress cannot be read: practice item 'gone'")
