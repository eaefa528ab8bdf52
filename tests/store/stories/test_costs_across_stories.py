"""What many stories have cost: the sums of their journals, kept until a journal grows."""

import asyncio
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.play.algorithm import play
from characterbox.play.paths import NARRATED, asked_at, path_of
from characterbox.play.world import Script
from characterbox.store.stories.call_costs import NOTHING
from characterbox.store.stories.costs_across_stories import Model
from tests.fakes.asking import AnsweredAtOnce
from tests.fakes.databases import store_in
from tests.fakes.examples import examples
from tests.fakes.replies import next_in
from tests.fakes.scenes import a_scene
from tests.fakes.spending import DEAR, NARRATOR, as_sweep, by_hand, cast_with, launched, told
from tests.fakes.stories import a_reply, a_story

pytestmark = pytest.mark.slow

AWKWARD = ("Update", "Reaction", "Influence", "Environment", "Judge")
"""Characters who are called like steps."""


def spent(store, **scope):
    return {story.id: story for story in store.spending.spending(**scope)}


async def summed(store, *replies):
    story = await told(store, a_story(store), *replies)
    return spent(store)[story.id]


async def test_calls_are_summed_by_who_was_asked(store):
    replies = [
        by_hand("r1/ann/action", endpoint=DEAR, prompt_tokens=100, completion_tokens=10, price=0.5, latency=1.5),
        by_hand("r1/ann/dialogue", endpoint=DEAR, prompt_tokens=200, cached_tokens=64, price=0.25, attempts=3),
        by_hand("r1/bob/reaction/ann", endpoint=DEAR, prompt_tokens=300, cached_tokens=0, price=0.125),
        by_hand("r1/ann/influence", prompt_tokens=1000, price=0.5, latency=2.0),
        by_hand("r1/ann/influence", take=1, prompt_tokens=1100, price=0.25, latency=4.0),
    ]
    story = await told(store, launched(store, a_scene(), NARRATOR, DEAR, rounds=3), *replies)
    found = spent(store)[story.id]
    narrator, characters = found.narrator.spent, found.characters.spent
    assert (narrator.calls, narrator.tokens_in, narrator.tokens_out, narrator.dollars) == (2, 2100, 6, 0.75)
    assert (narrator.tokens_cached, narrator.seconds, narrator.retries) == (None, 6.0, 0)
    assert (characters.calls, characters.tokens_in, characters.tokens_out, characters.dollars) == (3, 600, 16, 0.875)
    assert (characters.tokens_cached, characters.cache_told, characters.retries) == (64, 2, 2)
    assert (found.narrator.models, found.characters.models) == ({Model(NARRATOR.model, False)}, {Model("gpt-4", False)})
    assert (found.rounds, found.scene, found.cast, found.status) == (3, "The Hotel: watch", ("ann", "bob"), "ended")


async def test_rounds_are_those_that_were_played(store):
    scene = a_scene()
    new, early = (launched(store, scene, NARRATOR, DEAR, rounds=3, may_conclude=True) for _ in range(2))
    await told(store, early, by_hand("r2/ann/action"), concluded=2)
    assert {id: story.rounds for id, story in spent(store).items()} == {new.id: 0, early.id: 2}
    assert [(call.rounds, call.planned_rounds) for call in store.spending.calls()] == [(2, 3)]


async def test_what_is_unknown_is_no_zero(store):
    replies = [
        by_hand("r1/ann/action", prompt_tokens=None, price=None),
        by_hand("r1/ann/dialogue", completion_tokens=None, price=None),
        by_hand("r1/bob/action", prompt_tokens=50, price=0.5),
    ]
    characters = (await summed(store, *replies)).characters.spent
    assert (characters.tokens_in, characters.tokens_out, characters.dollars) == (None, None, None)
    assert (characters.uncounted, characters.unpriced, characters.price) == (2, 2, 0.5)


async def test_what_was_not_asked_for_this_story_cost_nothing(store):
    replies = [
        by_hand("r1/ann/action", origin="a" * 12, price=5.0, attempts=4),
        by_hand("r1/ann/dialogue", author="human", price=None),
        by_hand("r1/ann/dialogue", take=1, author="edit", price=None),
    ]
    found = await summed(store, *replies)
    assert found.characters.spent == NOTHING._replace(reused=1, by_people=2)
    assert found.characters.models == frozenset()


async def test_judgings_are_told_apart_by_judge_and_character(store):
    replies = [
        by_hand("judge/gpt-4/ann/critique", price=0.5),
        by_hand("judge/gpt-4/ann/scores", price=0.25),
        by_hand("judge/gpt-4/bob/critique", price=0.125),
        by_hand("judge/max/narrator/scores", endpoint=Endpoint(url=REHEARSAL, model=REHEARSAL), price=0.0),
    ]
    judgings = (await summed(store, *replies)).judgings
    found = {(one.judge, one.of): (one.scored, one.part.spent.calls, one.part.spent.dollars) for one in judgings}
    assert found == {
        ("gpt-4", "ann"): (True, 2, 0.75),
        ("gpt-4", "bob"): (False, 1, 0.125),
        ("max", "narrator"): (True, 1, 0.0),
    }
    assert [one.part.spent.improvised for one in judgings] == [0, 0, 1]


async def test_a_judging_with_a_reply_for_each_metric_is_whole_when_all_of_them_are_there(store):
    ann, bob = ([f"judge/gpt-4/{name}/scores/{key}" for key in load_rubric().keys] for name in ("ann", "bob"))
    scene = [f"judge/gpt-4/~scene/scores/{key}" for key in load_rubric("scene").keys]
    paths = [*ann, f"{ann[0]}/again", *bob[:-1], f"{bob[0]}/again", *scene, "judge/max/ann/scores/KA"]
    judgings = (await summed(store, *map(by_hand, paths))).judgings
    found = {(one.judge, one.of): one.scored for one in judgings}
    whole = {("gpt-4", "ann"): True, ("gpt-4", "~scene"): True}
    assert found == {**whole, ("gpt-4", "bob"): False, ("max", "ann"): False}


async def test_a_story_that_was_deleted_and_is_played_again_under_its_id_is_summed_anew(store):
    script, casting = Script(scene=(scene := a_scene())), cast_with(NARRATOR, DEAR, scene)
    for price in (1.0, 2.0):
        story = store.stories.create(script, casting, "command line", id="again")
        await told(store, story, by_hand("r1/ann/action", price=price))
        assert spent(store)["again"].characters.spent.price == price
        if price == 1.0:
            store.families.delete(LOCAL, "again")


async def test_a_story_is_summed_anew_when_its_journal_has_grown_and_only_then(store):
    one, other = a_story(store), a_story(store)
    await told(store, one, by_hand("r1/ann/action", price=1.0), status=None)
    before = store.spending.spending()
    await told(store, one, by_hand("r1/ann/dialogue", price=2.0))
    after = store.spending.spending()
    assert [story.characters.spent.price for story in after] == [3.0, 0.0]
    assert [story.status for story in after] == ["ended", "running"]
    assert after[1] is before[1]
    store.stories.move(other.id, "stopped")
    assert [story.status for story in store.spending.spending()] == ["ended", "stopped"]
    store.families.delete(LOCAL, other.id)
    assert [story.id for story in store.spending.spending()] == [one.id]


async def test_a_scope_holds_the_stories_of_a_sweep_in_its_order_or_of_a_language(store):
    english, chinese, other = (a_story(store, a_scene(language=language)) for language in ("en", "zh", "en"))
    as_sweep(store, "mine", other, chinese)
    assert [*spent(store)] == [english.id, chinese.id, other.id]
    assert [*spent(store, sweep="mine")] == [other.id, chinese.id]
    assert [*spent(store, sweep="mine", language="zh")] == [chinese.id]
    assert [*spent(store, language="en")] == [english.id, other.id]
    assert spent(store, sweep="none") == {}
    assert [call.story for call in store.spending.calls("mine")] == []


async def test_progress_is_told_and_what_it_raises_ends_the_summing(store):
    story, told_of = a_story(store), []
    store.spending.spending(on_progress=lambda *counts: told_of.append(counts))
    store.spending.spending(on_progress=lambda *counts: told_of.append(counts))
    assert told_of == [(0, 1)]
    a_story(store)

    def stop(*_):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.spending.spending(on_progress=stop)
    assert next(iter(spent(store))) == story.id


async def test_calls_come_one_by_one_with_who_was_asked(store):
    story = launched(store, a_scene("Ann", "孙 Bob"), NARRATOR, DEAR, rounds=2)
    replies = [
        by_hand("r1/ann/update/孙-bob", take=1, cached_tokens=3),
        by_hand("r1/ann/update/孙-bob", author="edit", price=None),
        by_hand("r1/ann/reaction/孙-bob", endpoint=DEAR, origin="b" * 12),
        by_hand("judge/max/ann/scores", endpoint=Endpoint(url=REHEARSAL, model=REHEARSAL), attempts=2),
    ]
    await told(store, story, *replies)
    calls = [*store.spending.calls()]
    assert [(call.path, call.take, call.role, call.agent) for call in calls] == [
        ("judge/max/ann/scores", 0, "judge", "max"),
        ("r1/ann/reaction/孙-bob", 0, "character", "孙 Bob"),
        ("r1/ann/update/孙-bob", 0, "narrator", ""),
        ("r1/ann/update/孙-bob", 1, "narrator", ""),
    ]
    first, second, third, _ = calls
    assert (first.improvised, first.attempts, first.model) == (True, 2, REHEARSAL)
    assert (second.origin, second.rounds, second.language, second.status) == ("b" * 12, 2, "en", "ended")
    assert {(call.rounds, call.planned_rounds) for call in calls} == {(2, 2)}
    assert (third.author, third.price, third.prompt_tokens, third.cached_tokens) == ("edit", None, 10, None)


async def test_whoever_is_asked_in_a_story_is_told_by_the_path():
    script = Script(scene=a_scene(*AWKWARD), rounds=2)
    ask = AnsweredAtOnce(script, next_in(script.scene))

    async def emit(_):
        pass

    await play(script, ask, emit)
    slugs = {name: name.lower() for name in AWKWARD}
    assert {request.path: asked_at(request.path) for request in ask.requests} == {
        request.path: None if request.agent is None else slugs[request.agent] for request in ask.requests
    }


SLUG = st.sampled_from([*NARRATED, "reaction", "action", "judge", "r1", "again"]) | st.text(
    string.ascii_lowercase, min_size=1
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A store for many examples."""
    store = store_in(tmp_path_factory.mktemp("names") / "names.db")
    yield store
    store.close()


@settings(max_examples=examples(6, 25), deadline=None)
@given(turns=st.lists(st.tuples(SLUG, SLUG), min_size=1, max_size=4, unique=True))
def test_the_database_tells_the_narrator_as_the_path_does(kept, turns):
    """Whatever the characters are called: the sums of the narrator are those of the paths that are its own."""
    steps = ("action", "dialogue", "influence", "reaction", "result", "update", "environment", "self-belief")
    paths = {
        path_of(1, actor, step, other if step in ("reaction", "update") else None)
        for actor, other in turns
        for step in steps
    }
    paths |= {f"{path}/again" for path in paths if path.count("/") > 2}
    story = asyncio.run(told(kept, a_story(kept), *map(a_reply, sorted(paths))))
    found = spent(kept)[story.id]
    assert found.narrator.spent.calls == sum(asked_at(path) is None for path in paths)
    assert found.characters.spent.calls == sum(asked_at(path) is not None for path in paths)
