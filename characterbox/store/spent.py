"""What replies took: the values that `spending` gives."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from characterbox.store.story import Status


class Model(NamedTuple):
    """Who replied."""

    name: str
    improvised: bool
    """Whether no language model is behind it."""


class Spent(NamedTuple):
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


NOTHING = Spent(0, 0, 0, 0, 0, 0, 0.0, 0, 0.0, 0, 0, 0, 0)


def total(spent: Iterable[Spent]) -> Spent:
    """All of it together."""
    return Spent(*map(sum, zip(NOTHING, *spent, strict=True)))


class Part(NamedTuple):
    """What was asked of one agent, or of all characters."""

    spent: Spent
    models: frozenset[Model]
    """Those that were asked for this story."""


class Judging(NamedTuple):
    """What one judge was asked about one part of a story."""

    judge: str
    """Its slug."""
    of: str
    """The slug of the character whose trajectory it is; a judge can be asked about something else, too."""
    scored: bool
    """Whether there are replies with scores on all metrics: a judging that was broken off lacks some."""
    part: Part


@dataclass(frozen=True, slots=True)
class StorySpent:
    """What a story has cost, judges and all."""

    id: str
    status: Status
    scene: str
    """As ratings name it."""
    language: str
    rounds: int
    """Those that were played, the last of them perhaps in part."""
    cast: tuple[str, ...]
    """The slugs of its characters."""
    narrator: Part
    characters: Part
    checks: Part
    """What second narrators were asked, to be compared with the first."""
    judgings: tuple[Judging, ...]


@dataclass(frozen=True, eq=False)
class Spending:
    """What stories have cost, at one moment; the same object as long as nothing has changed."""

    stories: tuple[StorySpent, ...]


class Call(NamedTuple):
    """One recorded reply without its text."""

    story: str
    scene: str
    language: str
    rounds: int
    """Those that were played, the last of them perhaps in part."""
    planned_rounds: int
    """A story that may conclude can end earlier."""
    status: str
    path: str
    take: int
    role: str
    """narrator, second narrator, character or judge."""
    agent: str
    """The character's name, or the slug of the judge or second narrator; empty for the narrator."""
    model: str
    improvised: bool
    author: str
    origin: str | None
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    price: float | None
    attempts: int
    latency: float
