"""Votes: which of two stories of one scene is better, as pairwise ratings. They are only added to."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Engine, insert, select, true

from annotations.errors import RatingError
from characterbox.llm.endpoint import Casting
from characterbox.llm.replies.reading import storable
from characterbox.store.stories.story import STORY
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.ratings import VoteRow
from characterbox.store.tables.stories import SweepStoryRow
from characterbox.store.writer import Writer
from characterbox.values import Language

_VOTE = table_of(VoteRow)
_SWEPT = table_of(SweepStoryRow)
MOST_REASON = 2000
"""Characters of a reason, at most."""


class Vote(NamedTuple):
    """One pairwise rating."""

    one: str
    other: str
    better: str | None
    """The story that was held to be better; None for a tie."""
    rater: str
    account: str | None
    blind: bool
    """Whether the models were out of sight."""
    reason: str
    created_at: datetime


class Candidate(NamedTuple):
    """What there is to know of a story that was voted on."""

    scene: str
    """What tells its scene from all others."""
    language: Language
    casting: Casting
    branched: bool
    """Whether it has its beginning from another story."""
    people: bool
    """Whether a person played in it."""


class VoteStore:
    """Adds votes, and reads them."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def cast(
        self, stories: Sequence[str], best: str | None, *, rater: str, account: str | None, blind: bool, reason: str
    ) -> None:
        """Add what somebody says of stories that were seen side by side: the best is better than each of the others.

        Without a best one all pairs are ties. Raises RatingError if there is nothing to compare.
        """
        if len(set(stories)) < 2 or best not in {None, *stories}:
            raise RatingError("a vote needs at least two stories, and the better one must be one of them")
        pairs = combinations(stories, 2) if best is None else ((best, one) for one in stories if one != best)
        common = {"better": best, "rater": rater, "account": account, "blind": blind, "created_at": now()}
        common["reason"] = storable(reason.strip())[:MOST_REASON]
        rows = [{"one": one, "other": other, **common} for one, other in pairs]
        self._writer.submit(lambda connection: connection.execute(insert(_VOTE), rows)).result()

    def among(self, stories: Collection[str]) -> list[Vote]:
        """The votes on pairs of these stories, in order; a later one of a rater does not replace the first."""
        return self._read(_VOTE.c.one.in_(stories) & _VOTE.c.other.in_(stories))

    def all(self, sweep: str | None = None) -> list[Vote]:
        """All votes in order, or those on pairs of stories of one sweep."""
        return self._read(_within(sweep))

    def candidates(self, sweep: str | None = None) -> dict[str, Candidate]:
        """The stories that `all` tells of, by id; one whose casting can't be read is left out."""
        which = _within(sweep)
        voted = select(_VOTE.c.one).where(which).union(select(_VOTE.c.other).where(which))
        columns = [STORY.c[name] for name in ("id", "work", "scene", "language", "casting", "branch", "people")]
        found = {}
        with self._engine.connect() as connection:
            for row in connection.execute(select(*columns).where(STORY.c.id.in_(voted))):
                try:
                    casting = Casting.model_validate(row.casting)
                except ValidationError:
                    continue
                scene = f"{row.work}: {row.scene}"
                found[row.id] = Candidate(scene, row.language, casting, row.branch is not None, bool(row.people))
        return found

    def _read(self, which: ColumnElement[bool]) -> list[Vote]:
        columns = [_VOTE.c[name] for name in Vote._fields]
        with self._engine.connect() as connection:
            return [Vote(*row) for row in connection.execute(select(*columns).where(which).order_by(_VOTE.c.id))]


def _within(sweep: str | None) -> ColumnElement[bool]:
    """That both stories of a vote belong to a sweep, if one is given."""
    if sweep is None:
        return true()
    stories = select(_SWEPT.c.story_id).where(_SWEPT.c.sweep == sweep)
    return _VOTE.c.one.in_(stories) & _VOTE.c.other.in_(stories)
