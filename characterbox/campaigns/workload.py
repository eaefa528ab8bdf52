"""What a rater has on the desk: a campaign, with what is to be done in it and how far it is."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from annotations.design.settings import Settings
from annotations.rubrics.rubric import Rubric, load_rubric
from characterbox.accounts.account import LOCAL, Account
from characterbox.campaigns.assignments import (
    Row,
    Training,
    check_item,
    practice_assignments,
    practice_item,
    rows_of,
    training_of,
)
from characterbox.campaigns.blinded_item import without_model
from characterbox.campaigns.item_selection import subjects
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import OPEN, Assignment, Campaign, CampaignItem, unknown_assignment
from characterbox.store.tables.columns import now
from characterbox.values import Language


@dataclass(frozen=True)
class RaterWorkload:
    """A campaign as one of its raters sees it."""

    campaign: Campaign
    rubric: Rubric
    items: dict[str, CampaignItem]
    training: Training | None
    """How far the rater is with the practice set; None where there is none."""
    practice: tuple[Row, ...]
    """Of all attempts."""
    work: tuple[Row, ...]
    """What is rated, in the rater's order, attention checks and hidden repeats among it."""
    as_of: datetime
    """Nothing that was marked before this moment is missing here."""
    improvised: bool
    """Whether the rehearsal had a part in any of its items. It is not told in which: that would tell the model."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is to be done now: the practice set, until the rater has qualified; then the work."""
        if self.training is None or self.training.state == "passed":
            return self.work
        return self.attempt(self.training.attempt)

    @property
    def done(self) -> int:
        """How many items are rated or skipped."""
        return sum(row.state(self.rubric) in ("done", "skipped") for row in self.work)

    @property
    def skipped(self) -> int:
        """How many of them are skipped."""
        return sum(row.state(self.rubric) == "skipped" for row in self.work)

    @property
    def models(self) -> list[str]:
        """All models of the campaign, as a rater may guess them."""
        return sorted({item.model for item in self.items.values()})

    def language_of(self, assignment: Assignment) -> Language:
        """The language of what is assigned.

        Raises CampaignError if the practice set has it no more, and RatingError if the rubric has no such set.
        """
        if assignment.purpose == "rate":
            return self.items[assignment.item].language
        find = practice_item if assignment.purpose == "practice" else check_item
        return find(assignment, self.rubric).language

    def attempt(self, number: int) -> tuple[Row, ...]:
        """The practice items of one attempt."""
        return tuple(row for row in self.practice if row.assignment.take == number)

    def has(self, assignment: str) -> bool:
        """Whether the assignment is on this desk."""
        return any(row.assignment.id == assignment for row in (*self.practice, *self.work))

    def row(self, assignment: str) -> Row:
        """The row of an assignment. Raises CampaignError if it is not on this desk, or not yet."""
        for row in (*self.practice, *(self.work if self.rows is self.work else ())):
            if row.assignment.id == assignment:
                return row
        raise unknown_assignment(assignment)

    def beside(self, row: Row) -> tuple[Row, ...]:
        """The rows among which this one stands."""
        return self.attempt(row.assignment.take) if row.assignment.purpose == "practice" else self.work

    def of_story(self, story: str) -> str | None:
        """The first item of a story that is not done yet; None where there is none."""
        rows = (row for row in self.work if row.state(self.rubric) in ("open", "begun"))
        return next((row.assignment.id for row in rows if self.items[row.assignment.item].story_id == story), None)

    def onward(self, after: str | None = None) -> str | None:
        """What to do next: the next item that is not done yet, from the top again where none is left below."""
        if self.campaign.status != "running":
            return None
        ids = [row.assignment.id for row in self.rows]
        start = ids.index(after) + 1 if after in ids else 0
        order = (*self.rows[start:], *self.rows[:start])
        left = (row.assignment.id for row in order if row.state(self.rubric) in ("open", "begun"))
        return next((id for id in left if id != after), None)


def workload_of(store: Store, campaign: Campaign, rater: Account) -> RaterWorkload:
    """The desk of an expert in one campaign. Raises RatingError if its rubric can't be read."""
    as_of = now()
    settings = campaign.settings
    assignments = store.campaigns.assignments(campaign=campaign.id, rater=_id(rater))
    rows = rows_of(assignments, store.marks.sheets(campaign.id, _id(rater)))
    items = {item.item: item for item in store.campaigns.items(campaign.id)}
    rubric = store.rubrics.rubric(settings.rubric, settings.rubric_version)
    return RaterWorkload(
        campaign=campaign,
        rubric=rubric,
        items=items,
        training=training_of(rows, settings, rubric),
        practice=tuple(row for row in rows if row.assignment.purpose == "practice"),
        work=tuple(row for row in rows if row.assignment.purpose != "practice"),
        as_of=as_of,
        improvised=_improvised(store, campaign.id, len(items)),
    )


def workloads_of(store: Store, rater: Account) -> list[RaterWorkload]:
    """The desks of an expert in all campaigns that have started, those that run first."""
    mine = {assignment.campaign for assignment in store.campaigns.assignments(rater=_id(rater))}
    campaigns = [one for one in store.campaigns.all() if one.id in mine and one.status != "draft"]
    order = ["running", "paused", "closed"]
    return [workload_of(store, one, rater) for one in sorted(campaigns, key=lambda one: order.index(one.status))]


def open_workload(store: Store, rater: Account) -> RaterWorkload:
    """The desk of somebody who rates whatever there is, where nobody signs in: every part in every story that ended.

    All of it is rated with the rubric that was bundled when somebody first did so, as it was then. Raises RatingError
    if that can't be read.
    """
    campaign = next((one for one in store.campaigns.all() if one.id == OPEN), None) or _open_campaign()
    rubric = store.rubrics.rubric(campaign.settings.rubric, campaign.settings.rubric_version)
    stories = reversed(store.stories.stories("ended"))  # the oldest first, so that an item keeps its place
    found = [subject.campaign_item for subject in subjects(stories, rubric)]
    known = {assignment.item for assignment in store.campaigns.assignments(campaign=OPEN, rater=_id(rater))}
    if any(item.item not in known for item in found):
        store.rubrics.keep(rubric.name, rubric.version, LOCAL)
        store.campaigns.open(campaign, found, _id(rater))
    return workload_of(store, campaign, rater)


def begin_again(store: Store, campaign: str, rater: Account) -> None:
    """Give an expert the practice set of a campaign that runs once more, if it is not passed and there is an attempt
    left. How things stand is read anew: the page that asks may be an old one."""
    desk = workload_of(store, store.campaigns.campaign(campaign), rater)
    training = desk.training
    if desk.campaign.status != "running" or training is None:
        return
    if training.state != "failed" or training.attempt >= training.attempts:
        return
    items = [practice_item(row.assignment, desk.rubric) for row in desk.attempt(training.attempt)]
    store.campaigns.add(practice_assignments(campaign, _id(rater), items, training.attempt + 1), rater)


def _id(rater: Account) -> str:
    if rater.id is None:
        raise CampaignError("{name}: only accounts have items to rate; sign in first", name=rater.name)
    return rater.id


def _open_campaign() -> Campaign:
    rubric = load_rubric()
    settings = Settings(
        name="Open rating",
        rubric=rubric.name,
        rubric_version=rubric.version,
        raters_per_item=1,
        seed=0,
        repeats=0,
        practice=False,
        threshold=1,
        attempts=1,
        checks=0,
        asks_model=False,
        minutes=5,
    )
    return Campaign(id=OPEN, settings=settings, status="running", created_by="CharacterBox", created_at=now())


@lru_cache(maxsize=256)
def _improvised(store: Store, campaign: str, items: int) -> bool:
    """Asked again when the campaign has more items; a story's casting that has ended does not change any more."""
    return bool(without_model(store, store.campaigns.items(campaign)))
