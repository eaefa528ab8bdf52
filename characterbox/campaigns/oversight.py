"""The oversight of a campaign: what its marks come to, computed once for each state that it is in."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import pandas as pd

from annotations.design.settings import Settings
from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message
from annotations.marking.disagreement import Disagreement, Disagreements, ItemDispute, disagreements, disputed_items
from annotations.marking.marks import Sheet
from annotations.marking.rating import COLUMNS
from annotations.reliability.agreement import Repeats, repeats_of_rater
from annotations.rubrics.rubric import Rubric
from characterbox.accounts.account import Account
from characterbox.campaigns.assignments import Row, practice_assignments, practice_item, rows_of
from characterbox.campaigns.blinded_item import without_model
from characterbox.campaigns.rater_statistics import Blinded, Board, Standing, blinded, board, repeated_scores, standings
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment, Campaign, CampaignItem
from characterbox.store.campaigns.marks import Edition

_KEPT = 8
"""Campaigns that are kept at hand."""


@dataclass(frozen=True, eq=False)
class Oversight:
    """One state of a campaign. What follows from it is computed when it is asked for, and then kept: so are the reasons
    why a figure is undefined, in the language of the one who asked."""

    settings: Settings
    rubric: Rubric
    items: Mapping[str, CampaignItem]
    improvised: frozenset[str]
    """Items that the rehearsal had a part in."""
    assignments: Sequence[Assignment]
    sheets: Mapping[str, Sheet]

    @cached_property
    def rows(self) -> list[Row]:
        """Every assignment with its sheet."""
        return rows_of(self.assignments, self.sheets)

    @cached_property
    def board(self) -> Board:
        """How far every rater and every item is."""
        return board(self.rows, self.items.values(), self.settings, self.rubric)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The experts' ratings that count, as `RatingStore.frame` has them, but with the ids of accounts as raters."""
        rated = (row for row in self.rows if row.assignment.purpose == "rate" and row.assignment.take == 0)
        cells = [
            (item.item, item.scene, item.model, metric, row.assignment.rater, "expert", float(score))
            for row in rated
            if row.sheet.counts
            for item in [self.items[row.assignment.item]]
            for metric, score in row.sheet.scores.items()
        ]
        return pd.DataFrame(cells, columns=list(COLUMNS))

    @cached_property
    def disputes(self) -> Disagreements | Undefined:
        """The cells on which at least two experts gave a score, the greatest disagreement first."""
        if self.ratings.empty:
            return Undefined(Message("no item has been completed yet"))
        try:
            return disagreements(self.ratings)
        except UndefinedStatistic as undefined:
            return Undefined(undefined.message)

    @cached_property
    def disputed_items(self) -> tuple[ItemDispute, ...]:
        """The items of these cells, likewise."""
        return () if isinstance(self.disputes, Undefined) else disputed_items(self.disputes.cells)

    def dispute(self, item: str, metric: str) -> Disagreement | None:
        """The disagreement on one cell; None where fewer than two experts scored it."""
        return self._cells.get((item, metric))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """What is known of each rater."""
        return standings(self.board.raters, self.rows, self.ratings, self.rubric)

    @cached_property
    def copies(self) -> Mapping[str, tuple[int, int]]:
        """Items that differ in nothing but their story: which of how many each is, counted from 1."""
        alike: dict[tuple[str, str | None], list[str]] = {}
        for item in sorted(self.items.values(), key=lambda one: one.item):
            alike.setdefault((item.scene, item.character), []).append(item.item)
        return {
            item: (number, len(items))
            for items in alike.values()
            if len(items) > 1
            for number, item in enumerate(items, 1)
        }

    @cached_property
    def blinded(self) -> Blinded:
        """Whether the raters could tell the models."""
        return blinded(self.rows, self.items)

    def of_item(self, item: str) -> list[Row]:
        """Every rater's row of an item, and the hidden repeats after them."""
        rows = [row for row in self.rows if row.assignment.purpose == "rate" and row.assignment.item == item]
        return sorted(rows, key=lambda row: (row.assignment.take, row.assignment.rater))

    @cached_property
    def _cells(self) -> Mapping[tuple[str, str], Disagreement]:
        cells = () if isinstance(self.disputes, Undefined) else self.disputes.cells
        return {(cell.item, cell.metric): cell for cell in cells}


class Overseer:
    """Keeps the oversight of the campaigns of one store; when marks come in, only what they touch is read anew."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[str, tuple[Edition, Oversight]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, campaign: Campaign) -> Oversight:
        """The oversight of a campaign as it is now. Raises RatingError if its rubric can't be read."""
        with self._lock:
            known = self._kept.pop(campaign.id, None)
            edition = self._store.marks.edition(campaign.id)
            if known is None or known[1].settings != campaign.settings:
                found = self._read(campaign, self._store.marks.sheets(campaign.id))
            elif known[0] == edition:
                found = known[1]
            else:
                found = self._read_on(campaign, *known, edition)
            self._kept[campaign.id] = edition, found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return found

    def _read(self, campaign: Campaign, sheets: Mapping[str, Sheet]) -> Oversight:
        settings = campaign.settings
        items = {item.item: item for item in self._store.campaigns.items(campaign.id)}
        return Oversight(
            settings=settings,
            rubric=self._store.rubrics.rubric(settings.rubric, settings.rubric_version),
            items=items,
            improvised=without_model(self._store, items.values()),
            assignments=self._store.campaigns.assignments(campaign=campaign.id),
            sheets=sheets,
        )

    def _read_on(self, campaign: Campaign, before: Edition, known: Oversight, edition: Edition) -> Oversight:
        changed = self._store.marks.sheets(campaign.id, since=before.mark)
        sheets = {**known.sheets, **changed}
        if before.assignments != edition.assignments:
            return self._read(campaign, sheets)
        if not changed:
            return known  # the marks were made in other campaigns
        return replace(known, sheets=sheets)


@cache
def overseer_of(store: Store) -> Overseer:
    """The overseer of this store, with what it keeps."""
    return Overseer(store)


def allow_attempt(store: Store, campaign: Campaign, rater: str, actor: Account) -> None:
    """Let an expert who has failed the practice set try once more, whatever number of attempts was planned.

    Raises CampaignError if the campaign does not run, or the expert has not failed.
    """
    if campaign.status != "running":
        raise CampaignError(
            "campaign {id} is {status}; resume it before you allow another attempt",
            id=campaign.id,
            status=Message(campaign.status),
        )
    oversight = overseer_of(store).of(campaign)
    training = next((line.training for line in oversight.board.raters if line.rater == rater), None)
    if training is None or training.state != "failed":
        raise CampaignError("this expert has not failed the practice set; no further attempt is needed")
    practised = (row.assignment for row in oversight.rows if row.assignment.purpose == "practice")
    last = [one for one in practised if one.rater == rater and one.take == training.attempt]
    items = [practice_item(one, oversight.rubric) for one in last]
    store.campaigns.add(practice_assignments(campaign.id, rater, items, training.attempt + 1), actor)


def repeats_by_rater(store: Store, rubric: str) -> Mapping[str, Repeats | Undefined]:
    """How steady each expert is over all campaigns with this rubric, by name, as items tell that came back unannounced.

    Raises RatingError if it can't be read.
    """
    pairs: dict[str, list[pd.DataFrame]] = {}
    for campaign in store.campaigns.all():
        repeated = any(one.take for one in store.campaigns.assignments(campaign=campaign.id))
        if campaign.settings.rubric != rubric or not repeated:
            continue
        known = overseer_of(store).of(campaign)
        for rater in {row.assignment.rater for row in known.rows}:
            own = [row for row in known.rows if row.assignment.rater == rater]
            scores = repeated_scores(own, known.rubric)
            if not scores.empty:
                scores["item"] = (
                    campaign.id + "/" + scores["item"]
                )  # the same item in another campaign is another repeat
                pairs.setdefault(rater, []).append(scores)
    names = {account.id: account.name for account in store.accounts.all()}
    return {
        names.get(rater, rater): or_undefined(repeats_of_rater, pd.concat(own)) for rater, own in sorted(pairs.items())
    }
