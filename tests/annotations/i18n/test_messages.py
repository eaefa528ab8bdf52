"""Messages: frozen, equal by what they say, English as text, and in the reader's language where they are shown."""

import pickle
from datetime import UTC, datetime

import pytest

from annotations.errors import RatingError
from annotations.i18n.messages import Message, all_of, count_message, joined
from annotations.i18n.translation import say, say_count, speaking, translate


def test_a_message_is_english_as_text_and_is_translated_where_it_is_shown():
    message = Message("a search can have at most {most} words; remove some", most=9)
    assert str(message) == "a search can have at most 9 words; remove some"
    with speaking("zh"):
        assert translate(message).startswith("搜索内容最多 9 个词")
        assert str(message).startswith("a search")
        assert translate(RatingError(message)) == translate(message)


def test_values_that_are_messages_or_moments_are_shown_in_the_readers_language_too():
    moment = datetime(2026, 11, 2, 9, 5, tzinfo=UTC)
    message = Message("{first}; {rest}", first=count_message("{count} call", "{count:,} calls", 1200), rest=moment)
    assert str(message) == "1,200 calls; 02 Nov 2026, 09:05 UTC"
    with speaking("zh"):
        assert "2026年11月2日" in translate(message)


def test_what_is_said_shows_messages_and_errors_among_its_values():
    message = Message("a search can have at most {most} words; remove some", most=9)
    with speaking("zh"):
        assert say("{first}; {rest}", first=message, rest=RatingError(message)).count("搜索内容最多 9 个词") == 2
        assert "搜索内容最多 9 个词" in say_count("{of}: {count}", "{of}: {count}", 2, of=message)


def test_a_message_counts():
    assert [str(count_message("{count} call", "{count} calls", count)) for count in (1, 2)] == ["1 call", "2 calls"]


def test_a_message_is_frozen_and_passes_between_processes():
    message = Message("story {id}", id="abc")
    with pytest.raises(AttributeError, match="frozen"):
        message.text = "other"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(message)) == message
    assert message != Message("story {id}", id="abd")
    assert len({message, Message("story {id}", id="abc")}) == 1


def test_several_messages_are_joined():
    assert str(joined([Message("{count} of 3", count=1), "x"])) == "1 of 3; x"
    assert str(joined(["x"])) == "x"
    assert str(joined([])) == ""


@pytest.mark.parametrize(
    ("names", "english", "chinese"),
    [(["A"], "A", "A"), (["A", "B"], "A and B", "A和B"), (["A", "B", "C"], "A, B and C", "A、B和C")],
)
def test_names_in_a_sentence_have_and_before_the_last(names, english, chinese):
    assert str(all_of(names)) == english
    with speaking("zh"):
        assert translate(all_of(names)) == chinese


def test_an_error_without_a_message_stands_as_it_is():
    assert translate(ValueError("no text")) == "no text"
    assert translate(ValueError()) == ""
