"""What calls cost: one aggregate over replies, by any of their columns, answers every question of it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Literal, NamedTuple

from sqlalchemy import BindParameter, ColumnElement, Connection, Select, bindparam, case, func, select, true

from characterbox.llm.endpoint import HANDWRITTEN
from characterbox.store.stories.replies import REPLY, by_readers, by_rehearsal
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import CallRow, EventRow

Of = Literal["story", "judges", "all"]
"""Whose calls: those that made the story, those of judges and others who read it (`play.paths.READERS`), or both."""

_CALL = table_of(CallRow)
_EVENT = table_of(EventRow)
_STORY: BindParameter[str] = bindparam("story")
ASKED = REPLY.c.origin.is_(None) & (REPLY.c.author == "model")
"""Picks the replies that a model was asked for where they stand: the calls. The others cost nothing there."""


class CallCosts(NamedTuple):
    """What some replies took. Tokens, price, seconds and retries are those of the `calls`."""

    calls: int
    """Replies that a model gave for this story."""
    prompt_tokens: int
    completion_tokens: int
    uncounted: int
    """Calls of which not all tokens are known: what is unknown is not in the sums."""
    cached_tokens: int
    """Prompt tokens that came from a cache, of the calls whose endpoint tells."""
    cache_told: int
    """How many calls these are."""
    price: float
    """US dollars, of the calls whose price is known."""
    unpriced: int
    """Calls whose price is not."""
    seconds: float
    """Spent waiting for the replies, one after the other; the attempts before the last one are not in it."""
    retries: int
    """Attempts beyond the first one of each call."""
    reused: int
    """Replies that were taken over from another story, and cost nothing."""
    by_people: int
    """Replies that people wrote or edited."""
    improvised: int
    """Calls that no language model answered."""
    dearest: float
    """US dollars: the highest price of a call; 0 where none is known."""

    @property
    def tokens_in(self) -> int | None:
        """Tokens of the prompts; None where they are not all known."""
        return None if self.uncounted else self.prompt_tokens

    @property
    def tokens_out(self) -> int | None:
        """Tokens of the replies; None where they are not all known."""
        return None if self.uncounted else self.completion_tokens

    @property
    def tokens_cached(self) -> int | None:
        """Those of the prompts that came from a cache, of the calls whose endpoint told; None where none did."""
        return self.cached_tokens if self.cache_told or not self.calls else None

    @property
    def cache_untold(self) -> int | None:
        """Calls of which nothing is in `tokens_cached`, as their endpoint did not tell; None where none did."""
        return None if self.tokens_cached is None else self.calls - self.cache_told

    @property
    def dollars(self) -> float | None:
        """The price; None where the price of any call is unknown."""
        return None if self.unpriced else self.price


NOTHING = CallCosts(0, 0, 0, 0, 0, 0, 0.0, 0, 0.0, 0, 0, 0, 0, 0.0)


def total(costs: Iterable[CallCosts]) -> CallCosts:
    """All of it together."""
    *summed, dearest = zip(NOTHING, *costs, strict=True)
    return CallCosts._make([*map(sum, summed), max(dearest)])


@dataclass(frozen=True, slots=True)
class StoryCosts:
    """What a story has cost, or its judges, and what went wrong."""

    replies: CallCosts
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


_KIND = case(
    (REPLY.c.origin.is_not(None), "reused"),
    (REPLY.c.author != "model", "by_people"),
    (by_rehearsal() | (REPLY.c.url == HANDWRITTEN), "improvised"),
    else_="calls",
)
"""How a reply was had. To group by it is quicker than to ask for it in each of the sums, by two thirds."""
_SUMS = (
    func.count(),
    func.sum(REPLY.c.prompt_tokens),
    func.sum(REPLY.c.completion_tokens),
    func.sum(case((REPLY.c.prompt_tokens.is_(None) | REPLY.c.completion_tokens.is_(None), 1), else_=0)),
    func.sum(REPLY.c.cached_tokens),
    func.count(REPLY.c.cached_tokens),
    func.sum(REPLY.c.price),
    func.count(REPLY.c.price),
    func.sum(REPLY.c.latency),
    func.sum(REPLY.c.attempts - 1),
    func.max(REPLY.c.price),
)


def costs_query(*by: ColumnElement[Any], where: ColumnElement[bool]) -> Select[Any]:
    """Asks for the costs of the replies that are picked, together by these columns; for `call_costs`."""
    return select(*by, _KIND, *_SUMS).where(where).group_by(*by, _KIND)


def call_costs(
    connection: Connection, query: Select[Any], given: Mapping[str, Any] | None = None
) -> dict[tuple[Any, ...], CallCosts]:
    """The costs of each group of a `costs_query`, by the values of its columns."""
    groups: dict[tuple[Any, ...], list[CallCosts]] = defaultdict(list)
    keys = len(query.selected_columns) - len(_SUMS) - 1
    for row in connection.execute(query, given or {}):
        groups[tuple(row[:keys])].append(_of_kind(*row[keys:]))
    return {key: found[0] if len(found) == 1 else total(found) for key, found in groups.items()}


def _of_kind(kind: str, replies: int, *sums: Any) -> CallCosts:
    if kind in ("reused", "by_people"):
        return NOTHING._replace(**{kind: replies})
    prompt, completion, uncounted, cached, cache_told, price, priced, seconds, retries, dearest = sums
    return CallCosts(
        calls=replies,
        prompt_tokens=prompt or 0,
        completion_tokens=completion or 0,
        uncounted=uncounted,
        cached_tokens=cached or 0,
        cache_told=cache_told,
        price=price or 0.0,
        unpriced=replies - priced,
        seconds=seconds,
        retries=retries,
        reused=0,
        by_people=0,
        improvised=replies if kind == "improvised" else 0,
        dearest=dearest or 0.0,
    )


def story_costs(connection: Connection, story: str, of: Of) -> StoryCosts:
    """The costs of a story, of those who read it, or of both. Without replies they are nothing."""
    given = {"story": story}
    queries = _of_story(of)
    replies = call_costs(connection, queries.costs, given).get((), NOTHING)
    return StoryCosts(
        replies=replies,
        troubles=Counter(chain.from_iterable(connection.scalars(queries.troubles, given))),
        degraded=0 if of == "judges" else connection.scalar(_DEGRADED, given) or 0,
        unanswered=(connection.scalar(queries.asked, given) or 0) - replies.calls,
    )


class _Queries(NamedTuple):
    costs: Select[Any]
    troubles: Select[Any]
    asked: Select[Any]


@cache
def _of_story(of: Of) -> _Queries:
    """Made once: each stream of a story asks for them after each event, and to make them takes longer than to answer
    them."""
    here = (REPLY.c.story_id == _STORY) & _is_of(REPLY.c.path, of)
    return _Queries(
        costs=costs_query(where=here),
        troubles=select(REPLY.c.troubles).where(here, ASKED, REPLY.c.troubles.is_not(None)),
        asked=select(func.count()).where(_CALL.c.story_id == _STORY, _is_of(_CALL.c.path, of)),
    )


def _is_of(path: ColumnElement[str], of: Of) -> ColumnElement[bool]:
    if of == "all":
        return true()
    return by_readers(path) if of == "judges" else ~by_readers(path)


_DEGRADED = select(func.count()).where(_EVENT.c.story_id == _STORY, _EVENT.c.content["degraded"].as_boolean())
