"""Narrators compared by what is stored: whose scores, of which stories, and what no language model made."""

import pytest

from annotations.leaderboard.narrators import by_narrator
from annotations.marking.marks import Score, Submit
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.item_selection import subjects
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.narrator_scores import EXPERTS, compared, narrator_ratings
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store.campaigns.campaign import CampaignRater, new_assignment
from characterbox.store.stories.story import Branch
from tests.fakes.campaigns import mark, settings
from tests.fakes.leaderboards import judge_narrators, played
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story, casting_at

pytestmark = pytest.mark.slow


def test_each_narrator_has_its_own_stories_whoever_plays(store):
    stories = [*played(store, ["p", "q"], 5, narrator="alpha"), *played(store, ["p"], 5, narrator="delta")]
    for rubric in ("narrator", "narrator_steps"):
        judge_narrators(store, stories, "GPT-4", rubric)
        ratings = narrator_ratings(store, rubric)
        assert ratings.raters == {"GPT-4": False}
        found = by_narrator(compared(ratings, "GPT-4").scores, None)
        counts = {
            name: (of["quality"].stories, of["quality"].scenes, of["quality"].players) for name, of in found.items()
        }
        assert counts == {"alpha": (10, 5, 2), "delta": (5, 5, 1)}
    assert narrator_ratings(store, "narrator", "zh").raters == {}


def test_what_two_judges_say_and_what_is_said_of_another_language_is_never_pooled(store):
    english, chinese = played(store, ["p"], 2, narrator="a"), played(store, ["p"], 3, narrator="a", language="zh")
    judge_narrators(store, [*english, *chinese], "GPT-4", "narrator", seed=1)
    judge_narrators(store, english, "Other", "narrator", seed=2)
    assert {*narrator_ratings(store, "narrator").raters} == {"GPT-4", "Other"}
    counts = {
        (rater, language): compared(narrator_ratings(store, "narrator", language), rater).scores[0].stories
        for rater, language in [("GPT-4", None), ("GPT-4", "en"), ("GPT-4", "zh"), ("Other", None)]
    }
    assert counts == {("GPT-4", None): 5, ("GPT-4", "en"): 2, ("GPT-4", "zh"): 3, ("Other", None): 2}


def test_branches_are_left_out_and_counted(store):
    (story,) = played(store, ["p"], 1, narrator="a")
    parted = Branch(parent=story.id, at=1, anew="all")
    branch = story.model_copy(update={"id": store.stories.new_id(), "branch": parted})
    store.stories.bring(branch, [], [], [])
    judge_narrators(store, [story, branch], "GPT-4", "narrator")
    found = compared(narrator_ratings(store, "narrator"), "GPT-4")
    assert [one.stories for one in found.scores] == [1] * 4
    assert [*found.left_out.values()] == [1]


async def test_experts_score_each_kind_of_step_in_a_campaign_and_their_mean_counts(store):
    story, rubric = played(store, ["p"], 1, narrator="a")[0], load_rubric("narrator_steps")
    items = [subject.campaign_item for subject in subjects([story], rubric)]
    told = settings(rubric=rubric.name, rubric_version=rubric.version, raters_per_item=2)
    campaign = store.campaigns.create(told, LOCAL)
    experts = [store.accounts.expert_named(name) for name in ("Ann", "Bo")]
    panel = [CampaignRater(rater=str(one.id), languages=("en",)) for one in experts]
    store.campaigns.draft(campaign.id, campaign.settings, items, panel, LOCAL)
    given = [new_assignment(campaign.id, str(one.id), items[0].item, place=1) for one in experts]
    store.campaigns.start(campaign.id, given, LOCAL)
    for score, assignment in zip((2, 5), given, strict=True):
        for key in rubric.keys:
            await mark(store, assignment, Score(metric=key, score=score))
        await mark(store, assignment, Submit())
    ratings = narrator_ratings(store, "narrator_steps")
    assert ratings.raters == {EXPERTS: False}
    scores = compared(ratings, EXPERTS).scores
    assert {(one.mean, one.stories) for one in scores} == {(3.5, 1)}
    assert len(scores) == 5 * 4


async def test_what_the_rehearsal_narrates_and_judges_is_no_result(store, client):
    scene = a_scene()
    story = a_story(store, scene, rounds=1)
    store.stories.recast(story.id, casting_at(Endpoint.parse("rehearsal"), scene))
    await perform(store.stories, client, store.stories.story(story.id), PlaybackControl(), on_event=lambda *_: None)
    await judge_story(store, client, store.stories.story(story.id), Judge.parse("J=rehearsal"), of="narrator_steps")
    ratings = narrator_ratings(store, "narrator_steps")
    assert ratings.raters == {"J": True}
    found = compared(ratings, "J")
    assert found.improvised == {one.narrator for one in found.scores}


def test_nobody_has_scored_anything(store):
    assert narrator_ratings(store, "narrator").raters == {}
    assert compared(narrator_ratings(store, "narrator"), EXPERTS).scores == []
