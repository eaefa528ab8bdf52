"""The census of a set of scenes: counted by hand, and that of the authors' scenes."""

from characterbox.scenes.census import ALIKE, Gap, Pair, Spread, census, gaps
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Environment, Profile, Scene
from tests.scenes.authors import authors_scenes

TOLD = (
    "An open safe stands behind the desk, and rain runs down the tall windows of the lobby while the old clock beside "
    "the stairs strikes twelve and somebody coughs in the dark corridor that leads to the kitchen and the cellar."
)


def a_scene(scene_id: str, *names: str, **more: object) -> Scene:
    fields = {
        "id": scene_id, "title": "A watch", "work": "The Hotel", "language": "en", "origin": "generated",
        "plot": "Gone.",
        "environment": {"time": "Midnight", "location": "The lobby", "description": TOLD},
        "cast": [{"name": name, "description": f"{name} has been here for many years, nobody knows how many they are.",
                  "position": "Desk", "state": "Calm", "gender": "Female", "knowledge": ["A"], "public_face": "B"}
                 for name in names],
    }  # fmt: skip
    return Scene.model_validate(fields | more)


def test_counts_by_hand() -> None:
    scenes = [
        a_scene("a", "Ann", "Bob"),
        a_scene("b", "Ann", "Bob", "Cid", origin="extracted", work="The Inn"),
        a_scene("c", "Eve", "Flo"),
        a_scene("d", "Ann", language="zh"),
    ]
    found = census(scenes)
    assert found.scenes == 4
    assert found.languages == {"en": 3, "zh": 1}
    assert found.works == {"The Hotel": 3, "The Inn": 1}
    assert found.origins == {"generated": 3, "extracted": 1}
    assert found.casts == {"generated": {1: 1, 2: 2}, "extracted": {3: 1}}
    assert found.lengths["en"]["title"] == Spread(texts=3, least=7, median=7, most=7)
    assert found.lengths["en"]["cast.knowledge"].texts == 7
    assert found.lengths["zh"]["cast.position"] == Spread(texts=1, least=4, median=4, most=4)


def test_no_scene_at_all() -> None:
    found = census([])
    assert (found.scenes, found.casts, found.lengths, found.identical, found.gaps) == (0, {}, {}, (), ())


def test_the_same_but_for_case_and_marks_is_identical() -> None:
    again = a_scene("b", "Ann", "Bob", title="a WATCH!", environment=Environment(
        time="midnight", location="the  lobby", description=TOLD.replace(",", " –")))  # fmt: skip
    found = census([a_scene("a", "Ann", "Bob"), again, a_scene("c", "Ann", "Cid"), a_scene("d", "Ann", "Bob")])
    assert found.identical == (("a", "b", "d"),)


def test_a_scene_with_a_part_of_another_one_is_alike_with_its_share() -> None:
    ann = Profile(name="Ann", description="p", position="q", state="r")
    place = Environment(time="x", location="y", description="a b c d e f g h")
    one = a_scene("one", environment=place, cast=[ann], title="t", plot=None)
    other = one.model_copy(
        update={"id": "other", "environment": Environment(time="v", location="w", description="a b c d e f g h")}
    )
    # 14 words each, in the order t x y a..h p q r: 11 runs of four, of which those of a..h p q r are the same
    assert census([one, other]).alike == (Pair("one", "other", 8 / 11),)
    assert census([one, other.model_copy(update={"language": "zh"})]).alike == ()


def test_what_a_scene_lacks() -> None:
    bare = Profile(name="Character 1", description="A clerk.", position="Desk", state="not described")
    scene = a_scene("a", "Ann", plot=None, cast=[bare, a_scene("b", "Bob").cast[0]])
    assert list(gaps(scene)) == [
        Gap("a", "plot", "plot"),
        Gap("a", "name", "cast[0].name"),
        Gap("a", "description", "cast[0].description"),
        Gap("a", "state", "cast[0].state"),
        Gap("a", "gender", "cast[0].gender"),
        Gap("a", "knowledge", "cast[0].knowledge"),
        Gap("a", "public_face", "cast[0].public_face"),
    ]
    assert list(gaps(a_scene("a", "Ann"))) == []


def test_the_bundled_scenes_are_whole_and_apart() -> None:
    found = census(bundled())
    assert (found.identical, found.alike) == ((), ())
    assert {gap.lack for gap in found.gaps} <= {"knowledge", "public_face"}


def test_the_authors_scenes() -> None:
    scenes = authors_scenes()
    found = census(scenes)
    assert found.languages == {"en": 105, "zh": 103}
    assert found.casts == {"generated": {1: 22, 2: 55, 3: 23, 4: 6, 5: 1}, "extracted": {2: 31, 3: 65, 4: 5}}
    assert (found.identical, found.alike) == ((), ()), "each has been written anew"
    lacks = [gap.lack for gap in found.gaps]
    counts = {"knowledge": 507, "public_face": 507, "gender": 8, "description": 2, "name": 1}
    assert {lack: lacks.count(lack) for lack in lacks} == counts


def test_a_third_of_the_authors_texts_changed_is_still_alike() -> None:
    scenes = [scene for scene in authors_scenes() if scene.plot and len(scene.cast) > 1]
    for scene in scenes:
        changed = scene.model_copy(update={"id": "other", "title": "Another", "plot": None, "cast": scene.cast[:-1]})
        (pair,) = census([scene, changed]).alike
        assert pair.share > 2 * ALIKE
