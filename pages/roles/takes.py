"""Other takes of a reply: the dialogues of one family that part at it."""

from collections.abc import Mapping, Sequence
from typing import Any

from characterbox.store.stories.branch_tree import Kin


def takes_of(kin: Sequence[Kin], id: str) -> dict[int, dict[str, Any]]:
    """By the number of a step, which of how many takes of it the story `id` has, and the stories of those beside it.

    The takes of a step are that of the story which was branched there first, and those of all branches there.
    """
    family = _Family({one.id: one for one in kin})
    found = {}
    for at in sorted({one.at for one in kin if one.at is not None}):
        owner = family.owner(id, at)
        first = family.first(owner, at)
        takes = [one for one in kin if one.id == first or (one.at == at and family.first(one.id, at) == first)]
        ids = [one.id for one in sorted(takes, key=lambda one: (one.created_at, one.id))]
        if len(ids) > 1:
            place = ids.index(owner)
            before, after = ids[:place], ids[place + 1 :]
            found[at] = {
                "at": place + 1,
                "of": len(ids),
                "previous": before[-1] if before else None,
                "next": after[0] if after else None,
            }
    return found


class _Family:
    """Who has which step from whom."""

    def __init__(self, known: Mapping[str, Kin]) -> None:
        self._known = known

    def owner(self, id: str, at: int) -> str:
        """The story whose own step this is that a story shows: a branch has all before its step from its parent."""
        while (parent := self._parent(id)) is not None and (self._known[id].at or 0) > at:
            id = parent
        return id

    def first(self, id: str, at: int) -> str:
        """The story whose take of a step the others were branched off."""
        while (parent := self._parent(id)) is not None and self._known[id].at == at:
            id = self.owner(parent, at)
        return id

    def _parent(self, id: str) -> str | None:
        parent = self._known[id].parent
        return parent if parent in self._known else None
