"""What is shown while people play characters: nothing that these do not perceive, in place, with its number."""

import json

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
from characterbox.stage.live.visibility import EVERYTHING, notice_as_seen, perspective_of, redact_event, redact_scene
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE
from tests.fakes.scenes import masked_scene

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
    shown = [redact_scene(scene, eyes), *(redact_event(event, eyes) for event in events)]
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
    assert {*own} == {*shown, "knowledge", "other_names"}


@pytest.mark.parametrize("language", STORIES)
def test_two_who_play_are_shown_only_what_both_perceive(language: str) -> None:
    scene, events = STORIES[language]
    both = json.dumps([redact_event(event, perspective_of(scene.names)) for event in events], ensure_ascii=False)
    for texts in private_texts(events).values():
        assert not any(json.dumps(text, ensure_ascii=False)[1:-1] in both for text in texts)


@pytest.mark.parametrize("language", STORIES)
def test_the_narrator_and_who_only_watches_are_shown_everything(language: str) -> None:
    scene, events = STORIES[language]
    assert perspective_of([None]) == EVERYTHING
    assert perspective_of([None, scene.names[0]]) == {scene.names[0]}
    assert redact_scene(scene, EVERYTHING) == scene.model_dump(mode="json")
    for event in events:
        assert redact_event(event, EVERYTHING) == event.model_dump(mode="json")


@pytest.mark.parametrize(("language", "name"), SEATS)
def test_every_event_keeps_its_place_and_what_the_narrator_thinks_of_it_is_not_told(language: str, name: str) -> None:
    _, events = STORIES[language]
    seen = [redact_event(event, perspective_of([name])) for event in events]
    assert [event["path"] for event in seen] == [event.path for event in events]
    assert {event.get("importance") for event in seen} == {None}
    assert not any(event.get("concluded") for event in seen)


def test_a_conclusion_of_the_narrator_is_not_told() -> None:
    event = EnvironmentUpdate(path="r1/a/environment", round=1, time="t", location="l", description="d", concluded=True)
    assert redact_event(event, perspective_of(["Elias"]))["concluded"] is False


def test_steps_under_way_are_told_to_those_who_can_perceive_them() -> None:
    maud, elias = perspective_of(["Maud Tarrant"]), perspective_of(["Elias"])
    for kind, character, of_maud, of_elias in [
        ("action", "Elias", True, True),
        ("reaction", "Elias", True, True),
        ("action_influence", "Elias", False, False),
        ("character_update", "Elias", False, False),
        ("self_belief", "Elias", False, True),
        ("environment_belief", "Maud Tarrant", True, False),
    ]:
        notice = Notice("token", {"path": "r1/elias/x", "kind": kind, "character": character, "text": "piece"})
        assert (notice_as_seen(notice, maud) is not None) == of_maud
        assert (notice_as_seen(notice, elias) is not None) == of_elias
        assert notice_as_seen(notice, EVERYTHING) == notice


def test_an_event_is_told_with_its_number_and_a_status_as_it_is() -> None:
    belief = next(event for event in ENGLISH_EVENTS if isinstance(event, SelfBelief))
    other = next(name for name in LIGHTHOUSE.names if name != belief.character)
    notice = notice_as_seen(Notice("event", belief.model_dump(mode="json"), 7), perspective_of([other]))
    assert notice is not None
    assert (notice.seq, notice.content["kind"]) == (7, "veiled")
    status = Notice("status", {"status": "cued", "reason": "Elias has to answer"})
    assert notice_as_seen(status, perspective_of([other])) == status
