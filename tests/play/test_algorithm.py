"""Algorithm 1: which calls a story makes, in which order, in how many waves, and who is told what."""

import json

import pytest

from characterbox.errors import EndpointError, Interlude, RecordMismatch
from characterbox.play.algorithm import play
from characterbox.play.events import Action, Dialogue, EnvironmentUpdate, StoryEnded
from characterbox.play.settings import Settings
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, HeldBack, played, played_held_back
from tests.fakes.replies import mark, next_in, nobody
from tests.fakes.scenes import PLOT, a_scene, secret_of

INFLUENCED_TURN = ["action", "dialogue", "influence", "reaction/{other}", "result", "update/{self}", "update/{other}"]
LONE_TURN = ["action", "dialogue", "influence", "update/{self}"]
FIRST = Settings(prompts=1)
"""As stories of before were played: each update asked for by itself, and no beliefs before the first round."""


def turn(place, actor, other):
    """The events of a turn."""
    steps = LONE_TURN if other is None else INFLUENCED_TURN
    return [f"{place}/{actor}/{step.format(self=actor, other=other)}" for step in [*steps, "environment"]]


def asked_on(place, actor, other):
    """The questions of a turn: action and words are one, and so is how things are after it."""
    steps = ["action", "influence", *([] if other is None else [f"reaction/{other}", "result"]), "updates"]
    return [f"{place}/{actor}/{step}" for step in steps]


def beliefs(place, *names):
    return [f"{place}/{name}/{belief}" for name in names for belief in ("self-belief", "environment-belief")]


def all_at_once(waiting):
    return range(waiting)


def paths_of(ask):
    return [request.path for request in ask.requests]


async def test_two_characters_one_round_where_each_touches_the_other():
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    events = await played(script, ask)
    around = beliefs("r0", "ann", "bob"), beliefs("r1", "ann", "bob")
    turns = [*turn("r1", "ann", "bob"), *turn("r1", "bob", "ann")]
    assert [event.path for event in events] == [*around[0], *turns, *around[1], "end"]
    asked = [*asked_on("r1", "ann", "bob"), *asked_on("r1", "bob", "ann")]
    assert paths_of(ask) == [*around[0], *asked, *around[1]]


async def test_two_characters_one_round_where_nobody_is_touched():
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, nobody)
    events = await played(script, ask)
    around = beliefs("r0", "ann", "bob"), beliefs("r1", "ann", "bob")
    turns = [*turn("r1", "ann", None), *turn("r1", "bob", None)]
    assert [event.path for event in events] == [*around[0], *turns, *around[1], "end"]
    asked = [*asked_on("r1", "ann", None), *asked_on("r1", "bob", None)]
    assert paths_of(ask) == [*around[0], *asked, *around[1]]


async def test_one_character_alone_plays_too():
    script = Script(scene=a_scene("Ann"), rounds=1)
    events = await played(script, AnsweredAtOnce(script, nobody))
    around = beliefs("r0", "ann"), beliefs("r1", "ann")
    assert [event.path for event in events] == [*around[0], *turn("r1", "ann", None), *around[1], "end"]


@pytest.mark.parametrize("prose", ["Ann bows to the safe.", "**Action:** Ann bows to the safe.", '{"action": "Bows."}'])
async def test_words_that_do_not_come_with_the_action_are_asked_for(prose):
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, nobody, instead={"r1/ann/action": prose, "r1/bob/action": '{"action": "Waits."}'})
    events = await played(script, ask)
    words = {event.path: event.text for event in events if isinstance(event, Dialogue)}
    assert words == {path: mark(path, name) for path, name in (("r1/ann/dialogue", "Ann"), ("r1/bob/dialogue", "Bob"))}
    asked = paths_of(ask)
    assert asked.index("r1/ann/dialogue") == asked.index("r1/ann/action") + 1
    assert asked.index("r1/ann/influence") == asked.index("r1/ann/dialogue") + 1


@pytest.mark.parametrize("silence", ["null", '""', '"(silent)"', '"（沉默）。"', '"None"'])
async def test_who_says_with_its_action_that_it_is_silent_is_not_asked_again(silence):
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, nobody, instead={"r1/ann/action": f'{{"action": "Waits.", "dialogue": {silence}}}'})
    events = await played(script, ask)
    assert next(event.text for event in events if isinstance(event, Dialogue)) == ""
    assert "r1/ann/dialogue" not in paths_of(ask)


async def test_a_story_of_before_asks_for_each_update_and_forms_no_beliefs_before_it_begins():
    script = Script(scene=a_scene(), rounds=2, settings=FIRST)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    events = await played(script, ask)
    rounds = [
        [*turn(place, "ann", "bob"), *turn(place, "bob", "ann"), *beliefs(place, "ann", "bob")]
        for place in ("r1", "r2")
    ]
    assert [event.path for event in events] == [*rounds[0], *rounds[1], "end"]
    assert sorted(paths_of(ask)) == sorted([*rounds[0], *rounds[1]]), "words too"


@pytest.mark.parametrize("settings", [Settings(last_beliefs=False), Settings(prompts=1, last_beliefs=False)])
async def test_the_beliefs_after_the_last_round_can_be_left_out_and_no_others(settings):
    script = Script(scene=a_scene(), rounds=2, settings=settings)
    events = await played(script, AnsweredAtOnce(script, nobody))
    formed = [event.path for event in events if event.kind.endswith("belief")]
    places = ["r0", "r1"] if settings.prompts > 1 else ["r1"]
    assert formed == [path for place in places for path in beliefs(place, "ann", "bob")]


async def test_every_character_takes_its_own_turn_in_cast_order_also_after_a_reaction():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
    events = await played(script, AnsweredAtOnce(script, next_in(script.scene)))
    assert [event.character for event in events if isinstance(event, Action)] == ["Ann", "Bob", "Cid"] * 2
    assert [event.character for event in events if isinstance(event, Dialogue)] == ["Ann", "Bob", "Cid"] * 2


async def test_an_influenced_turn_is_five_calls_deep_and_the_beliefs_one():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
    ask = HeldBack(script, next_in(script.scene), all_at_once)
    await played_held_back(script, ask)
    assert len(ask.waves) == 1 + 2 * (3 * 5 + 1)
    assert ask.waves[:6] == [
        set(beliefs("r0", "ann", "bob", "cid")),
        {"r1/ann/action"},
        {"r1/ann/influence"},
        {"r1/ann/reaction/bob"},
        {"r1/ann/result"},
        {"r1/ann/updates"},
    ]
    assert ask.waves[16] == set(beliefs("r1", "ann", "bob", "cid"))


async def test_a_turn_that_touches_nobody_is_three_calls_deep():
    script = Script(scene=a_scene(), rounds=2)
    ask = HeldBack(script, nobody, all_at_once)
    await played_held_back(script, ask)
    assert len(ask.waves) == 1 + 2 * (2 * 3 + 1)
    assert ask.waves[3] == {"r1/ann/updates"}


async def test_the_updates_of_a_story_of_before_are_asked_for_side_by_side():
    script = Script(scene=a_scene(), rounds=1, settings=FIRST)
    ask = HeldBack(script, next_in(script.scene), all_at_once)
    await played_held_back(script, ask)
    assert len(ask.waves) == 2 * 6 + 1
    assert ask.waves[5] == {"r1/ann/update/ann", "r1/ann/update/bob", "r1/ann/environment"}


async def test_only_the_affected_one_is_told_the_influence():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
    ask = AnsweredAtOnce(script, lambda actor: "Bob" if actor == "Ann" else None)
    await played(script, ask)
    influence = mark("r1/ann/influence", None)
    assert influence in ask.prompt("r1/ann/reaction/bob")
    assert influence in ask.prompt("r2/bob/action")
    assert influence not in ask.prompt("r2/ann/action")
    assert influence not in ask.prompt("r2/cid/action")


async def test_everyone_observes_actions_speech_reactions_and_results():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=1)
    ask = AnsweredAtOnce(script, lambda actor: "Bob" if actor == "Ann" else None)
    await played(script, ask)
    for line in (
        f"Ann acts: {mark('r1/ann/action', 'Ann')}",
        f"Ann says: {mark('r1/ann/action', 'Ann')}",
        f"Bob reacts to Ann: {mark('r1/ann/reaction/bob', 'Bob')}",
        f"Result: {mark('r1/ann/result', None)}\n",
    ):
        assert line in ask.prompt("r1/cid/action")
    felt = f"Felt by Bob alone: {mark('r1/ann/result', None)}"
    assert felt in ask.prompt("r1/bob/action")
    assert felt not in ask.prompt("r1/cid/action")
    assert felt not in ask.prompt("r1/ann/self-belief")


async def test_the_narrator_hears_what_is_said_before_it_says_whom_it_touches():
    script = Script(scene=a_scene(), rounds=1)
    words = {"action": "Ann bows.", "dialogue": "The watch is mine.", "to": "Bob"}
    ask = AnsweredAtOnce(script, nobody, instead={"r1/ann/action": json.dumps(words)})
    await played(script, ask)
    assert "- Ann bows.\n- Ann says to Bob: The watch is mine.\n</record>" in ask.prompt("r1/ann/influence")


async def test_private_profiles_stay_private_and_nobody_is_told_the_plot():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    await played(script, ask)
    for request in ask.requests:
        prompt = ask.prompt(request.path)
        assert PLOT not in prompt
        told = {name for name in script.scene.names if secret_of(name) in prompt}
        assert told == (set(script.scene.names) if request.agent is None else {request.agent})


async def test_beliefs_stay_with_the_one_who_holds_them():
    script = Script(scene=a_scene("Ann", "Bob"), rounds=2)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    await played(script, ask)
    for belief in ("self-belief", "environment-belief"):
        for before, round in (("r0", "r1"), ("r1", "r2")):
            formed = mark(f"{before}/ann/{belief}", "Ann")
            assert formed in ask.prompt(f"{round}/ann/action"), "all that it does rests on what it believes"
            assert not any(formed in ask.prompt(one.path) for one in ask.requests if one.agent != "Ann")


@pytest.mark.parametrize("settings", [Settings(), FIRST])
@pytest.mark.parametrize(("may_conclude", "because", "actors"), [(True, "concluded", 1), (False, "rounds", 4)])
async def test_a_concluded_story_ends_early_only_when_it_may(settings, may_conclude, because, actors):
    script = Script(scene=a_scene(), rounds=2, may_conclude=may_conclude, settings=settings)
    end = {"time": "Dawn", "location": "The lobby", "description": "A closed safe.", "concluded": True}
    path = "r1/ann/environment" if settings.prompts == 1 else "r1/ann/updates"
    ask = AnsweredAtOnce(script, nobody, instead={path: json.dumps(end)})
    events = await played(script, ask)
    assert events[-1] == StoryEnded(path="end", round=1 if may_conclude else 2, because=because)
    assert sum(isinstance(event, Action) for event in events) == actors
    assert any(event.path == "r1/bob/self-belief" for event in events), "the last round ends with its beliefs"


async def test_the_environment_of_the_turn_before_is_what_the_next_one_is_told():
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, nobody)
    events = await played(script, ask)
    update = next(event for event in events if isinstance(event, EnvironmentUpdate))
    assert update.description in ask.prompt("r1/bob/action")
    assert "An open safe." in ask.prompt("r1/ann/action")


async def test_when_an_endpoint_fails_the_calls_beside_it_come_to_their_end():
    script = Script(scene=a_scene(), rounds=1)
    answered = []
    inner = AnsweredAtOnce(script, nobody)

    async def ask(request):
        if request.path == "r0/ann/self-belief":
            raise EndpointError("out of order")
        reply = await inner(request)
        answered.append(request.path)
        return reply

    async def emit(event):
        pass

    with pytest.raises(EndpointError, match="out of order"):
        await play(script, ask, emit)
    assert answered == beliefs("r0", "ann", "bob")[1:]


@pytest.mark.parametrize(
    ("failing", "shown", "error"),
    [
        ({"ann/environment-belief": Interlude("paused"), "bob/self-belief": EndpointError("out of order")}, 1,
         EndpointError),
        ({"ann/environment-belief": EndpointError("out of order"), "bob/self-belief": Interlude("paused")}, 1,
         EndpointError),
        ({"ann/environment-belief": Interlude("paused"), "bob/self-belief": Interlude("too")}, 1, Interlude),
        ({"bob/self-belief": Interlude("paused")}, 2, Interlude),
    ],
)  # fmt: skip
async def test_a_failure_is_raised_rather_than_an_interlude_and_what_came_before_the_first_is_shown(
    failing, shown, error
):
    script = Script(scene=a_scene(), rounds=1)
    inner, events = AnsweredAtOnce(script, nobody), []

    async def ask(request):
        if (failure := failing.get(request.path.partition("/")[2])) is not None:
            raise failure
        return await inner(request)

    async def emit(event):
        events.append(event.path)

    with pytest.raises(error, match="out of order" if error is EndpointError else "paused"):
        await play(script, ask, emit)
    assert events == beliefs("r0", "ann", "bob")[:shown]


@pytest.mark.parametrize("path", ["r0/ann/self-belief", "r1/ann/action", "r1/ann/dialogue", "r1/ann/environment",
                                  "r1/bob/self-belief"])  # fmt: skip
async def test_an_error_of_the_one_who_takes_the_events_comes_out_as_it_is(path):
    script = Script(scene=a_scene(), rounds=1)

    async def emit(event):
        if event.path == path:
            raise RecordMismatch("another event stands there", path=path)

    with pytest.raises(RecordMismatch, match="another event stands there"):
        await play(script, AnsweredAtOnce(script, nobody), emit)
