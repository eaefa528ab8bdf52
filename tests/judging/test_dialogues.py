"""Dialogues with roles where stories are rated, judged and ranked: the roles are, the person never is."""

import pytest
from sqlalchemy import update

from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.blinded_item import reading_of, shown_item
from characterbox.campaigns.item_selection import Offers
from characterbox.errors import StoryError
from characterbox.judging.cross_check import check_story
from characterbox.judging.judge import Judge, given_by, judge_story, registered
from characterbox.judging.leaderboard import BY_PEOPLE, OF_DIALOGUES, Wanted, board_of, scores_of
from characterbox.judging.subject import works_in
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.jobs.model_jobs import Judging
from characterbox.store.ratings.ratings import rating_of
from characterbox.store.stories import search
from characterbox.store.stories.story import STORY
from tests.fakes.databases import connection_to
from tests.fakes.dialogues import PERSON, talked, two_roles
from tests.fakes.leaderboards import judge, played
from tests.fakes.roles import FERRYMAN, MONKEY

CHARACTER, NARRATOR, SCENE = (load_rubric(name) for name in ("character", "narrator", "scene"))
REHEARSAL = Judge(name="GPT-4", endpoint=Endpoint.parse("rehearsal"))


def test_a_campaign_offers_the_role_and_not_the_person(store):
    story = talked(store, [("How deep is it?", "Deep enough.")])
    [offer] = Offers(store).all(CHARACTER)
    assert offer.id == story.id
    assert [(item.character, item.model) for item in offer.items] == [("Old Tam", "m")]


def test_of_two_roles_both_are_offered_each_with_its_model(store):
    two_roles(store, "Two coins?", "Two.", models=("a", "b"))
    [offer] = Offers(store).all(CHARACTER)
    assert {item.character: item.model for item in offer.items} == {"Merchant": "a", "Old Tam": "b"}


@pytest.mark.parametrize("rubric", [NARRATOR, SCENE], ids=["narrator", "scene"])
def test_a_dialogue_has_no_narrator_and_no_scene_to_rate(store, rubric):
    talked(store, [("How deep is it?", "Deep enough.")])
    assert [offer for offer in Offers(store).all(rubric) if offer.rated is None] == []


def test_who_rates_reads_the_conversation_and_who_the_role_is(store):
    talked(store, [("How deep is it?", "Deep enough."), ("And cold?", "")])
    [offer] = Offers(store).all(CHARACTER)
    shown = shown_item(store, offer.items[0], CHARACTER)
    assert [(step["round"], step["kind"], step["text"]) for step in shown["steps"]] == [
        (1, "observation", "Ana says: How deep is it?"),
        (1, "dialogue", "Deep enough."),
        (2, "observation", "Ana says: And cold?"),
        (2, "dialogue", "(silent)"),
    ]
    assert FERRYMAN.description is not None
    assert shown["character"]["description"].startswith(FERRYMAN.description.text)
    assert "Slow water, deep water." in shown["character"]["description"]
    assert shown["scene"]["others"] == [PERSON]
    assert "Deep enough." in reading_of(shown).trajectory


async def test_a_judge_scores_the_role_alone(store, client):
    story = talked(store, [("悟空，你在哪里？", "俺在这里！")], role=MONKEY)
    by = registered(store, REHEARSAL)
    judging = Judging(story, by)
    assert (judging.whole, works_in(story.script, (), "character")[0].name) == (1, "悟空")
    ratings = await judge_story(store, client, story, by)
    assert {one.identity.slug for one in ratings} == {"悟空"}
    assert len(ratings) == len(CHARACTER.keys)
    assert given_by(store, story, by) is not None


@pytest.mark.parametrize("of", ["narrator", "narrator_steps", "scene"])
async def test_what_a_dialogue_does_not_have_is_not_judged(store, client, of):
    story = talked(store, [("How deep is it?", "Deep enough.")])
    with pytest.raises(StoryError, match="is a dialogue with a role: it has no narrator"):
        await judge_story(store, client, story, registered(store, REHEARSAL, of), of=of)
    with pytest.raises(StoryError, match="which nobody narrates"):
        await check_story(store, client, story, REHEARSAL.endpoint)


def rated(store, story, name):
    store.ratings.add(rating_of(story, name, rater="GPT-4", metric=key, score=5) for key in CHARACTER.keys)


def test_a_leaderboard_of_stories_is_made_of_no_dialogue(store):
    stories = played(store, ["alpha", "beta"], 3)
    judge(store, stories, "GPT-4", 1)
    rated(store, talked(store, [("Deep?", "Deep.")], "alpha"), "Old Tam")
    spoken = two_roles(store, "Two coins?", "Two.", models=("gamma", "gamma"))
    rated(store, spoken, "Old Tam")
    rated(store, spoken, "Merchant")
    store.stories.set_people(stories[0].id, ("Ann",))
    board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
    assert board.models == ["alpha", "beta"]
    assert board.left_out == {OF_DIALOGUES: 3, BY_PEOPLE: 2}


def test_a_search_tells_dialogues_from_scenes_that_are_called_alike(store, url):
    story = talked(store, [("Deep?", "Deep.")])
    [other, *_] = played(store, ["alpha"], 1)
    with connection_to(url) as connection:
        connection.execute(update(STORY).where(STORY.c.id == other.id).values(scene="dialogue-of-a-play"))
    found = store.shelf.find(search.Wanted(dialogue=True), limit=9)[1]
    assert [one.id for one in found] == [story.id]
