"""Campaigns to rate in."""

from typing import Any
from uuid import UUID, uuid4

from annotations.design.settings import Settings
from annotations.marking.marks import Mark, Score, Submit
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL, Account
from characterbox.campaigns.plan import start
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment, Campaign, CampaignItem, CampaignRater, new_assignment
from characterbox.store.campaigns.marks import Check, Receipt
from characterbox.store.ratings.ratings import item_of, scene_name
from characterbox.store.stories.stories import Story
from tests.fakes.stories import a_story


def settings(**changes: Any) -> Settings:
    """Settings with nothing asked of the raters but scores."""
    fields: dict[str, Any] = {
        "name": "Pilot",
        "rubric": "character",
        "rubric_version": load_rubric().version,
        "raters_per_item": 1,
        "seed": 1,
        "repeats": 0,
        "practice": False,
        "threshold": 0.8,
        "attempts": 2,
        "checks": 0,
        "asks_model": False,
        "minutes": 5,
    }
    return Settings(**{**fields, **changes})


def campaign_item(story: Story, name: str) -> CampaignItem:
    """A character's part as an item."""
    return CampaignItem(
        identity=item_of(story, name),
        story_id=story.id,
        character=name,
        scene=scene_name(story.script.scene),
        model=story.casting.characters[name].model,
        language=story.script.scene.language,
    )


def running(
    store: Store, scene: Scene, *raters: str, **changes: Any
) -> tuple[Campaign, Story, dict[str, list[Assignment]]]:
    """A campaign in which experts of these names rate every part of one story, and what each has to rate."""
    story = a_story(store, scene)
    store.stories.move(story.id, "ended")
    return started(store, story, *raters, **changes)


def assigned(store: Store, story: Story, rater: str) -> list[Assignment]:
    """What one expert has to rate of a story, in a campaign of its own."""
    return started(store, story, rater)[2][rater]


def started(
    store: Store, story: Story, *raters: str, **changes: Any
) -> tuple[Campaign, Story, dict[str, list[Assignment]]]:
    """A campaign in which experts of these names rate every part of this story."""
    campaign = store.campaigns.create(settings(**changes), LOCAL)
    accounts = [store.accounts.expert_named(name) for name in raters]
    items = [campaign_item(story, name) for name in story.script.scene.names]
    panel = [CampaignRater(rater=account.id or "", languages=("en", "zh")) for account in accounts]
    store.campaigns.draft(campaign.id, campaign.settings, items, panel, LOCAL)
    given = {
        account.name: [
            new_assignment(campaign.id, account.id or "", item.item, place=place) for place, item in enumerate(items, 1)
        ]
        for account in accounts
    }
    store.campaigns.start(campaign.id, [one for each in given.values() for one in each], LOCAL)
    return store.campaigns.campaign(campaign.id), store.stories.story(story.id), given


def ready(store: Store, scene: Scene, rater: str, **changes: Any) -> tuple[Campaign, Account]:
    """A campaign that has started as it does in the app, with one expert who reads English."""
    story = a_story(store, scene)
    store.stories.move(story.id, "ended")
    campaign = store.campaigns.create(settings(**changes), LOCAL)
    expert = store.accounts.expert_named(rater)
    panel = [CampaignRater(rater=expert.id or "", languages=("en",))]
    items = [campaign_item(story, name) for name in scene.names]
    store.campaigns.draft(campaign.id, campaign.settings, items, panel, LOCAL)
    store.campaigns.start(campaign.id, start(store, campaign), LOCAL)
    return store.campaigns.campaign(campaign.id), expert


take_all = Check(lambda place: None, lambda place, mark, sheet: mark)
"""A check that lets every mark pass."""


async def mark(store: Store, assignment: Assignment, said: Mark, click: UUID | None = None) -> Receipt:
    """One mark on an assignment."""
    return await store.marks.append(assignment.id, click or uuid4(), said, take_all)


async def rate(store: Store, assignment: Assignment, *scores: int | None) -> None:
    """Score the metrics of the paper's rubric in order, and submit."""
    for metric, score in zip(load_rubric().keys, scores, strict=False):
        await mark(store, assignment, Score(metric=metric, score=score))
    await mark(store, assignment, Submit())


def account(store: Store, assignment: Assignment) -> Account:
    """Whose assignment it is."""
    return store.accounts.find(assignment.rater)
