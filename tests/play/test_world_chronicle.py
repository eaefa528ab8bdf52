"""The chronicle: what it keeps is what a fold of the events gives at each point."""

from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.events import Action, CharacterUpdate, EnvironmentUpdate
from characterbox.play.world import Chronicle, World, world_after
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
    """A chronicle of rounds of turns, the last passage of each round being that of the beliefs."""
    chronicle = Chronicle.opening(SCENE)
    for number, turns in enumerate(rounds, 1):
        for at, turn in enumerate(turns):
            chronicle = chronicle.beliefs() if at and at == len(turns) - 1 else chronicle.turn(number)
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
@given(ROUNDS, st.integers(1, 6))
def test_since_a_round_are_the_passages_of_that_round_and_the_later_ones(rounds, round):
    chronicle = chronicle_of(rounds)
    assert list(chronicle.since(round)) == [passage for passage in chronicle.passages if passage.round >= round]


def test_the_clock_counts_turns_and_stands_still_for_the_beliefs():
    chronicle = Chronicle.opening(SCENE)
    assert chronicle.world == World.opening(SCENE)
    chronicle = chronicle.turn(1).turn(1).beliefs().turn(2)
    assert [(passage.round, passage.clock) for passage in chronicle.passages] == [(1, 1), (1, 2), (1, 2), (2, 3)]


def test_what_was_is_not_changed_by_what_comes():
    before = Chronicle.opening(SCENE).turn(1)
    after = before.after(CharacterUpdate(path="p", round=1, character="Bob", position="x", state="y"))
    assert before.passage.events == ()
    assert before.world == after.passage.opening == World.opening(SCENE)
    assert after.world.characters["Bob"].position == "x"
