"""Scenes have versions: nothing that was saved or played is ever changed, and nobody's work is lost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.errors import SceneError, SearchError
from characterbox.scenes.search import asked_words, fingerprint
from characterbox.store import Store
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story


def titled(scene, title):
    return scene.model_copy(update={"title": title})


def test_each_save_is_a_version_of_its_own(store):
    first = a_scene()
    chain = store.scenes.start(first, "0123456789ab")
    second, third = titled(first, "The watch is found"), titled(first, "Nobody looks for the watch")
    assert store.scenes.save(chain, second, after=1, made_by=None) == 2
    assert store.scenes.save(chain, third, after=2, made_by="0123456789ab") == 3
    versions = store.scenes.versions(chain)
    assert [(one.version, one.content, one.made_by, one.newest) for one in versions] == [
        (3, third, "0123456789ab", 3),
        (2, second, None, 3),
        (1, first, "0123456789ab", 3),
    ]
    assert store.scenes.all() == [third]
    assert store.scenes.find(chain).content == third
    assert store.scenes.find(chain, 2).content == second
    with pytest.raises(SceneError, match="has no version 4"):
        store.scenes.find(chain, 4)
    with pytest.raises(SceneError, match=r"there is no scene .* in the database"):
        store.scenes.find("nowhere")
    with pytest.raises(SceneError, match=r"there is no scene .* in the database"):
        store.scenes.find("\x00' or 1=1")


def test_what_was_is_a_version_again(store):
    first = a_scene()
    chain = store.scenes.start(first, None)
    store.scenes.save(chain, titled(first, "Other"), after=1, made_by=None)
    assert store.scenes.save(chain, first, after=2, made_by=None) == 3
    assert store.scenes.all() == [first]
    assert [one.content.title for one in store.scenes.versions(chain)] == [first.title, "Other", first.title]


def test_the_second_of_two_who_started_from_the_same_version_is_refused_and_nothing_is_lost(store):
    chain = store.scenes.start(a_scene(), None)
    assert store.scenes.save(chain, titled(a_scene(), "Hers"), after=1, made_by="a") == 2
    with pytest.raises(SceneError, match="version 2 was saved in the meantime; your changes are based on version 1"):
        store.scenes.save(chain, titled(a_scene(), "His"), after=1, made_by="b")
    assert [one.content.title for one in store.scenes.versions(chain)] == ["Hers", a_scene().title]
    assert store.scenes.save(chain, titled(a_scene(), "His"), after=2, made_by="b") == 3


def test_of_many_at_once_one_saves(store, url):
    chain = store.scenes.start(a_scene(), None)
    other = Store(url)

    def save(number):
        scenes = (store if number % 2 else other).scenes
        try:
            return scenes.save(chain, titled(a_scene(), f"Title {number}"), after=1, made_by=None)
        except SceneError:
            return None

    with ThreadPoolExecutor(8) as pool:
        saved = [*pool.map(save, range(16))]
    other.close()
    assert sorted(saved, key=str) == [2] + [None] * 15
    assert len(store.scenes.versions(chain)) == 2


def test_what_is_the_same_is_no_new_version_and_an_id_stays(store):
    chain = store.scenes.start(a_scene(), None)
    assert store.scenes.save(chain, a_scene(), after=1, made_by=None) == 1
    with pytest.raises(SceneError, match="the scene id 'watch' cannot be changed"):
        store.scenes.save(chain, a_scene().model_copy(update={"id": "clock"}), after=1, made_by=None)
    assert len(store.scenes.versions(chain)) == 1


def test_a_scene_is_put_away_and_brought_back_with_all_its_versions(store):
    chain = store.scenes.start(a_scene(), None)
    store.scenes.save(chain, titled(a_scene(), "Other"), after=1, made_by=None)
    store.scenes.put_away(LOCAL, chain)
    assert store.scenes.all() == []
    assert store.scenes.find(chain).away
    assert [(one.place, one.away, one.whose) for one in store.scenes.headings()] == [(chain, True, "away")]
    store.scenes.bring_back(LOCAL, chain)
    assert [one.title for one in store.scenes.all()] == ["Other"]
    assert len(store.scenes.versions(chain)) == 2


def test_what_is_brought_in_again_is_not_stored_again_also_where_it_was_edited_or_put_away(store):
    scene = a_scene()
    chain = store.scenes.start(scene, None)
    store.scenes.save(chain, titled(scene, "Other"), after=1, made_by=None)
    assert store.scenes.known([scene, a_scene("Zoe")]) == {fingerprint(scene): chain}
    assert store.scenes.add([scene]) == 0
    store.scenes.put_away(LOCAL, chain)
    assert store.scenes.add([scene, a_scene("Zoe")], "0123456789ab") == 1
    assert [one.title for one in store.scenes.all()] == ["Other", scene.title]
    assert {one.made_by for one in store.scenes.versions(store.scenes.headings()[1].place)} == {"0123456789ab"}


def test_editing_never_changes_a_played_story_and_it_is_known_what_it_was_played_from(store):
    first, second = a_scene(), titled(a_scene(), "Other")
    chain = store.scenes.start(first, None)
    before = a_story(store, first)
    store.scenes.save(chain, second, after=1, made_by=None)
    store.scenes.put_away(LOCAL, chain)
    after, again = a_story(store, second), a_story(store, second)
    a_story(store, a_scene("Zoe").model_copy(update={"id": "another"}))
    assert store.stories.story(before.id) == before
    assert store.stories.story(before.id).script.scene == first
    played = store.scenes.played("watch")
    assert played == {fingerprint(first): [before.id], fingerprint(second): [again.id, after.id]}


def test_headings_tell_what_the_newest_versions_are_and_words_are_found_in_them(store):
    scene = a_scene("Ann", "Bob", "Cy").model_copy(update={"pair": "watch-zh"})
    chain = store.scenes.start(a_scene(), None)
    store.scenes.save(chain, scene, after=1, made_by=None)
    sun = store.scenes.start(a_scene("孙悟空", language="zh"), None)
    first, second = store.scenes.headings()
    assert (first.place, first.version, first.id, first.title, first.work) == (
        chain,
        2,
        "watch",
        scene.title,
        "The Hotel",
    )
    assert (first.language, first.origin, first.characters, first.size, first.pair) == (
        "en",
        "original",
        3,
        "3",
        "watch-zh",
    )
    assert (second.place, second.language, second.whose) == (sun, "zh", "own")
    assert store.scenes.saying("ANN lobby") == {chain}
    assert store.scenes.saying("孙悟空") == {sun}
    assert store.scenes.saying("100%") == set()
    assert store.scenes.saying("original") == set()
    assert store.scenes.saying("") == {chain, sun}
    assert store.scenes.newest([chain]) == {chain: scene}


def test_as_much_as_may_be_searched_for_is_and_no_more(store):
    chain = store.scenes.start(a_scene(), None)
    assert store.scenes.saying("lobby " * 33) == {chain}
    assert store.scenes.saying("o1 " * 60 + "lobby") == set()
    assert len(asked_words(" ".join(f"o{number}" for number in range(20)))) == 20
    for text in ("lobby " * 3_000, "x" * 201, " ".join(f"o{number}" for number in range(21))):
        with pytest.raises(SearchError, match="at most"):
            store.scenes.saying(text)
