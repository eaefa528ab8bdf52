"""Keys are masked wherever they come back, also in pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from characterbox.llm.keys import Keyring
from characterbox.llm.server import Server

KEYS = {"ONE_API_KEY": "sk-abcabcabd", "LONG_API_KEY": "sk-abcabcabd-long", "SHORT_API_KEY": "EMPTY"}


def server(name):
    return Server(url="http://x/v1", name="X", kind="api", key=name)


@pytest.fixture(scope="module")
def ring():
    ring = Keyring(lambda server: SecretStr(KEYS[server.key]) if server.key in KEYS else None)
    assert [ring.key(server(name)) for name in KEYS] == list(KEYS.values())
    return ring


def test_what_is_not_set_or_not_named_is_not_sent(ring):
    assert ring.key(server("OTHER_API_KEY")) is None
    assert ring.key(server(None)) is None


def test_all_keys_are_masked_the_longest_first(ring):
    assert ring.mask("a sk-abcabcabd-long, b sk-abcabcabd.") == "a ***, b ***."


def test_a_word_that_stands_for_no_key_is_left_alone(ring):
    assert ring.mask("The room is EMPTY.") == "The room is EMPTY."


def test_a_key_is_never_repeated_in_the_memory_of_a_ring(ring):
    ring.key(server("ONE_API_KEY"))
    assert ring.mask("sk-abcabcabd") == "***"


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["sk-abcabcabd", "sk-abc", "abcabd", "s", "k-", "abc", " ", "sk-abcabcabd-long", "她"])),
    st.lists(st.integers(0, 60)),
)
def test_pieces_show_what_the_whole_shows_wherever_it_is_cut(ring, words, cuts):
    text, shown = "".join(words), []
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    with ring.veiled(shown.append) as show:
        for start, end in pairwise(edges):
            show(text[start:end])
    together = "".join(shown)
    assert "sk-abcabcabd" not in together
    if "-long" not in text:
        assert together == ring.mask(text)


def test_only_what_may_begin_a_key_is_held_back(ring):
    shown = []
    with ring.veiled(shown.append) as show:
        show("She bows.")
        assert shown == ["She bows."]
        show(" She asks")
        assert shown[1:] == [" She ask"]
        show(" him.")
        assert shown[2:] == ["s him."]
