"""What a campaign is to be extended by is kept for each who prepares it, and goes together with what others do."""

from dataclasses import replace
from datetime import UTC, datetime

from characterbox.accounts.account import LOCAL
from characterbox.campaigns.lifecycle import find_extension, keep_extension
from characterbox.campaigns.plan import Draft
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignItem, CampaignRater
from characterbox.store.tables.ratings import Item
from tests.fakes.campaigns import settings


def item(name):
    return CampaignItem(
        identity=Item(kind="character", owner=name), story_id="s", character=None, scene="c", model="m", language="en"
    )


def rater(id):
    return CampaignRater(rater=id, languages=("en", "zh"))


PRESENT = Draft(settings(), (item("a"),), (rater("cai"),))
WIDER = replace(
    PRESENT,
    settings=settings(raters_per_item=2, deadline=datetime(2029, 1, 1, tzinfo=UTC)),
    items=(item("a"), item("b")),
    raters=(rater("cai"), rater("dan")),
)


def a_campaign(store):
    return store.campaigns.create(settings(), LOCAL).id


def test_each_prepares_their_own_and_finds_it_after_a_restart(store, url):
    one, two = a_campaign(store), a_campaign(store)
    keep_extension(store, one, "ann", PRESENT, PRESENT)
    keep_extension(store, one, "ann", PRESENT, WIDER)
    keep_extension(store, two, None, PRESENT, WIDER)
    store.close()
    anew = Store(url)
    assert find_extension(anew, one, "ann", PRESENT) == find_extension(anew, two, None, PRESENT) == WIDER
    assert find_extension(anew, one, "bob", PRESENT) == find_extension(anew, two, "ann", PRESENT) == PRESENT
    anew.extensions.drop(one, "ann")
    anew.extensions.drop(one, "ann")
    assert find_extension(anew, one, "ann", PRESENT) == PRESENT
    assert find_extension(anew, two, None, PRESENT) == WIDER
    anew.close()


def test_what_somebody_else_has_added_meanwhile_is_not_lost(store):
    one = a_campaign(store)
    keep_extension(store, one, "ann", PRESENT, WIDER)
    grown = replace(PRESENT, items=(item("a"), item("c")), raters=(rater("cai"), rater("eve")))
    found = find_extension(store, one, "ann", grown)
    assert [one.item for one in found.items] == ["a", "b", "c"]
    assert {one.rater for one in found.raters} == {"cai", "dan", "eve"}
    assert found.settings == WIDER.settings
    later = replace(grown, settings=settings(deadline=datetime(2030, 1, 1, tzinfo=UTC)))
    assert find_extension(store, one, "ann", later).settings == later.settings
