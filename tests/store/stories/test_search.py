"""The shelf: what is looked for is found, nothing else, and soon."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from characterbox.errors import SearchError, StoryError
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import ActionInfluence
from characterbox.play.world import Script
from characterbox.store.stories.search import Wanted
from tests.fakes.scenes import a_scene

GPT, QWEN = Endpoint(url="http://a/v1", model='gpt-4o "mini"'), Endpoint(url="http://b/v1", model="千问_100%")


def put(store, *names, narrator=GPT, model=GPT, **changes):
    scene = a_scene(*names, **{key: value for key, value in changes.items() if key == "language"}).model_copy(
        update={key: value for key, value in changes.items() if key != "language"}
    )
    casting = Casting(narrator=narrator, characters=dict.fromkeys(scene.names, model))
    return store.stories.create(Script(scene=scene), casting, "app").id


def found(store, **wanted):
    count, stories = store.shelf.find(Wanted(**wanted), limit=100)
    assert count == len(stories)
    return {story.id for story in stories}


@pytest.mark.parametrize("text", ["x" * 201, "rain " * 21, "rain " * 20_000])
def test_more_than_twenty_words_are_not_searched_for(store, text):
    with pytest.raises(SearchError, match="at most"):
        found(store, text=text)


@pytest.fixture
def three(store):
    rain = put(store, title="Rain at Netherfield", work="Pride and Prejudice")
    snow = put(store, "林冲", "鲁智深", language="zh", title="雪夜客店", work="水浒传", model=QWEN)
    tea = put(store, title="Rain over tea", work="The 100% Tea_Book", narrator=QWEN)
    return rain, snow, tea


def test_all_words_have_to_stand_somewhere(store, three):
    rain, snow, tea = three
    assert found(store) == {rain, snow, tea}
    assert found(store, text="rain") == {rain, tea}
    assert found(store, text="rain  PREJUDICE") == {rain}
    assert found(store, text="雪夜") == {snow}
    assert found(store, text=snow) == {snow}
    assert found(store, text="rain 雪夜") == set()


def test_marks_of_patterns_are_letters_like_others(store, three):
    _, _, tea = three
    assert found(store, text="100%") == {tea}
    assert found(store, text="tea_book") == {tea}
    assert found(store, text="_____") == set()


def test_each_filter_and_all_together(store, three):
    rain, snow, tea = three
    assert found(store, language="zh") == {snow}
    assert found(store, work="Pride and Prejudice") == {rain}
    assert found(store, model=GPT.model) == {rain, snow, tea}
    assert found(store, model=QWEN.model) == {snow, tea}
    assert found(store, model="gpt-4o") == set()
    assert found(store, ids=[rain, "none"]) == {rain}
    store.stories.move(snow, "stopped")
    assert found(store, status="stopped") == {snow}
    assert found(store, text="rain", language="en", status="running", model=QWEN.model) == {tea}


def test_tags_are_put_on_replaced_and_looked_for(store, three):
    rain, _, tea = three
    store.shelf.set_tags(rain, ["for  the paper ", "", "good", "good"])
    store.shelf.set_tags(tea, ["good"])
    assert store.shelf.tags(rain) == ["for the paper", "good"]
    assert found(store, tag="good") == {rain, tea}
    assert found(store, text="PAPER") == {rain}
    assert store.shelf.facets().tags == {"good": 2, "for the paper": 1}
    with pytest.raises(StoryError, match="a tag can have at most 40 characters: x"):
        store.shelf.set_tags(rain, ["kept?", "x" * 41])
    assert store.shelf.tags(rain) == ["for the paper", "good"]
    store.shelf.set_tags(rain, [])
    assert store.shelf.tags(rain) == []
    assert found(store, tag="for the paper") == set()


def test_facets_count_all_there_is(store, three):
    facets = store.shelf.facets()
    assert facets.languages == {"en": 2, "zh": 1}
    assert facets.models == {GPT.model: 3, QWEN.model: 2}
    assert facets.statuses == {"running": 3}
    assert set(facets.works) == {"Pride and Prejudice", "水浒传", "The 100% Tea_Book"}


def test_another_casting_is_looked_for_by_its_models(store, three):
    rain, _, _ = three
    scene = store.stories.story(rain).script.scene
    store.stories.recast(rain, Casting(narrator=QWEN, characters=dict.fromkeys(scene.names, QWEN)))
    assert rain in found(store, model=QWEN.model)
    assert rain not in found(store, model=GPT.model)


async def test_a_story_is_listed_with_what_happened_between_whom(store):
    id = put(store, "Ann", "Bob")
    with store.stories.claimed(id) as claimed:
        turn = {"round": 1, "turn": "Ann", "character": "Ann", "text": "-", "importance": None}
        await claimed.record(1, ActionInfluence(path="a", affected="Bob", **turn))
        await claimed.record(2, ActionInfluence(path="b", affected=None, **turn))
    _, [story] = store.shelf.find(Wanted(), limit=5)
    assert (story.events, story.influences, story.cast) == (2, [("Ann", "Bob")], ["Ann", "Bob"])


def test_long_lists_come_in_parts_the_newest_first(store):
    ids = [put(store) for _ in range(7)]
    parts = [store.shelf.find(Wanted(), limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [count for count, _ in parts] == [7] * 4
    assert [story.id for _, stories in parts for story in stories] == ids[::-1]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=12), value=st.text(max_size=8))
def test_whatever_is_asked_for_is_only_looked_for(store, text, value):
    clean = {"text": text.replace("\x00", ""), "model": value.replace("\x00", "")}
    assert store.shelf.find(Wanted(**clean), limit=5)[0] >= 0
