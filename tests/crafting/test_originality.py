"""How much of a crafted scene is copied from its source, and which known scene it is close to."""

import gc
import weakref

import pytest

from characterbox.crafting import originality
from characterbox.crafting.originality import Wording, check, known_scenes, near_pairs
from characterbox.crafting.progress import look
from characterbox.crafting.running import begin
from characterbox.crafting.sources.source import pasted_source
from characterbox.scenes.library import bundled
from tests.crafting.running_craftings import wish
from tests.fakes.databases import store_in


def test_wording_is_looked_for_in_the_whole_source_and_not_only_in_the_passage(store, crew):
    scene = bundled()[0]
    told = f"Chapter 1\n\nNothing of it stands here at all.\n\nChapter 2\n\n{scene.environment.description}"
    id = begin(store, wish(crew), pasted_source("book", told))
    found = check(store, look(store, id), scene, known_scenes(store))
    assert found.copied is not None
    assert 0 < found.copied.share < 1
    assert found.copied.runs[0].field == "description"


def test_without_a_source_nothing_is_said_of_copying(store, crew):
    id = begin(store, wish(crew))
    assert check(store, look(store, id), bundled()[0], known_scenes(store)).copied is None


def test_a_copy_of_a_known_scene_is_close_to_it(store, crew):
    scene = bundled()[0].model_copy(update={"id": "another"})
    found = check(store, look(store, begin(store, wish(crew))), scene, known_scenes(store))
    assert found.near is not None
    assert found.near.scene == bundled()[0]
    assert found.near.is_near


@pytest.mark.slow
def test_the_wording_of_one_source_is_kept_and_no_store(tmp_path, crew, monkeypatch: pytest.MonkeyPatch) -> None:
    made, alive = [], []
    ready = Wording.__init__

    def counted(self, text, language):
        made.append(text)
        alive.append(weakref.ref(self))
        ready(self, text, language)

    monkeypatch.setattr(Wording, "__init__", counted)
    for name in ("one", "other"):
        store = store_in(tmp_path / f"{name}.db")
        ids = [begin(store, wish(crew), pasted_source("book", f"Of clerks {text}.")) for text in ("I", "I", "II")]
        for id in ids:
            check(store, look(store, id), bundled()[0], known_scenes(store))
        store.close()
        del store
    assert [text[-3:] for text in made] == [" I.", "II.", " I.", "II."]
    gc.collect()
    assert sum(one() is not None for one in alive) == 1


@pytest.mark.parametrize("rows", [1, 3, 1024])
def test_pairs_are_found_however_many_scenes_are_compared_at_once(monkeypatch, rows):
    monkeypatch.setattr(originality, "_ROWS", rows)
    scenes = [scene for scene in bundled() if scene.language == "en"][:6]
    copies = [scenes[number].model_copy(update={"id": f"copy-{number}"}) for number in (0, 4)]
    found = [(one.id, other.scene.id, other.similarity) for one, other in near_pairs([*scenes, *copies])]
    assert found == [(scenes[number].id, f"copy-{number}", pytest.approx(1, abs=1e-5)) for number in (0, 4)]
