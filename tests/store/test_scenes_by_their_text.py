"""Scenes that were rated under work and id go by what they say, wherever they stand; the way back keeps them all."""

import pytest
from alembic import command
from sqlalchemy import create_engine, text

from characterbox.accounts.account import LOCAL
from characterbox.campaigns.design import draft_of
from characterbox.campaigns.preparing import find_extension, keep_extension
from characterbox.campaigns.scene_items import scene_item, scene_of
from characterbox.scenes.scene import Crafted
from characterbox.store import Store
from characterbox.store.campaign import CampaignItem, CampaignRater, new_assignment
from characterbox.store.ratings import item_and_model, item_of, rating_of, scene_name
from characterbox.store.scene_ratings import key_of
from characterbox.store.schema import migrations
from characterbox.store.verdicts import Ruling
from tests.fakes.campaigns import settings
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

FIRST = a_scene("Ann", "Bob")
THEN = FIRST.model_copy(update={"title": "A watch is found"})
MADE = FIRST.model_copy(
    update={"title": "Made", "id": "made", "crafted": Crafted(method="direct", screenwriter="gpt-4")}
)
OLD = "scene/The Hotel: watch"
NEW = {scene.title: f"scene/{key_of(scene)}" for scene in (FIRST, THEN, MADE)}
SCENES = {"rubric": "scene", "rubric_version": "1.0"}


def at_revision(url, revision, *statements):
    """Bring a database down to a schema, and change what stands in it there."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def rows(url, table):
    """What a table holds, as text, in an order of its own."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        found = sorted(str(tuple(row)) for row in connection.execute(text(f"select * from {table}")))
    engine.dispose()
    return found


def item_in(story):
    item, model = item_and_model(story, None, "scene")
    scene = story.script.scene
    told = {"scene": scene_name(scene), "model": model, "language": "en"}
    return CampaignItem(item=item, story_id=story.id, character=None, **told)


def score_of(story, score):
    return rating_of(story, None, "scene", rater="GPT-4", metric="detail", score=score)


@pytest.fixture
def stories(store):
    """One of each text, and one of characters."""
    stories = [a_story(store, scene) for scene in (FIRST, THEN, MADE)]
    store.ratings.add([score_of(story, score) for score, story in enumerate(stories, 2)])
    store.ratings.add([rating_of(stories[0], "Ann", rater="GPT-4", metric="KA", score=1)])
    return stories


@pytest.fixture
async def campaign(store, stories):
    """A campaign in which an expert has scored two of them, with a verdict, and which somebody is about to extend."""
    campaign = store.campaigns.create(settings(**SCENES), LOCAL)
    expert = store.accounts.expert_named("Cai").id
    items = [item_in(story) for story in stories[1:]]
    store.campaigns.draft(
        campaign.id, campaign.settings, items, [CampaignRater(rater=expert, languages=("en",))], LOCAL
    )
    given = [new_assignment(campaign.id, expert, item.item, place=place) for place, item in enumerate(items, 1)]
    store.campaigns.start(campaign.id, given, LOCAL)
    store.verdicts.add(campaign.id, Ruling(item=NEW[THEN.title], metric="detail", score=4, reason="agreed"), LOCAL)
    present = draft_of(store, store.campaigns.campaign(campaign.id))
    wanted = present.__class__(present.settings, (*present.items, item_in(stories[0])), present.raters)
    keep_extension(store, campaign.id, None, present, wanted)
    return campaign


def test_the_way_back_and_forth_keeps_everything(store, url, stories, campaign):
    tables = ("rating", "campaign_item", "assignment", "verdict", "mark")
    before, kept = {table: rows(url, table) for table in tables}, find_extension_of(store, campaign)
    store.close()
    at_revision(url, "0015")
    told = "".join("".join(rows(url, table)) for table in tables)
    assert not any(NEW[scene.title] in told for scene in (FIRST, THEN))
    assert (told.count(OLD), "".join(rows(url, "extension")).count(OLD)) == (5, 2)
    assert NEW[MADE.title] in told, "what was crafted went by its text before"
    again = Store(url)
    assert {table: rows(url, table) for table in tables} == before
    assert find_extension_of(again, campaign) == kept == {item.item: item for item in map(item_in, stories)}
    again.close()


def find_extension_of(store, campaign):
    """What it is to be extended by: the settings, and the items by their names."""
    found = find_extension(store, campaign.id, None, draft_of(store, store.campaigns.campaign(campaign.id)))
    return {item.item: item for item in found.items}


def test_each_text_has_its_own_scores_again(store, url, stories):
    store.close()
    at_revision(url, "0015", "update rating set model = 'Lewis Carroll' where rubric = 'scene'")
    assert sum(OLD in row for row in rows(url, "rating")) == 2
    again = Store(url)
    found = again.ratings.frame(rubric="scene")
    told = zip(found["item"], found["model"], found["score"], strict=True)
    assert sorted(told, key=lambda row: row[2]) == [
        (NEW[FIRST.title], "hand-written", 2),
        (NEW[THEN.title], "hand-written", 3),
        (NEW[MADE.title], "direct · gpt-4", 4),
    ]
    assert again.ratings.frame()["item"].tolist() == [item_of(stories[0], "Ann")]
    again.close()


def test_what_cannot_be_read_keeps_its_name(store, url, stories, campaign):
    store.close()
    at_revision(url, "0015", f"update story set script = '{{}}' where id = '{stories[1].id}'")
    again = Store(url)
    assert {*again.ratings.frame(rubric="scene")["item"]} == {NEW[FIRST.title], OLD, NEW[MADE.title]}
    assert {item.item for item in again.campaigns.items(campaign.id)} == {OLD, NEW[MADE.title]}
    assert [one.item for one in again.verdicts.of_campaign(campaign.id)] == [OLD]
    again.close()


def test_two_items_of_one_campaign_stay_two(store, url, stories):
    store.scene_ratings.keep([FIRST, MADE])
    campaign = store.campaigns.create(settings(**SCENES), LOCAL)
    kept = [scene_item(scene) for scene in (FIRST, MADE)]
    store.campaigns.draft(campaign.id, campaign.settings, kept, [], LOCAL)
    store.close()
    columns = "campaign, item, story_id, scene, model, language"
    played = f"'{campaign.id}', '{OLD}', '{stories[0].id}', 'The Hotel: watch', 'm', 'en'"
    at_revision(
        url,
        "0015",
        f"insert into campaign_item ({columns}) values ({played})",
        "update campaign_item set model = 'as it was'",
    )
    again = Store(url)
    items = {item.item: item for item in again.campaigns.items(campaign.id)}
    assert {*items} == {NEW[FIRST.title], NEW[MADE.title], OLD}
    assert items[NEW[FIRST.title]].model == "hand-written"
    assert items[NEW[MADE.title]].model == "direct · gpt-4"
    assert scene_of(again, items[OLD]) == scene_of(again, items[NEW[FIRST.title]]) == FIRST
    again.close()


def test_verdicts_are_only_added_to_again(store, url, stories, campaign):
    store.close()
    at_revision(url, "0015")
    Store(url).close()
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with pytest.raises(Exception, match="only added to"), engine.begin() as connection:
        connection.execute(text("update verdict set score = 1"))
    engine.dispose()
