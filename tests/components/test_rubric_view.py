"""What there is to rate, and what the browser is told of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotations.errors import RatingError
from characterbox.components.rubric.view import list_data, part_data
from characterbox.errors import StoryError
from characterbox.judging.parts import MAX_NAME, ended_parts, find_part, rater_name, scores
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import Action, Dialogue, Event, Reaction
from characterbox.play.script import Script
from characterbox.scenes.scene import Environment, Profile, Scene
from characterbox.settings import database_url
from characterbox.store import Store
from characterbox.store.ratings import rating_of
from characterbox.store.stories import Story
from tests.components.sample import LIGHTHOUSE

FORD = Scene(
    id="ford",
    title="渡口",
    work="渡口故事",
    language="zh",
    origin="original",
    author="Writer-7B",
    environment=Environment(time="黄昏", location="渡口", description="渡船将要离岸。"),
    cast=(Profile(name="艄公", description="撑船的老人。", position="船头", state="平静"),),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(database_url(tmp_path / "view.db"))
    yield store
    store.close()


async def ended(store: Store, scene: Scene) -> Story:
    endpoint = Endpoint(url="http://models.example/v1", model="Zephyr-9B")
    casting = Casting(narrator=endpoint, characters=dict.fromkeys(scene.names, endpoint))
    story = store.stories.create(Script(scene=scene), casting, "app")
    first, last = scene.names[0], scene.names[-1]
    events: list[Event] = [
        Action(path="a", round=1, character=first, text="He bows."),
        Dialogue(path="b", round=1, character=first, text="", degraded=True, reason="Zephyr-9B gave no text"),
        Reaction(path="c", round=2, character=last, to=first, text="He nods."),
    ]
    with store.stories.claimed(story.id) as claimed:
        for seq, event in enumerate(events, 1):
            await claimed.record(seq, event)
        await claimed.move("ended")
    return store.stories.story(story.id)


async def test_every_character_of_every_ended_story_is_a_part_the_oldest_first(store: Store) -> None:
    first, second = await ended(store, LIGHTHOUSE), await ended(store, FORD)
    store.stories.move((await ended(store, FORD)).id, "failed")
    names = [(part.story.id, part.name) for part in ended_parts(store.stories)]
    assert names == [*((first.id, name) for name in LIGHTHOUSE.names), (second.id, "艄公")]
    for part in ended_parts(store.stories):
        assert find_part(store.stories, part.item) == part


async def test_what_is_no_part_is_not_found(store: Store) -> None:
    story = await ended(store, LIGHTHOUSE)
    for item in ("", ":", "nowhere:elias", story.id, f"{story.id}:", f"{story.id}:nobody", f"{story.id}:elias\n"):
        with pytest.raises(StoryError):
            find_part(store.stories, item)
    store.stories.move(story.id, "paused")
    with pytest.raises(StoryError, match="has not ended"):
        find_part(store.stories, f"{story.id}:elias")


async def test_the_list_counts_what_this_rater_has_scored(store: Store) -> None:
    story = await ended(store, LIGHTHOUSE)
    for rater, metric, score in (("Ann", "KA", 3), ("Ann", "BA", 3), ("Bob", "KA", 1), ("Ann", "KA", 4)):
        store.ratings.add([rating_of(story, "Elias", rater=rater, kind="expert", metric=metric, score=score)])
    item = f"{story.id}:elias"
    withdrawn = {"metric": "BA", "score": None, "reason": "withdrawn"}
    store.ratings.add([rating_of(story, "Elias", rater="Ann", kind="expert", **withdrawn)])
    assert scores(store.ratings, item, "Ann") == {"KA": 4}
    assert store.ratings.items_of_rater("Ann") == {item: 1}
    counts = {row["character"]: row["scored"] for row in list_data(store, "Ann", "en")["rows"]}
    assert counts == {name: int(name == "Elias") for name in LIGHTHOUSE.names}


async def test_a_part_is_told_in_full(store: Store) -> None:
    await ended(store, LIGHTHOUSE)
    await ended(store, FORD)
    part = ended_parts(store.stories)[-1]
    store.ratings.add([rating_of(part.story, "艄公", rater="Ann", kind="expert", metric="EE", score=2)])
    data = part_data(store, "Ann", part, "en")
    count = len(LIGHTHOUSE.names) + 1
    assert (data["place"], data["count"], data["next"]) == (count, count, None)
    assert data["previous"] == ended_parts(store.stories)[-2].item
    assert (data["scene"]["title"], data["scene"]["language"], data["language"]) == ("渡口", "zh", "en")
    assert (data["character"]["state"], data["scores"]) == ("平静", {"EE": 2})
    kinds = [(step["round"], step["kind"], step["degraded"]) for step in data["steps"]]
    assert kinds == [(1, "action", False), (1, "dialogue", True), (2, "reaction", False)]


async def test_no_model_is_named(store: Store) -> None:
    await ended(store, LIGHTHOUSE)
    await ended(store, FORD)
    told = [
        list_data(store, "Ann", "zh"),
        *(part_data(store, "Ann", part, "en") for part in ended_parts(store.stories)),
    ]
    text = json.dumps(told, ensure_ascii=False)
    assert LIGHTHOUSE.title in text
    for name in ("Zephyr-9B", "Writer-7B", "models.example"):
        assert name not in text


@given(some.text(max_size=100))
def test_a_name_is_in_its_stored_form_or_refused(text: str) -> None:
    try:
        name = rater_name(text)
    except RatingError:
        return
    assert rater_name(name) == name
    assert rater_name(f" {name}\t") == name
    assert 0 < len(name) <= MAX_NAME
    assert name == " ".join(name.split())


@pytest.mark.parametrize("name", ["Ann", "蔡依", "O'Brien-Müller", "x" * MAX_NAME, "<b>Ann</b>", "../../etc"])
def test_what_people_are_called_is_taken(name: str) -> None:
    assert rater_name(name) == name
