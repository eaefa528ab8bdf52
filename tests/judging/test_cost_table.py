"""What a scene and a judge cost on average, in stories written by hand."""

import math

import pytest

from annotations.report.published import TABLE_6
from characterbox.judging.cost_table import Expert, cost_table, for_the_wage
from characterbox.judging.judge import Judge, registered
from characterbox.llm.endpoint import Endpoint
from characterbox.store.stories.story import Branch
from tests.fakes.scenes import a_scene
from tests.fakes.spending import DEAR, NARRATOR, REHEARSAL, UNPRICED, URL, by_hand, launched, told

pytestmark = pytest.mark.slow


async def played(store, *prices, rounds=3, narrator=NARRATOR, characters=DEAR, **changes):
    """A story of one call of the narrator, and one of a character for each of the prices."""
    story = launched(store, changes.pop("scene", a_scene()), narrator, characters, rounds=rounds)
    replies = [by_hand("r1/ann/environment", endpoint=narrator, price=0.25, latency=1.0)]
    for number, price in enumerate(prices, 1):
        replies.append(by_hand(f"r{number}/ann/action", endpoint=characters, price=price, **changes))
    return await told(store, story, *replies)


async def test_a_figure_is_the_mean_over_stories_with_its_deviation(store):
    await played(store, 1.0, 2.0, prompt_tokens=100)
    await played(store, 5.0, prompt_tokens=500)
    [pair] = cost_table(store).pairs
    assert (pair.stories, pair.scenes, pair.rounds) == (2, 1, 3)
    price = pair.of_characters.dollars
    assert (price.mean, price.sd, price.n, price.unknown) == (4.0, pytest.approx(math.sqrt(2)), 2, 0)
    assert (pair.of_both.dollars.mean, pair.of_narrator.dollars.sd) == (4.25, 0.0)
    assert (pair.of_characters.tokens_in.mean, pair.of_characters.calls.mean) == (350.0, 1.5)
    assert pair.of_both.seconds.mean == pytest.approx(1.0 + 1.5 * 0.25)


async def test_one_story_has_no_deviation_and_an_unknown_price_counts_nowhere_as_zero(store):
    await played(store, None)
    [pair] = cost_table(store).pairs
    assert pair.of_narrator.dollars.mean == 0.25
    for price in (pair.of_characters.dollars, pair.of_both.dollars):
        assert (price.mean, price.sd, price.n, price.unknown) == (None, None, 0, 1)
    await played(store, 3.0)
    [pair] = cost_table(store).pairs
    price = pair.of_both.dollars
    assert (price.mean, price.sd, price.n, price.unknown) == (3.25, None, 1, 1)
    assert cost_table(store).sums["characters"].dollars is None
    assert cost_table(store).sums["characters"].price == 3.0


async def test_pairs_and_rounds_are_told_apart(store):
    for narrator, characters, rounds in ((NARRATOR, DEAR, 3), (NARRATOR, DEAR, 2), (NARRATOR, UNPRICED, 3)):
        await played(store, 1.0, narrator=narrator, characters=characters, rounds=rounds)
    found = [(pair.characters[0].name, pair.rounds, pair.stories) for pair in cost_table(store).pairs]
    assert found == [("=unknown & new", 3, 1), ("gpt-4", 2, 1), ("gpt-4", 3, 1)]


async def test_a_story_that_concluded_early_does_not_stand_among_those_of_all_rounds(store):
    await played(store, 1.0, 1.0, 1.0)
    early = launched(store, a_scene(), NARRATOR, DEAR, rounds=3, may_conclude=True)
    replies = [by_hand("r1/ann/action", endpoint=DEAR, price=9.0), by_hand("r1/ann/environment")]
    await told(store, early, *replies, concluded=1)
    one, three = cost_table(store).pairs
    assert [(pair.rounds, pair.stories, pair.of_characters.dollars.mean) for pair in (one, three)] == [
        (1, 1, 9.0),
        (3, 1, 3.0),
    ]
    assert (one.published, three.published is None) == (None, False)


async def test_calls_that_tell_nothing_of_the_cache_are_counted_apart(store):
    await told(
        store,
        launched(store, a_scene(), NARRATOR, DEAR),
        by_hand("r1/ann/environment", prompt_tokens=5_000),
        by_hand("r1/ann/action", endpoint=DEAR, prompt_tokens=2_000, cached_tokens=1_024),
        *(by_hand(f"r1/ann/action/{number}", endpoint=DEAR, prompt_tokens=2_000) for number in range(99)),
    )
    table = cost_table(store)
    [pair] = table.pairs
    cached, untold = pair.of_characters.tokens_cached, pair.of_characters.cache_untold
    assert (cached.mean, cached.n, untold.mean, untold.n) == (1_024, 1, 99, 1)
    narrator = pair.of_narrator
    assert [(mean.mean, mean.unknown) for mean in (narrator.tokens_cached, narrator.cache_untold)] == [(None, 1)] * 2
    assert (table.sums["characters"].tokens_cached, table.sums["characters"].cache_untold) == (1_024, 99)
    assert (table.sums["narrator"].tokens_cached, table.sums["narrator"].cache_untold) == (None, None)
    assert (table.sums["judges"].tokens_cached, table.sums["judges"].cache_untold) == (0, 0)


async def test_a_model_called_like_another_that_is_improvised_is_not_it(store):
    fake = Endpoint(url="rehearsal", model="gpt-4")
    await played(store, 1.0, narrator=REHEARSAL, characters=fake)
    await played(store, 1.0)
    assert [(pair.improvised, pair.published is not None) for pair in cost_table(store).pairs] == [
        (False, True),
        (True, False),
    ]


@pytest.mark.parametrize(
    ("narrator", "characters", "row"),
    [
        ("gpt-3.5-turbo", "GPT-4", 0),
        ("GPT-3.5", "openai/gpt-3.5-turbo-1106", 1),
        ("gpt-3.5-turbo-1106", "gpt-4-1106-preview", 0),
        ("gpt-3.5-turbo-1106", "meta-llama/Meta-Llama-3-8B-Instruct", 2),
        ("CharacterNR", "Llama-3-8B", 3),
        ("gpt-3.5-turbo", "gpt-4o", None),
        ("gpt-4", "gpt-4", None),
    ],
)
async def test_the_papers_row_is_found_by_the_names(store, narrator, characters, row):
    at = (Endpoint(url=URL, model=narrator), Endpoint(url=URL, model=characters))
    await played(store, 1.0, narrator=at[0], characters=at[1])
    await played(store, 1.0, narrator=at[0], characters=at[1], rounds=2)
    two, three = cost_table(store).pairs
    assert two.published is None
    assert three.published is (None if row is None else TABLE_6[row])


async def test_stories_that_tell_no_whole_scene_are_left_out_and_said(store):
    await played(store, 1.0)
    story = launched(store, a_scene(), NARRATOR, DEAR)
    await told(store, story, by_hand("r1/ann/action", price=7.0), status="stopped")
    await told(store, launched(store, a_scene(), NARRATOR, DEAR), by_hand("r1/ann/action", origin="a" * 12))
    await told(store, launched(store, a_scene(), NARRATOR, DEAR), by_hand("r1/ann/action", author="edit"))
    await told(store, launched(store, a_scene(), NARRATOR, DEAR))
    table = cost_table(store)
    assert table.left_out == {"not ended": 1, "partly reused": 1, "partly by people": 1, "nothing asked": 1}
    assert [pair.stories for pair in table.pairs] == [1]
    assert table.stories == 5
    assert (table.sums["characters"].price, table.sums["characters"].reused) == (8.0, 1)


async def test_a_branch_that_asked_for_everything_is_a_scene_like_all_others(store):
    parent = await played(store, 1.0)
    branch = store.stories.create(
        parent.script, parent.casting, "app", branch=Branch(parent=parent.id, at=1, anew="all")
    )
    await told(store, branch, by_hand("r1/ann/action", endpoint=DEAR, price=3.0), by_hand("r1/ann/environment"))
    [pair] = cost_table(store).pairs
    assert (pair.stories, pair.of_characters.dollars.mean) == (2, 2.0)


async def test_a_judge_is_called_by_the_name_it_is_known_by_and_its_versions_apart(store):
    registered(store, Judge(name="GPT 4!", endpoint=DEAR))
    second = registered(store, Judge(name="GPT 4!", endpoint=UNPRICED))
    assert second.version == 2
    steps = ("critique", "scores")
    replies = [
        by_hand(f"judge/{judge}/{of}/{step}", price=0.5)
        for judge in ("gpt-4", "gpt-4-v2", "old")
        for of in ("ann", "bob")
        for step in steps
    ]
    await told(store, launched(store, a_scene(), NARRATOR, DEAR), *replies)
    judges = cost_table(store).judges
    assert [(judge.judge, judge.trajectories, judge.stories) for judge in judges] == [
        ("GPT 4!", 2, 1),
        ("GPT 4! v2", 2, 1),
        ("old", 2, 1),
    ]
    assert {(judge.of_trajectory.dollars.mean, judge.of_story.dollars.mean) for judge in judges} == {(1.0, 2.0)}


async def test_judgings_that_were_broken_off_or_taken_over_are_left_out(store):
    replies = [
        by_hand("judge/max/ann/critique", price=1.0),
        by_hand("judge/max/ann/scores", price=1.0),
        by_hand("judge/max/bob/critique", price=64.0),
        by_hand("judge/max/narrator/scores", price=64.0),
    ]
    await told(store, launched(store, a_scene(), NARRATOR, DEAR), *replies)
    reused = [by_hand("judge/max/ann/critique", origin="a" * 12), by_hand("judge/max/ann/scores", price=64.0)]
    await told(store, launched(store, a_scene(), NARRATOR, DEAR), *reused)
    [judge] = cost_table(store).judges
    assert (judge.trajectories, judge.broken_off, judge.stories) == (1, 2, 0)
    assert (judge.of_trajectory.dollars.mean, judge.of_story.dollars.mean) == (2.0, None)
    assert cost_table(store).sums["judges"].price == 2.0 + 3 * 64


async def test_a_judge_against_an_expert(store):
    for judge, price in (("dear", 0.125), ("free", 0.0), ("unknown", None)):
        replies = [by_hand(f"judge/{judge}/ann/scores", price=price)]
        await told(store, launched(store, a_scene(), NARRATOR, DEAR), *replies)
    by_name = {judge.judge: judge for judge in cost_table(store).judges}
    assert for_the_wage(by_name["dear"], 30.0) == 240.0
    assert for_the_wage(by_name["free"], 30.0) == math.inf
    assert for_the_wage(by_name["unknown"], 30.0) is None
    expert = Expert(minutes=7.5, wage=30.0)
    assert (expert.dollars, expert.an_hour) == (3.75, 8.0)
