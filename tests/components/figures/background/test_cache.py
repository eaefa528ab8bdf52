"""What was used last is kept."""

from hypothesis import given
from hypothesis import strategies as st

from characterbox.components.figures.background.process import Cache


def test_the_one_that_was_not_used_for_longest_goes() -> None:
    kept: Cache[str, int] = Cache(2)
    kept.keep("a", 1)
    kept.keep("b", 2)
    assert kept.find("a") == 1
    kept.keep("c", 3)
    assert (kept.find("a"), kept.find("b"), kept.find("c")) == (1, None, 3)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())), st.integers(1, 4))
def test_those_used_last_are_there_and_no_others(uses: list[tuple[int, bool]], most: int) -> None:
    kept: Cache[int, int] = Cache(most)
    order: list[int] = []  # the one used last comes last
    for key, keeping in uses:
        if keeping:
            kept.keep(key, -key)
        if keeping or kept.find(key) is not None:
            order = [*(other for other in order if other != key), key][-most:]
    assert sorted(kept.all()) == sorted(-key for key in order)
