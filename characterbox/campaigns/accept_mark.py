"""Whether a mark is taken: from whom, in which campaign, and by which rubric. Asked while the mark is being written."""

import threading
from functools import cache, lru_cache

from annotations.design.settings import Settings
from annotations.errors import RatingError
from annotations.i18n.messages import Message, to_say
from annotations.marking.marks import Evidence, Guess, Mark, Sheet, Skip, Time, checked
from annotations.rubrics.rubric import Rubric
from characterbox.accounts.account import Account
from characterbox.campaigns.assignments import Training, rows_of, training_of
from characterbox.campaigns.blinded_item import shown_assignment
from characterbox.errors import CampaignError, CampaignPaused, CampaignUnreadable, StoryError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import settings_of, unknown_assignment
from characterbox.store.campaigns.marks import Check, Place

_WHY = {
    "draft": to_say("the campaign has not started yet"),
    "paused": to_say("the campaign is paused; ratings are accepted again when it resumes"),
    "closed": to_say("the campaign is closed; ratings can no longer change"),
}
_KEPT = 20_000
"""Assignments of which the number of steps is remembered."""


class Taking:
    """Decides for one store. Remembers what never changes back: who is qualified, the models of a campaign, and how
    many steps there are in what is rated, since a story that has ended stays as it is."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._qualified: set[tuple[str, str]] = set()
        self._models: dict[str, frozenset[str]] = {}
        """By campaign; an extension can add some."""
        self._steps = lru_cache(_KEPT)(self._count_steps)

    def check(self, account: Account) -> Check:
        """What `MarkStore.append` asks of a mark that this account makes.

        Raises CampaignError for an item that is not the account's, a campaign that takes no marks, an expert who is
        not qualified yet, and practice that is over or to be skipped; RatingError for what the rubric does not have,
        a guess that is no model of the campaign, and evidence beyond the last step; CampaignUnreadable if this can't
        be told, because the rubric, the practice set or the story can't be read.
        """

        def check_place(place: Place) -> None:
            if account.id not in (None, place.rater):  # without accounts, people rate under the name that they write
                raise unknown_assignment(place.assignment)

        return Check(check_place, self._taken)

    def _taken(self, place: Place, mark: Mark, sheet: Sheet) -> Mark:
        if place.status == "paused":
            raise CampaignPaused(_WHY[place.status])
        if place.status != "running":
            raise CampaignError(_WHY[place.status])
        settings = settings_of(place.settings, place.campaign)
        if place.purpose == "practice" and sheet.submitted is not None and not isinstance(mark, Time):
            raise CampaignError(
                "this practice item is submitted and its gold scores have been shown; it can no longer change"
            )
        if place.purpose == "practice" and isinstance(mark, Skip) and mark.reason is not None:
            raise CampaignError("a practice item cannot be skipped; score every metric to see the gold scores")
        if place.purpose != "practice":
            self._check_qualified(place, settings)
        kept = checked(mark, self._rubric(settings.rubric, settings.rubric_version), sheet)
        if isinstance(kept, Guess):
            self._check_guess(place.campaign, settings, kept)
        if isinstance(kept, Evidence):
            self._check_evidence(place.assignment, settings, kept)
        return kept

    def _check_guess(self, campaign: str, settings: Settings, guess: Guess) -> None:
        """Raises RatingError if the campaign does not ask, or has no such model. They are read again only for one not
        known yet."""
        if not settings.asks_model:
            raise RatingError("guess: this campaign does not ask for the model")
        if guess.model is None or guess.model in self._models.get(campaign, ()):
            return
        self._models[campaign] = frozenset(item.model for item in self._store.campaigns.items(campaign))
        if guess.model not in self._models[campaign]:
            fault = Message("guess: this model is not among the choices; choose one of them, or “cannot tell”")
            raise RatingError(fault)

    def _check_evidence(self, assignment: str, settings: Settings, evidence: Evidence) -> None:
        if not evidence.steps:
            return
        count = self._steps(assignment, settings.rubric, settings.rubric_version)
        if (last := max(evidence.steps)) >= count:
            fault = Message(
                "evidence: there is no step {last}; the item has {count} steps, counted from 0; reload the page",
                last=last,
                count=count,
            )
            raise RatingError(fault)

    def _rubric(self, name: str, version: str) -> Rubric:
        try:
            return self._store.rubrics.rubric(name, version)
        except RatingError as error:
            raise CampaignUnreadable("the campaign's rubric cannot be read ({error})", error=error) from None

    def _count_steps(self, assignment: str, rubric: str, version: str) -> int:
        found, by = self._store.campaigns.assignment(assignment), self._rubric(rubric, version)
        try:
            return len(shown_assignment(self._store, found, by)["steps"])
        except (CampaignError, RatingError, StoryError) as error:
            raise CampaignUnreadable("evidence: the text it refers to cannot be read ({error})", error=error) from None

    def _check_qualified(self, place: Place, settings: Settings) -> None:
        if not settings.practice:
            return
        key = (place.campaign, place.rater)
        with self._lock:
            if key in self._qualified:
                return
        training = self._training(place, settings)
        if training is not None and training.state != "passed":
            raise CampaignError("complete the practice set first; this item is only for raters who have passed it")
        with self._lock:
            self._qualified.add(key)

    def _training(self, place: Place, settings: Settings) -> Training | None:
        assignments = self._store.campaigns.assignments(campaign=place.campaign, rater=place.rater)
        rows = rows_of(assignments, self._store.marks.sheets(place.campaign, place.rater))
        rubric = self._rubric(settings.rubric, settings.rubric_version)
        try:
            return training_of(rows, settings, rubric)
        except (CampaignError, RatingError) as error:
            raise CampaignUnreadable("the campaign's practice set cannot be read ({error})", error=error) from None


@cache
def taking_of(store: Store) -> Taking:
    """What decides for this store, with what it remembers."""
    return Taking(store)
