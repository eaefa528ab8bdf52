"""What a campaign is to be extended by, while it is being put together."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cache

from characterbox.campaigns.design import Draft
from characterbox.store import Store

_KEPT = 100
"""Extensions in preparation that are kept; the one that was changed longest ago goes first."""


@dataclass(frozen=True)
class _Prepared:
    present: Draft
    """The campaign as it was meanwhile."""
    wanted: Draft


class Preparations:
    """Keeps, as long as the app runs, what each person is about to extend a campaign by. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str | None], _Prepared] = OrderedDict()

    def keep(self, campaign: str, account: str | None, present: Draft, wanted: Draft) -> None:
        """Keep what a campaign, as it is now, is to become."""
        with self._lock:
            self._kept.pop((campaign, account), None)
            self._kept[campaign, account] = _Prepared(present, wanted)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def find(self, campaign: str, account: str | None, present: Draft) -> Draft:
        """What the campaign is to become; as it is now, if nothing was prepared.

        If somebody else has extended it meanwhile, what they added is in it, and where they changed settings, theirs
        stand.
        """
        with self._lock:
            known = self._kept.get((campaign, account))
        if known is None:
            return present
        return known.wanted if known.present == present else _together(known, present)

    def forget(self, campaign: str, account: str | None) -> None:
        """Drop what was prepared, if anything was."""
        with self._lock:
            self._kept.pop((campaign, account), None)


@cache
def preparations_of(store: Store) -> Preparations:
    """What is being prepared for the campaigns of this store."""
    return Preparations()


def _together(known: _Prepared, present: Draft) -> Draft:
    items = {item.item: item for item in (*known.wanted.items, *present.items)}
    raters = {rater.rater: rater for rater in (*known.wanted.raters, *present.raters)}
    together = replace(present, items=tuple(sorted(items.values(), key=lambda item: item.item)))
    together = replace(together, raters=tuple(raters.values()))
    unchanged = known.present.settings == present.settings
    return replace(together, settings=known.wanted.settings) if unchanged else together
