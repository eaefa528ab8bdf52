"""Dialogues in segments, by the six rules of the paper (RoleLLM, appendix B)."""

from hypothesis import given
from hypothesis import strategies as st

from characterbox.rolebench.segments import FEWEST_WORDS, LONGEST_SEGMENT, MOST_SEGMENTS, length, segments_of
from tests.fakes.roles import role


def spoken(lengths, language="en"):
    """A role whose turns have so many words, one round each."""
    text = {"en": lambda n: " ".join(["so"] * n), "zh": lambda n: "水" * n}[language]
    return role("Tam", "You.", [[("Tam", text(n))] for n in lengths], "Ho.", language)


def test_a_segment_ends_with_the_turn_that_brings_it_to_500_words_and_four_turns():
    found = segments_of(spoken([200, 200, 100, 1, 125, 125, 125, 125]), 0)
    assert [[length(turn.text, "en") for turn in one] for one in found.chosen] == [[200, 200, 100, 1], [125] * 4]
    assert (found.all, found.too_long, found.cut, found.left) == (2, 0, 0, 0)


def test_what_is_left_at_the_end_belongs_to_the_last_segment():
    found = segments_of(spoken([125] * 4 + [7, 8]), 0)
    assert [[length(turn.text, "en") for turn in one] for one in found.chosen] == [[125] * 4 + [7, 8]]


def test_a_turn_of_more_than_500_words_is_left_out():
    found = segments_of(spoken([501, 500, 1, 1, 1]), 0)
    assert [len(one) for one in found.chosen] == [4]
    assert found.too_long == 1


def test_nothing_is_longer_than_2000_words():
    found = segments_of(spoken([499, 499, 499, 499, 300]), 0)
    assert [length(turn.text, "en") for turn in found.chosen[0]] == [499] * 4
    assert found.cut == 1


def test_too_few_words_or_turns_make_no_segment():
    for lengths in ([400, 50, 40, 9], [500, 500, 499]):
        found = segments_of(spoken(lengths), 0)
        assert (found.chosen, found.left) == ((), len(lengths))


def test_in_chinese_characters_count_and_1000_are_needed():
    assert segments_of(spoken([249, 250, 250, 250], "zh"), 0).chosen == ()
    found = segments_of(spoken([250, 250, 250, 250, 501], "zh"), 0)
    assert ([len(one) for one in found.chosen], found.too_long) == ([4], 1)


def test_of_more_than_100_segments_100_are_drawn_by_seed_in_their_order():
    said = " ".join(["so"] * 124)
    numbered = role("Tam", "You.", [[("Tam", f"{said} {n}")] for n in range(4 * (MOST_SEGMENTS + 20))], "Ho.")
    one, same, other = (segments_of(numbered, seed) for seed in (1, 1, 2))
    assert (len(one.chosen), one.all) == (MOST_SEGMENTS, MOST_SEGMENTS + 20)
    assert one == same != other
    first = [int(segment[0].text.split()[-1]) for segment in one.chosen]
    assert first == sorted(first)


@given(st.lists(st.integers(1, 600), min_size=1, max_size=60))
def test_turns_stay_whole_and_in_order_and_every_rule_holds(lengths):
    someone = spoken(lengths)
    turns = [turn for one in someone.rounds for turn in one.turns]
    found = segments_of(someone, 0)
    flat = [turn for one in found.chosen for turn in one]
    rest = iter(turns)
    assert all(any(turn is other for other in rest) for turn in flat), "the same turns, in their order"
    for one in found.chosen:
        words = [length(turn.text, "en") for turn in one]
        assert len(one) >= 4
        assert FEWEST_WORDS["en"] <= sum(words) <= LONGEST_SEGMENT
        assert max(words) <= 500
    assert len(flat) + found.cut + found.left + found.too_long == len(turns)
