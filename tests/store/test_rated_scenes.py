"""Scenes that are kept to be rated: each text once, as it was; and the way back to an earlier version of the app."""

import pytest
from sqlalchemy import create_engine, text

from characterbox.errors import CampaignError
from characterbox.scenes.scene import Crafted
from characterbox.store.ratings.scene_ratings import key_of
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
    with pytest.raises(CampaignError, match="cannot be read"):
        store.scene_ratings.kept(key_of(scene))
