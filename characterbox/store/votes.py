"""Votes: which of two stories of one scene is better, as pairwise ratings. They are only added to."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import combinations
from typing import NamedTuple

from sqlalchemy import Engine, insert, select

from annotations.errors import RatingError
from annotations.wording import say
from characterbox.llm.reading import storable
from characterbox.store.tables import VoteRow, now, table_of
from characterbox.store.writer import Writer

_VOTE = table_of(VoteRow)
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
            raise RatingError(say("a vote is on at least two stories, one of which can be the better one"))
        pairs = combinations(stories, 2) if best is None else ((best, one) for one in stories if one != best)
        common = {"better": best, "rater": rater, "account": account, "blind": blind, "created_at": now()}
        common["reason"] = storable(reason.strip())[:MOST_REASON]
        rows = [{"one": one, "other": other, **common} for one, other in pairs]
        self._writer.submit(lambda connection: connection.execute(insert(_VOTE), rows)).result()

    def among(self, stories: Collection[str]) -> list[Vote]:
        """The votes on pairs of these stories, in order; a later one of a rater does not replace the first."""
        columns = [_VOTE.c[name] for name in Vote._fields]
        query = select(*columns).where(_VOTE.c.one.in_(stories), _VOTE.c.other.in_(stories)).order_by(_VOTE.c.id)
        with self._engine.connect() as connection:
            return [Vote(*row) for row in connection.execute(query)]
