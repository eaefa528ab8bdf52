"""Memory: what comes back, and how useful it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.memory import RECALLED, RECENCY_DECAY, Memory, MemoryStream, Recalled, weighed

WORDS = st.sampled_from(["Ann opens the safe.", "Bob shouts.", "鲁智深举起禅杖。", "A clock strikes.", "Rain falls."])


@st.composite
def memories(draw):
    """Memories as a story makes them: round and clock never go back."""
    steps = draw(st.lists(st.tuples(st.booleans(), WORDS, st.none() | st.integers(1, 10)), max_size=40))
    round, made = 1, []
    for clock, (next_round, text, importance) in enumerate(steps, 1):
        round += next_round
        made.append(Memory(round, clock, text, importance))
    return made


def stream_of(made):
    stream = MemoryStream()
    stream.remember(made)
    return stream


@settings(deadline=None)
@given(memories(), WORDS)
def test_the_best_of_all_come_back_in_order_and_always_the_same(made, query):
    clock = made[-1].clock + 2 if made else 1
    recalled = stream_of(made).recall([query], clock=clock)
    memories = [one.memory for one in recalled]
    assert memories == [memory for memory in made if any(memory is one for one in memories)]
    assert recalled == stream_of(made).recall([query], clock=clock)
    all_of_them = weighed(made, [query], clock=clock)
    best = sorted((one.score for one in all_of_them), reverse=True)[:RECALLED]
    assert sorted((one.score for one in recalled), reverse=True) == pytest.approx(best, abs=1e-3)
    for one in recalled:
        assert 0 <= one.relevance <= 1
        assert 0 < one.recency <= 1


@settings(deadline=None)
@given(memories(), st.integers(0, 40))
def test_it_makes_no_difference_in_how_many_steps_memories_come_in(made, cut):
    stream = MemoryStream()
    stream.remember(made[:cut])
    stream.remember(made[cut:])
    assert stream.recall(["Ann", "Rain"], clock=50) == stream_of(made).recall(["Ann", "Rain"], clock=50)


def test_what_is_said_in_the_same_words_is_the_most_relevant():
    made = [Memory(1, clock, text) for clock, text in enumerate(["The lamp breaks.", "Bob steals the watch."], 1)]
    lamp, watch = stream_of(made).recall(["Bob steals the watch."], clock=5)
    assert watch.relevance == pytest.approx(1.0, abs=1e-5)
    assert lamp.relevance < 0.8


def test_of_equal_words_the_important_ones_come_back():
    made = [Memory(1, 1, "Rain falls.", importance) for importance in [1, 1, 9, 1, 1, 1, 9, 1, 1]]
    recalled = stream_of(made).recall(["Snow."], clock=2)
    assert sum(one.memory.importance == 9 for one in recalled) == 2


def test_the_score_is_the_mean_of_what_is_known():
    memory = Memory(1, 1, "Rain falls.")
    assert Recalled(memory, relevance=0.2, recency=0.6, importance=None).score == pytest.approx(0.4)
    assert Recalled(memory, relevance=0.2, recency=0.6, importance=1.0).score == pytest.approx(0.6)


def test_a_memory_fades_by_the_storys_clock():
    [recalled] = stream_of([Memory(1, 1, "Rain falls.", 10)]).recall(["Snow."], clock=4)
    assert recalled.recency == pytest.approx(RECENCY_DECAY**3)
    assert recalled.importance == 1.0


def test_several_texts_count_alike_however_long_they_are():
    made = [Memory(1, 1, "The lamp breaks."), Memory(1, 2, "Bob steals the watch.")]
    lamp, watch = stream_of(made).recall(["The lamp breaks.", "Bob steals the watch. " * 9], clock=5)
    assert lamp.relevance == pytest.approx(watch.relevance, abs=0.05)


def test_without_a_query_nothing_is_relevant():
    [recalled] = stream_of([Memory(1, 1, "Rain falls.", 10)]).recall([], clock=1)
    assert (recalled.relevance, recalled.recency, recalled.importance) == (0.0, 1.0, 1.0)
