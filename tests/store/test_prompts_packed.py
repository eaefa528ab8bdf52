"""Taking prompts apart and writing down where their parts are; both can be undone."""

from hypothesis import example, given
from hypothesis import strategies as st

from characterbox.store.stories.replies import pack, parts_of, unpack

ROLES = st.sampled_from(["system", "user", "assistant"])
NUMBERS = st.lists(st.integers(1, 2**40) | st.integers(1, 5), max_size=30)


@given(st.text() | st.text(alphabet="a\n\r 。", max_size=40))
@example("")
@example("\n\n")
def test_the_parts_of_a_text_make_the_text(text):
    assert "".join(parts_of(text)) == text
    assert all(parts_of(text))


def test_a_part_is_a_line_with_the_line_ends_before_it():
    assert parts_of("one\ntwo\n\n\nthree\n") == ["one", "\ntwo", "\n\n\nthree", "\n"]


@given(st.text(alphabet="ab\n"), st.text(alphabet="ab", min_size=1))
def test_what_is_added_on_a_line_of_its_own_leaves_the_parts_before_as_they_were(text, more):
    text = text.rstrip("\n")
    assert parts_of(f"{text}\n\n{more}")[: len(parts_of(text))] == parts_of(text)


@given(st.lists(st.tuples(ROLES, NUMBERS), max_size=5))
def test_what_is_packed_can_be_unpacked(messages):
    assert unpack(pack(messages)) == messages


def test_a_run_takes_a_few_bytes_however_long_it_is():
    assert pack([("system", range(1, 101))]).hex(" ") == "00 01 02 64"
    assert len(pack([("system", range(1, 101)), ("user", [*range(50, 90), 300, 301])])) == 4 + 7
    assert unpack(bytes.fromhex("01 02 02 01 03 02")) == [("user", [1, 0, 1])]
