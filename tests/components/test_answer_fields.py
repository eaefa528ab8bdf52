"""The fields of a form, and the reply that they make: what is written is what the engine reads."""

import json

import pytest

from characterbox.components.answer_form import (
    FORMS,
    HINTS,
    LABELS,
    field_at_fault,
    fields_of,
    read_draft,
    step_of,
    values_in,
    values_now,
    written,
)
from characterbox.errors import ReplyError
from characterbox.pause_reasons import Reason, several
from characterbox.play import replies
from characterbox.play.events import Dialogue, EnvironmentUpdate, Event, StoryEnded
from characterbox.play.world import World, world_after
from characterbox.scenes.scene import Scene
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE

STORIES = {"en": (LIGHTHOUSE, ENGLISH_EVENTS), "zh": (TEAHOUSE, CHINESE_EVENTS)}
EVENTS = [
    (scene, event.model_copy(update={"path": event.path.removesuffix("update") + "environment"}))
    if isinstance(event, EnvironmentUpdate)
    else (scene, event)
    for scene, events in STORIES.values()
    for event in events
    if not isinstance(event, StoryEnded) and (event.kind != "action_influence" or event.text)
]
"""All that a reply is behind; the samples tell no effect where nobody is affected, which no reply could."""


def read(event: Event, text: str, scene: Scene) -> object:
    """The reply as the engine reads it."""
    match step_of(event.path):
        case "influence":
            return replies.read_influence(text, actor=event.character, names=scene.names)
        case "result":
            return replies.read_result(text)
        case "update":
            return replies.read_character_update(text)
        case "environment":
            return replies.read_environment_update(text)
        case "self-belief":
            return replies.read_self_belief(text)
        case "environment-belief":
            return replies.read_environment_belief(text)
        case _:
            return text


@pytest.mark.parametrize(("scene", "event"), EVENTS, ids=lambda one: getattr(one, "path", None) or one.id)
def test_an_event_taken_into_the_fields_and_written_again_says_the_same(scene: Scene, event: Event) -> None:
    values = values_in(event, scene.language)
    assert values.keys() <= {field["name"] for field in fields_of(event.path, scene)}
    reply = read(event, written(event.path, values), scene)
    if isinstance(event, Dialogue) and not event.text:
        assert reply == {"en": "(silent)", "zh": "（沉默）"}[scene.language]
    elif isinstance(reply, str):
        assert reply == event.text
    else:
        told = reply.model_dump()
        text = told.pop("effect", None) or told.pop("result", None)
        assert text in (None, getattr(event, "text", None))
        assert told == {name: getattr(event, name) for name in told}


@pytest.mark.parametrize("scene", [LIGHTHOUSE, TEAHOUSE], ids=lambda scene: scene.id)
def test_every_step_has_its_fields_in_the_words_of_the_scene(scene: Scene) -> None:
    paths = {event.path for owner, event in EVENTS if owner is scene}
    assert {step_of(path) for path in paths} == {*FORMS, "action", "dialogue", "reaction"}
    for path in paths:
        for field in fields_of(path, scene):
            assert field["label"]
            assert "$" not in field["label"] + field["hint"]
    assert LABELS["en"].keys() == LABELS["zh"].keys()
    assert HINTS["en"].keys() == HINTS["zh"].keys()


def test_whom_an_action_affects_is_one_of_the_others_or_nobody() -> None:
    affected, effect, importance = fields_of("r1/maud-tarrant/influence", LIGHTHOUSE)
    assert [option["value"] for option in affected["options"]] == ["Elias", "Inspector Pell", None]
    assert [option["value"] for option in importance["options"]] == list(range(1, 11))
    assert (affected["kind"], effect["kind"], importance["kind"]) == ("choice", "text", "scale")
    assert fields_of("r1/maud-tarrant/environment", LIGHTHOUSE)[-1]["kind"] == "toggle"


def test_who_answers_is_named() -> None:
    assert fields_of("r1/maud-tarrant/action", LIGHTHOUSE)[0]["label"] == "What Maud Tarrant does next"
    assert fields_of("r1/maud-tarrant/reaction/elias", LIGHTHOUSE)[0]["label"] == "How Elias reacts"
    assert fields_of("r1/maud-tarrant/reaction/elias/again", LIGHTHOUSE)[0]["label"] == "How Elias reacts"


def test_what_nobody_touched_is_left_out_of_the_reply_and_not_made_up() -> None:
    text = written("r1/elias/influence", {"effect": "He slips."})
    assert json.loads(text) == {"effect": "He slips."}
    assert json.loads(written("r1/elias/influence", {"affected": None}))["affected"] is None
    assert written("r1/elias/action", {}) == ""


def test_a_draft_comes_back_as_it_was_and_only_into_fields_that_are_there() -> None:
    values = {"affected": None, "effect": "He  slips ", "importance": 3}
    assert read_draft("r1/elias/influence", json.dumps(values)) == values
    assert read_draft("r1/elias/action", json.dumps(values | {"text": "He "})) == {"text": "He "}


def test_an_update_begins_with_how_things_are() -> None:
    world = world_after(LIGHTHOUSE, ENGLISH_EVENTS)
    elias = world.characters["Elias"]
    assert values_now("r2/elias/update/elias", LIGHTHOUSE, world) == {"position": elias.position, "state": elias.state}
    now = values_now("r2/elias/environment", LIGHTHOUSE, world)
    assert now == {**world.environment.model_dump(), "concluded": False}
    for path in ("r1/elias/action", "r1/elias/influence", "r1/elias/result", "r1/elias/self-belief"):
        assert values_now(path, LIGHTHOUSE, World.opening(LIGHTHOUSE)) == {}


def test_the_field_at_fault() -> None:
    fields = fields_of("r1/elias/influence", LIGHTHOUSE)

    def at_fault(reason: Reason) -> str | None:
        return field_at_fault(ReplyError(reason, reply=""), fields)

    nobody, no_effect = Reason("nobody_known", name="'Ann'", known="Maud"), Reason("field_missing", field="effect")
    assert list(map(at_fault, (nobody, no_effect, several([no_effect, nobody])))) == ["affected", "effect", "effect"]
    assert at_fault(Reason("no_text")) is at_fault(Reason("field_missing", field="nowhere")) is None
