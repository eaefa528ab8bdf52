"""Names that people add for published rows: kept for all, told in the log, and taken back one after the other."""

import pytest

from annotations.errors import RatingError
from characterbox.accounts.account import COMMAND_LINE
from characterbox.errors import NotAllowed
from characterbox.store.ratings.published_names import MOST_STATES


def test_what_was_added_is_there_and_undone_in_turn(store):
    names = store.published_names
    names.add(COMMAND_LINE, " My/Model ", "GPT-4")
    names.add(COMMAND_LINE, "my/model", "GPT-3.5")
    names.add(COMMAND_LINE, "phi-3.5-mini-instruct", None)
    names.add(COMMAND_LINE, "phi-3.5-mini-instruct", None)  # says what is known
    assert (names.names().row("my/MODEL"), names.names().row("Phi-3.5-mini-instruct")) == ("GPT-3.5", None)
    seen = []
    while names.undoable():
        names.undo(COMMAND_LINE)
        seen.append((names.names().row("my/model"), names.names().row("phi-3.5-mini-instruct")))
    assert seen == [("GPT-3.5", "Phi-3.5-mini"), ("GPT-4", "Phi-3.5-mini"), (None, "Phi-3.5-mini")]
    names.undo(COMMAND_LINE)
    told = [(entry.action, entry.subject, entry.detail["row"]) for entry in reversed(store.audit.read(99))]
    assert told == [
        ("published-name.add", "my/model", "GPT-4"),
        ("published-name.add", "my/model", "GPT-3.5"),
        ("published-name.add", "phi-3.5-mini-instruct", None),
        ("published-name.undo", "phi-3.5-mini-instruct", None),
        ("published-name.undo", "my/model", "GPT-4"),
        ("published-name.undo", "my/model", None),
    ]


def test_after_many_changes_the_last_ones_can_be_undone_and_the_rest_stays(store):
    for number in range(MOST_STATES + 5):
        store.published_names.add(COMMAND_LINE, f"model {number}", "GPT-4")
    while store.published_names.undoable():
        store.published_names.undo(COMMAND_LINE)
    assert [*store.published_names.names().added] == [f"model {number}" for number in range(6)]


def test_who_may_not_set_things_up_may_neither_add_nor_undo(store):
    viewer = COMMAND_LINE.model_copy(update={"role": "viewer"})
    for act in (lambda: store.published_names.add(viewer, "x", "GPT-4"), lambda: store.published_names.undo(viewer)):
        with pytest.raises(NotAllowed):
            act()
    assert not store.published_names.undoable()


def test_a_row_that_is_not_published_changes_nothing(store):
    with pytest.raises(RatingError):
        store.published_names.add(COMMAND_LINE, "x", "GPT-5")
    assert not store.published_names.undoable()
