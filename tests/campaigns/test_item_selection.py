"""Picking stories: what is on offer, what is found, and what is picked of it."""

from datetime import UTC, datetime

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns import item_selection
from characterbox.campaigns.item_selection import Offer, Offers, Wanted, counts_of, with_offers, without
from characterbox.errors import SearchError
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.world import Script
from characterbox.store.campaigns.campaign import CampaignItem
from characterbox.store.tables.ratings import Item
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

CHARACTER, NARRATOR, SCENE = (load_rubric(name) for name in ("character", "narrator", "scene"))


def ended(store, *names, **script):
    story = a_story(store, a_scene(*names), **script)
    store.stories.move(story.id, "ended")
    return story


def an_offer(name="s", model="m", language="en", title="A watch", work="The Hotel"):
    item = CampaignItem(
        identity=Item(kind="character", owner=name, slug="ann"),
        story_id=name,
        character="Ann",
        scene=f"{work}: {title}",
        model=model,
        language=language,
    )
    return Offer(name, title, work, datetime(2026, 1, 1, tzinfo=UTC), False, (item,))


def test_only_what_has_ended_is_offered_the_newest_first(store):
    first, second = ended(store, "Ann", "Bob"), ended(store, "Eve")
    a_story(store)
    offers = Offers(store)
    assert [offer.id for offer in offers.all(CHARACTER)] == [second.id, first.id]
    assert [item.character for item in offers.all(CHARACTER)[1].items] == ["Ann", "Bob"]
    third = ended(store, "Cai")
    assert [offer.id for offer in offers.all(CHARACTER)] == [third.id, second.id, first.id]


def test_stories_are_read_once_in_portions(store, monkeypatch):
    monkeypatch.setattr(item_selection, "PORTION", 2)
    stories = [ended(store, "Ann") for _ in range(5)]
    offers = Offers(store)
    assert list(offers.reading(CHARACTER)) == [2, 4, 5]
    assert list(offers.reading(CHARACTER)) == []
    assert {offer.id for offer in offers.all(CHARACTER)} == {story.id for story in stories}


def test_each_kind_of_rubric_has_its_own_items_and_a_scene_is_offered_once(store):
    first, second = ended(store, "Ann", "Bob"), ended(store, "Ann", "Bob")
    offers = Offers(store)
    assert [len(offer.items) for offer in offers.all(CHARACTER)] == [2, 2]
    assert [offer.items[0].item for offer in offers.all(NARRATOR)] == [f"{second.id}/narrator", f"{first.id}/narrator"]
    [scene] = [offer for offer in offers.all(SCENE) if offer.rated is None]
    assert scene.id == first.id
    assert len(offers.items([first.id, second.id], SCENE)) == 1
    assert [item.story_id for item in offers.items([second.id, "gone"], SCENE)] == [second.id]


def test_what_the_rehearsal_played_is_told(store):
    scene = a_scene("Ann")
    rehearsal, other = Endpoint(url="rehearsal", model="r"), Endpoint(url="http://127.0.0.1:8000/v1", model="m")
    casting = Casting(narrator=other, characters={"Ann": rehearsal})
    story = store.stories.create(Script(scene=scene), casting, "app")
    store.stories.move(story.id, "ended")
    assert Offers(store).all(CHARACTER)[0].improvised
    assert Offers(store).all(CHARACTER)[0].models == ("r",)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(), "abc"),
        (Wanted(words="HOTEL ann"), "ab"),
        (Wanted(words="hotel 红"), ""),
        (Wanted(models=frozenset({"gpt"})), "ac"),
        (Wanted(models=frozenset({"gpt"}), languages=frozenset({"zh"})), "c"),
        (Wanted(scenes=frozenset({"The Hotel: A watch", "红楼梦: 葬花"})), "abc"),
        (Wanted(scenes=frozenset({"红楼梦: 葬花"}), words="qwen"), ""),
    ],
)
def test_stories_are_found_by_words_scene_model_and_language(wanted, found):
    offers = [
        an_offer("a", model="gpt"),
        an_offer("b", model="Qwen"),
        an_offer("c", model="gpt", language="zh", title="葬花", work="红楼梦"),
    ]
    assert "".join(offer.id for offer in offers if wanted.fits(offer)) == found
    assert counts_of(offers).models == {"Qwen": 1, "gpt": 2}
    assert counts_of(offers).languages == {"en": 2, "zh": 1}


def test_picking_adds_what_is_missing_and_changes_nothing_else():
    one, other = an_offer("a"), an_offer("b")
    kept = one.items[0].model_copy(update={"model": "as it was picked"})
    picked = with_offers([kept], [other, one])
    assert picked == (kept, *other.items)
    assert without(picked, {"a:ann", "unknown"}) == other.items


@pytest.mark.parametrize("words", ["x" * 201, "rain " * 21, "rain " * 20_000])
def test_more_than_twenty_words_are_not_searched_for(words):
    Wanted(words="rain " * 20)
    with pytest.raises(SearchError, match="at most"):
        Wanted(words=words)
