"""Memory: what comes back, and how useful it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.memory import Memory, MemoryStream, weighed
from characterbox.play.settings import MemorySettings

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


USUAL = MemorySettings()
SETTINGS = st.builds(
    MemorySettings,
    recalled=st.integers(0, 9),
    relevance=st.sampled_from([0, 0.5, 1, 3]),
    recency=st.sampled_from([0, 0.5, 1, 3]),
    importance=st.sampled_from([0, 0.1, 1, 3]),
    half_life=st.sampled_from([0.5, 6, 100]),
)


def stream_of(made, settings=USUAL):
    stream = MemoryStream(settings)
    stream.remember(made)
    return stream


@settings(deadline=None)
@given(memories(), WORDS, SETTINGS)
def test_the_best_of_all_come_back_in_order_and_always_the_same(made, query, weights):
    clock = made[-1].clock + 2 if made else 1
    recalled = stream_of(made, weights).recall([query], clock=clock)
    memories = [one.memory for one in recalled]
    assert memories == [memory for memory in made if any(memory is one for one in memories)]
    assert recalled == stream_of(made, weights).recall([query], clock=clock)
    all_of_them = weighed(made, [query], clock=clock, settings=weights)
    best = sorted((one.score for one in all_of_them), reverse=True)[: weights.recalled]
    assert sorted((one.score for one in recalled), reverse=True) == pytest.approx(best, abs=1e-3)
    for one in recalled:
        assert 0 <= one.relevance <= 1
        assert 0 < one.recency <= 1
        assert 0 <= one.score <= 1


@settings(deadline=None)
@given(memories(), st.integers(0, 40))
def test_it_makes_no_difference_in_how_many_steps_memories_come_in(made, cut):
    stream = MemoryStream(USUAL)
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
    assert len(recalled) == 5
    assert sum(one.memory.importance == 9 for one in recalled) == 2


def test_as_many_come_back_as_the_settings_say():
    made = [Memory(1, clock, "Rain falls.") for clock in range(1, 9)]
    for wanted, found in ((0, 0), (3, 3), (20, 8)):
        assert len(stream_of(made, MemorySettings(recalled=wanted)).recall(["Rain."], clock=9)) == found


def score(memory, *, clock, **weights):
    """The score where nothing is relevant."""
    [one] = weighed([memory], [], clock=clock, settings=MemorySettings(half_life=1, **weights))
    return one.score


def test_the_score_is_the_weighed_mean_of_what_is_known():
    unknown, known = Memory(1, 1, "Rain falls."), Memory(1, 1, "Rain falls.", 10)
    assert score(unknown, clock=2, importance=1) == pytest.approx((0 + 0.5) / 2)
    assert score(known, clock=2, importance=1) == pytest.approx((0 + 0.5 + 1) / 3)
    assert score(known, clock=2) == pytest.approx((0 + 0.5 + 0.1) / 2.1), (
        "a tenth of the weight, as the authors have it"
    )
    assert score(known, clock=2, relevance=0, importance=0) == pytest.approx(0.5)
    assert score(unknown, clock=2, relevance=0, recency=0, importance=1) == 0


def test_where_nothing_counts_the_oldest_come_back():
    nothing = MemorySettings(recalled=2, relevance=0, recency=0, importance=0)
    made = [Memory(1, clock, "Rain falls.", clock) for clock in range(1, 5)]
    recalled = stream_of(made, nothing).recall(["Rain falls."], clock=9)
    assert [(one.memory.clock, one.score) for one in recalled] == [(1, 0), (2, 0)]


@pytest.mark.parametrize("half_life", [0.5, 3, 6])
def test_a_memory_fades_by_the_storys_clock(half_life):
    settings = MemorySettings(half_life=half_life)
    [recalled] = stream_of([Memory(1, 1, "Rain falls.", 10)], settings).recall(["Snow."], clock=4)
    assert recalled.recency == pytest.approx(0.5 ** (3 / half_life))
    assert recalled.importance == 1.0


def test_several_texts_count_alike_however_long_they_are():
    made = [Memory(1, 1, "The lamp breaks."), Memory(1, 2, "Bob steals the watch.")]
    lamp, watch = stream_of(made).recall(["The lamp breaks.", "Bob steals the watch. " * 9], clock=5)
    assert lamp.relevance == pytest.approx(watch.relevance, abs=0.05)


def test_without_a_query_nothing_is_relevant():
    [recalled] = stream_of([Memory(1, 1, "Rain falls.", 10)]).recall([], clock=1)
    assert (recalled.relevance, recalled.recency, recalled.importance) == (0.0, 1.0, 1.0)
