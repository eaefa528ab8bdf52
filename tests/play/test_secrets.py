"""No prompt tells anybody what it cannot know: in the bundled scenes as the rehearsal plays them, and in a story that
is written for it. Leaks that are planted are found."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bench.story import played
from characterbox.play import observations, questions, record
from characterbox.play.events import ActionInfluence
from characterbox.play.names import Names
from characterbox.play.world import Script, Witnesses, World
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Profile, Scene
from tests.play.leak_check import Leak, leaks, overheard, secrets_of
from tests.play.masked_guest import scene as masked_guest
from tests.play.test_masked_guest import told

SCENES = {scene.id: scene for scene in bundled()}


@pytest.mark.parametrize("id", SCENES)
def test_no_prompt_of_a_bundled_scene_tells_a_secret(id: str) -> None:
    scene = SCENES[id]
    requests, _ = asyncio.run(played(Script(scene=scene, rounds=1)))
    assert list(leaks(scene, secrets_of(id, scene.language), requests)) == []


@pytest.mark.parametrize("id", SCENES)
def test_each_bundled_scene_lists_what_is_secret_in_it(id: str) -> None:
    scene = SCENES[id]
    for secret in secrets_of(id, scene.language):
        assert secret.known_by < {*scene.names} or len(scene.cast) == 1
        texts = [f"{who.account} {who.state} {scene.plot}" for who in scene.cast]
        assert all(any(mark.casefold() in text.casefold() for text in texts) for mark in secret.marks)
    assert secrets_of(id, scene.language)


@pytest.mark.parametrize("id", SCENES)
def test_everybody_has_a_public_face(id: str) -> None:
    for who in SCENES[id].cast:
        assert who.public_face
        assert who.name not in who.public_face


# ---- leaks that are planted


def _found() -> Collection[Leak]:
    """What is found in the story of the masked guest, before the unmasking, and in a scene with notes."""
    scene = masked_guest("en")
    requests, events = asyncio.run(told("en"))
    asked = [one for one in requests.values() if one.path.startswith(("r0", "r1"))]
    notes = SCENES["odyssey-bed"]
    others, _ = asyncio.run(played(Script(scene=notes, rounds=1)))
    return {
        *leaks(scene, (), asked),
        *overheard(events, asked),
        *leaks(notes, secrets_of(notes.id, notes.language), others),
    }


def _true_names(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Names, "name", lambda self, onlooker, who, known=frozenset(): who)


def _texts_as_they_are(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Names, "retold", lambda self, text, *_: text)


def _profiles_for_faces(patch: pytest.MonkeyPatch) -> None:
    def company(onlooker: str, scene: Scene) -> Iterator[str]:
        yield from (f"{who.name}: {who.description}" for who in scene.cast if who.name != onlooker)

    patch.setattr(questions, "company", company)


def _whole_accounts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Profile, "own_account", property(lambda who: "\n".join([who.description, *who.unaware])))


def _states_of_others(patch: pytest.MonkeyPatch) -> None:
    def whereabouts(_: str | None, world: World) -> dict[str, Any]:
        return {name: (one.appearance, one.state, one.unseen_by) for name, one in world.characters.items()}

    patch.setattr(observations, "_whereabouts", whereabouts)


def _perceiving(more: type) -> Callable[[pytest.MonkeyPatch], None]:
    def plant(patch: pytest.MonkeyPatch) -> None:
        usual = observations.perceives
        patch.setattr(
            observations, "perceives", lambda who, event, now: isinstance(event, more) or usual(who, event, now)
        )

    return plant


def _beliefs_of_others(patch: pytest.MonkeyPatch) -> None:
    usual = observations.standing

    def standing(onlooker: str | None, passage: Any, scene: Scene) -> Iterator[observations.Line]:
        other = next((name for name in scene.names if name != onlooker), onlooker)
        yield from usual(onlooker if onlooker is None else other, passage, scene)

    patch.setattr(record, "standing", standing)


def _witnessing(**everybody: str) -> Callable[[pytest.MonkeyPatch], None]:
    def plant(patch: pytest.MonkeyPatch) -> None:
        usual = World.after

        def after(self: World, event: Any) -> World:
            world = usual(self, event)
            if isinstance(world.witnesses, Witnesses):
                all_of_them = dict.fromkeys(everybody, frozenset(world.characters))
                return replace(world, witnesses=replace(world.witnesses, **all_of_them))
            return world

        patch.setattr(World, "after", after)

    return plant


def _feelings(patch: pytest.MonkeyPatch) -> None:
    usual = observations.line

    def line(event: Any, language: Any, onlooker: Any, now: Any) -> str | None:
        return usual(event, language, None if getattr(event, "felt", "") else onlooker, now)

    patch.setattr(observations, "line", line)


PLANTED: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "true names": _true_names,
    "texts of others with true names": _texts_as_they_are,
    "profiles in the place of faces": _profiles_for_faces,
    "what one does not know in one's own profile": _whole_accounts,
    "states of others": _states_of_others,
    "beliefs of others": _beliefs_of_others,
    "effects on others": _perceiving(ActionInfluence),
    "whispers": _witnessing(heard=""),
    "what is done unseen": _witnessing(seen=""),
    "what others feel": _feelings,
}


def test_nothing_is_found_where_nothing_is_planted() -> None:
    assert _found() == set()


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_leak_is_found(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[planted](monkeypatch)
    assert _found()
