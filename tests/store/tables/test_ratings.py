"""What is judged or rated is one identity; what older databases called it by comes over whole."""

import json
from datetime import UTC, datetime

import pytest
from alembic import command
from sqlalchemy import MetaData, create_engine, insert, select

from characterbox.store import Store
from characterbox.store.engine import migrations
from characterbox.store.stories.story import story_row
from characterbox.store.tables.ratings import Item
from tests.fakes.campaigns import settings
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

AT = datetime(2026, 1, 1, tzinfo=UTC)
KEY = "0f" * 32


def known(story):
    """What was stored under which text."""
    return {
        f"{story}:ann-lee": Item(kind="character", owner=story, slug="ann-lee"),
        f"{story}/narrator": Item(kind="narrator", owner=story),
        f"scene/{KEY}": Item(kind="scene", owner=KEY),
        "scene/The Hotel: watch": Item(kind="scene", owner="The Hotel: watch"),
    }


def move(engine, to, down=False):
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        (command.downgrade if down else command.upgrade)(config, to)


def test_an_item_whose_parts_are_not_known_keeps_its_name():
    assert Item(kind="character", owner="old").label == "old"


@pytest.fixture
def engine(bare_url, tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    engine = create_engine(bare_url.replace("postgresql:", "postgresql+psycopg:"))
    move(engine, "0022")
    yield engine
    engine.dispose()


@pytest.mark.slow
def test_rows_of_texts_become_rows_of_items_and_can_be_texts_again(bare_url, engine, tmp_path):
    elsewhere = store_in(tmp_path / "elsewhere.db")
    story = a_story(elsewhere, a_scene("Ann Lee"))
    elsewhere.close()
    tables = MetaData()
    tables.reflect(engine)
    of = tables.tables
    rated = {"story_id": story.id, "scene": "s", "model": "m", "language": "en", "rater": "J", "kind": "judge"}
    by = {"rubric": "character", "rubric_version": "1.1", "metric": "KA", "score": 3, "created_at": AT}
    campaign = {"id": "c", "settings": settings().model_dump(mode="json"), "status": "draft"}
    account = {"id": "a", "name": "Cai", "role": "expert", "languages": [], "created_at": AT}
    columns = {"campaign": "c", "story_id": story.id, "character": None, "scene": "s", "model": "m", "language": "en"}
    items = [{"item": label, **columns} for label in known(story.id)]
    draft = {"settings": {}, "items": [{**item, "campaign": None} for item in items], "raters": []}
    with engine.begin() as connection:
        connection.execute(insert(of["story"]), story_row(story))
        connection.execute(insert(of["rating"]), [{"item": label, **rated, **by} for label in known(story.id)])
        tried = {**rated, **by, "rater": "J v2~repeat 1", "kind": "experiment"}
        connection.execute(insert(of["rating"]), {"item": f"{story.id}:ann-lee", **tried})
        connection.execute(insert(of["campaign"]), {**campaign, "created_by": "x", "created_at": AT})
        connection.execute(insert(of["campaign_item"]), items)
        row = {column.name: account.get(column.name) for column in of["account"].columns}
        filled = {**row, **{c.name: "" for c in of["account"].columns if row[c.name] is None and not c.nullable}}
        connection.execute(insert(of["account"]), filled)
        given = {"campaign": "c", "rater": "a", "take": 0}
        connection.execute(
            insert(of["assignment"]), {"id": "1", "item": f"{story.id}:ann-lee", "purpose": "rate", "place": 1, **given}
        )
        connection.execute(
            insert(of["assignment"]), {"id": "2", "item": "practice/p1", "purpose": "practice", "place": 2, **given}
        )
        content = {"present": draft, "wanted": draft}
        connection.execute(
            insert(of["extension"]), {"campaign": "c", "account": "", "content": content, "saved_at": AT}
        )
        version = {"version": 1, "digest": "d", "content": {"a": 1}, "created_at": AT}
        connection.execute(insert(of["judge"]), [{"name": name, **version} for name in ("J", "J\tscene")])
    store = Store(bare_url)
    assert store.ratings.labelled(known(story.id)) == known(story.id)
    assert {item.item: item.identity for item in store.campaigns.items("c")} == known(story.id)
    for label, item in known(story.id).items():
        assert [one.identity for one in store.ratings.of_judge(label, "J").values()] == [item]
    assert [one.item for one in store.campaigns.assignments(campaign="c")] == [f"{story.id}:ann-lee", "p1"]
    kept = store.extensions.find("c", None)
    assert [Item.model_validate(one["identity"]) for one in kept["wanted"]["items"]] == [*known(story.id).values()]
    assert store.judges.all("character") == store.judges.all("scene") == [("J", 1, {"a": 1})]
    assert store.ratings.tried() == [("J v2", "repeat 1")]
    store.close()
    move(engine, "0022", down=True)
    with engine.connect() as connection:
        assert {*connection.scalars(select(of["rating"].c.rater))} == {"J", "J v2~repeat 1"}
        assert {*connection.scalars(select(of["judge"].c.name))} == {"J", "J\tscene"}
        for name in ("rating", "campaign_item"):
            assert {*connection.scalars(select(of[name].c.item))} == {*known(story.id)}
        assert connection.scalars(select(of["assignment"].c.item).order_by("id")).all()[1] == "practice/p1"
        assert json.loads(json.dumps(connection.scalar(select(of["extension"].c.content)))) == content
