"""A database of the first version is brought up to date, and nothing in it is lost."""

import json
from dataclasses import fields

import pytest
from alembic import command
from sqlalchemy import MetaData, create_engine, insert, select

from annotations.errors import RatingError
from annotations.rubric import bundled_text, load_rubric
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.llm.request import ChatMessage
from characterbox.play.events import Action, Dialogue
from characterbox.store import Store
from characterbox.store.schema import migrations
from characterbox.store.story import story_row
from characterbox.store.tables import now
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply, a_story

pytestmark = pytest.mark.slow

ACTION = Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="Ann grüßt 孙悟空 🙂")
SPEECH = Dialogue(path="r1/ann/dialogue", round=1, turn="Ann", character="Ann", text="", degraded=True, reason="none")
OPENING = (ChatMessage("system", "Be Ann.\n\n Speak\nslowly.\n"), ChatMessage("user", "演一下。\r\n\n\n\tNow.\n\n"))
REHEARSED = Endpoint(url=REHEARSAL, model=REHEARSAL)
REPLIES = [
    a_reply(messages=OPENING, troubles=(), price=None),
    a_reply(
        take=1,
        messages=(*OPENING, ChatMessage("assistant", ""), ChatMessage("user", "Be Ann.")),
        troubles=(),
        price=None,
    ),
    a_reply("r1/bob/action", messages=OPENING, troubles=(), price=None, cached_tokens=3, finish_reason=None),
    a_reply("r1/bob/dialogue", messages=(), troubles=(), price=None, author="human"),
    a_reply("r1/bob/reaction", messages=(), troubles=(), price=0.0, endpoint=REHEARSED),
]


@pytest.fixture
def engine(bare_url, tmp_path):
    """An engine on a database of the first version, that knows nothing of today's tables."""
    (tmp_path / "deep/er").mkdir(parents=True)
    engine = create_engine(
        bare_url.replace("postgresql:", "postgresql+psycopg:"),
        json_serializer=lambda value: json.dumps(value, ensure_ascii=False),
    )
    upgrade(engine, "0001")
    yield engine
    engine.dispose()


def upgrade(engine, revision):
    """Bring a database to a schema."""
    with migrations() as config, engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


@pytest.fixture
def story(engine, tmp_path):
    """A story in that database, with events, calls and replies."""
    elsewhere = store_in(tmp_path / "elsewhere.db")
    story = a_story(elsewhere, a_scene("Ann", "Bob"))
    elsewhere.close()
    tables = MetaData()
    tables.reflect(engine)
    of = tables.tables
    with engine.begin() as connection:
        row = {name: value for name, value in story_row(story).items() if name in of["story"].c}
        connection.execute(insert(of["story"]), row)
        for seq, event in enumerate([ACTION, SPEECH], 1):
            content = event.model_dump(mode="json")
            given = {"seq": seq, "path": event.path, "kind": event.kind, "content": content}
            connection.execute(insert(of["event"]), {"story_id": story.id, **given})
        for reply in REPLIES:
            call = {"story_id": story.id, "path": reply.path, "take": reply.take}
            connection.execute(insert(of["call"]), {**call, "asked_at": now()})
            values = {field.name: getattr(one, field.name) for one in (reply, reply.usage) for field in fields(one)}
            known = {name: value for name, value in values.items() if name in of["reply"].c}
            messages = [{"role": message.role, "content": message.content} for message in reply.messages]
            at = {"url": reply.endpoint.url, "model": reply.endpoint.model, "created_at": now()}
            connection.execute(insert(of["reply"]), {**known, **call, **at, "messages": messages})
    return story


async def test_a_story_of_the_first_version_is_as_it_was(bare_url, story):
    store = Store(bare_url)
    assert store.stories.stories() == [story]
    assert store.stories.events(story.id) == [ACTION, SPEECH]
    assert store.stories.journal(story.id) == REPLIES
    assert store.stories.unanswered(story.id) == 1
    assert store.stories.costs(story.id).degraded == 1
    store.close()


async def test_it_can_be_played_on(bare_url, story):
    store = Store(bare_url)
    new = a_reply("r2/ann/action", messages=(*OPENING, ChatMessage("user", "A new line.")))
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(new)
        await claimed.record(3, ACTION.model_copy(update={"path": new.path}))
    assert store.stories.journal(story.id) == [*REPLIES, new]
    store.stories.set_people(story.id, ["Ann"])
    assert store.stories.story(story.id) == story.model_copy(update={"people": ("Ann",)})
    store.close()


def test_what_the_first_version_had_is_gone_but_for_what_is_needed(bare_url, engine, story):
    Store(bare_url).close()
    tables = MetaData()
    tables.reflect(engine)
    assert "reply_before" not in tables.tables
    assert "messages" not in tables.tables["reply"].columns
    with engine.connect() as connection:
        texts = connection.scalars(select(tables.tables["part"].c.text)).all()
    assert sorted(texts) == sorted(["Be Ann.", "\n\n Speak", "\nslowly.", "\n", "演一下。\r", "\n\n\n\tNow.", "\n\n"])


@pytest.fixture
def rated(engine, story):
    """What experts and a judge scored in that database."""
    tables = MetaData()
    tables.reflect(engine)
    about = {"story_id": story.id, "scene": "The Hotel: watch", "model": "m", "language": "en"}
    about |= {"rubric": "character", "rubric_version": "1.1", "reason": None}
    keys = ("KA", "BA", "EE", "PT", "IM", "AD", "BC")
    given = [("Cai", "expert", "ann", key, 3) for key in keys] + [("Cai", "expert", "ann", "KA", 5)]
    given += [
        ("cai", "expert", "ann", "KA", 1),
        ("Dora", "expert", "bob", "KA", 2),
        ("Dora", "expert", "bob", "KA", None),
    ]
    given += [("GPT-4", "judge", "ann", "KA", 4)]
    with engine.begin() as connection:
        for rater, kind, slug, metric, score in given:
            said = {"item": f"{story.id}:{slug}", "rater": rater, "kind": kind, "metric": metric, "score": score}
            connection.execute(insert(tables.tables["rating"]), {**about, **said, "created_at": now()})
    return story


def test_what_experts_scored_becomes_their_marks(bare_url, rated):
    store = Store(bare_url)
    campaign = store.campaigns.campaign("open")
    assert (campaign.status, campaign.settings.rubric) == ("running", "character")
    assert [item.character for item in store.campaigns.items("open")] == ["Ann", "Bob"]
    names = {account.id: account.name for account in store.accounts.all()}
    assert sorted(names.values()) == ["Cai", "Dora", "cai (2)"]
    sheets = store.marks.sheets("open")
    of = {names[one.rater]: sheets[one.id] for one in store.campaigns.assignments(campaign="open")}
    assert of["Cai"].scores == {"KA": 5, "BA": 3, "EE": 3, "PT": 3, "IM": 3, "AD": 3, "BC": 3}
    assert of["Cai"].submitted is not None
    assert (of["Cai"].revision, of["cai (2)"].scores, of["Dora"].scores) == (9, {"KA": 1}, {})
    assert of["cai (2)"].submitted is None
    frame = store.ratings.frame()
    assert sorted(zip(frame["rater"], frame["metric"], frame["score"], strict=True))[:2] == [
        ("Cai", "AD", 3),
        ("Cai", "BA", 3),
    ]
    assert frame.loc[frame["kind"] == "judge", "rater"].tolist() == ["GPT-4"]
    assert len(frame) == 8
    store.close()


def test_the_bundled_rubrics_of_campaigns_that_have_started_are_kept(bare_url, engine):
    upgrade(engine, "0007")
    tables = MetaData()
    tables.reflect(engine)
    house = {"name": "neeko", "version": load_rubric("neeko").version, "text": "as it was", "added_by": "Ann"}
    with engine.begin() as connection:
        connection.execute(insert(tables.tables["rubric"]), {**house, "added_at": now()})
        for name, status in (("character", "closed"), ("narrator", "draft"), ("neeko", "running"), ("none", "running")):
            version = "1.0" if name == "none" else load_rubric(name).version
            told = {"settings": {"rubric": name, "rubric_version": version}, "status": status, "created_by": "Ann"}
            connection.execute(insert(tables.tables["campaign"]), {"id": name, "created_at": now(), **told})
        connection.execute(
            insert(tables.tables["campaign"]),
            {"id": "old", "created_at": now(), **told, "settings": {"rubric": "scene", "rubric_version": "0.1"}},
        )
    store = Store(bare_url)
    assert store.rubrics.text("character", load_rubric().version) == bundled_text("character")
    assert store.rubrics.text("neeko", house["version"]) == "as it was"
    for name in ("narrator", "scene"):
        with pytest.raises(RatingError, match="there is no rubric"):
            store.rubrics.text(name, load_rubric(name).version)
    store.close()


@pytest.mark.parametrize("with_accounts", [False, True])
def test_the_keys_of_servers_are_bound_where_there_are_no_accounts(bare_url, engine, with_accounts):
    upgrade(engine, "0018")
    tables = MetaData()
    tables.reflect(engine)
    keyed = {"https://Lab.example.org/v1": "LAB_API_KEY", "http://10.0.0.5:8000/v1": "GPU_API_KEY", "http://b/v1": None}
    with engine.begin() as connection:
        for url, key in keyed.items():
            content = {"url": url, "name": url, "kind": "api", "key": key}
            connection.execute(insert(tables.tables["server"]), {"url": url, "content": content})
        if with_accounts:
            ann = {"id": "0123456789ab", "name": "Ann", "key": "ann", "role": "researcher", "created_at": now()}
            connection.execute(insert(tables.tables["account"]), ann)
    store = Store(bare_url)
    assert len(store.servers.all()) == 3
    places = (("https://lab.example.org", "LAB_API_KEY"), ("http://10.0.0.5:8000", "GPU_API_KEY"))
    assert [store.servers.is_bound(*place) for place in places] == [not with_accounts] * 2
    assert not store.servers.is_bound("https://lab.example.org", "GPU_API_KEY")
    store.close()


def test_the_ratings_of_a_dataset_become_one_value(bare_url, engine):
    upgrade(engine, "0005")
    tables = MetaData()
    tables.reflect(engine)
    about = {"rubric": "character", "rubric_version": "1.1", "added_by": "Ann", "added_at": now()}
    given = [
        ("b", "1", "zh", "KA", "王 '=x", "expert", 4.0, None),
        ("a", "9", None, "BA", "GPT-4", "judge", None, "no reply"),
        ("b", "0", None, "BA", "Ann", "expert", 2.5, None),
    ]
    names = ("dataset", "item", "language", "metric", "rater", "kind", "score", "reason")
    with engine.begin() as connection:
        for id, ratings in (("a", 1), ("b", 2)):
            connection.execute(insert(tables.tables["dataset"]), {"id": id, "name": id, "ratings": ratings, **about})
        for row in given:
            said = dict(zip(names, row, strict=True))
            connection.execute(insert(tables.tables["dataset_rating"]), {"scene": "s", "model": "m", **said})
    store = Store(bare_url)
    assert {(one.id, one.ratings) for one in store.datasets.all()} == {("a", 1), ("b", 2)}
    for id in ("a", "b"):
        frame = store.datasets.frame(id)
        rows = frame.astype(object).where(frame.notna(), None)[list(names[1:])].values.tolist()
        assert rows == [list(row[1:]) for row in given if row[0] == id]
        assert (frame["scene"].unique().tolist(), str(frame["language"].dtype)) == (["s"], "str")
    store.close()
