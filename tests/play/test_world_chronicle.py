"""The chronicle: what it keeps is what a fold of the events gives at each point."""

from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.events import Action, CharacterUpdate, EnvironmentUpdate
from characterbox.play.world import Chronicle, World, moments, world_after
from tests.fakes.scenes import a_scene

SCENE = a_scene()
TEXTS = st.sampled_from(["a", "b"])
EVENTS = st.one_of(
    st.builds(Action, path=st.just("p"), round=st.just(1), character=st.just("Ann"), text=TEXTS),
    st.builds(
        CharacterUpdate, path=st.just("p"), round=st.just(1), character=st.just("Bob"), position=TEXTS, state=TEXTS
    ),
    st.builds(EnvironmentUpdate, path=st.just("p"), round=st.just(1), time=TEXTS, location=TEXTS, description=TEXTS),
)
ROUNDS = st.lists(st.lists(st.lists(EVENTS, max_size=4), min_size=1, max_size=3), min_size=1, max_size=5)


def chronicle_of(rounds):
    """A chronicle of rounds of turns; the last passage of each round is that of beliefs, of round 0 the only one."""
    chronicle = Chronicle.opening(SCENE)
    for number, turns in enumerate(rounds):
        for at, turn in enumerate(turns):
            formed = not number or (at and at == len(turns) - 1)
            chronicle = chronicle.beliefs(number) if formed else chronicle.turn(number)
            for event in turn:
                chronicle = chronicle.after(event)
    return chronicle


@settings(deadline=None)
@given(ROUNDS)
def test_each_passage_opens_on_the_world_that_the_events_before_it_made(rounds):
    chronicle, before = chronicle_of(rounds), []
    for passage in chronicle.passages:
        assert passage.opening == world_after(SCENE, before)
        before += passage.events
    assert chronicle.world == world_after(SCENE, before)
    assert before == [event for turns in rounds for turn in turns for event in turn]


@settings(deadline=None)
@given(ROUNDS, st.integers(0, 6))
def test_a_round_begins_with_the_first_of_its_passages(rounds, round):
    chronicle = chronicle_of(rounds)
    first = chronicle.first_of(round)
    assert all(passage.round < round for passage in chronicle.passages[:first])
    assert all(passage.round >= round for passage in chronicle.passages[first:])


@settings(deadline=None)
@given(ROUNDS)
def test_a_passage_knows_the_world_as_its_events_have_left_it(rounds):
    chronicle = chronicle_of(rounds)
    worlds = [*(passage.opening for passage in chronicle.passages[1:]), chronicle.world]
    assert [passage.now for passage in chronicle.passages] == worlds


@settings(deadline=None)
@given(ROUNDS)
def test_each_moment_knows_the_world_after_the_event_and_after_its_turn(rounds):
    events = [
        event.model_copy(update={"round": number, "turn": ("Ann", "Bob", None)[at]})
        for number, turns in enumerate(rounds)
        for at, turn in enumerate(turns)
        for event in turn
    ]
    told = list(moments(events, SCENE))
    assert [event for event, _, _ in told] == events
    for number, (event, then, now) in enumerate(told, 1):
        of_turn = [one for one in events if (one.round, one.turn) == (event.round, event.turn)]
        last = max(place for place, one in enumerate(events, 1) if one in of_turn) if of_turn else number
        assert then == world_after(SCENE, events[:number])
        assert now == world_after(SCENE, events[:last])


def test_the_clock_counts_turns_and_stands_still_for_the_beliefs():
    chronicle = Chronicle.opening(SCENE)
    assert chronicle.world == World.opening(SCENE)
    chronicle = chronicle.beliefs(0).turn(1).turn(1).beliefs(1).turn(2)
    assert [(passage.round, passage.clock) for passage in chronicle.passages] == [
        (0, 0),
        (1, 1),
        (1, 2),
        (1, 2),
        (2, 3),
    ]


def test_what_was_is_not_changed_by_what_comes():
    before = Chronicle.opening(SCENE).turn(1)
    after = before.after(CharacterUpdate(path="p", round=1, character="Bob", position="x", state="y"))
    assert before.passage.events == ()
    assert before.world == after.passage.opening == World.opening(SCENE)
    assert after.world.characters["Bob"].position == "x"
