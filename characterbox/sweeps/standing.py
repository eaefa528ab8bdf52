"""How far a sweep is, by what is stored: whichever process runs it, or none."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from annotations.rubric import load_rubric
from characterbox.judging.judge import Judge
from characterbox.judging.registry import as_known
from characterbox.store import Store
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
    failed: int
    """Stories and judgements that could not be done: this time while it runs, else when they were tried last."""
    calls: int
    """Replies that came since it was started or resumed."""
    spent: float
    """US dollars in all, as far as prices are known."""

    @property
    def done(self) -> bool:
        """Whether all of it is played and judged."""
        return self.played == self.stories and self.judged == self.judgements


def standing(store: Store, sweep: Sweep, cells: Sequence[Cell]) -> Progress:
    """How far a sweep with these cells is; no calls are counted."""
    ids = [cell.id for cell in cells]
    there = store.sweeps.statuses(ids)
    judges = known_of(store, sweep)
    judged = judged_by(store, cells, judges, there)
    return Progress(
        stories=len(cells),
        played=sum(status == "ended" for status in there.values()),
        judgements=len(cells) * len(sweep.judges),
        judged=len(judged),
        failed=len(store.sweeps.failures(sweep.name)),
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
    """The stories, of those that are there, that are judged to the last score: each with the judge."""
    given, metrics = store.sweeps.judged([*there]), len(load_rubric().keys)
    return {
        (cell.id, judge.rater)
        for cell in cells
        for judge in judges
        if given.get((cell.id, judge.rater), 0) >= len(cell.scene.names) * metrics
    }
