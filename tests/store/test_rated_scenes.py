"""Scenes that are kept to be rated: each text once, as it was; and the way back to an earlier version of the app."""

import pytest
from alembic import command
from sqlalchemy import create_engine, text

from characterbox.accounts.account import LOCAL
from characterbox.campaigns.life import make_for_scenes
from characterbox.errors import CampaignError
from characterbox.scenes.scene import Crafted
from characterbox.store import Store
from characterbox.store.scene_ratings import SceneRating, key_of
from characterbox.store.schema import migrations
from tests.fakes.scenes import a_scene


def test_a_text_is_kept_once_as_it_was_first(store):
    first = a_scene()
    by_rehearsal = first.model_copy(update={"crafted": Crafted(method="direct", screenwriter="rehearsal")})
    other = first.model_copy(update={"title": "The safe"})
    store.scene_ratings.keep([by_rehearsal, other])
    store.scene_ratings.keep([first])
    store.scene_ratings.keep([])
    assert key_of(by_rehearsal) == key_of(first)
    assert store.scene_ratings.kept(key_of(first)) == by_rehearsal
    headings = store.scene_ratings.headings([key_of(first), key_of(other), "none's"])
    assert {key: heading.title for key, heading in headings.items()} == {
        key_of(first): first.title,
        key_of(other): "The safe",
    }


def test_what_cannot_be_read_says_so(store, url):
    scene = a_scene()
    store.scene_ratings.keep([scene])
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("update rated_scene set content = '{}'"))
    engine.dispose()
    with pytest.raises(CampaignError, match="it can't be read"):
        store.scene_ratings.kept(key_of(scene))


@pytest.mark.parametrize("rated", [False, True])
def test_an_earlier_version_is_gone_back_to_only_where_no_scene_is_rated(store, url, rated):
    if rated:
        make_for_scenes(store, LOCAL, [a_scene()])
    store.close()
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        if rated:
            with pytest.raises(RuntimeError, match="no place for scenes in campaigns; keep a copy"):
                command.downgrade(config, "0014")
        else:
            command.downgrade(config, "0014")
            command.upgrade(config, "head")
    engine.dispose()
    again = Store(url)
    assert len(again.campaigns.all()) == rated
    again.close()


def test_scores_of_judges_are_carried_on_and_those_that_were_not_blind_are_not(store, url):
    given = SceneRating(scene="key", rater="GPT-4", rubric_version="1.0", metric="detail", score=3)
    store.scene_ratings.add([given])
    store.close()
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0014")
        others = "scene, rubric_version, metric, score, improvised, created_at"
        kept = f"insert into scene_rating (rater, kind, {others}) select 'Cai', 'expert', {others} from scene_rating"
        connection.execute(text(kept))
        command.upgrade(config, "head")
    engine.dispose()
    again = Store(url)
    assert again.scene_ratings.of(["key"]) == [given]
    again.close()
