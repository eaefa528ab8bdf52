"""What each character knows of the world: whom it perceives, the surroundings as it last did, and nothing else."""

from collections import defaultdict
from itertools import chain

from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.events import CharacterUpdate, EnvironmentUpdate, InteractionResult
from characterbox.play.world import World, world_after
from characterbox.scenes.scene import Environment
from tests.play.histories import NAMES, SCENE, turns


def folded(told):
    """Each event with the worlds before and after it."""
    world = World.opening(SCENE)
    for event in chain.from_iterable(told):
        after = world.after(event)
        yield event, world, after
        world = after


def test_as_a_scene_begins_all_see_each_other_but_for_who_is_unseen():
    world = World.opening(SCENE)
    seen = {name: {*world.characters[name].view.others} for name in NAMES}
    assert seen == {
        "Ann": {"Bob", "Cid"}, "Bob": {"Ann", "Cid"}, "Cid": {"Ann", "Bob", "Dan"}, "Dan": {"Ann", "Bob", "Cid"},
    }  # fmt: skip
    assert {name: world.present(name) for name in NAMES} == {
        "Ann": {"Bob", "Cid", "Dan"}, "Bob": {"Ann", "Cid", "Dan"}, "Cid": {"Ann", "Bob", "Dan"}, "Dan": {"Cid"},
    }  # fmt: skip
    assert {one.view.environment for one in world.characters.values()} == {SCENE.environment}
    assert all(world.known(name) == frozenset() for name in (*NAMES, None))


@settings(deadline=None)
@given(turns())
def test_a_view_holds_nothing_that_was_not_perceived(told):
    looks, places = defaultdict(set), defaultdict(set)

    def perceived(world, actor):
        for one in NAMES:
            for onlooker in world.present(one):
                looks[onlooker, one].add(world.characters[one].appearance)
        for onlooker in () if actor is None else {actor, *world.present(actor)}:
            places[onlooker].add(world.environment)

    perceived(World.opening(SCENE), None)
    for name in NAMES:
        places[name].add(SCENE.environment)
    for event, before, after in folded(told):
        perceived(before, None)
        perceived(after, None)
        actor = event.turn if isinstance(event, EnvironmentUpdate) else None
        for onlooker in () if actor is None else {actor, *after.present(actor)}:
            places[onlooker].add(after.environment)
        for name in NAMES:
            view = after.characters[name].view
            found = {one for one in NAMES if name in after.present(one) - before.present(one)}
            places[name] |= {after.environment} if found else set()
            assert view.environment in places[name]
            assert name not in view.others
            for one, appearance in view.others.items():
                assert appearance in looks[name, one]


@settings(deadline=None)
@given(turns())
def test_whom_somebody_perceives_it_knows_as_it_is_now(told):
    for _, _, after in folded(told):
        for one in NAMES:
            for onlooker in after.present(one):
                assert after.characters[onlooker].view.others[one] == after.characters[one].appearance


@settings(deadline=None)
@given(turns())
def test_whom_somebody_has_lost_from_sight_it_does_not_see_any_more_but_can_call(told):
    met = {name: set() for name in NAMES}
    for _, before, after in folded(told):
        for name in NAMES:
            in_sight = {one for one in NAMES if name in after.present(one)}
            met[name] |= in_sight | before.characters[name].view.others.keys()
            view = after.characters[name].view
            assert (view.others.keys(), view.met) == (in_sight, met[name])


@settings(deadline=None)
@given(turns())
def test_an_update_of_somebody_changes_itself_and_the_views_of_those_who_perceive_it(told):
    for event, before, after in folded(told):
        if not isinstance(event, CharacterUpdate):
            continue
        assert after.environment == before.environment
        own = after.characters[event.character]
        assert (own.position, own.state, own.visible) == (event.position, event.state, event.visible)
        for name in set(NAMES) - {event.character} - before.present(event.character):
            assert after.characters[name] == before.characters[name]


@settings(deadline=None)
@given(turns())
def test_the_surroundings_are_known_to_those_who_are_with_the_one_on_turn(told):
    for event, before, after in folded(told):
        if not isinstance(event, EnvironmentUpdate):
            assert after.environment == before.environment
            continue
        now = Environment(time=event.time, location=event.location, description=event.description)
        assert after.environment == now
        for name in NAMES:
            with_it = name == event.turn or name in after.present(event.turn)
            there = {event.turn, *after.present(event.turn)}
            found = any(name in after.present(one) - before.present(one) for one in there)
            was = before.characters[name].view.environment
            assert after.characters[name].view.environment == (now if with_it or found else was)


@settings(deadline=None)
@given(turns())
def test_who_is_hidden_stays_so_until_it_is_said_anew(told):
    for event, before, after in folded(told):
        hidden = {name: after.characters[name].unseen_by for name in NAMES}
        if isinstance(event, EnvironmentUpdate) and event.hidden is not None:
            listed = {one.who: frozenset(one.by) for one in event.hidden}
            assert hidden == {name: listed.get(name, frozenset()) for name in NAMES}
        else:
            assert hidden == {name: before.characters[name].unseen_by for name in NAMES}


@settings(deadline=None)
@given(turns())
def test_who_has_recognised_somebody_knows_it_from_then_on(told):
    for event, before, after in folded(told):
        for name in NAMES:
            learnt = after.known(name) - before.known(name)
            assert before.known(name) <= after.known(name)
            said = event.recognised if isinstance(event, InteractionResult) else ()
            assert learnt <= {one.who for one in said if name in one.by}
            assert after.known(name) >= {one.who for one in said if name in one.by}
        assert after.known(None) == frozenset()


@settings(deadline=None)
@given(turns(), st.integers(0, 40))
def test_it_makes_no_difference_in_how_many_steps_a_story_is_folded(told, cut):
    events = list(chain.from_iterable(told))
    world = world_after(SCENE, events[:cut])
    for event in events[cut:]:
        world = world.after(event)
    assert world == world_after(SCENE, events)
