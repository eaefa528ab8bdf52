"""How long experts take for a trajectory, as measured in all campaigns together."""

from dataclasses import dataclass
from functools import lru_cache

from annotations.errors import UndefinedStatistic
from annotations.pace import ItemTime, Pace, pace
from characterbox.campaigns.row import Row, rows_of
from characterbox.campaigns.scene_items import without_model
from characterbox.store import Store


@dataclass(frozen=True)
class ExpertPace:
    """The pace of experts, whoever they are and whatever the rubric."""

    pace: Pace
    improvised: int
    """Of its `n` ratings, how many are of stories that were made without a language model, at least in part."""


def expert_pace(store: Store) -> ExpertPace | None:
    """The pace over all ratings that were submitted and not skipped; None as long as there is none with a time.

    Practice, attention checks and hidden repeats are left out: they take another time than an item that is new.
    """
    return _expert_pace(store, store.newest().mark)


@lru_cache(maxsize=2)
def _expert_pace(store: Store, mark: int) -> ExpertPace | None:
    """`mark` is the last one there is: no pace changes without one."""
    rows: list[Row] = []
    improvised = 0
    for campaign in store.campaigns.all():
        assignments = store.campaigns.assignments(campaign=campaign.id)
        first = (one for one in assignments if one.purpose == "rate" and one.take == 0)
        counted = [row for row in rows_of(first, store.marks.sheets(campaign.id)) if row.sheet.counts]
        made = without_model(store, store.campaigns.items(campaign.id)) if counted else ()
        improvised += sum(row.sheet.reading > 0 and row.assignment.item in made for row in counted)
        rows += counted
    times = {row.assignment.id: ItemTime(row.sheet.reading / 1000, row.sheet.idle / 1000) for row in rows}
    try:
        found = pace(times, times.keys())
    except UndefinedStatistic:
        return None
    return ExpertPace(found, improvised)
