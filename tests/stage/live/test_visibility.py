"""What is shown while people play characters: nothing that these do not perceive, in place, with its number."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from characterbox.play.events import (
    ActionInfluence,
    CharacterUpdate,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    SelfBelief,
)
from characterbox.stage.live.hub import Notice
from characterbox.stage.live.visibility import EVERYTHING, Telling, as_shown, perspective_of, redact_scene
from characterbox.values import Language
from tests.components.masked import masked_events
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE
from tests.fakes.scenes import masked_scene
from tests.play import masked_guest
from tests.play.masked_guest import ROUNDS

STORIES = {"en": (LIGHTHOUSE, ENGLISH_EVENTS), "zh": (TEAHOUSE, CHINESE_EVENTS)}
SEATS = [(language, name) for language, (scene, _) in STORIES.items() for name in scene.names]


def private_texts(events: list[Event]) -> dict[str, set[str]]:
    """For each character, what nobody else perceives."""
    texts: dict[str, set[str]] = {}
    for event in events:
        match event:
            case CharacterUpdate():
                own, said = event.character, [event.state]
            case SelfBelief():
                own, said = event.character, [event.belief, event.desire, event.intention]
            case EnvironmentBelief():
                own, said = event.character, [event.others, event.scene, event.bearing]
            case ActionInfluence(affected=str(affected)):
                own, said = affected, [event.text]
            case _:
                continue
        texts.setdefault(own, set()).update(said)
    return texts


@pytest.mark.parametrize(("language", "name"), SEATS)
def test_a_character_is_shown_its_own_and_nothing_private_of_the_others(language: str, name: str) -> None:
    scene, events = STORIES[language]
    private = private_texts(events)
    for profile in scene.cast:
        private.setdefault(profile.name, set()).update({profile.description, profile.state})
    eyes = perspective_of([name])
    shown = [redact_scene(scene, eyes), *as_shown(scene, events, eyes)]
    told = json.dumps(shown, ensure_ascii=False)
    assert {text for text in private.pop(name) if json.dumps(text, ensure_ascii=False)[1:-1] not in told} == set()
    assert private
    for others in private.values():
        assert {text for text in others if json.dumps(text, ensure_ascii=False)[1:-1] in told} == set()


def test_of_a_mask_others_are_shown_the_face_and_nobody_what_it_does_not_know() -> None:
    ann, bob = masked_scene().cast
    notes = {"knowledge": ("She saw it.",), "unaware": ("Who rang.",), "other_names": ("Miss Lee",)}
    scene = masked_scene().model_copy(update={"cast": (ann.model_copy(update=notes), bob)})
    own, shown = (redact_scene(scene, perspective_of([name]))["cast"][0] for name in scene.names)
    assert {*shown} == {"name", "gender", "position", "public_face", "description", "state"}
    assert (shown["public_face"], shown["description"], shown["state"]) == ("A woman in grey.", "", None)
    assert {*own} == {*shown, "knowledge", "other_names", "known_as"}


@pytest.mark.parametrize("language", STORIES)
def test_two_who_play_are_shown_only_what_both_perceive(language: str) -> None:
    scene, events = STORIES[language]
    both = json.dumps(as_shown(scene, events, perspective_of(scene.names)), ensure_ascii=False)
    for texts in private_texts(events).values():
        assert not any(json.dumps(text, ensure_ascii=False)[1:-1] in both for text in texts)


@pytest.mark.parametrize("language", STORIES)
def test_the_narrator_and_who_only_watches_are_shown_everything(language: str) -> None:
    scene, events = STORIES[language]
    assert perspective_of([None]) == EVERYTHING
    assert perspective_of([None, scene.names[0]]) == {scene.names[0]}
    assert redact_scene(scene, EVERYTHING) == scene.model_dump(mode="json")
    for event, shown in zip(events, as_shown(scene, events), strict=True):
        assert shown.pop("known").keys() == {*scene.names}
        assert {**shown, "reason": None} == {**event.model_dump(mode="json"), "reason": None}


@pytest.mark.parametrize(("language", "name"), SEATS)
def test_every_event_keeps_its_place_and_what_the_narrator_thinks_of_it_is_not_told(language: str, name: str) -> None:
    scene, events = STORIES[language]
    seen = as_shown(scene, events, perspective_of([name]))
    assert [event["path"] for event in seen] == [event.path for event in events]
    assert {event.get("importance") for event in seen} == {None}
    assert not any(event.get("concluded") for event in seen)


def test_a_conclusion_of_the_narrator_is_not_told() -> None:
    told = {"time": "t", "location": "l", "description": "d", "concluded": True}
    event = EnvironmentUpdate(path="r1/elias/environment", round=1, turn="Elias", **told)
    [shown] = as_shown(LIGHTHOUSE, [event], perspective_of(["Elias"]))
    assert shown["concluded"] is False


def test_steps_under_way_are_told_to_those_whose_own_they_are() -> None:
    maud, elias = (Telling(LIGHTHOUSE, perspective_of([name])) for name in ("Maud Tarrant", "Elias"))
    for kind, character, of_maud, of_elias in [
        ("action", "Elias", False, True),
        ("reaction", "Elias", False, True),
        ("action_influence", "Elias", False, False),
        ("character_update", "Elias", False, False),
        ("updates", "Elias", False, False),
        ("self_belief", "Elias", False, True),
        ("environment_belief", "Maud Tarrant", True, False),
    ]:
        notice = Notice("token", {"path": "r1/elias/x", "kind": kind, "character": character, "text": "piece"})
        assert (maud.passed_on(notice) is not None) == of_maud
        assert (elias.passed_on(notice) is not None) == of_elias
        assert Telling(LIGHTHOUSE, EVERYTHING).passed_on(notice) == notice


def test_a_status_is_told_with_the_names_that_the_eyes_have() -> None:
    scene = masked_guest.scene("en")
    status = Notice("status", {"status": "cued", "reason": None, "people": [None, "Aldo Renn", "Vera Lund"]})
    told = Telling(scene, perspective_of(["Vera Lund"])).passed_on(status)
    assert told is not None
    assert told.content == {**status.content, "people": [None, "the guest in the fox mask", "Vera Lund"]}
    assert Telling(scene, EVERYTHING).passed_on(status) == status


def test_a_step_of_ones_own_is_told_under_the_path_that_its_event_has() -> None:
    step = {"kind": "reaction", "character": "Vera Lund", "text": "She"}
    told = Telling(masked_guest.scene("en"), perspective_of(["Vera Lund"])).passed_on(
        Notice("token", {"path": "r1/aldo-renn/reaction/vera-lund", **step})
    )
    assert told is not None
    assert told.content == {"path": "r1/the-guest-in-the-fox-mask/reaction/vera-lund", **step}


# ---- the masked guest: a mask that falls, a whisper, a hidden hand and a closed door


def of_guests(language: Language, *eyes: str) -> tuple[Mapping[str, str], list[dict[str, Any]]]:
    """The texts of the story of the masked guest, and its events as these eyes see them."""
    t, scene = masked_guest.TEXTS[language], masked_guest.scene(language)
    return t, as_shown(scene, masked_events(language), perspective_of(t[one] for one in eyes))


def with_text(shown: list[dict[str, Any]], text: str) -> dict[str, Any]:
    """The event with this text."""
    return next(one for one in shown if one.get("text") == text)


both = pytest.mark.parametrize("language", ["en", "zh"])


@both
@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("host does", "host guest steward", ""),
        ("guest whispers", "guest steward", ""),
        ("steward does", "steward", ""),
        ("prisoner does", "prisoner", ""),
        ("prisoner says", "prisoner steward", ""),
        ("steward coughs", "host guest steward", ""),
        ("first result", "guest", "host steward"),
        ("guest calls", "host guest steward prisoner", ""),
        ("prisoner comes", "host guest steward prisoner", ""),
    ],
)
def test_readers_are_told_who_knows_what(language: Language, text: str, whole: str, part: str) -> None:
    t, shown = of_guests(language)
    known = {t[who]: "none" for who in ("host", "guest", "steward", "prisoner")}
    known |= {t[who]: "whole" for who in whole.split()} | {t[who]: "part" for who in part.split()}
    assert with_text(shown, t[text])["known"] == known


@both
def test_who_plays_sees_neither_what_is_whispered_to_others_nor_what_is_hidden(language: Language) -> None:
    t, shown = of_guests(language, "host")
    scene = redact_scene(masked_guest.scene(language), perspective_of([t["host"]]))
    told = json.dumps([scene, shown], ensure_ascii=False)
    for hidden in ("guest whispers", "steward does", "prisoner does", "prisoner says", "guest felt", "prisoner at"):
        assert t[hidden] not in told
    assert t["title of the guest"] not in told


@both
def test_who_is_recognised_has_its_true_name_from_then_on(language: Language) -> None:
    t, shown = of_guests(language, "host")
    at = next(number for number, one in enumerate(shown) if one["kind"] == "interaction_result" and one.get("called"))
    assert shown[at]["called"] == {t["alias"]: t["guest"]}
    assert shown[at]["text"] == t["recognition"]
    before = json.dumps(shown[:at], ensure_ascii=False)
    assert t["guest"] not in before
    assert t["alias"] in before
    assert {one["character"] for one in shown[at + 1 :] if one.get("text") == t["guest opens"]} == {t["alias"]}
    for eyes in (["guest"], ["steward"], ["prisoner"], ["guest", "steward"]):
        assert not any("called" in one for one in of_guests(language, *eyes)[1])


def test_two_who_play_know_somebody_only_once_both_do() -> None:
    t, shown = of_guests("en", "host", "prisoner")
    assert not any("called" in one for one in shown)
    assert with_text(shown, t["guest calls"])["character"] == t["alias"]


def test_two_who_play_read_no_name_that_one_of_them_does_not_know() -> None:
    """Whatever the one who did it calls the other, and whoever of the two comes first in the alphabet."""
    t, events = masked_guest.EN, masked_events("en")
    host, steward = t["host"], t["steward"]
    before = [event for event in events if event.round < ROUNDS]
    told = json.dumps(as_shown(masked_guest.scene("en"), before, perspective_of([host, steward])), ensure_ascii=False)
    assert t["host does"] in told, "she writes what she calls him"
    assert t["guest"] not in told


@both
def test_who_comes_out_of_hiding_appears_with_its_face(language: Language) -> None:
    t, shown = of_guests(language, "host")
    names = [one["name"] for one in redact_scene(masked_guest.scene(language), perspective_of([t["host"]]))["cast"]]
    assert names == [t["host"], t["alias"], t["steward"]]
    appeared = [one for event in shown for one in event.get("appeared", ())]
    place = {"position": t["in the hall"], "visible": t["tears"]}
    assert appeared == [{"character": t["prisoner"], **place, "public_face": t["prisoner face"]}]
    assert not any("appeared" in one for one in of_guests(language)[1])


@both
@pytest.mark.parametrize("who", ["host", "guest", "steward", "prisoner", None])
def test_what_is_told_live_is_what_is_told_when_the_story_is_loaded(language: Language, who: str | None) -> None:
    t, scene, events = masked_guest.TEXTS[language], masked_guest.scene(language), masked_events(language)
    eyes = EVERYTHING if who is None else perspective_of([t[who]])
    telling, told = Telling(scene, eyes), dict[int, dict[str, Any]]()
    for event in events:
        for number, content in telling.hear(event):
            corrected = content.pop("corrected", {})
            for earlier in told.values():
                if earlier["path"] in corrected:
                    earlier["known"] = corrected[earlier["path"]]
            assert number == len(told) + 1
            told[number] = content
    assert [*told.values()] == as_shown(scene, events, eyes)


def test_what_is_done_and_said_waits_until_it_is_known_who_perceives_it() -> None:
    scene, events = masked_guest.scene("en"), masked_events("en")
    first = next(number for number, one in enumerate(events) if one.kind == "action")
    for name, told in (("Tomas", [0, 0, 3, 0, 2]), ("Vera Lund", [1, 1, 1, 0, 2]), ("Aldo Renn", [0, 0, 3, 1, 1])):
        telling = Telling(scene, perspective_of([name]))
        for event in events[:first]:
            telling.hear(event)
        assert [len(telling.hear(event)) for event in events[first : first + 5]] == told


def test_a_masked_character_knows_how_it_is_called_by_those_whom_it_perceives() -> None:
    scene = masked_guest.scene("en")
    own = next(one for one in redact_scene(scene, perspective_of(["Aldo Renn"]))["cast"] if one["name"] == "Aldo Renn")
    assert own["known_as"] == [{"name": "the guest in the fox mask", "by": ["Vera Lund"]}]
    assert "unseen_by" not in own
