"""A reply that a person writes: what is written is what the engine reads, and what it had read comes back into the
fields."""

import json
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.components.answer_form.blank import FORMS, PROSE, Blank
from characterbox.components.answer_form.labels import CHOICES, HINTS, LABELS, PARTS, SUBMIT
from characterbox.errors import ReplyError
from characterbox.pause_reasons import Reason, several
from characterbox.play.algorithm import play
from characterbox.play.events import (
    Action,
    ByWhom,
    CharacterUpdate,
    Dialogue,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    StoryEnded,
)
from characterbox.play.paths import reply_path
from characterbox.play.settings import PROMPTS, Settings
from characterbox.play.world import Script, world_after
from characterbox.scenes.scene import Scene
from characterbox.values import Language
from tests.components.answer_form.hall import MAID, ODYSSEUS, PENELOPE, hall, influence

LANGUAGES: tuple[Language, Language] = ("en", "zh")


def random_reply(name: str, names: list[str], chance: Random) -> object:
    """A value for a field of a reply: every kind of it comes up."""
    some = [one for one in names if chance.random() < 0.5]
    match name:
        case "importance":
            return chance.choice([1, 10, None])
        case "whispered" | "unseen" | "concluded":
            return chance.random() < 0.5
        case "to" | "affected":
            return chance.choice([*names, None])
        case "seen_by" | "heard_by":
            return chance.choice([some, [], None])
        case "recognised":
            return chance.choice([[{"who": ODYSSEUS, "by": [PENELOPE]}], None])
        case "hidden":
            pairs = [{"who": who, "by": [by for by in names if by != who]} for who in some]
            return chance.choice([pairs, None])
        case "visible" | "other_visible":
            return chance.choice(["A scar.", "", None])
        case "felt" | "dialogue":
            return chance.choice(["The hand is cold.", None])
        case _:
            return f"{name} {chance.randrange(3)}"


async def replied(script: Script, reply) -> list[tuple[str, str, list[Event], list[Event]]]:
    """Play over what `reply` gives for a request: of each reply its path and text, and the events before and of it."""
    texts: dict[str, str] = {}
    events: list[Event] = []

    async def ask(request):
        texts[request.path] = reply(request, list(events))
        return texts[request.path]

    async def emit(event):
        events.append(event)

    await play(script, ask, emit)
    told: dict[str, list[Event]] = {}
    for event in events:
        if not isinstance(event, StoryEnded):
            told.setdefault(reply_path(event.path, texts), []).append(event)
    return [(path, texts[path], events[: events.index(group[0])], group) for path, group in told.items()]


def form_reply(request, script: Script, before: list[Event], chance: Random) -> str:
    """A reply in the form that is asked for, which names nobody who could not be meant."""
    if request.form is None:
        return chance.choice(["She sits down.", "He laughs."])
    there = Blank.at(request.path, script, before)
    names = [PENELOPE, ODYSSEUS, MAID]
    fields = {}
    for name in there.names:
        options = [option["value"] for field in there.fields if field["name"] == name for option in field["options"]]
        known = [one for one in options if isinstance(one, str)]
        fields[name] = random_reply(name, known or names, chance)
    if chance.random() < 0.1:
        fields.pop("dialogue", None)  # as models forget it: the words are asked for
    return json.dumps(fields)


def meanings(told, scene: Scene) -> list[object]:
    """What was told at each path, and the world after it: who is hidden can be told again, or be left as it is."""
    return [
        (
            path,
            [event.model_copy(update={"hidden": None}) for event in group],
            world_after(scene, [*before, *group]),
        )
        for path, _, before, group in told
    ]


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), language=st.sampled_from(LANGUAGES), prompts=st.sampled_from([1, 2]))
async def test_whatever_a_reply_told_is_told_by_the_reply_that_the_fields_make_of_it(seed, language, prompts) -> None:
    chance = Random(seed)
    script = Script(scene=hall(language), rounds=1, seed=seed, settings=Settings(prompts=prompts))
    told = await replied(script, lambda request, before: form_reply(request, script, before, chance))
    by_hand = {}
    for path, _, before, group in told:
        blank = Blank.behind(group, path, script, before)
        values = blank.values_in(group)
        assert values.keys() <= {field["name"] for field in blank.fields}
        by_hand[path] = blank.written(blank.read_draft(json.dumps(values)))
    again = await replied(script, lambda request, _: by_hand[request.path])
    assert meanings(again, script.scene) == meanings(told, script.scene)


@pytest.mark.parametrize("prompts", [1, 2])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_field_asks_in_the_words_of_the_scene(language: Language, prompts: int) -> None:
    script = Script(scene=hall(language), rounds=2, settings=Settings(prompts=prompts))
    chance, asked = Random(5), set()

    def reply(request, before):
        blank = Blank.at(request.path, script, before)
        form = (PROSE,) if request.form is None else tuple(request.form.schema["properties"])
        unsaid = {"to", "whispered", "recognised"}  # where nobody is perceived, or all are known
        assert {*form} - {*blank.names} <= unsaid
        for field in blank.fields:
            options = [option["label"] for option in field["options"]]
            assert field["label"]
            assert "$" not in "".join([field["label"], field["hint"], field["part"], *options])
        asked.add(request.path.split("/")[2])
        return form_reply(request, script, before, chance)

    await replied(script, reply)
    assert asked - {"dialogue", "reaction"} == {*FORMS} - ({"updates"} if prompts == 1 else {"update", "environment"})
    for texts in (LABELS, HINTS, CHOICES, PARTS):
        assert texts["en"].keys() == texts["zh"].keys()
    assert SUBMIT.keys() == LABELS.keys()


# ---- what a character writes


def at(path: str, scene: Scene, before: Sequence[Event] = (), *, prompts: int = PROMPTS) -> Blank:
    return Blank.at(path, Script(scene=scene, settings=Settings(prompts=prompts)), before)


def action(scene: Scene, before: Sequence[Event] = ()) -> Blank:
    return at("r1/penelope/action", scene, before)


def named(blank: Blank, name: str) -> dict:
    return next(field for field in blank.fields if field["name"] == name)


def test_a_character_speaks_to_those_whom_it_perceives_by_the_names_that_it_has() -> None:
    scene = hall()
    to = named(action(scene), "to")
    assert [option["value"] for option in to["options"]] == ["the beggar", None]
    assert ODYSSEUS not in json.dumps(action(scene).fields)
    assert MAID not in json.dumps(action(scene).fields)
    known = InteractionResult(
        path="r1/eurycleia/result", round=1, turn=MAID, character=MAID, affected=PENELOPE, text="The scar shows.",
        importance=9, recognised=(ByWhom(who=ODYSSEUS, by=(PENELOPE,)),),
    )  # fmt: skip
    assert named(action(scene, [known]), "to")["options"][0]["value"] == ODYSSEUS


def test_words_left_empty_are_silence_and_nothing_else_is_made_up() -> None:
    blank = action(hall())
    assert json.loads(blank.written({"action": "She bows."})) == {"action": "She bows.", "dialogue": None, "to": None}
    assert "action" not in json.loads(blank.written({}))
    told = json.loads(blank.written({**blank.begin, "action": "She bows.", "dialogue": "Who?", "to": "the beggar"}))
    assert told == {"action": "She bows.", "dialogue": "Who?", "to": "the beggar", "whispered": False, "unseen": False}


def test_who_is_alone_is_not_asked_whom_words_are_for() -> None:
    scene = hall()
    alone = scene.model_copy(update={"cast": scene.cast[:1]})
    assert action(alone).names == ("action", "dialogue", "unseen")
    assert at("r1/penelope/updates", alone).names[-1] == "concluded"
    assert "seen_by" not in at("r1/penelope/influence", alone).names


def test_who_answers_is_named() -> None:
    scene = hall()
    assert action(scene).fields[0]["label"] == "What Penelope does next"
    for again in ("", "/again"):
        [reaction] = at(f"r1/penelope/reaction/eurycleia{again}", scene).fields
        assert reaction["label"] == "How Eurycleia reacts"


def test_an_action_that_came_without_words_is_edited_alone() -> None:
    path, scene = "r1/penelope/action", hall()
    seen = Action(path=path, round=1, turn=PENELOPE, character=PENELOPE, text="She bows.")
    assert Blank.behind([seen], path, Script(scene=scene), []).written({PROSE: " She sits. "}) == "She sits."
    stealthy = Blank.behind([seen.model_copy(update={"unseen": True})], path, Script(scene=scene), [])
    assert json.loads(stealthy.written({"action": "She sits.", "unseen": True})) == {
        "action": "She sits.",
        "unseen": True,
    }


# ---- what the narrator writes


def test_whom_an_action_affects_is_one_of_the_others_or_nobody() -> None:
    blank = at("r1/odysseus/influence", hall())
    assert [option["value"] for option in named(blank, "affected")["options"]] == [PENELOPE, MAID, None]
    assert [option["value"] for option in named(blank, "importance")["options"]] == list(range(1, 11))
    kinds = {field["name"]: field["kind"] for field in blank.fields}
    assert kinds == {
        "affected": "choice",
        "effect": "text",
        "importance": "scale",
        "seen_by": "some",
        "heard_by": "some",
    }
    assert blank.begin == {"seen_by": None, "heard_by": None}
    assert json.loads(blank.written({"effect": "He slips."})) == {
        "effect": "He slips.",
        "seen_by": None,
        "heard_by": None,
    }


def test_who_perceives_it_unless_it_is_told_is_said_as_the_actor_meant_it() -> None:
    turn = {"round": 1, "turn": ODYSSEUS, "character": ODYSSEUS}
    before = [
        Action(path="r1/odysseus/action", text="He nods.", unseen=True, **turn),
        Dialogue(path="r1/odysseus/dialogue", text="Hush.", to=MAID, whispered=True, **turn),
    ]
    blank = at("r1/odysseus/influence", hall(), before)
    told = [named(blank, name)["options"][0]["label"] for name in ("seen_by", "heard_by")]
    assert told == ["as Odysseus means it: nobody", "as Odysseus means it: Eurycleia"]
    plain = at("r1/odysseus/influence", hall())
    assert named(plain, "seen_by")["options"][0]["label"] == "all who are there"


def test_who_can_be_recognised_is_asked_in_sentences_where_somebody_is_masked() -> None:
    blank = at("r1/odysseus/result", hall(), [influence()])
    [pair] = named(blank, "recognised")["options"]
    assert pair == {"label": "Penelope recognises the beggar: it is Odysseus", "value": [ODYSSEUS, PENELOPE]}
    assert named(blank, "felt")["label"] == "What only Penelope feels of it, if anything"
    assert [option["value"] for option in named(blank, "seen_by")["options"]] == [None, MAID]
    told = json.loads(blank.written({"result": "A scar.", "recognised": [[ODYSSEUS, PENELOPE], ["x"], 3]}))
    assert told["recognised"] == [{"who": ODYSSEUS, "by": [PENELOPE]}]
    assert json.loads(blank.written({"result": "A scar.", "recognised": []}))["recognised"] is None
    assert "recognised" not in at("r1/odysseus/result", hall(masked=False), [influence()]).names


def test_an_update_begins_with_how_things_are_and_tells_only_what_is_changed() -> None:
    scene = hall()
    blank = at("r1/odysseus/updates", scene, [influence()])
    assert blank.begin == {
        "position": "by the fire",
        "state": "tired",
        "other_position": "by the loom",
        "other_state": "wary",
        "time": "Night",
        "location": "The hall",
        "description": "A fire burns low.",
        "concluded": False,
        "hidden": [[MAID, PENELOPE]],
    }
    nothing = json.loads(blank.written(blank.begin))
    assert nothing.pop("concluded") is False
    assert {*nothing.values()} == {None}
    assert {*nothing} == {*blank.names} - {"concluded"}
    changed = json.loads(blank.written({**blank.begin, "state": "awake", "visible": "tears", "hidden": []}))
    assert {name: value for name, value in changed.items() if value is not None} == {
        "state": "awake",
        "visible": "tears",
        "concluded": False,
        "hidden": [],
    }


def test_what_shows_of_a_state_can_be_taken_away_and_an_empty_text_leaves_the_rest_as_it_is() -> None:
    turn = {"round": 1, "turn": PENELOPE, "character": ODYSSEUS}
    tears = CharacterUpdate(path="r1/penelope/update/odysseus", position="p", state="s", visible="tears", **turn)
    told = json.loads(at("r1/odysseus/updates", hall(), [tears, influence(None)]).written({}))
    assert (told["visible"], told["position"], told["time"]) == ("", None, None)
    assert "other_position" not in told


def test_fields_stand_together_by_whom_they_are_about_and_rare_ones_are_folded() -> None:
    blank = at("r1/odysseus/updates", hall(), [influence()])
    parts = list(dict.fromkeys((field["part"], field["folded"]) for field in blank.fields))
    assert parts == [
        *((ODYSSEUS, False), (PENELOPE, False), ("Environment", False), ("", False)),
        ("Somebody came, left or hid", True),
    ]
    assert [field["name"] for field in action(hall()).fields if field["folded"]] == ["whispered", "unseen"]


def test_an_update_by_itself_as_the_first_stories_have_it() -> None:
    scene = hall()
    own = at("r1/odysseus/update/penelope", scene, [influence()])
    assert own.begin == {"position": "by the loom", "state": "wary"}
    assert own.fields[0]["label"] == "Where Penelope is now"
    assert json.loads(own.written(own.begin)) == own.begin
    around = at("r1/odysseus/environment", scene)
    assert around.begin == {**scene.environment.model_dump(), "concluded": False}
    assert around.fields[-1]["kind"] == "toggle"
    event = EnvironmentUpdate(path="r1/odysseus/environment", round=1, turn=ODYSSEUS, **around.begin)
    assert around.values_in([event]) == around.begin


# ---- drafts and faults


def test_a_draft_comes_back_as_it_was_and_only_into_fields_that_are_there() -> None:
    values = {"affected": None, "effect": "He  slips ", "importance": 3}
    assert at("r1/odysseus/influence", hall()).read_draft(json.dumps(values)) == values
    reaction = at("r1/odysseus/reaction/penelope", hall())
    assert reaction.read_draft(json.dumps(values | {"text": "He "})) == {"text": "He "}


def test_a_draft_of_an_app_that_asked_for_the_action_alone_is_not_lost() -> None:
    assert action(hall()).read_draft('{"text": "She b"}') == {"action": "She b"}


def test_the_field_at_fault() -> None:
    blank = at("r1/odysseus/influence", hall())

    def at_fault(reason: Reason) -> str | None:
        return blank.field_at_fault(ReplyError(reason, reply=""))

    nobody, no_effect = Reason("nobody_known", name="'Ann'", known="Maud"), Reason("field_missing", field="effect")
    assert list(map(at_fault, (nobody, no_effect, several([no_effect, nobody])))) == ["affected", "effect", "effect"]
    assert at_fault(Reason("no_text")) is at_fault(Reason("field_missing", field="nowhere")) is None


def test_the_first_field_without_a_text_that_has_to_be_told() -> None:
    assert action(hall()).first_empty({"dialogue": "Stay!"}) == "action"
    assert action(hall()).first_empty({"action": "She rises."}) is None, "nobody has to speak"
    belief = at("r1/penelope/environment-belief", hall())
    assert belief.first_empty({"others": "Kind.", "scene": " ", "bearing": "I stay."}) == "scene"
    assert at("r1/odysseus/influence", hall()).first_empty({"affected": None}) == "effect"
    assert at("r1/odysseus/reaction/penelope", hall()).first_empty({}) == PROSE
