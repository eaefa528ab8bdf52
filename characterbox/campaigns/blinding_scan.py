"""The scan of blinding: which items of a campaign give their model away, and where."""

import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from annotations.blinding.identity_leaks import IdentityLeak, Why, identity_leaks
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.blinded_item import Shown, shown_item, texts_of
from characterbox.errors import CampaignError, CharacterBoxError, StoryError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignItem

AROUND = 90
"""Characters of the text that are told before and after the words that give a model away."""
MOST_TOLD = 5
"""Places of an item that are told; the others are counted."""
_KEPT = 50_000
"""Items of which the findings are remembered."""


@dataclass(frozen=True)
class Finding:
    """A place in what a rater would read of an item."""

    step: int
    """From 1, in the trajectory; 0 for the scene as it opens."""
    before: str
    words: str
    """What gives the model away."""
    after: str
    why: tuple[Why, ...]


@dataclass(frozen=True)
class Scanned:
    """What came of the scan of an item."""

    findings: tuple[Finding, ...]
    """The first few."""
    count: int
    unreadable: bool = False
    """Whether the item could not be read (see `why_unreadable`); nobody could rate it either."""

    @property
    def clean(self) -> bool:
        """Whether there is nothing to look at."""
        return not self.count and not self.unreadable


class Scanner:
    """Scans the items of a store, and remembers what it has found. May be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[frozenset[str], Scanned]] = OrderedDict()
        """By item: for which models it was scanned, and what came of it."""

    def known(self, items: Iterable[CampaignItem], models: Collection[str]) -> dict[str, Scanned]:
        """What is known of these items, by name; those that were not scanned for all these models are left out."""
        wanted = frozenset(models)
        with self._lock:
            found = {item.item: self._known[item.item] for item in items if item.item in self._known}
        return {name: scanned for name, (models, scanned) in found.items() if wanted <= models}

    def work(self, items: Sequence[CampaignItem], rubric: Rubric, models: Collection[str], seconds: float) -> None:
        """Scan the items that are not known yet, for about so long; one is scanned in any case."""
        until = time.monotonic() + seconds
        known = self.known(items, models)
        for item in items:
            if item.item in known:
                continue
            before, _ = self._known.get(item.item, (frozenset(), None))
            both = before | frozenset(models)  # so that campaigns with other models do not undo each other's scans
            scanned = self._scan(item, rubric, both)
            with self._lock:
                self._known[item.item] = both, scanned
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            if time.monotonic() > until:
                return

    def _scan(self, item: CampaignItem, rubric: Rubric, models: frozenset[str]) -> Scanned:
        try:
            shown = shown_item(self._store, item, rubric)
        except (CampaignError, StoryError):
            return Scanned((), 0, unreadable=True)
        found = [
            _finding(step, text, place)
            for step, text in enumerate([_opening(shown) if rubric.subject == "scene" else "", *texts_of(shown)])
            for place in _betrayals(text, models, _rights(shown))
        ]
        return Scanned(tuple(found[:MOST_TOLD]), len(found))


def why_unreadable(store: Store, item: CampaignItem, rubric: Rubric) -> CharacterBoxError | None:
    """The error that says why an item can't be read; None if it can."""
    try:
        shown_item(store, item, rubric)
    except (CampaignError, StoryError) as error:
        return error
    return None


@cache
def scanner_of(store: Store) -> Scanner:
    """What scans this store, with what it remembers."""
    return Scanner(store)


@lru_cache(maxsize=4096)
def _betrayals(text: str, models: frozenset[str], known: frozenset[str]) -> tuple[IdentityLeak, ...]:
    """The characters of a story observe the same things: what one has read is not looked at again."""
    return identity_leaks(text, models, known)


def _rights(shown: Shown) -> frozenset[str]:
    """The names that the text has a right to."""
    scene, character, cast = shown["scene"], shown["character"], shown["cast"]
    names = [scene["work"], *scene["others"], *(who["name"] for who in cast)]
    return frozenset([*names, *([character["name"]] if character else [])])


def _opening(shown: Shown) -> str:
    """The scene, where it is the scene that is rated."""
    scene = shown["scene"]
    told = [scene["title"], scene["time"], scene["location"], scene["description"]]
    return "\n".join([*told, *(who[part] for who in shown["cast"] for part in ("description", "position", "state"))])


def _finding(step: int, text: str, place: IdentityLeak) -> Finding:
    before, after = text[: place.start], text[place.end :]
    return Finding(
        step=step,
        before=before if len(before) <= AROUND else f"… {before[-AROUND:]}",
        words=place.words,
        after=after if len(after) <= AROUND else f"{after[:AROUND]} …",
        why=place.why,
    )
