"""Craftings in the database: calls without a reply are counted, and nothing that was paid is dropped unasked."""

import pytest
from alembic import command
from sqlalchemy import create_engine, inspect

from characterbox.store import Store
from characterbox.store.scene_ratings import SceneRating
from characterbox.store.schema import migrations
from tests.fakes.stories import a_reply

ALL = {"source", "crafting", "crafting_call", "crafting_reply", "scene_rating"}
SCORE = SceneRating(scene="key", rater="Cai", rubric_version="1.0", metric="detail", score=3)


async def test_calls_that_have_no_reply_are_counted_however_often_they_left(store):
    id = store.craftings.create({}, "app")
    reply = a_reply("scene-1/1/screenwriter")
    with store.craftings.claimed(id) as journal:
        assert store.craftings.unanswered(id) == 0
        for _ in range(2):
            await journal.asked(reply.path, 0)
        assert store.craftings.unanswered(id) == 2
        await journal.answered(reply)
        await journal.asked("scene-1/judge/direct", 0)
        journal.put(a_reply(reply.path, take=1, author="edit"))
    assert store.craftings.unanswered(id) == 2
    assert store.craftings.unanswered(store.craftings.create({}, "app")) == 0


@pytest.fixture
def engine(url):
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


def go_back(engine):
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0013")


@pytest.mark.parametrize(
    ("keep", "what"),
    [
        (lambda store: store.craftings.create({}, "app", ("book", "Text.")), "craftings, whose replies were paid for;"),
        (lambda store: store.scene_ratings.add([SCORE]), "scores of scenes;"),
    ],
)
def test_the_way_back_is_refused_where_something_would_be_lost(engine, url, keep, what):
    store = Store(url)
    keep(store)
    store.close()
    with pytest.raises(RuntimeError, match=f"no place for {what} keep a copy of the database"):
        go_back(engine)
    assert set(inspect(engine).get_table_names()) >= ALL


def test_the_way_back_is_open_where_nothing_is_lost(engine):
    go_back(engine)
    assert not ALL & set(inspect(engine).get_table_names())
