"""Whose a reply is that somebody has written over."""

from datetime import UTC, datetime

import pytest

from characterbox.llm.usage import NO_USAGE
from tests.fakes.stories import a_reply


@pytest.mark.parametrize(
    ("author", "before", "editor", "whose"),
    [
        ("model", None, "ann", "ann"),
        ("model", None, None, None),
        ("human", "ann", "ann", "ann"),
        ("human", "ann", "bob", None),
        ("human", "ann", None, None),
        ("human", None, "bob", None),
        ("edit", "ann", "ann", "ann"),
        ("edit", "ann", "bob", None),
        ("edit", None, "ann", None),
    ],
)
def test_what_several_people_wrote_is_nobodys_alone(author, before, editor, whose):
    written = a_reply(author=author, person=before).edited("Ann leaves.", editor)
    assert (written.author, written.text, written.person) == ("edit", "Ann leaves.", whose)


def test_an_edit_is_a_new_take_that_cost_nothing_and_was_not_there_before():
    reply = a_reply(take=2, origin="ab12", came_at=datetime(2024, 1, 1, tzinfo=UTC))
    edited = reply.edited("Ann leaves.", None)
    assert (edited.path, edited.digest, edited.messages) == (reply.path, reply.digest, reply.messages)
    assert (edited.take, edited.usage, edited.finish_reason, edited.origin, edited.came_at) == (
        3,
        NO_USAGE,
        None,
        None,
        None,
    )
