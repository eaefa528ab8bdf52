"""What tells one state of all ratings from a later one."""

from typing import NamedTuple

from sqlalchemy import Engine, func, select

from characterbox.store.marks import MARK
from characterbox.store.tables import RatingRow, table_of

_RATING = table_of(RatingRow)
_QUERY = select(
    select(func.max(MARK.c.id)).scalar_subquery(),
    select(func.max(_RATING.c.id)).where(_RATING.c.kind == "judge").scalar_subquery(),
)


class Newest(NamedTuple):
    """The numbers of the last mark of an expert and of the last rating of a judge.

    Neither is ever changed, and both are committed in the order of their numbers: see `in_turn`.
    """

    mark: int
    rating: int


def newest(engine: Engine) -> Newest:
    """The state that all ratings are in now; what is derived from them is as it was while this is the same."""
    with engine.connect() as connection:
        mark, rating = connection.execute(_QUERY).one()
    return Newest(mark or 0, rating or 0)
