"""The table of scores by trajectory is what the ratings give when they are read one by one."""

import random

import pandas as pd
import pytest

from characterbox.judging.provenance import rated
from characterbox.llm.endpoint import Endpoint
from characterbox.store import Store
from characterbox.store.ratings.ratings import item_of, rating_of
from characterbox.store.ratings.scores import JUDGED, PLAYED
from tests.fakes.campaigns import rate, started
from tests.fakes.leaderboards import KEYS, judge, played, sweep
from tests.fakes.stories import a_reply

MODELS = ("alpha", "beta")


def slowly(store, kind):
    """Mean scores by trajectory (and judge) from the ratings in long form, with loops; nothing where there is none."""
    found = {}
    for row in store.ratings.frame().itertuples():
        if row.kind == kind:
            scores = found.setdefault((row.item, row.rater) if kind == "judge" else (row.item,), {})
            if not pd.isna(row.score):
                scores.setdefault(row.metric, []).append(row.score)
    return {key: {metric: sum(given) / len(given) for metric, given in of.items()} for key, of in found.items()}


def told(frame, *key):
    """The same of a table of scores."""
    return {
        tuple(row[name] for name in key): {metric: row[metric] for metric in KEYS if not pd.isna(row[metric])}
        for row in frame.to_dict("records")
    }


@pytest.mark.slow
def test_each_trajectory_has_one_row_a_judge_and_the_last_rating_counts_even_without_a_score(url, store):
    stories = played(store, MODELS, 3)
    chance = random.Random(5)
    assert store.scores.judged().empty
    for turn in range(4):
        for name in ("GPT-4", "GPT-4 v2"):
            judge(store, chance.sample(stories, 4), name, chance.randrange(1000), missing=0.3)
        assert told(store.scores.judged(), "item", "rater") == slowly(store, "judge"), turn
    again = Store(url)
    try:
        whole = again.scores.judged()
    finally:
        again.close()
    order = ["item", "rater"]
    kept = store.scores.judged().sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(kept, whole.sort_values(order, ignore_index=True))
    first = kept.iloc[0]
    story = next(story for story in stories if story.id == first["story"])
    assert (first["item"], first["scene"]) == (item_of(story, "Ann").label, f"The Hotel: {story.script.scene.id}")
    assert (first["model"], first["language"]) == (story.casting.characters["Ann"].model, "en")


def test_what_is_scored_by_another_rubric_is_not_in_it(store):
    [story, _] = played(store, MODELS, 1)
    rating = rating_of(story, "Ann", rater="GPT-4", metric="KA", score=4)
    store.ratings.add([rating, rating.model_copy(update={"rubric": "narrator", "score": 1})])
    assert told(store.scores.judged(), "item") == {(item_of(story, "Ann").label,): {"KA": 4}}


@pytest.mark.slow
async def test_of_experts_it_has_the_mean_of_the_last_scores_that_were_submitted(store):
    stories = played(store, MODELS, 2)
    chance = random.Random(1)
    for _ in range(2):  # in a second campaign some are scored again
        for story in chance.sample(stories, 3):
            _, _, assigned = started(store, story, "Max", "Mia")
            for assignments in assigned.values():
                for assignment in assignments:
                    await rate(store, assignment, *(chance.randint(1, 5) for _ in KEYS[: chance.randint(1, 7)]))
    assert told(store.scores.by_experts(), "item") == slowly(store, "expert")
    assert set(store.scores.by_experts()["story"]) <= {story.id for story in stories}


@pytest.mark.slow
async def test_it_tells_what_no_language_model_made_as_the_ratings_do(store):
    real, improvised = played(store, ["alpha"], 1), played(store, ["beta"], 1, url="rehearsal")
    for story in (*real, *improvised):
        judge(store, [story], "GPT 4", 1)
        judge(store, [story], "GLM", 2)
        with store.stories.writing_replies(story.id, "gpt-4") as journal:
            where = Endpoint(url="rehearsal", model="m")
            await journal.answered(a_reply("judge/gpt-4/ann/scores", endpoint=where))
    frame = rated(store).drop_duplicates(["item", "rater"])
    expected = {(row.item, row.rater): row.improvised for row in frame.itertuples()}
    parts = {(True, True): "story and judge", (True, False): "story", (False, True): "judge", (False, False): ""}
    scores = store.scores.judged()
    assert {
        (row["item"], row["rater"]): parts[row[PLAYED], row[JUDGED]] for row in scores.to_dict("records")
    } == expected
    assert set(expected.values()) == {*parts.values()}


def test_sweeps_have_their_stories_and_one_without_is_no_choice(store):
    stories = played(store, MODELS, 2)
    sweep(store, "first", stories[:3])
    sweep(store, "second", stories[2:])
    assert store.scores.sweeps() == ["second", "first"]
    assert store.scores.stories_of("first") == {story.id for story in stories[:3]}
    assert store.scores.stories_of("third") == frozenset()


async def test_stories_with_people_are_those_in_which_one_plays_or_wrote_a_reply_of_the_story(store):
    plays, wrote, judged, machine = played(store, ["alpha"], 4)
    store.stories.set_people(plays.id, (None,))
    for story, reply in (
        (wrote, a_reply("r1/ann/action", author="human")),
        (judged, a_reply("judge/max/ann/scores", author="edit")),
        (judged, a_reply("check/max/r1/ann/result", author="edit")),
        (machine, a_reply("r1/ann/action")),
    ):
        with store.stories.claimed(story.id) as claimed:
            await claimed.answered(reply)
    assert store.scores.with_people() == {plays.id, wrote.id}
