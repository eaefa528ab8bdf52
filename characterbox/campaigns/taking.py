"""Whether a mark is taken: from whom, in which campaign, and by which rubric. Asked while the mark is being written."""

import threading
from functools import cache

from annotations.campaign import Settings
from annotations.marks import Mark, Sheet, Time, checked
from characterbox.accounts.account import Account
from characterbox.campaigns.row import Row
from characterbox.campaigns.training import training_of
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaign import settings_of, unknown_assignment
from characterbox.store.marks import Check, Place

_WHY = {
    "draft": "has not started yet",
    "paused": "is paused: no marks are taken until it goes on",
    "closed": "is closed: what was marked stays as it is",
}


class Taking:
    """Decides for one store. Remembers who is qualified: that never changes back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._qualified: set[tuple[str, str]] = set()

    def check(self, account: Account) -> Check:
        """What `MarkStore.append` asks of a mark that this account makes.

        Raises CampaignError for an item that is not the account's, a campaign that takes no marks, an expert who is
        not qualified yet, and practice that is over; RatingError for what the rubric does not have.
        """

        def check(place: Place, mark: Mark, sheet: Sheet) -> Mark:
            if account.id not in (None, place.rater):  # without accounts, people rate under the name that they write
                raise unknown_assignment(place.assignment)
            if place.status != "running":
                raise CampaignError(f"the campaign {_WHY[place.status]}")
            settings = settings_of(place.settings, place.campaign)
            if place.purpose == "practice" and sheet.submitted is not None and not isinstance(mark, Time):
                raise CampaignError("this practice item is submitted: its agreed scores have been shown")
            if place.purpose != "practice":
                self._check_qualified(place, settings)
            return checked(mark, self._store.rubrics.rubric(settings.rubric, settings.rubric_version), sheet)

        return check

    def _check_qualified(self, place: Place, settings: Settings) -> None:
        if not settings.practice:
            return
        key = (place.campaign, place.rater)
        with self._lock:
            if key in self._qualified:
                return
        rubric = self._store.rubrics.rubric(settings.rubric, settings.rubric_version)
        assignments = self._store.campaigns.assignments(campaign=place.campaign, rater=place.rater)
        sheets = self._store.marks.sheets(place.campaign, place.rater)
        training = training_of([Row(one, sheets.get(one.id, Sheet())) for one in assignments], settings, rubric)
        if training is not None and training.state != "passed":
            raise CampaignError("complete the practice set first: this item is rated by those who have qualified")
        with self._lock:
            self._qualified.add(key)


@cache
def taking_of(store: Store) -> Taking:
    """What decides for this store, with what it remembers."""
    return Taking(store)
