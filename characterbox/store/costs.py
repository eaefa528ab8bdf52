"""What a story has cost: a few sums over its journal, without its prompts. The queries are made once: each stream of
a story asks for them after each event, and to make them takes longer than to answer them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Literal

from sqlalchemy import BindParameter, ColumnElement, Connection, Select, bindparam, case, func, select, true

from characterbox.store.replies import REPLY
from characterbox.store.tables import CallRow, EventRow, table_of

Of = Literal["story", "judges", "all"]
"""Whose calls: those that made the story, those of the judges and second narrators who read it, or both."""

_CALL = table_of(CallRow)
_EVENT = table_of(EventRow)
_STORY: BindParameter[str] = bindparam("story")
_CALLED = REPLY.c.origin.is_(None) & (REPLY.c.author == "model")
"""Picks the replies that were asked of a model for this story."""
JUDGES = "judge/"
"""What the paths of all that judges are asked begin with."""
CHECKS = "check/"
"""What the paths of all that second narrators are asked begin with."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What the replies of a story took. Tokens and price are those of `calls`."""

    calls: int
    """Replies that a model gave for this story."""
    reused: int
    """Replies that were taken over from another story, and cost nothing."""
    by_people: int
    """Replies that people wrote or edited."""
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    """Prompt tokens that were served from a cache, where the endpoint tells."""
    uncounted: int
    """Calls whose endpoint did not tell the tokens: they are not in the sums."""
    price: float | None
    """US dollars; None when the price of any call is unknown."""
    unpriced: int
    """Calls whose price is unknown."""
    retries: int
    """Attempts beyond the first one of each call."""
    troubles: Mapping[str, int]
    """What went wrong with attempts, and how often."""
    degraded: int
    """Events in which a neutral outcome stands for a reply that could not be read."""
    unanswered: int
    """Calls that left and have no reply: in flight at a crash, or failed. Each may have been paid for."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What replies of an endpoint took lately, on average."""

    latency: float
    """Seconds."""
    completion_tokens: float | None
    """None where it does not tell."""


def costs_of(connection: Connection, story: str, of: Of) -> Costs:
    """The costs of a story, or of its judges."""
    asked = {"story": story}
    row = connection.execute(_sums(of), asked).mappings().one()
    troubles = chain.from_iterable(connection.scalars(_troubled(of), asked))
    return Costs(
        **{**row, "price": None if row["unpriced"] else row["price"]},
        troubles=Counter(troubles),
        degraded=0 if of == "judges" else connection.scalar(_DEGRADED, asked) or 0,
        unanswered=unanswered_of(connection, story, of),
    )


def unanswered_of(connection: Connection, story: str, of: Of) -> int:
    """How many calls left, and have no reply."""
    left: int | None = connection.scalar(_unanswered(of), {"story": story})
    return left or 0


@cache
def _sums(of: Of) -> Select[Any]:
    return select(
        _count(_CALLED).label("calls"),
        _count(REPLY.c.origin.is_not(None)).label("reused"),
        _count(REPLY.c.origin.is_(None) & (REPLY.c.author != "model")).label("by_people"),
        *(
            func.coalesce(func.sum(case((_CALLED, REPLY.c[name]))), 0).label(name)
            for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
        ),
        _count(_CALLED & (REPLY.c.prompt_tokens.is_(None) | REPLY.c.completion_tokens.is_(None))).label("uncounted"),
        func.coalesce(func.sum(case((_CALLED, REPLY.c.price))), 0.0).label("price"),
        _count(_CALLED & REPLY.c.price.is_(None)).label("unpriced"),
        func.coalesce(func.sum(case((_CALLED, REPLY.c.attempts - 1))), 0).label("retries"),
    ).where(REPLY.c.story_id == _STORY, _is_of(REPLY.c.path, of))


@cache
def _troubled(of: Of) -> Select[Any]:
    return select(REPLY.c.troubles).where(
        REPLY.c.story_id == _STORY, _CALLED, _is_of(REPLY.c.path, of), REPLY.c.troubles.is_not(None)
    )


@cache
def _unanswered(of: Of) -> Select[Any]:
    asked = select(func.count()).where(_CALL.c.story_id == _STORY, _is_of(_CALL.c.path, of))
    answered = select(func.count()).where(REPLY.c.story_id == _STORY, _CALLED, _is_of(REPLY.c.path, of))
    return select(asked.scalar_subquery() - answered.scalar_subquery())


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _is_of(path: ColumnElement[str], of: Of) -> ColumnElement[bool]:
    if of == "all":
        return true()
    by_reader = path.startswith(JUDGES) | path.startswith(CHECKS)
    return by_reader if of == "judges" else ~by_reader


_DEGRADED = select(func.count()).where(_EVENT.c.story_id == _STORY, _EVENT.c.content["degraded"].as_boolean())
