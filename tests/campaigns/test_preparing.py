"""What a campaign is to be extended by is kept for each who prepares it, and goes together with what others do."""

from dataclasses import replace
from datetime import UTC, datetime

from characterbox.campaigns import preparing
from characterbox.campaigns.design import Draft
from characterbox.campaigns.preparing import Preparations
from characterbox.store.campaign import CampaignItem, CampaignRater
from tests.fakes.campaigns import settings


def item(name):
    return CampaignItem(item=name, story_id="s", character=None, scene="c", model="m", language="en")


def rater(id):
    return CampaignRater(rater=id, languages=("en",))


PRESENT = Draft(settings(), (item("a"),), (rater("cai"),))
WIDER = replace(
    PRESENT,
    settings=settings(raters_per_item=2),
    items=(item("a"), item("b")),
    raters=(rater("cai"), rater("dan")),
)


def test_each_prepares_their_own():
    kept = Preparations()
    kept.keep("one", "ann", PRESENT, WIDER)
    assert kept.find("one", "ann", PRESENT) == WIDER
    assert kept.find("one", "bob", PRESENT) == kept.find("two", "ann", PRESENT) == PRESENT
    kept.forget("one", "ann")
    kept.forget("one", "ann")
    assert kept.find("one", "ann", PRESENT) == PRESENT


def test_what_somebody_else_has_added_meanwhile_is_not_lost():
    kept = Preparations()
    kept.keep("one", "ann", PRESENT, WIDER)
    grown = replace(PRESENT, items=(item("a"), item("c")), raters=(rater("cai"), rater("eve")))
    found = kept.find("one", "ann", grown)
    assert [one.item for one in found.items] == ["a", "b", "c"]
    assert {one.rater for one in found.raters} == {"cai", "dan", "eve"}
    assert found.settings == WIDER.settings
    later = replace(grown, settings=settings(deadline=datetime(2030, 1, 1, tzinfo=UTC)))
    assert kept.find("one", "ann", later).settings == later.settings


def test_what_was_changed_longest_ago_is_dropped_when_there_is_too_much(monkeypatch):
    monkeypatch.setattr(preparing, "_KEPT", 2)
    kept = Preparations()
    for campaign in ("one", "two", "one", "three"):
        kept.keep(campaign, None, PRESENT, WIDER)
    assert [kept.find(campaign, None, PRESENT) == WIDER for campaign in ("one", "two", "three")] == [True, False, True]
