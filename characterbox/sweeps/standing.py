"""How far a sweep is, by what is stored: whichever process runs it, or none."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from annotations.rubric import load_rubric
from characterbox.judging.judge import Judge
from characterbox.judging.registry import as_known
from characterbox.reasons import Reason, several
from characterbox.store import Store
from characterbox.store.sweeps import Failure
from characterbox.sweeps.cells import Cell
from characterbox.sweeps.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is."""

    stories: int
    played: int
    """Stories that have ended."""
    judgements: int
    """Stories times judges."""
    judged: int
    """Those with a score on every metric."""
    unread: int
    """Judgements that came to their end with scores missing; they are asked for again on purpose only."""
    failed: int
    """Stories and judgements that could not be done, those with scores missing among them: this time while it runs,
    else when they were tried last."""
    calls: int
    """Replies that came since it was started or resumed."""
    spent: float
    """US dollars in all, as far as prices are known."""

    @property
    def done(self) -> bool:
        """Whether all of it is played, and judged as far as the judges could be read."""
        return self.played == self.stories and self.judged + self.unread == self.judgements


def standing(store: Store, sweep: Sweep, cells: Sequence[Cell]) -> Progress:
    """How far a sweep with these cells is; no calls are counted."""
    ids = [cell.id for cell in cells]
    there = store.sweeps.statuses(ids)
    judges = known_of(store, sweep)
    judged, failures = judged_by(store, cells, judges, there), failures_of(store, sweep, cells)
    unread = judged & unread_by(store, judges, there).keys()
    return Progress(
        stories=len(cells),
        played=sum(status == "ended" for status in there.values()),
        judgements=len(cells) * len(sweep.judges),
        judged=len(judged) - len(unread),
        unread=len(unread),
        failed=len(failures),
        calls=0,
        spent=store.sweeps.spent(ids, [judge.rater for judge in judges]),
    )


def known_of(store: Store, sweep: Sweep) -> list[Judge]:
    """The judges of a sweep that have judged anything yet, each with its version."""
    found = (as_known(store, judge) for judge in sweep.judges)
    return [judge for judge in found if judge is not None]


def judged_by(
    store: Store, cells: Iterable[Cell], judges: Sequence[Judge], there: Collection[str]
) -> set[tuple[str, str]]:
    """The stories, of those that are there, that are judged to the last score, or to the reason why there is none: each
    with the judge."""
    given, metrics = store.sweeps.judged([*there]), len(load_rubric().keys)
    return {
        (cell.id, judge.rater)
        for cell in cells
        for judge in judges
        if given.get((cell.id, judge.rater), 0) >= len(cell.scene.names) * metrics
    }


def unread_by(store: Store, judges: Iterable[Judge], there: Collection[str]) -> dict[tuple[str, str], Failure]:
    """The stories, of those that are there, in which scores of a judge are missing, each with the judge; and why."""
    reasons: dict[tuple[str, str], dict[Reason, None]] = {}
    tried = {}
    for one in store.sweeps.unread([*there], [judge.rater for judge in judges]):
        reasons.setdefault((one.story, one.rater), {})[one.reason] = None
        tried[one.story, one.rater] = one.tried_at
    return {
        key: Failure(judgement(*key), Reason("scores_unread", detail=several(why)), tried[key])
        for key, why in reasons.items()
    }


def failures_of(store: Store, sweep: Sweep, cells: Iterable[Cell]) -> list[Failure]:
    """What could not be done of a sweep with these cells, and the judgements with scores missing, by task."""
    unread = unread_by(store, known_of(store, sweep), [cell.id for cell in cells]).values()
    found = {one.task: one for one in (*unread, *store.sweeps.failures(sweep.name))}
    return [found[task] for task in sorted(found)]


def judgement(story: str, rater: str) -> str:
    """What a judgement is called among the tasks of a sweep."""
    return f"{story}/{rater}"


def open_tasks(
    cells: Iterable[Cell], judges: Sequence[Judge], played: Collection[str], judged: Collection[tuple[str, str]]
) -> set[str]:
    """All that is still to be done, as failures name it."""
    pairs = ((cell.id, judge.rater) for cell in cells for judge in judges)
    told = {judgement(*pair) for pair in pairs if pair not in judged}
    return told | {cell.id for cell in cells if cell.id not in played}
