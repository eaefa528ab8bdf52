"""What can't be read is asked for once more with the error shown; then a neutral outcome stands there, marked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from characterbox.errors import ReplyError
from characterbox.llm.asking import JournaledAsk, OpenDoor
from characterbox.llm.calls.client import Completion
from characterbox.llm.journal import Record
from characterbox.play.events import StoryEnded
from characterbox.play.settings import Settings
from characterbox.play.world import Script, World, world_after
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.cases import case
from tests.fakes.journal import MemoryJournal
from tests.fakes.replies import next_in, nobody, reply_to
from tests.fakes.scenes import a_scene
from tests.fakes.stories import AT
from tests.play.damaged import DENIED, PROSE_REFUSED, REFUSED, Whole, in_prose

SCRIPT = Script(scene=a_scene(), rounds=1)
FIRST = SCRIPT.model_copy(update={"settings": Settings(prompts=1)})
WAITS = {"r1/ann/action": {"text": "Ann waits and watches."}}
SILENT = {"r1/ann/dialogue": {"text": ""}}
SAME_PLACE = {
    **{f"r1/ann/update/{name.lower()}": {"position": f"place of {name}", "state": f"state of {name}"}
       for name in ("Ann", "Bob")},
    "r1/ann/environment": {"time": "Midnight", "location": "The lobby", "description": "An open safe."},
}  # fmt: skip
NEUTRAL = {
    "r0/ann/self-belief": dict.fromkeys(("belief", "desire", "intention"), "I cannot put it into words yet."),
    "r0/ann/environment-belief": dict.fromkeys(("others", "scene", "bearing"), "I cannot put it into words yet."),
    "r1/ann/influence": {"affected": None, "text": "Ann's action affects nobody in particular.", "importance": None},
    "r1/ann/reaction/bob": {"text": "Bob takes it in without moving."},
    "r1/ann/result": {"text": "For now, nothing visible comes of it.", "importance": None},
}
STEPS = {
    "r1/ann/action": {**WAITS, **SILENT},
    "r1/ann/dialogue": SILENT,
    **{path: {path: neutral} for path, neutral in NEUTRAL.items()},
    "r1/ann/updates": SAME_PLACE,
}
"""What stands, by event, where the reply at a path can't be read."""
WORDLESS = {"r1/ann/action": "Ann bows."}
"""An action in prose, after which the words are asked for."""
UNREADABLE = '{"None"'


def unreadable(path):
    return "None" if path.endswith(("dialogue", "bob")) else UNREADABLE


def before(path):
    """What has to be replied before, so that a question is put at the path."""
    return WORDLESS if path == "r1/ann/dialogue" else {}


@pytest.mark.parametrize("path", STEPS)
async def test_asked_again_with_the_error_shown_and_then_read(path):
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead={**before(path), path: unreadable(path)})
    events = await played(SCRIPT, ask)
    assert not any(event.degraded for event in events)
    assert [request.path for request in ask.requests].count(f"{path}/again") == 1
    first, again = ask.prompt(path), ask.prompt(f"{path}/again")
    assert again.startswith(first)
    assert unreadable(path) in again.removeprefix(first)
    assert "could not be read" in again
    made = [event for event in events if event.path in STEPS[path]]
    assert len(made) == len(STEPS[path])
    assert all(f"at {path}/again" in str(event) for event in made)


def check_neutral(events, path):
    """Of all events those of the reply at the path are degraded, with a reason, and neutral."""
    degraded = {event.path: event for event in events if event.degraded}
    assert degraded.keys() == STEPS[path].keys()
    for event in degraded.values():
        neutral = STEPS[path][event.path]
        assert event.reason
        assert {field: getattr(event, field) for field in neutral} == neutral


@pytest.mark.parametrize("path", STEPS)
async def test_what_can_not_be_read_twice_is_degraded_and_neutral(path):
    bad = {**before(path), **dict.fromkeys((path, f"{path}/again"), unreadable(path))}
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead=bad)
    events = await played(SCRIPT, ask)
    check_neutral(events, path)
    assert isinstance(events[-1], StoryEnded)


async def test_of_a_degraded_action_nobody_knows_the_words_and_they_are_silence():
    bad = dict.fromkeys(("r1/ann/action", "r1/ann/action/again"), UNREADABLE)
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead=bad)
    events = await played(SCRIPT, ask)
    [spoken] = [event for event in events if event.path == "r1/ann/dialogue"]
    assert (spoken.text, spoken.to, spoken.whispered) == ("", None, False)
    assert "r1/ann/dialogue" not in [request.path for request in ask.requests]


async def test_degraded_updates_leave_the_world_as_it_was():
    bad = dict.fromkeys(("r1/ann/updates", "r1/ann/updates/again"), UNREADABLE)
    events = await played(SCRIPT, AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead=bad))
    assert [event.path for event in events if event.degraded] == [*SAME_PLACE]
    turn_of_ann = [event for event in events if event.turn == "Ann"]
    assert replace(world_after(SCRIPT.scene, turn_of_ann), witnesses=None) == World.opening(SCRIPT.scene)


async def test_of_a_story_of_before_a_degraded_update_leaves_the_others_alone():
    paths = ["r1/ann/update/ann", "r1/ann/environment"]
    bad = {f"{path}{again}": UNREADABLE for path in paths for again in ("", "/again")}
    events = await played(FIRST, AnsweredAtOnce(FIRST, next_in(FIRST.scene), instead=bad))
    assert [event.path for event in events if event.degraded] == paths
    turn_of_ann = [event for event in events if event.turn == "Ann"]
    opening = World.opening(SCRIPT.scene)
    after = world_after(SCRIPT.scene, turn_of_ann)
    assert after.environment == opening.environment
    ann, bob = after.characters["Ann"], after.characters["Bob"]
    assert (ann.position, ann.state) == ("place of Ann", "state of Ann")
    assert bob.position != opening.characters["Bob"].position


@pytest.mark.parametrize("round", [1, 2])
async def test_a_degraded_belief_keeps_the_one_of_the_round_before(round):
    script = Script(scene=a_scene(), rounds=2)
    bad = dict.fromkeys((f"r{round}/ann/self-belief", f"r{round}/ann/self-belief/again"), UNREADABLE)
    events = await played(script, AnsweredAtOnce(script, next_in(script.scene), instead=bad))
    own = [event for event in events if event.kind == "self_belief" and event.character == "Ann"]
    first, second = own[round - 1 : round + 1]
    assert (first.degraded, second.degraded) == (False, True)
    assert (second.belief, second.desire, second.intention) == (first.belief, first.desire, first.intention)


async def test_a_story_of_nothing_but_unreadable_replies_comes_to_its_end():
    async def ask(request):
        return UNREADABLE if request.form else "None"

    events = await played(SCRIPT, ask)
    assert all(event.degraded for event in events[:-1])
    assert isinstance(events[-1], StoryEnded)


@pytest.mark.parametrize("silence", ["(silent)", "(Silent)", "silent", "“(silent)”", "（沉默）", "（沉默）。"])
@pytest.mark.parametrize("with_action", [True, False])
async def test_the_agreed_sign_of_silence_is_silence(silence, with_action):
    both = {"r1/ann/action": json.dumps({"action": "Ann bows.", "dialogue": silence})}
    instead = both if with_action else {**WORDLESS, "r1/ann/dialogue": silence}
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead=instead)
    [speech, _] = [event for event in await played(SCRIPT, ask) if event.kind == "dialogue"]
    assert speech.text == ""
    assert not speech.degraded
    assert "Ann says nothing." in ask.prompt("r1/bob/action")


async def test_an_unknown_name_is_answered_with_the_names_there_are():
    unknown = json.dumps({"affected": "Zoe", "effect": "She falls."})
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead={"r1/ann/influence": unknown})
    await played(SCRIPT, ask)
    assert "'Zoe' is none of the characters Bob" in ask.prompt("r1/ann/influence/again")


@pytest.mark.parametrize(("step", "field"), [("influence", "effect"), ("result", "result")])
@pytest.mark.parametrize("importance", ["high", 11])
async def test_an_importance_that_can_not_be_used_is_asked_for_again_and_then_left_out(step, field, importance):
    path = f"r1/ann/{step}"
    reply = json.dumps({"affected": "Bob", field: "He shivers.", "importance": importance})
    once = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead={path: reply})
    [event] = [event for event in await played(SCRIPT, once) if event.path == path]
    assert (event.importance, event.degraded) == (6, False)
    assert "importance: " in once.prompt(f"{path}/again")
    twice = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead=dict.fromkeys((path, f"{path}/again"), reply))
    [event] = [event for event in await played(SCRIPT, twice) if event.path == path]
    assert (event.text, event.affected, event.importance) == ("He shivers.", "Bob", None)
    assert not event.degraded


@pytest.mark.parametrize(("path", "label"), [("action", "Action"), ("dialogue", "Speech"), ("reaction/bob", "反应")])
async def test_the_label_of_the_task_is_not_part_of_what_is_told(path, label):
    labelled = {f"r1/ann/{path}": f"**{label}：** Look: there."}
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead={**before(f"r1/ann/{path}"), **labelled})
    [event] = [event for event in await played(SCRIPT, ask) if event.path == f"r1/ann/{path}"]
    assert event.text == "Look: there."


async def test_replies_that_are_cut_off_are_degraded_with_the_reason():
    async def ask(request):
        raise ReplyError("the reply was cut off after 9 tokens", reply="They stand and")

    events = await played(SCRIPT, ask)
    assert {(event.degraded, str(event.reason)) for event in events[:-1]} == {
        (True, "the reply was cut off after 9 tokens")
    }
    assert "They stand and" not in str(events)


@dataclass
class Answering:
    """A client whose replies are those of a whole story, but for some paths."""

    instead: Mapping[str, str]

    def prompt_room(self, endpoint):
        return None

    async def complete(self, endpoint, request, **_):
        text = self.instead.get(request.path, reply_to(request, SCRIPT.scene, next_in(SCRIPT.scene)))
        return Completion(text, "stop")


async def journaled(instead):
    """The events of a story with these replies, and its journal."""
    journal = MemoryJournal()
    record = Record(replies={}, endpoint_of=lambda _: AT, seed=1, on_mismatch="stop")
    return await played(SCRIPT, JournaledAsk(journal, record, Answering(instead), OpenDoor())), journal


@pytest.mark.parametrize("path", STEPS)
async def test_of_a_degraded_event_both_raw_replies_are_in_the_journal(path):
    bad = {path: "", f"{path}/again": '{"None": [}'}
    events, journal = await journaled({**before(path), **bad})
    assert {event.path for event in events if event.degraded} == STEPS[path].keys()
    recorded = journal.replies()
    assert {place: recorded[place].text for place in bad} == bad
    assert [place for place in recorded if place.endswith("/again")] == [f"{path}/again"]
    assert journal.marks.count((path, 0)) == journal.marks.count((f"{path}/again", 0)) == 1


@pytest.mark.parametrize("path", STEPS)
async def test_of_an_event_that_was_asked_for_twice_both_raw_replies_are_in_the_journal(path):
    events, journal = await journaled({**before(path), path: UNREADABLE})
    assert not any(event.degraded for event in events)
    recorded = journal.replies()
    assert recorded[path].text == UNREADABLE
    assert recorded[f"{path}/again"].text == reply_to(
        next(one for one in await asked_of(path) if one.path == f"{path}/again"), SCRIPT.scene, next_in(SCRIPT.scene)
    )


async def asked_of(path):
    """The requests of a story in which the first reply at a path can't be read."""
    ask = AnsweredAtOnce(SCRIPT, next_in(SCRIPT.scene), instead={**before(path), path: UNREADABLE})
    await played(SCRIPT, ask)
    return ask.requests


PARTS = {
    "r0/ann/self-belief": {"belief": "I am late.", "desire": "To go", "intention": "I go."},
    "r0/ann/environment-belief": {"others": "They wait.", "scene": "A trap", "bearing": "I wait."},
    "r1/ann/action": {"action": "Ann bows: at 10:30.", "dialogue": "Now", "to": "Bob", "whispered": True},
    "r1/ann/influence": {"affected": "Bob", "effect": "He shivers: at 10:30."},
    "r1/ann/updates": {"position": "By the door", "other_state": "Cold", "time": "Noon", "concluded": False},
}


@pytest.mark.slow
@pytest.mark.parametrize("path", PARTS)
async def test_every_structured_reply_of_the_table_that_is_refused_is_degraded(path):
    whole = Whole(PARTS[path], {field: field for field in PARTS[path]})
    for damage in (one for one in REFUSED if "more than is read" not in one.name):
        if (path, damage.name) == ("r1/ann/updates", "ellipses for values"):
            continue  # all is as it was
        bad = damage.of(whole)
        events, journal = await journaled(dict.fromkeys((path, f"{path}/again"), bad))
        with case(damage.name):
            check_neutral(events, path)
            assert journal.replies()[f"{path}/again"].text == bad


FIRST_PARTS = {
    "r1/ann/update/ann": {"position": "By the door", "state": "Cold"},
    "r1/ann/environment": {"time": "Noon", "location": "Hall", "description": "Dark: very", "concluded": False},
}


@pytest.mark.slow
@pytest.mark.parametrize("path", FIRST_PARTS)
async def test_so_it_is_with_the_updates_of_a_story_of_before(path):
    whole = Whole(FIRST_PARTS[path], {field: field for field in FIRST_PARTS[path]})
    for damage in (one for one in REFUSED if "more than is read" not in one.name):
        bad = damage.of(whole)
        ask = AnsweredAtOnce(FIRST, nobody, instead={})
        answers = AnsweredWith(ask, dict.fromkeys((path, f"{path}/again"), bad))
        events = await played(FIRST, answers)
        [event] = [event for event in events if event.degraded]
        assert (event.path, {field: getattr(event, field) for field in SAME_PLACE[path]}) == (path, SAME_PLACE[path])


@dataclass
class AnsweredWith:
    """An ask with other replies at some paths, also where they are empty."""

    ask: AnsweredAtOnce
    instead: Mapping[str, str]

    async def __call__(self, request):
        return self.instead[request.path] if request.path in self.instead else await self.ask(request)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "task", "label"),
    [
        ("r1/ann/action", "action", "行动"),
        ("r1/ann/dialogue", "dialogue", "台词"),
        ("r1/ann/reaction/bob", "reaction", "反应"),
    ],
)
async def test_every_text_of_the_table_that_is_refused_is_degraded(path, task, label):
    for name, form in PROSE_REFUSED.items():
        bad = in_prose(form, task, label)
        if path == "r1/ann/action" and name in READ_AS_ACTIONS:
            continue
        events, journal = await journaled({**before(path), **dict.fromkeys((path, f"{path}/again"), bad)})
        with case(name):
            check_neutral(events, path)
            assert journal.replies()[path].text == bad


READ_AS_ACTIONS = ("JSON between prose",)
"""What tells an action as its form has it, and nothing else."""


async def test_a_refusal_is_no_result():
    path = "r1/ann/result"
    events, _ = await journaled(dict.fromkeys((path, f"{path}/again"), DENIED))
    check_neutral(events, path)
    assert "refuses" in str(next(event.reason for event in events if event.path == path))
