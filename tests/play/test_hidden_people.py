"""Somebody out of sight: nobody who does not perceive it is told of it, by whatever others do, say or recognise."""

import json

import pytest

from characterbox.pause_reasons import Reason
from characterbox.play.events import (
    Action,
    ActionInfluence,
    ByWhom,
    CharacterUpdate,
    Dialogue,
    EnvironmentUpdate,
    InteractionResult,
    Reaction,
    SelfBelief,
)
from characterbox.play.observations import line
from characterbox.play.perception import knowers, perceives
from characterbox.play.trajectory import as_text, trajectory
from characterbox.play.world import World, world_after
from characterbox.scenes.scene import Scene
from characterbox.stage.live.hub import Notice
from characterbox.stage.live.visibility import Telling, as_shown, known_cast, perspective_of
from tests.fakes.scenes import a_scene
from tests.play import masked_guest
from tests.play.test_masked_guest import told as in_full

AROUND = {"time": "Night", "location": "A closet", "description": "An arras hangs there."}


def hall(**unseen_by: tuple[str, ...]) -> Scene:
    """Hamlet, Gertrude, Polonius and Ophelia in a room; of each who does not perceive it."""
    scene = a_scene("Hamlet", "Gertrude", "Polonius", "Ophelia")
    cast = [one.model_copy(update={"unseen_by": unseen_by.get(one.name, ())}) for one in scene.cast]
    return scene.model_copy(update={"cast": tuple(cast)})


def turn(actor, **fields):
    """The place of an event on a turn of somebody's, with what it tells."""
    return {"round": 1, "turn": actor, **fields}


HIDDEN = hall(Polonius=("Hamlet",))


def test_whom_words_are_for_and_to_whom_somebody_reacts_is_told_only_to_who_perceives_that_one():
    words = Dialogue(path="r1/gertrude/dialogue", **turn("Gertrude"), character="Gertrude", text="Hush!", to="Polonius")
    nods = Reaction(
        path="r1/polonius/reaction/gertrude", **turn("Polonius"), character="Gertrude", to="Polonius", text="She nods."
    )
    for event in (words, nods):
        now = world_after(HIDDEN, [event])
        assert "Polonius" not in line(event, "en", "Hamlet", now)
        assert "Polonius" in line(event, "en", "Ophelia", now)
        assert "Polonius" not in as_text(trajectory([event], "Hamlet", HIDDEN), "en")


@pytest.mark.parametrize("seen_by", [None, (), ("Ophelia",)])
def test_what_comes_of_an_act_on_somebody_hidden_is_seen_by_those_who_perceive_that_one(seen_by):
    at = turn("Gertrude", character="Gertrude", affected="Polonius")
    events = [
        Action(path="r1/gertrude/action", **turn("Gertrude", character="Gertrude"), text="She cries out."),
        ActionInfluence(path="r1/gertrude/influence", **at, text="It rings in his ears.", importance=3),
        InteractionResult(path="r1/gertrude/result", **at, text="He grips the arras.", importance=3, seen_by=seen_by),
    ]
    now = world_after(HIDDEN, events)
    seen = {name for name in HIDDEN.names if perceives(name, events[-1], now)}
    assert seen == {"Polonius", "Gertrude"} | ({"Ophelia"} if seen_by != () else set())


def hiding():
    """A turn on which Polonius, whom Hamlet saw, gets behind the arras, and Hamlet is affected."""
    at = turn("Polonius", character="Polonius")
    own, places = {**at, "character": "Hamlet"}, {"state": "calm", "visible": ""}
    return [
        Action(path="r1/polonius/action", **at, text="Polonius bows."),
        ActionInfluence(path="r1/polonius/influence", **at, affected="Hamlet", text="A draught.", importance=2),
        CharacterUpdate(path="r1/polonius/update/polonius", **at, position="behind the arras", **places),
        CharacterUpdate(path="r1/polonius/update/hamlet", **own, position="at the door", **places),
        EnvironmentUpdate(path="r1/polonius/environment", **turn("Polonius"), **AROUND,
                          hidden=(ByWhom(who="Polonius", by=("Hamlet",)),)),
    ]  # fmt: skip


def test_where_somebody_hides_is_not_told_though_the_turn_changes_ones_own_place_too():
    told = as_shown(hall(), hiding(), perspective_of(["Hamlet"]))
    assert "arras" not in "".join(one.get("position", "") for one in told)
    assert [one["kind"] for one in told[2:4]] == ["veiled", "character_update"]
    assert knowers(hiding()[2], world_after(hall(), hiding()))["Hamlet"] == "none"


def test_who_is_played_by_a_person_is_told_only_of_those_who_are_perceived():
    eyes = perspective_of(["Hamlet"])
    assert set(known_cast(HIDDEN, eyes)) == {"Hamlet", "Gertrude", "Ophelia"}
    asked = Reason("person_asked", agent="Hamlet", path="r1/polonius/reaction/hamlet").as_json()
    status = Notice("status", {"status": "cued", "people": [None, "Polonius", "Hamlet"], "reason": asked})
    [told] = [one for one in [Telling(HIDDEN, eyes).passed_on(status)] if one is not None]
    assert told.content == {"status": "cued", "people": [None, "Hamlet"], "reason": None}
    down = Reason("several", first=Reason("down"), rest=Reason("refused")).as_json()
    for watching, why in ((eyes, down), (perspective_of([]), asked)):
        seen = Telling(HIDDEN, watching).passed_on(Notice("status", {**status.content, "reason": why}))
        assert seen is not None
        assert seen.content["reason"] == why


def test_who_is_heard_from_out_of_sight_is_named_for_its_turn():
    at = turn("Polonius", character="Polonius")
    events = [
        Action(path="r1/polonius/action", **at, text="Polonius stirs."),
        Dialogue(path="r1/polonius/dialogue", **at, text="Soft!"),
        ActionInfluence(
            path="r1/polonius/influence", **at, affected="Hamlet", text="A voice.", importance=2, heard_by=("Hamlet",)
        ),
    ]
    told = as_shown(HIDDEN, events, perspective_of(["Hamlet"]))
    assert [one["kind"] for one in told] == ["veiled", "dialogue", "action_influence"]
    assert {one["turn"] for one in told} == {"Polonius"}
    assert told[2]["character"] == "Polonius"


async def test_who_comes_into_sight_is_named_from_then_on():
    _, events = await in_full("en")
    host = masked_guest.TEXTS["en"]["host"]
    told = as_shown(masked_guest.scene("en"), events, perspective_of([host]))
    [came] = [number for number, one in enumerate(told) if one.get("appeared")]
    updated = [one["character"] for one in told[came - 2 : came] if one["kind"] == "character_update"]
    assert updated == ["the guest in the fox mask", masked_guest.TEXTS["en"]["prisoner"]]


def test_names_stand_in_a_path_where_they_belong():
    scene = a_scene("Hamlet", "Action", "R1")
    unseen = [one.model_copy(update={"unseen_by": ("Hamlet",)}) for one in scene.cast[1:]]
    event = Action(path="r1/hamlet/action", **turn("Hamlet"), character="Hamlet", text="He waits.")
    hidden = scene.model_copy(update={"cast": (scene.cast[0], *unseen)})
    assert as_shown(hidden, [event], perspective_of(["Hamlet"]))[0]["path"] == "r1/hamlet/action"


def test_who_is_out_of_sight_is_not_named_to_the_browser_of_who_plays_until_it_appears():
    at, eyes = turn("Polonius", character="Polonius"), perspective_of(["Hamlet"])
    found = (ByWhom(who="Polonius", by=()),)
    events = [
        Action(path="r1/polonius/action", **at, text="Polonius stirs."),
        Dialogue(path="r1/polonius/dialogue", **at, text="Soft!"),
        ActionInfluence(
            path="r1/polonius/influence", **at, affected="Hamlet", text="A stir.", importance=2, seen_by=()
        ),
        CharacterUpdate(
            path="r1/polonius/update/polonius", **at, position="behind the arras", state="calm", visible=""
        ),
        EnvironmentUpdate(path="r1/polonius/environment", **turn("Polonius"), **AROUND),
        EnvironmentUpdate(path="r1/gertrude/environment", **turn("Gertrude"), **AROUND, hidden=found),
        SelfBelief(path="r2/polonius/self-belief", **{**at, "round": 2}, belief="B", desire="D", intention="I"),
    ]
    told = as_shown(HIDDEN, events, eyes)
    assert "olonius" not in json.dumps(told[:5])
    assert (told[2]["character"], told[2]["affected"]) == ("~3 ", "Hamlet")
    assert len({(one["turn"], one["path"].split("/")[1]) for one in told[:5]}) == 1, "one turn"
    assert len({one["path"] for one in told}) == len(events)
    assert [one["character"] for one in told[5]["appeared"]] == ["Polonius"]
    assert (told[6]["kind"], told[6]["turn"], told[6]["path"]) == ("veiled", "Polonius", events[6].path)


def test_who_meets_elsewhere_does_not_learn_what_changed_in_a_room_out_of_sight():
    here, there = ("Hamlet", "Gertrude"), ("Polonius", "Ophelia")
    apart = {"Polonius": (*here, "Ophelia"), "Ophelia": (*here, "Polonius")}
    scene = hall(**dict.fromkeys(here, there), **apart)
    walls = tuple(ByWhom(who=who, by=by) for pair, by in ((here, there), (there, here)) for who in pair)
    event = EnvironmentUpdate(path="r1/hamlet/environment", **turn("Hamlet"), **AROUND, hidden=walls)
    now = world_after(scene, [event])
    told = {name: now.characters[name].view.environment.description == AROUND["description"] for name in scene.names}
    assert told == {"Hamlet": True, "Gertrude": True, "Polonius": False, "Ophelia": False}
    assert "Ophelia" in now.characters["Polonius"].view.others, "they have met"
    assert World.opening(scene).present("Polonius") == frozenset()
