"""Votes on stories as votes on models: which count, which don't and why, and many of them at once."""

import pytest
from sqlalchemy import insert

from annotations.leaderboard.bradley_terry import bradley_terry
from characterbox.judging.pairwise import (  # fmt: skip
    AGAIN,
    BRANCHED,
    NARRATORS,
    PEOPLE,
    SAME,
    SCENES,
    SEVERAL,
    UNREADABLE,
    model_votes,
)
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.world import Script
from characterbox.store.stories.stories import Branch
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.ratings import VoteRow
from characterbox.store.tables.stories import StoryRow
from tests.fakes.databases import connection_to, listening
from tests.fakes.scenes import a_scene


def at(model):
    return Endpoint.parse(model) if model == "rehearsal" else Endpoint(url="http://127.0.0.1:8000/v1", model=model)


def played(store, *models, narrator="world", scene=None, **more):
    """A story of this scene, its characters played by the model, or by these models in turn."""
    scene = scene or a_scene("Ann", "Bob")
    characters = {name: at(models[place % len(models)]) for place, name in enumerate(scene.names)}
    casting = Casting(narrator=at(narrator), characters=characters)
    return store.stories.create(Script(scene=scene), casting, "command line", **more).id


def named(id):
    return a_scene().model_copy(update={"id": id})


def cast(store, stories, best=None, rater="Ann", **changes):
    store.votes.cast(stories, best, rater=rater, **{"account": None, "blind": False, "reason": "", **changes})


def test_a_vote_on_two_stories_is_one_on_the_models_that_play_them(store):
    a, b = played(store, "alpha"), played(store, "beta")
    cast(store, [a, b], b, blind=True)
    cast(store, [a, b], rater="Bob")
    found = model_votes(store)
    assert found.frame.fillna("tie").to_dict("records") == [
        {"scene": "The Hotel: watch", "one": "beta", "other": "alpha", "better": "beta", "rater": "Ann", "blind": True,
         "improvised": False},
        {"scene": "The Hotel: watch", "one": "alpha", "other": "beta", "better": "tie", "rater": "Bob", "blind": False,
         "improvised": False},
    ]  # fmt: skip
    assert (found.left_out, found.improvised) == ({}, frozenset())


def test_only_blind_ones_where_these_are_asked_for(store):
    a, b = played(store, "alpha"), played(store, "beta")
    cast(store, [a, b], a)
    cast(store, [a, b], b, rater="Bob", blind=True)
    cast(store, [a, b], b, blind=True)
    found = model_votes(store, blind=True)
    assert [(row.rater, row.better) for row in found.frame.itertuples()] == [("Bob", "beta")]
    assert found.left_out == {AGAIN: 1}, "Ann has seen which model is which"


def test_what_tells_nothing_of_two_models_is_left_out_and_counted(store):
    usual, other = played(store, "alpha"), played(store, "beta")
    for wrong in (
        played(store, "alpha"),
        played(store, "beta", "gamma"),
        played(store, "beta", narrator="another world"),
        played(store, "beta", scene=named("elsewhere")),
        played(store, "beta", people=["Ann"]),
        played(store, "beta", branch=Branch(parent=other, at=2, anew="all")),
    ):
        cast(store, [usual, wrong], usual)
    cast(store, [usual, other], usual)
    cast(store, [other, usual], other)
    found = model_votes(store)
    assert len(found.frame) == 1
    assert found.left_out == dict.fromkeys((SAME, SEVERAL, NARRATORS, SCENES, PEOPLE, BRANCHED, AGAIN), 1)


def test_a_rater_is_an_account_where_there_is_one(store):
    a, b = played(store, "alpha"), played(store, "beta")
    cast(store, [a, b], a, account="0123456789ab")
    cast(store, [a, b], a, account="ba9876543210")
    cast(store, [a, b], a)
    assert model_votes(store).left_out == {}
    cast(store, [a, b], a, rater="Anna", account="0123456789ab")
    assert model_votes(store).left_out == {AGAIN: 1}


def test_of_a_sweep_count_the_votes_on_two_of_its_stories_and_a_language_can_be_chosen(store):
    a, b, c = (played(store, model) for model in ("alpha", "beta", "gamma"))
    chinese = [played(store, model, scene=a_scene("Ann", language="zh")) for model in ("alpha", "beta")]
    for pair in ([a, b], [b, c], chinese):
        cast(store, pair, pair[0])
    store.sweeps.put("s", {}, "app")
    store.sweeps.add("s", {id: place for place, id in enumerate([a, b, *chinese], 1)})
    assert len(model_votes(store).frame) == 3
    assert len(model_votes(store, sweep="s").frame) == 2
    assert len(model_votes(store, language="en").frame) == 2
    assert len(model_votes(store, sweep="s", language="zh").frame) == 1
    assert len(model_votes(store, sweep="unknown").frame) == 0


def test_what_the_rehearsal_played_is_told(store):
    a, b, c = played(store, "alpha"), played(store, "rehearsal"), played(store, "gamma")
    cast(store, [a, b], a)
    cast(store, [a, c], a)
    found = model_votes(store)
    assert list(found.frame["improvised"]) == [True, False]
    assert found.improvised == {"rehearsal"}


def test_a_story_that_can_not_be_read_is_told(url, store):
    a, b = played(store, "alpha"), played(store, "beta")
    cast(store, [a, b], a)
    story = table_of(StoryRow)
    with connection_to(url) as connection:
        connection.execute(story.update().where(story.c.id == b), {"casting": {"narrator": 1}})
    found = model_votes(store)
    assert found.left_out == {UNREADABLE: 1}
    assert found.frame.empty


@pytest.mark.slow
def test_ten_thousand_votes_are_read_with_two_queries_and_ranked(url, store):
    scenes = [named(f"scene {place}") for place in range(20)]
    stories = {(scene.id, model): played(store, model, scene=scene) for scene in scenes for model in "abcdef"}
    pairs = [(one, other) for one in "abcdef" for other in "abcdef" if one != other]
    rows = []
    for at in range(10_000):
        one, other = (stories[scenes[at % 20].id, model] for model in pairs[at % len(pairs)])
        said = {"account": None, "blind": False, "reason": "", "created_at": now()}
        rows.append({"one": one, "other": other, "better": (one, other, None)[at % 3], "rater": f"rater {at}", **said})
    with connection_to(url) as connection:
        connection.execute(insert(table_of(VoteRow)), rows)
    with listening(url) as statements:
        found = model_votes(store)
    assert (len(found.frame), len(statements)) == (10_000, 2)
    assert len(bradley_terry(found.frame)) == 6
