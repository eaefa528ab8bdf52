"""The life of a campaign, from a draft to a copy of it; each act is for those who may direct."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from annotations.i18n.translation import speaking, translate
from annotations.marking.marks import Score
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL, Account
from characterbox.campaigns import lifecycle
from characterbox.campaigns.oversight import allow_attempt
from characterbox.campaigns.plan import Draft
from characterbox.errors import AccountError, CampaignError
from characterbox.store.campaigns.campaign import CampaignItem, CampaignRater
from characterbox.store.tables.ratings import Item
from tests.fakes.campaigns import mark, rate, settings
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

RUBRIC = load_rubric()


def items(store, count, *, language="en", scenes=4, model="m"):
    story = a_story(store, a_scene("Ann"))
    return tuple(
        CampaignItem(
            identity=Item(kind="character", owner=f"{story.id}-{number}", slug="ann"),
            story_id=story.id,
            character="Ann",
            scene=f"s{number % scenes}",
            model=model,
            language=language,
        )
        for number in range(count)
    )


def raters(store, *names, languages=("en",)):
    return tuple(CampaignRater(rater=str(store.accounts.expert_named(name).id), languages=languages) for name in names)


def drafted(store, draft):
    campaign = lifecycle.make(store, LOCAL, "Pilot")
    lifecycle.keep(store, LOCAL, campaign.id, draft)
    return store.campaigns.campaign(campaign.id)


def rated(store, campaign):
    return [one for one in store.campaigns.assignments(campaign=campaign.id) if one.purpose == "rate"]


def test_a_new_campaign_is_a_draft_that_can_be_started_once_it_has_items_and_experts(store):
    campaign = lifecycle.make(store, LOCAL, "Pilot")
    assert campaign.status == "draft"
    assert (campaign.settings.rubric, campaign.settings.rubric_version) == (RUBRIC.name, RUBRIC.version)
    assert lifecycle.make(store, LOCAL, "Pilot").settings.seed != campaign.settings.seed
    with pytest.raises(CampaignError, match="no items"):
        lifecycle.begin(store, LOCAL, campaign.id)
    panel = tuple(sorted(raters(store, "Cai", "Dan", "Eve"), key=lambda one: one.rater))
    draft = Draft(campaign.settings, items(store, 8), panel)
    lifecycle.keep(store, LOCAL, campaign.id, draft)
    assert lifecycle.draft_in(store, store.campaigns.campaign(campaign.id)) == draft
    lifecycle.begin(store, LOCAL, campaign.id)
    assert store.campaigns.campaign(campaign.id).status == "running"
    assert len(rated(store, campaign)) == 24


def test_it_is_paused_closed_and_reopened(store):
    campaign = drafted(store, Draft(settings(), items(store, 4), raters(store, "Cai")))
    lifecycle.begin(store, LOCAL, campaign.id)
    for status in ("paused", "running", "closed", "running"):
        lifecycle.move(store, LOCAL, campaign.id, status)
        assert store.campaigns.campaign(campaign.id).status == status
    with pytest.raises(CampaignError, match="it cannot become draft"):
        lifecycle.move(store, LOCAL, campaign.id, "draft")


def test_a_copy_has_all_but_the_deadline_and_those_who_are_gone(store):
    until = datetime(2030, 1, 1, tzinfo=UTC)
    draft = Draft(settings(name="N" * 120, deadline=until), items(store, 4), raters(store, "Cai", "Dan"))
    campaign = drafted(store, draft)
    lifecycle.begin(store, LOCAL, campaign.id)
    store.accounts.disable(LOCAL, draft.raters[1].rater)
    copied = lifecycle.copy(store, LOCAL, campaign.id)
    assert copied.status == "draft"
    assert copied.settings.name == "N" * 113 + " (copy)"
    found = lifecycle.draft_in(store, copied)
    assert found == Draft(copied.settings, draft.items, draft.raters[:1])
    assert copied.settings == draft.settings.model_copy(update={"name": copied.settings.name, "deadline": None})
    assert lifecycle.copy(store, LOCAL, copied.id).settings.name == copied.settings.name


def test_an_extension_adds_and_leaves_what_was_assigned(store):
    panel, further = raters(store, "Cai", "Dan"), raters(store, "Eve")
    draft = Draft(settings(), items(store, 6), panel)
    campaign = drafted(store, draft)
    lifecycle.begin(store, LOCAL, campaign.id)
    before = rated(store, campaign)
    more = items(store, 2)
    until = datetime(2030, 1, 1, tzinfo=UTC)
    grown = draft.settings.model_copy(update={"raters_per_item": 2, "deadline": until})
    wanted = Draft(grown, tuple(sorted([*draft.items, *more], key=lambda one: one.item)), (*panel, *further))
    assigned = tuple(store.campaigns.assignments(campaign=campaign.id))
    plan = lifecycle.outlook_of(wanted, RUBRIC, assigned).plan
    assert plan is not None
    assert (plan.balance.ratings, plan.balance.added) == (16, 10)
    lifecycle.extend(store, LOCAL, campaign, wanted)
    after = rated(store, campaign)
    assert [one for one in after if one in before] == before
    assert len(after) == 16
    assert store.campaigns.campaign(campaign.id).settings == grown
    assert {one.rater for one in store.campaigns.raters(campaign.id)} == {one.rater for one in wanted.raters}
    with pytest.raises(CampaignError, match="somebody else has extended it in the meantime"):
        lifecycle.extend(
            store, LOCAL, campaign, replace(wanted, settings=draft.settings.model_copy(update={"name": "N"}))
        )
    assert store.campaigns.campaign(campaign.id).settings == grown, "what another has set is not overwritten"
    with pytest.raises(CampaignError, match="nothing has been added"):
        lifecycle.extend(store, LOCAL, store.campaigns.campaign(campaign.id), wanted)


def test_who_may_rate_no_more_is_given_nothing_new(store):
    cai, dan, eve = raters(store, "Cai", "Dan", "Eve")
    draft = Draft(settings(raters_per_item=2), items(store, 6), (cai, dan, eve))
    campaign = drafted(store, draft)
    store.accounts.disable(LOCAL, eve.rater)
    lifecycle.begin(store, LOCAL, campaign.id)
    assert {one.rater for one in rated(store, campaign)} == {cai.rater, dan.rater}
    store.accounts.enable(LOCAL, eve.rater)
    store.accounts.change_role(LOCAL, dan.rater, "viewer")
    before = rated(store, campaign)
    wanted = replace(draft, items=(*draft.items, *items(store, 2)))
    lifecycle.extend(store, LOCAL, campaign, wanted)
    new = [one for one in rated(store, campaign) if one not in before]
    assert Counter(one.rater for one in new) == {cai.rater: 2, eve.rater: 8}, "Eve has all that Dan left undone"
    assert lifecycle.draft_in(store, store.campaigns.campaign(campaign.id)).raters == tuple(
        sorted(draft.raters, key=lambda one: one.rater)
    ), "who comes back reads what was read before"
    store.accounts.disable(LOCAL, eve.rater)
    with pytest.raises(CampaignError, match="only 1 of the raters read"):
        lifecycle.extend(store, LOCAL, campaign, replace(wanted, items=(*wanted.items, *items(store, 1))))


async def test_what_was_left_undone_is_given_to_others(store):
    draft = Draft(settings(), items(store, 6), raters(store, "Cai", "Dan"))
    campaign = drafted(store, draft)
    lifecycle.begin(store, LOCAL, campaign.id)
    with pytest.raises(CampaignError, match="nothing has been added"):
        lifecycle.extend(store, LOCAL, campaign, draft)
    dan = [one for one in rated(store, campaign) if one.rater == draft.raters[1].rater]
    assert len(dan) == 3
    await rate(store, dan[0], *[3] * 7)
    await mark(store, dan[1], Score(metric="KA", score=3))
    store.accounts.disable(LOCAL, draft.raters[1].rater)
    before = rated(store, campaign)
    lifecycle.extend(store, LOCAL, campaign, draft)
    new = [one for one in rated(store, campaign) if one not in before]
    assert {one.rater for one in new} == {draft.raters[0].rater}
    assert {one.item for one in new} == {one.item for one in dan[1:]}
    with pytest.raises(CampaignError, match="nothing has been added"):
        lifecycle.extend(store, LOCAL, campaign, draft)


async def test_who_has_failed_the_last_attempt_is_given_nothing_and_leaves_what_was_undone_to_others(store):
    draft = Draft(settings(practice=True, attempts=1), items(store, 6), raters(store, "Cai", "Dan"))
    drafted_one = drafted(store, draft)
    lifecycle.begin(store, LOCAL, drafted_one.id)
    campaign, (_, dan) = store.campaigns.campaign(drafted_one.id), draft.raters
    before = store.campaigns.assignments(campaign=campaign.id)
    practice = [one for one in before if one.rater == dan.rater and one.purpose == "practice"]
    for one in practice[:-1]:
        await rate(store, one, *[1] * 7)
    at_work = replace(lifecycle.at_work(store, campaign, draft), names=draft.names)
    assert at_work == draft, "who has not finished may still qualify"
    await rate(store, practice[-1], *[1] * 7)
    assert [one.languages for one in lifecycle.at_work(store, campaign, draft).raters] == [("en",), ()]
    lifecycle.extend(store, LOCAL, campaign, draft)
    new = [one for one in store.campaigns.assignments(campaign=campaign.id) if one not in before]
    assert {one.rater for one in new} == {draft.raters[0].rater}
    assert {one.item for one in new} == {one.item for one in before if one.rater == dan.rater} - {
        one.item for one in practice
    }

    allow_attempt(store, campaign, dan.rater, LOCAL)
    assert replace(lifecycle.at_work(store, campaign, draft), names=draft.names) == draft, (
        "whom a researcher gives another attempt is back"
    )
    copied = lifecycle.copy(store, LOCAL, campaign.id)
    assert {one.rater for one in store.campaigns.raters(copied.id)} == {one.rater for one in draft.raters}


async def test_who_has_an_attempt_left_keeps_what_is_assigned(store):
    draft = Draft(settings(practice=True, attempts=2), items(store, 6), raters(store, "Cai", "Dan"))
    campaign = drafted(store, draft)
    lifecycle.begin(store, LOCAL, campaign.id)
    for one in store.campaigns.assignments(campaign=campaign.id, rater=draft.raters[1].rater):
        if one.purpose == "practice":
            await rate(store, one, *[1] * 7)
    with pytest.raises(CampaignError, match="nothing has been added"):
        lifecycle.extend(store, LOCAL, store.campaigns.campaign(campaign.id), draft)


def test_an_extension_takes_nothing_away_and_changes_no_other_setting(store):
    draft = Draft(settings(raters_per_item=2), items(store, 6), raters(store, "Cai", "Dan"))
    campaign = drafted(store, draft)
    lifecycle.begin(store, LOCAL, campaign.id)

    def refusal(wanted):
        with pytest.raises(CampaignError) as refused:
            lifecycle.extend(store, LOCAL, campaign, wanted)
        return str(refused.value)

    def other(**changes):
        return replace(draft, settings=draft.settings.model_copy(update=changes))

    assert "can only add items and experts" in refusal(replace(draft, items=draft.items[1:]))
    assert "can only add items and experts" in refusal(replace(draft, raters=draft.raters[1:]))
    assert "can only add items and experts" in refusal(
        replace(draft, raters=(draft.raters[0], raters(store, "Dan", languages=("zh",))[0]))
    )
    assert "already has 2 raters" in refusal(other(raters_per_item=1))
    assert "copy the campaign" in refusal(other(seed=2))
    assert "each item needs 3 raters" in refusal(other(raters_per_item=3))
    lifecycle.move(store, LOCAL, campaign.id, "closed")
    assert "only a running or paused campaign" in refusal(other(deadline=datetime(2030, 1, 1, tzinfo=UTC)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "languages", "cause"),
    [
        ({"raters_per_item": 3}, ("en",), "raters_per_item"),
        ({"repeats": 0.05}, ("en",), "repeats"),
        ({"checks": 10}, ("en",), "checks"),
        ({}, ("zh",), "experts"),
    ],
)
def test_what_a_plan_fails_for_is_found(store, changes, languages, cause):
    draft = Draft(settings(**changes), items(store, 4), raters(store, "Cai", "Dan", languages=languages))
    outlook = lifecycle.outlook_of(draft, RUBRIC)
    assert (outlook.plan, outlook.cause) == (None, cause)
    assert outlook.refusal


def test_a_missing_practice_set_empty_picks_and_too_much_of_one_role_are_told_apart(store):
    unpractised = load_rubric("narrator")
    draft = Draft(settings(practice=True), items(store, 4), raters(store, "Cai"))
    assert lifecycle.outlook_of(draft, unpractised).cause == "practice"
    assert lifecycle.outlook_of(replace(draft, items=()), RUBRIC).cause == "stories"
    assert lifecycle.outlook_of(replace(draft, raters=()), RUBRIC).cause == "experts"
    alike = Draft(settings(), items(store, 4, scenes=1), raters(store, "Cai"))
    assert lifecycle.outlook_of(alike, RUBRIC).cause == "stories"


def test_why_there_is_no_plan_is_said_in_the_language_of_whoever_asks(store):
    draft = Draft(settings(), items(store, 4), ())
    refusal = lifecycle.outlook_of(draft, RUBRIC).refusal
    assert str(refusal) == "the campaign has no raters; pick at least one expert"
    with speaking("zh"):
        assert translate(refusal) == "评分项目没有评分者；请至少选择一位专家"


@pytest.mark.parametrize("role", ["expert", "viewer"])
def test_nobody_else_may(store, role):
    campaign = drafted(store, Draft(settings(), items(store, 4), raters(store, "Cai")))
    draft = lifecycle.draft_in(store, campaign)
    nobody = Account(id="0" * 12, name="Mallory", role=role)
    for act in (
        lambda: lifecycle.make(store, nobody, "Pilot"),
        lambda: lifecycle.keep(store, nobody, campaign.id, draft),
        lambda: lifecycle.begin(store, nobody, campaign.id),
        lambda: lifecycle.move(store, nobody, campaign.id, "closed"),
        lambda: lifecycle.copy(store, nobody, campaign.id),
        lambda: lifecycle.extend(store, nobody, campaign, draft),
        lambda: lifecycle.add_expert(store, nobody, "Someone"),
        lambda: lifecycle.add_rubric(store, nobody, "name = 1", "x.toml"),
    ):
        with pytest.raises(AccountError, match="Mallory is not allowed to set this up"):
            act()
    assert [one.id for one in store.campaigns.all()] == [campaign.id]
    assert store.campaigns.campaign(campaign.id).status == "draft"
    assert store.accounts.named("Someone") is None
