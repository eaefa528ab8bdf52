"""From a draft to what everybody has to do."""

from collections import Counter

import pytest

from annotations.design.practice import load_practice
from annotations.errors import RatingError
from annotations.i18n.translation import speaking, translate
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.item_selection import subjects
from characterbox.campaigns.oversight import allow_attempt
from characterbox.campaigns.plan import Draft, assignments_of, draft_of, plan_of, start
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignRater
from characterbox.store.ratings.scene_ratings import key_of
from tests.fakes.campaigns import campaign_item, ready, settings
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

RUBRIC = load_rubric()
NAMES = ("Ann", "Bob", "Eve", "Finn", "Gus", "Hal")


def draft(store: Store, *raters: str, **changes) -> Draft:
    story = a_story(store, a_scene(*NAMES))
    panel = [CampaignRater(rater=store.accounts.expert_named(name).id, languages=("en",)) for name in raters]
    return Draft(settings(**changes), [campaign_item(story, name) for name in NAMES], panel)


def test_each_item_has_its_raters_and_each_rater_an_order(store):
    made = draft(store, "Cai", "Dora", "Emil", raters_per_item=2)
    assigned = assignments_of("c", made, RUBRIC, plan_of(made, RUBRIC))
    assert Counter(one.item for one in assigned) == {item.item: 2 for item in made.items}
    for rater in made.raters:
        assert [one.place for one in assigned if one.rater == rater.rater] == [1, 2, 3, 4]
    assert len({one.id for one in assigned}) == len(assigned), "every name is of one item of one rater alone"
    assert not any(item.item.partition(":")[0] in one.id for one in assigned for item in made.items)


def test_practice_comes_first_and_checks_are_among_the_items(store):
    made = draft(store, "Cai", practice=True, checks=2, repeats=0.1)
    assigned = assignments_of("c", made, RUBRIC, plan_of(made, RUBRIC))
    practice = [one for one in assigned if one.purpose == "practice"]
    assert [one.item for one in practice] == [item.key for item in load_practice(RUBRIC).items_in("en")]
    work = [one for one in assigned if one.purpose != "practice"]
    assert Counter((one.purpose, one.take) for one in work) == {("rate", 0): 6, ("rate", 1): 1, ("check", 0): 2}
    assert work[0].purpose == "rate"
    assert [one.place for one in work] == list(range(1, 10))


def test_an_extension_leaves_what_is_assigned(store):
    campaign, rater = ready(store, a_scene("Ann", "Bob", "Eve"), "Cai", checks=1)
    before = store.campaigns.assignments(campaign=campaign.id)
    more = a_story(store, a_scene("Finn", "Gus"))
    old = draft_of(store, campaign)
    dora = CampaignRater(rater=store.accounts.expert_named("Dora").id, languages=("en",))
    items = [*old.items, *(campaign_item(more, name) for name in ("Finn", "Gus"))]
    wider = Draft(settings(raters_per_item=2, checks=1), items, [*old.raters, dora])
    new = assignments_of(campaign.id, wider, RUBRIC, plan_of(wider, RUBRIC, before), before)
    assert Counter(one.item for one in [*before, *new] if one.purpose == "rate") == {item.item: 2 for item in items}
    assert Counter(one.rater for one in new if one.purpose == "check") == {dora.rater: 1}, "nobody is checked twice"
    mine = [one.place for one in new if one.rater == rater.id]
    assert mine == list(range(len(before) + 1, len(before) + 1 + len(mine)))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"checks": 9}, "request fewer"),
        ({"raters_per_item": 3}, "each item needs 3 raters"),
        ({"repeats": 0.05}, "at least 5 items"),
    ],
)
def test_what_cannot_be_planned_is_refused(store, changes, fault):
    made = draft(store, "Cai", "Dora", **changes)
    with pytest.raises(RatingError, match=fault):
        plan_of(made, RUBRIC)


def test_a_rubric_without_a_practice_set_can_have_no_practice(store):
    with pytest.raises(RatingError, match="practice"):
        plan_of(draft(store, "Cai", practice=True), load_rubric("neeko"))


def test_what_has_started_is_not_started_again(store):
    campaign, _ = ready(store, a_scene("Ann"), "Cai")
    with pytest.raises(CampaignError, match="has already started"):
        start(store, campaign)


def test_how_a_campaign_stands_is_told_in_the_language_of_whoever_asks(store):
    campaign, rater = ready(store, a_scene("Ann"), "Cai")
    refusals = {
        lambda: start(store, campaign): f"评分项目 {campaign.id} 已经启动，状态为“进行中”",
        lambda: allow_attempt(store, campaign.model_copy(update={"status": "paused"}), rater.id, LOCAL): (
            f"评分项目 {campaign.id} 的状态为“已暂停”；请先恢复，再允许重试"
        ),
    }
    for act, told in refusals.items():
        with pytest.raises(CampaignError) as refused:
            act()
        with speaking("zh"):
            assert translate(refused.value) == told


def test_each_rubric_has_its_own_subjects(store):
    story = a_story(store, a_scene("Ann", "Bob"))
    again = a_story(store, a_scene("Ann", "Bob"))
    going_on = a_story(store, a_scene("Ann", "Bob"))
    for one in (story, again):
        store.stories.move(one.id, "ended")
    stories = [store.stories.story(one.id) for one in (story, again, going_on)]
    found = {name: subjects(stories, load_rubric(name)) for name in ("character", "narrator", "scene")}
    assert [one.item.label for one in found["character"]] == [
        f"{one.id}:{slug}" for one in (story, again) for slug in ("ann", "bob")
    ]
    assert [one.item.label for one in found["narrator"]] == [f"{story.id}/narrator", f"{again.id}/narrator"]
    assert [(one.item.label, one.model) for one in found["scene"]] == [
        (f"scene/{key_of(story.script.scene)}", "hand-written")
    ]
    assert found["narrator"][0].campaign_item.character is None
    assert store.campaigns.create(settings(), LOCAL).status == "draft"
