"""Which takes there are of a reply: of one that was asked for anew, of takes of takes, and of branches of branches."""

from datetime import UTC, datetime, timedelta

from characterbox.store.stories.branch_tree import Kin
from pages.roles.takes import takes_of


def kin(id, parent=None, at=None, *, after=0):
    came = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=after)
    return Kin(id, "t", None, "cued", ["m"], came, parent, at, "this" if at else None, 1 if parent else 0)


def told(family, id):
    return {at: (one["at"], one["of"], one["previous"], one["next"]) for at, one in takes_of(family, id).items()}


def test_a_story_without_branches_has_no_other_takes():
    assert told([kin("a")], "a") == {}


def test_takes_stand_in_the_order_in_which_they_came_also_where_one_was_asked_for_from_another():
    family = [kin("a"), kin("b", "a", 4, after=1), kin("c", "b", 4, after=2), kin("d", "a", 4, after=3)]
    assert told(family, "a") == {4: (1, 4, None, "b")}
    assert told(family, "b") == {4: (2, 4, "a", "c")}
    assert told(family, "c") == {4: (3, 4, "b", "d")}
    assert told(family, "d") == {4: (4, 4, "c", None)}


def test_what_goes_on_after_a_take_has_takes_of_its_own_and_shows_those_before():
    family = [kin("a"), kin("b", "a", 2, after=1), kin("c", "b", 6, after=2)]
    assert told(family, "c") == {2: (2, 2, "a", None), 6: (2, 2, "b", None)}
    assert told(family, "b") == {2: (2, 2, "a", None), 6: (1, 2, None, "c")}
    assert told(family, "a") == {2: (1, 2, None, "b")}


def test_a_take_whose_parent_was_deleted_stands_for_itself():
    assert told([kin("b", None, 4)], "b") == {}
