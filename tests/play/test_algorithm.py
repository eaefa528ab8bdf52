"""Algorithm 1: which calls a story makes, in which order, in how many waves, and who is told what."""

import json

import pytest

from characterbox.errors import EndpointError, Interlude, RecordMismatch
from characterbox.play.algorithm import play
from characterbox.play.events import Action, Dialogue, EnvironmentUpdate, StoryEnded
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, HeldBack, played, played_held_back
from tests.fakes.replies import mark, next_in, nobody
from tests.fakes.scenes import PLOT, a_scene, secret_of

INFLUENCED_TURN = ["action", "dialogue", "influence", "reaction/{other}", "result", "update/{self}", "update/{other}"]
LONE_TURN = ["action", "dialogue", "influence", "update/{self}"]


def turn(place, actor, other):
    steps = LONE_TURN if other is None else INFLUENCED_TURN
    return [f"{place}/{actor}/{step.format(self=actor, other=other)}" for step in [*steps, "environment"]]


def beliefs(place, *names):
    return [f"{place}/{name}/{belief}" for name in names for belief in ("self-belief", "environment-belief")]


def all_at_once(waiting):
    return range(waiting)


async def test_two_characters_one_round_where_each_touches_the_other():
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, next_in(script.scene))
    events = await played(script, ask)
    expected = [*turn("r1", "ann", "bob"), *turn("r1", "bob", "ann"), *beliefs("r1", "ann", "bob")]
    assert [event.path for event in events] == [*expected, "end"]
    assert sorted(request.path for request in ask.requests) == sorted(expected)


async def test_two_characters_one_round_where_nobody_is_touched():
    script = Script(scene=a_scene(), rounds=1)
    ask = AnsweredAtOnce(script, nobody)
    events = await played(script, ask)
    expected = [*turn("r1", "ann", None), *turn("r1", "bob", None), *beliefs("r1", "ann", "bob")]
    assert [event.path for event in events] == [*expected, "end"]
    assert sorted(request.path for request in ask.requests) == sorted(expected)


async def test_one_character_alone_plays_too():
    script = Script(scene=a_scene("Ann"), rounds=1)
    events = await played(script, AnsweredAtOnce(script, nobody))
    assert [event.path for event in events] == [*turn("r1", "ann", None), *beliefs("r1", "ann"), "end"]


async def test_every_character_takes_its_own_turn_in_cast_order_also_after_a_reaction():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
    events = await played(script, AnsweredAtOnce(script, next_in(script.scene)))
    assert [event.character for event in events if isinstance(event, Action)] == ["Ann", "Bob", "Cid"] * 2
    assert [event.character for event in events if isinstance(event, Dialogue)] == ["Ann", "Bob", "Cid"] * 2


async def test_an_influenced_turn_is_five_calls_deep_and_the_beliefs_one():
    script = Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=2)
    ask = HeldBack(script, next_in(script.scene), all_at_once)
    await played_held_back(script, ask)
    assert len(ask.waves) == 2 * (3 * 5 + 1)
    assert ask.waves[:5] == [
        {"r1/ann/action"},
        {"r1/ann/dialogue", "r1/ann/influence"},
        {"r1/ann/reaction/bob"},
        {"r1/ann/result"},
        {"r1/ann/update/ann", "r1/ann/update/bob", "r1/ann/environment"},
    ]
    assert ask.waves[15] == set(beliefs("r1", "ann", "bob", "cid"))


async def test_a_turn_that_touches_nobody_is_three_calls_deep():
    script = Script(scene=a_scene(), rounds=2)
    ask = HeldBack(script, nobody, all_at_once)
    await played_held_back(script, ask)
    assert len(ask.waves) == 2 * (2 * 3 + 1)
    assert ask.waves[2] == {"r1/ann/update/ann", "r1/ann/environment"}


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
    for path, agent in [
        ("r1/ann/action", "Ann"),
        ("r1/ann/dialogue", "Ann"),
        ("r1/ann/reaction/bob", "Bob"),
        ("r1/ann/result", None),
    ]:
        assert mark(path, agent) in ask.prompt("r1/cid/action")


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
        assert mark(f"r1/ann/{belief}", "Ann") in ask.prompt("r2/ann/action")
        assert mark(f"r1/ann/{belief}", "Ann") not in ask.prompt("r2/bob/action")


@pytest.mark.parametrize(("may_conclude", "because", "actors"), [(True, "concluded", 1), (False, "rounds", 4)])
async def test_a_concluded_story_ends_early_only_when_it_may(may_conclude, because, actors):
    script = Script(scene=a_scene(), rounds=2, may_conclude=may_conclude)
    end = {"time": "Dawn", "location": "The lobby", "description": "A closed safe.", "concluded": True}
    ask = AnsweredAtOnce(script, nobody, instead={"r1/ann/environment": json.dumps(end)})
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
        if request.path == "r1/ann/dialogue":
            raise EndpointError("out of order")
        reply = await inner(request)
        answered.append(request.path)
        return reply

    async def emit(event):
        pass

    with pytest.raises(EndpointError, match="out of order"):
        await play(script, ask, emit)
    assert answered == ["r1/ann/action", "r1/ann/influence"]


@pytest.mark.parametrize(
    ("failing", "shown", "error"),
    [
        ({"dialogue": Interlude("paused"), "influence": EndpointError("out of order")}, ["action"], EndpointError),
        ({"dialogue": EndpointError("out of order"), "influence": Interlude("paused")}, ["action"], EndpointError),
        ({"dialogue": Interlude("paused"), "influence": Interlude("too")}, ["action"], Interlude),
        ({"influence": Interlude("paused")}, ["action", "dialogue"], Interlude),
    ],
)
async def test_a_failure_is_raised_rather_than_an_interlude_and_what_came_before_the_first_is_shown(
    failing, shown, error
):
    script = Script(scene=a_scene(), rounds=1)
    inner, events = AnsweredAtOnce(script, nobody), []

    async def ask(request):
        if (failure := failing.get(request.path.rpartition("/")[2])) is not None:
            raise failure
        return await inner(request)

    async def emit(event):
        events.append(event.kind)

    with pytest.raises(error, match="out of order" if error is EndpointError else "paused"):
        await play(script, ask, emit)
    assert events == shown


@pytest.mark.parametrize("path", ["r1/ann/action", "r1/ann/dialogue", "r1/bob/self-belief"])
async def test_an_error_of_the_one_who_takes_the_events_comes_out_as_it_is(path):
    script = Script(scene=a_scene(), rounds=1)

    async def emit(event):
        if event.path == path:
            raise RecordMismatch("another event stands there", path=path)

    with pytest.raises(RecordMismatch, match="another event stands there"):
        await play(script, AnsweredAtOnce(script, nobody), emit)
