"""A database of the baseline comes over whole."""

import json

import pytest
from alembic import command
from sqlalchemy import MetaData, create_engine, insert, select

from characterbox.pause_reasons import Reason, ServerWords
from characterbox.play.events import Action, Dialogue
from characterbox.store import Store
from characterbox.store.engine import migrations
from characterbox.store.stories.story import story_row
from characterbox.store.sweeps import Task
from characterbox.store.tables.columns import now
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

pytestmark = pytest.mark.slow

ACTION = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann grüßt 孙悟空 🙂")
SPEECH = Dialogue(
    path="r1/ann/dialogue", round=1, turn="Ann", character="Ann", text="", degraded=True, reason=Reason("no_text")
)
FAILED = "endpoint http://10.0.0.5/v1#m: HTTP 500: SECRET-BODY (6 attempts)"
TASKS = {"a": Task("a"), "a/J": Task("a", "J"), "a/J/x": Task("a", "J/x")}
TOLD = {"story": FAILED, "sweep_failure": "nobody knows why", "rating": "KA: the score is missing"}


def move(engine, to, down=False):
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        (command.downgrade if down else command.upgrade)(config, to)


@pytest.fixture
def engine(bare_url, tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    engine = create_engine(
        bare_url.replace("postgresql:", "postgresql+psycopg:"),
        json_serializer=lambda value: json.dumps(value, ensure_ascii=False),
    )
    move(engine, "0022")
    yield engine
    engine.dispose()


@pytest.fixture
def story(engine, tmp_path):
    """A story in that database; its reason, and those of an event, a sweep and a judge, are sentences."""
    elsewhere = store_in(tmp_path / "elsewhere.db")
    story = a_story(elsewhere, a_scene("Ann", "Bob"))
    elsewhere.close()
    tables = MetaData()
    tables.reflect(engine)
    of = tables.tables
    item = {"item": "i", "story_id": story.id, "scene": "s", "model": "m", "language": "en", "rater": "J"}
    kind = {"kind": "judge", "rubric": "character", "rubric_version": "1.1", "metric": "KA", "score": None}
    with engine.begin() as connection:
        connection.execute(insert(of["story"]), {**story_row(story), "reason": TOLD["story"]})
        for seq, event in enumerate([ACTION, SPEECH], 1):
            content = event.model_dump(mode="json") | {"reason": event.reason and str(event.reason)}
            given = {"seq": seq, "path": event.path, "kind": event.kind, "content": content}
            connection.execute(insert(of["event"]), {"story_id": story.id, **given})
        sweep = {"name": "small", "content": {}, "status": "ended", "launched_from": "app", "created_at": now()}
        connection.execute(insert(of["sweep"]), sweep)
        failed = {"sweep": "small", "reason": TOLD["sweep_failure"], "created_at": now()}
        connection.execute(insert(of["sweep_failure"]), [{**failed, "task": task} for task in TASKS])
        connection.execute(insert(of["rating"]), {**item, **kind, "reason": TOLD["rating"], "created_at": now()})
    return story


def test_reasons_that_were_sentences_are_codes_and_can_be_sentences_again(bare_url, engine, story):
    store = Store(bare_url)
    assert store.stories.story(story.id).reason == a_reason(FAILED)
    assert store.stories.events(story.id) == [ACTION, SPEECH]
    failures, unknown = store.sweeps.failures("small"), Reason("told", what=ServerWords("nobody knows why"))
    assert {one.task: one.reason for one in failures} == dict.fromkeys(TASKS.values(), unknown)
    assert store.ratings.of_judge("i", "J")["KA"].reason == Reason("score_missing", metric="KA")
    store.close()
    move(engine, "0022", down=True)
    tables = MetaData()
    tables.reflect(engine)
    of = tables.tables
    with engine.connect() as connection:
        for name, sentence in TOLD.items():
            assert {*connection.scalars(select(of[name].c.reason))} == {sentence}
        assert {*connection.scalars(select(of["sweep_failure"].c.task))} == TASKS.keys()
        contents = connection.scalars(select(of["event"].c.content).order_by(of["event"].c.seq)).all()
        assert [one.get("reason") for one in contents] == [None, "the reply has no text"]


def test_what_was_written_before_names_nobody_and_nobody_lends_it(bare_url, engine, story):
    move(engine, "0024")
    tables = MetaData()
    tables.reflect(engine)
    of = tables.tables
    reply = {"path": "r1/ann/action", "take": 0, "digest": b"d", "prompt": b"", "text": "Ann bows.", "author": "human"}
    reply |= {"url": "http://127.0.0.1:8000/v1", "model": "m", "attempts": 0, "latency": 0.0, "created_at": now()}
    crafting = {"id": "c", "content": {}, "status": "ended", "launched_from": "app", "created_at": now()}
    account = {"id": "a", "name": "Ann", "key": "ann", "role": "expert", "created_at": now()}
    with engine.begin() as connection:
        connection.execute(insert(of["account"]), account)
        connection.execute(insert(of["crafting"]), crafting)
        connection.execute(insert(of["reply"]), {**reply, "story_id": story.id})
        connection.execute(insert(of["crafting_reply"]), {**reply, "crafting": "c"})
    store = Store(bare_url)
    assert [one.person for one in (*store.stories.journal(story.id), *store.craftings.journal("c"))] == [None, None]
    ann = store.accounts.named("Ann")
    assert not ann.lends_writing
    store.accounts.lend_writing(ann, True)
    store.close()
    move(engine, "0024", down=True)
    after = MetaData()
    after.reflect(engine)
    for name in ("account", "reply", "crafting_reply"):
        assert after.tables[name].columns.keys() == of[name].columns.keys()
        assert {one.name for one in after.tables[name].indexes} == {one.name for one in of[name].indexes}
        with engine.connect() as connection:
            assert len(connection.execute(select(after.tables[name])).all()) == 1
