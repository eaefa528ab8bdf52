"""Memory: what stays in view, and what comes back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.memory import RECALLED, RECENCY_DECAY, Memory, MemoryStream, Recalled

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
    for memory in made:
        stream.remember(memory)
    return stream


@settings(deadline=None)
@given(memories())
def test_recent_memories_only_grow_at_the_end_within_a_round(made):
    stream, before, round = MemoryStream(), [], 1
    for memory in made:
        stream.remember(memory)
        recent = stream.recent(memory.round)
        if memory.round == round:
            assert recent[: len(before)] == before
        assert recent[-1] == memory
        assert recent == [one for one in made if one.clock <= memory.clock and one.round >= memory.round - 1]
        before, round = recent, memory.round


@settings(deadline=None)
@given(memories(), WORDS)
def test_only_older_ones_come_back_a_few_at_once_in_order_and_always_the_same(made, query):
    now, clock = (made[-1].round, made[-1].clock) if made else (1, 1)
    recalled = stream_of(made).recall(query, round=now, clock=clock)
    memories = [one.memory for one in recalled]
    older = [memory for memory in made if memory.round < now - 1]
    assert len(recalled) == min(RECALLED, len(older))
    assert memories == [memory for memory in older if memory in memories]
    assert recalled == stream_of(made).recall(query, round=now, clock=clock)
    assert not {id(one) for one in memories} & {id(one) for one in stream_of(made).recent(now)}
    for one in recalled:
        assert 0 <= one.relevance <= 1
        assert 0 < one.recency <= 1


def test_what_is_said_in_the_same_words_is_the_most_relevant():
    made = [Memory(1, clock, text) for clock, text in enumerate(["The lamp breaks.", "Bob steals the watch."], 1)]
    lamp, watch = stream_of(made).recall("Bob steals the watch.", round=3, clock=5)
    assert watch.relevance == pytest.approx(1.0, abs=1e-5)
    assert lamp.relevance < 0.8


def test_of_equal_words_the_important_ones_come_back():
    made = [Memory(1, 1, "Rain falls.", importance) for importance in [1, 1, 9, 1, 1, 1, 9, 1, 1]]
    recalled = stream_of(made).recall("Snow.", round=3, clock=2)
    assert sum(one.memory.importance == 9 for one in recalled) == 2


def test_the_score_is_the_mean_of_what_is_known():
    memory = Memory(1, 1, "Rain falls.")
    assert Recalled(memory, relevance=0.2, recency=0.6, importance=None).score == pytest.approx(0.4)
    assert Recalled(memory, relevance=0.2, recency=0.6, importance=1.0).score == pytest.approx(0.6)


def test_a_memory_fades_by_the_storys_clock():
    [recalled] = stream_of([Memory(1, 1, "Rain falls.", 10)]).recall("Snow.", round=3, clock=4)
    assert recalled.recency == pytest.approx(RECENCY_DECAY**3)
    assert recalled.importance == 1.0
