"""Scenes of the library in campaigns: offered, scored blind by experts, and told in the paper's table 4."""

import csv
import io
from uuid import uuid4

import pytest

from annotations.marking.marks import Score, Submit
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns import lifecycle
from characterbox.campaigns.accept_mark import taking_of
from characterbox.campaigns.blinded_item import headings_of, scene_of, shown_assignment, without_model
from characterbox.campaigns.blinding_scan import scanner_of
from characterbox.campaigns.export import Export, exported
from characterbox.campaigns.item_selection import Offers, Wanted
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.plan import Draft
from characterbox.campaigns.workload import workload_of, workloads_of
from characterbox.components.rubric_panel import item_data, list_data
from characterbox.crafting.scene_scores import EXPERTS, crafting_table, raters_of, scores_behind
from characterbox.errors import CampaignError
from characterbox.llm.endpoint import models_in
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Crafted
from characterbox.store.campaigns.campaign import CampaignRater
from characterbox.store.ratings.ratings import rating_of
from characterbox.store.ratings.scene_ratings import key_of
from characterbox.store.tables.ratings import Item
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

SCENE = load_rubric("scene")
MODELS = ("gpt-4o-mini", "qwen2.5-7b")


def crafted(number=0, writer=MODELS[0]):
    """A scene that a model wrote, in the library of nobody yet."""
    scene = a_scene("Ann", "Bob")
    ann = scene.cast[0].model_copy(update={"knowledge": ("Ann has seen the key.",), "unaware": ("It is a copy.",)})
    made = {"id": f"watch-{number}", "title": f"The watch, {number}", "origin": "generated"}
    by = Crafted(method="direct", screenwriter=writer)
    return scene.model_copy(update={**made, "cast": (ann, scene.cast[1]), "crafted": by})


def in_library(store, *scenes):
    for scene in scenes:
        store.scenes.start(scene, None)
    return scenes


def started(store, scenes, *names):
    campaign = lifecycle.make_for_scenes(store, LOCAL, "Scenes", scenes)
    panel = tuple(
        CampaignRater(rater=str(store.accounts.expert_named(name).id), languages=("en", "zh")) for name in names
    )
    draft = lifecycle.draft_in(store, campaign)
    fewer = draft.settings.model_copy(update={"raters_per_item": len(names)})
    lifecycle.keep(store, LOCAL, campaign.id, Draft(fewer, draft.items, panel))
    lifecycle.begin(store, LOCAL, campaign.id)
    return store.campaigns.campaign(campaign.id)


async def score(store, campaign, name, scores):
    """Have an expert score every item of a campaign, each by what the scene's title says."""
    rater = store.accounts.expert_named(name)
    items = {item.item: item for item in store.campaigns.items(campaign.id)}
    for one in store.campaigns.assignments(campaign=campaign.id, rater=rater.id):
        given = scores[scene_of(store, items[one.item]).title]
        for mark in [*(Score(metric=key, score=given) for key in SCENE.keys), Submit()]:
            await store.marks.append(one.id, uuid4(), mark, taking_of(store).check(rater))


def test_scenes_of_the_library_are_offered_before_any_story_has_ended(store):
    (mine,) = in_library(store, crafted())
    offers = Offers(store).all(SCENE)
    assert len(offers) == 1 + len(bundled())
    assert (offers[0].title, offers[0].models, offers[0].rated) == (mine.title, ("direct · gpt-4o-mini",), mine)
    assert {offer.items[0].story_id for offer in offers} == {None}
    assert Offers(store).all(load_rubric("character")) == []


def test_a_scene_that_was_played_is_offered_once(store):
    mine, by_hand = in_library(store, crafted(), a_scene("Cai"))
    for scene in (mine, by_hand):
        store.stories.move(a_story(store, scene).id, "ended")
    offers = [offer for offer in Offers(store).all(SCENE) if offer.work == mine.work]
    assert [(offer.title, offer.rated is None) for offer in offers] == [(mine.title, False), (by_hand.title, False)]


def test_a_crafted_scene_has_one_name_and_one_maker_whatever_becomes_of_it(store):
    (mine,) = in_library(store, crafted(0, "rehearsal"))
    story = a_story(store, mine)
    store.stories.move(story.id, "ended")
    (before,) = [offer for offer in Offers(store).all(SCENE) if offer.work == mine.work]
    (chain,) = store.scenes.known([mine]).values()
    store.scenes.save(chain, mine.model_copy(update={"title": "Another"}), after=1, made_by=None)
    store.scenes.put_away(LOCAL, chain)
    (after,) = [offer for offer in Offers(store).all(SCENE) if offer.work == mine.work]
    (again,) = Offers(store).items([story.id], SCENE)
    assert (before.rated, after.rated) == (mine, None)
    assert {before.items[0].item, after.items[0].item, again.item} == {f"scene/{key_of(mine)}"}
    assert {before.items[0].model, after.items[0].model, again.model} == {"direct · rehearsal"}
    assert (before.improvised, after.improvised) == (True, True)
    assert without_model(store, [before.items[0]]) == without_model(store, [again]) == {again.item}
    assert scene_of(store, again) == mine


async def test_experts_and_a_judge_meet_on_a_scene_that_was_written_by_hand(store):
    of_a_work = a_scene("Ann", "Bob").model_copy(update={"author": "Vicki Baum"})  # who did not write the scene
    (mine,) = in_library(store, of_a_work)
    campaign = started(store, [mine], "Dora")
    await score(store, campaign, "Dora", {mine.title: 2})
    story = a_story(store, mine)
    store.ratings.add([rating_of(story, None, "scene", rater="GPT-4", metric=key, score=3) for key in SCENE.keys])
    frame = store.ratings.frame(campaign=campaign.id, rubric="scene")
    assert frame.groupby("item")["kind"].value_counts().tolist() == [4, 4]
    assert frame[["scene", "model"]].drop_duplicates().values.tolist() == [["The Hotel: watch", "hand-written"]]
    assert [item.scene for item in store.campaigns.items(campaign.id)] == ["The Hotel: watch"], "for people"


def test_versions_of_one_scene_are_offered_apart(store):
    (mine,) = in_library(store, a_scene("Ann", "Bob"))
    other = mine.model_copy(update={"title": "Another"})
    for scene in (mine, other):
        store.stories.move(a_story(store, scene).id, "ended")
    offers = [offer for offer in Offers(store).all(SCENE) if offer.work == mine.work]
    assert [(offer.title, offer.rated) for offer in offers] == [(mine.title, mine), ("Another", None)]
    assert len({item.item for offer in offers for item in offer.items}) == 2


def test_who_played_a_scene_makes_no_difference_to_the_scene(store):
    store.stories.move(a_story(store, a_scene("Cai")).id, "ended")
    (offer,) = [offer for offer in Offers(store).all(SCENE) if offer.rated is None]
    assert not offer.improvised
    assert without_model(store, offer.items) == frozenset()


def test_a_search_does_not_look_into_what_nobody_sees(store):
    (mine,) = in_library(store, crafted())
    (offer,) = [offer for offer in Offers(store).all(SCENE) if offer.rated == mine]
    assert Wanted(words="watch-0 gpt-4o-mini").fits(offer)
    assert not Wanted(words=key_of(mine)[:6]).fits(offer)


def test_an_expert_reads_what_judges_read_and_never_whose_it_is(store):
    staged = Crafted(method="three-stage", screenwriter=MODELS[1], director=MODELS[0], evaluator="glm-4")
    scenes = [crafted(0), crafted(1).model_copy(update={"crafted": staged})]
    campaign = started(store, scenes, "Dora")
    rater = store.accounts.expert_named("Dora")
    (desk,) = workloads_of(store, rater)
    for row in desk.rows:
        shown = shown_assignment(store, row.assignment, desk.rubric)
        assert shown["cast"][0]["description"].splitlines()[1:] == ["Ann has seen the key.", "It is a copy."]
        listed = list_data(store, rater, desk, "en", alone=True, local=False)
        told = f"{item_data(store, rater, desk, row, 'en', local=False)}{listed}"
        assert campaign.id in told
        hidden = [word for scene in scenes for word in (scene.id, key_of(scene), *scene.crafted.models)]
        for word in (*hidden, "direct", "three-stage", "generated"):
            assert word not in told


async def test_what_experts_score_stands_in_table_4(store):
    scenes = in_library(store, crafted(0), crafted(1), crafted(2, MODELS[1]))
    campaign = started(store, scenes, "Dora", "Eve")
    assert raters_of(store, scenes) == {}
    first, second, third = (scene.title for scene in scenes)
    await score(store, campaign, "Dora", {first: 2, second: 4, third: 5})
    await score(store, campaign, "Eve", {first: 3, second: 4, third: 1})
    assert raters_of(store, store.scenes.all()) == {EXPERTS: False}
    cells = {
        (one.crafter, one.metric): one for one in crafting_table(scores_behind(store, store.scenes.all(), EXPERTS))
    }
    of_gpt, of_qwen = (cells[f"direct · {model}", "detail"] for model in MODELS)
    assert (of_gpt.mean, of_gpt.scenes) == (pytest.approx(3.25), 2)
    assert (of_qwen.mean, of_qwen.sd) == (3.0, None)


async def test_what_is_rated_stays_as_it_was_when_it_was_picked(store):
    (mine,) = in_library(store, crafted())
    campaign = started(store, [mine], "Dora")
    (chain,) = store.scenes.known([mine]).values()
    store.scenes.save(chain, mine.model_copy(update={"title": "Another"}), after=1, made_by=None)
    (item,) = store.campaigns.items(campaign.id)
    assert scene_of(store, item) == mine
    assert headings_of(store, [item])[item.item].title == mine.title
    await score(store, campaign, "Dora", {mine.title: 4})
    assert raters_of(store, store.scenes.all()) == {}, "another wording is another scene"


def test_a_scene_of_which_nothing_is_kept_can_be_read_by_nobody(store):
    campaign = started(store, [crafted()], "Dora")
    (item,) = store.campaigns.items(campaign.id)
    with pytest.raises(CampaignError, match="scene 000000000000 no longer exists"):
        scene_of(store, item.model_copy(update={"identity": Item(kind="scene", owner="0" * 64)}))


def test_the_scan_reads_the_scene(store):
    spoken = crafted().model_copy(update={"title": "As gpt-4o-mini would have it"})
    campaign = started(store, [spoken], "Dora")
    (item,) = store.campaigns.items(campaign.id)
    scanner, models = scanner_of(store), models_in(item.model)
    assert models == [MODELS[0]]
    scanner.work([item], SCENE, models, 5)
    assert [found.words for found in scanner.known([item], models)[item.item].findings] == ["gpt-4o-mini"]


async def test_what_the_rehearsal_crafted_is_marked_wherever_it_is_rated(store):
    scenes = in_library(store, crafted(0, "rehearsal"), crafted(1))
    campaign = started(store, scenes, "Dora")
    await score(store, campaign, "Dora", {scene.title: 3 for scene in scenes})
    assert workload_of(store, campaign, store.accounts.expert_named("Dora")).improvised
    assert len(overseer_of(store).of(campaign).improvised) == 1
    rows = b"".join(exported(store, campaign.id, Export("csv", pseudonyms=False))).decode()
    told = {row["model"]: row["improvised"] for row in csv.DictReader(io.StringIO(rows))}
    assert told == {"direct · rehearsal": "story", "direct · gpt-4o-mini": ""}


def test_files_for_label_studio_hold_the_scene(store):
    campaign = started(store, [crafted()], "Dora")
    told = b"".join(exported(store, campaign.id, Export("label-studio", pseudonyms=False))).decode()
    assert "The watch, 0" in told
    assert "It is a copy." in told
