"""`make coverage`: how often the default intervals hold the truth, and tests reject it, by design.

    python -m bench.coverage [--runs 1000] [--store docs/coverage.csv] [--models M ...] [--raters R ...]
    python -m bench.coverage --again

Each design has so many runs. The models and raters of a run stay what they are while scenes are drawn, so that the
truth is what many scenes of the same models and raters come to; a world of models and raters serves `RUNS_OF_WORLD`
runs. What is stored of a design is not made again: the command can be stopped and goes on where it was. Rows:
`held` of the `shown` intervals hold the truth (of tests: do not reject it), with the mean `width`. With --again, the
designs in which a share lay outside what is asked for are made with another seed: what is chance will not come again.
"""

import argparse
import csv
import sys
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from annotations.errors import Undefined
from annotations.leaderboard.differences import Difference
from annotations.report.warnings_on_figures import side_caveats
from annotations.resampling.estimates import Estimate
from bench.coverage.designs import (
    CAUTION,
    MISSING,
    MODELS,
    OTHER_SEED,
    RATERS,
    SCENES,
    SEED,
    STORE,
    Design,
    designs_of,
    outside,
    shares_of,
)
from bench.coverage.figures import (
    ENDS,
    Found,
    apart,
    between_models,
    cautions,
    corrected_mean,
    figures,
    p_values,
    strength,
)
from bench.coverage.ratings import HANNA, METRICS, World

RUNS_OF_WORLD = 50
MANY = 3000
"""Scenes that make a truth."""
UNLABELLED = 3
"""Scenes of the judge alone for each that experts scored, of a corrected mean."""
STRENGTH, BETWEEN, CORRECTED = "strength, Bradley-Terry", "r, models", "corrected mean"
APART = "differences of models, all pairs at once"
CAUTIONS = ("constant", "restricted range", "halo", "convergence", "pooled", "selection", "shared teacher")
DUE = {
    "halo": ("discrimination", 0.0, np.inf),
    "convergence": ("convergence", -np.inf, 0.05),
    "shared teacher": ("judges: excess", 0.0, np.inf),
}
"""Between which true values of what a caution is right. "restricted range" is right where it is told of very many
scenes, too; for the others, nothing that is simulated gives a reason."""
EACH = 5
"""Of so many runs, one is looked through for cautions."""
ALPHA = 0.05


@dataclass(frozen=True)
class Row:
    """One figure in one design."""

    scenes: int
    models: int
    raters: int
    missing: float
    figure: str
    runs: int
    undefined: int
    """Runs in which the figure itself has no value."""
    shown: int
    """Runs with an interval, or a p."""
    held: int
    width: float
    """Mean of the intervals."""
    seed: int


@dataclass
class Count:
    """Of one figure, while runs go on."""

    undefined: int = 0
    shown: int = 0
    held: int = 0
    width: float = 0.0

    def add(self, found: Found, truth: float) -> None:
        """One more run with its interval."""
        if isinstance(found, Undefined):
            self.undefined += 1
        elif not isinstance(found.interval, Undefined):
            self.shown += 1
            self.held += found.interval.low <= truth <= found.interval.high
            self.width += found.interval.high - found.interval.low

    def simultaneous(
        self, pairs: Mapping[tuple[str, str], Difference], reason: Undefined | None, truth: Mapping[str, float]
    ) -> None:
        """One more run with the intervals of all pairs, which have to hold together."""
        self.undefined += reason is not None
        self.shown += reason is None
        self.held += reason is None and all(
            one.interval.low <= truth[better] - truth[other] <= one.interval.high
            for (better, other), one in pairs.items()
        )
        self.width += float(np.mean([one.interval.high - one.interval.low for one in pairs.values()])) if pairs else 0.0


def measured(design: Design, runs: int, seed: int) -> list[Row]:
    """All figures in one design."""
    counts: dict[str, Count] = {}
    for run in range(runs):
        key = WorldKey(seed, design.models, design.raters, run // RUNS_OF_WORLD)
        world, truths = _world(key), _truths(key, design.missing)
        random = np.random.default_rng((seed, *_whole(design), run))
        study = world.study(random, design.scenes, design.missing)
        for name, found in figures(study):
            counts.setdefault(name, Count()).add(found, truths[name])
        unrelated = world.study(random, design.scenes, design.missing, related=False)
        for name, p in p_values(study, unrelated):
            count = counts.setdefault(name, Count())
            count.undefined += isinstance(p, Undefined)
            count.shown += not isinstance(p, Undefined)
            count.held += not isinstance(p, Undefined) and p >= ALPHA
        alone = world.study(random, UNLABELLED * design.scenes, design.missing)
        counts.setdefault(CORRECTED, Count()).add(corrected_mean(study, alone), truths[CORRECTED])
        counts.setdefault(STRENGTH, Count()).add(strength(random, design.models, design.scenes), truths[STRENGTH])
        counts.setdefault(APART, Count()).simultaneous(*apart(study), _means(key, design.missing))
        told = set(cautions(study)) if run % EACH == 0 else None
        for kind in without_reason(truths, _crowded(key, design.missing)) if told is not None else ():
            count = counts.setdefault(f"{CAUTION}{kind}", Count())
            count.shown, count.held = count.shown + 1, count.held + (kind not in (told or ()))
        other = World.drawn(random, HANNA, design.models, design.raters).study(random, design.scenes, design.missing)
        truth = _between(seed, design.scenes, design.raters, design.missing)
        counts.setdefault(BETWEEN, Count()).add(between_models(other), truth)
    return [_row(design, name, count, runs, seed) for name, count in counts.items()]


def without_reason(truths: Mapping[str, float], narrow: bool) -> Iterator[str]:
    """The kinds of caution that would be false alarms in a world with these true values; `narrow` says whether that of
    a restricted range is right there."""
    for kind in CAUTIONS:
        if kind in DUE:
            figure, low, high = DUE[kind]
            if low < truths[figure] < high:
                continue
        if kind == "restricted range" and narrow:
            continue
        yield kind


def _row(design: Design, name: str, count: Count, runs: int, seed: int) -> Row:
    width = count.width / count.shown if count.shown else 0.0
    return Row(**asdict(design), figure=name, runs=runs, undefined=count.undefined, shown=count.shown, held=count.held,
               width=round(width, 4), seed=seed)  # fmt: skip


def _whole(design: Design) -> tuple[int, ...]:
    return design.scenes, design.models, design.raters, round(100 * design.missing)


class WorldKey(NamedTuple):
    """A world of models and raters: what it is drawn from."""

    seed: int
    models: int
    raters: int
    number: int


@lru_cache(maxsize=64)
def _world(key: WorldKey) -> World:
    return World.drawn(np.random.default_rng(key), HANNA, key.models, key.raters)


@lru_cache(maxsize=64)
def _truths(key: WorldKey, missing: float) -> Mapping[str, float]:
    random = np.random.default_rng((*key, MANY))
    with without_intervals():
        study = _world(key).study(random, MANY, missing)
        found = {name: _estimate(one) for name, one in figures(study)}
        votes = _estimate(strength(random, key.models, MANY))
    return {**found, CORRECTED: float(np.nanmean(np.nanmean(study.experts[:, 0, :, 0], axis=1))), STRENGTH: votes}


@lru_cache(maxsize=64)
def _crowded(key: WorldKey, missing: float) -> bool:
    """Whether scores of very many scenes crowd on two points of the scale, or spread less than the other side's."""
    sides = _world(key).study(np.random.default_rng((*key, MANY)), MANY, missing).sides()
    return any(one.kind == "restricted range" for one in side_caveats(sides[0], METRICS, ENDS))


@lru_cache(maxsize=64)
def _means(key: WorldKey, missing: float) -> Mapping[str, float]:
    """What the first judge gives each model on the first metric, in very many scenes."""
    study = _world(key).study(np.random.default_rng((*key, MANY)), MANY, missing)
    return {str(model): float(mean) for model, mean in enumerate(np.nanmean(study.judges[0][..., 0], axis=0))}


@lru_cache(maxsize=8)
def _between(seed: int, scenes: int, raters: int, missing: float) -> float:
    """r of the means over so many scenes of very many models."""
    random = np.random.default_rng((seed, scenes, raters))
    with without_intervals():
        drawn = (World.drawn(random, HANNA, MANY, raters).study(random, scenes, missing) for _ in range(5))
        return float(np.mean([_estimate(between_models(study)) for study in drawn]))


def _estimate(found: Found) -> float:
    return found.estimate if isinstance(found, Estimate) else np.nan


@contextmanager
def without_intervals() -> Iterator[None]:
    """Figures alone: leaving out each of very many scenes takes very long."""
    with patch("annotations.resampling.jackknife.FEWEST_CLUSTERS", np.inf):
        yield


def _of_group(left: list[Design], runs: int, store: Path, seed: int) -> int:
    """Designs with the same models and raters, which share their worlds."""
    warnings.simplefilter("ignore")
    for design in left:
        rows = measured(design, runs, seed)
        with store.open("a", newline="") as file:
            csv.writer(file).writerows([getattr(row, one.name) for one in fields(Row)] for row in rows)
        print(design, flush=True)
    return len(left)


def main() -> int:
    """What is not stored yet is made, two groups of designs at a time."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--scenes", type=int, nargs="+", default=SCENES)
    parser.add_argument("--models", type=int, nargs="+", default=MODELS)
    parser.add_argument("--raters", type=int, nargs="+", default=RATERS)
    parser.add_argument("--missing", type=float, nargs="+", default=MISSING)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    asked = {Design(*of) for of in product(options.scenes, options.models, options.raters, options.missing)}
    store, seed = options.store, SEED
    if options.again:
        asked = asked & designs_of(outside(shares_of(store)))
        store, seed = store.with_stem(f"{store.stem}-again"), OTHER_SEED
    left = sorted(asked - designs_of(shares_of(store)) if store.exists() else asked, key=_whole)
    if left and not store.exists():
        store.write_text(",".join(one.name for one in fields(Row)) + "\n")
    groups = [
        [design for design in left if (design.models, design.raters) == same]
        for same in product(options.models, options.raters)
    ]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(_of_group, group, options.runs, store, seed) for group in groups]
        for job in jobs:
            job.result()
    return 0


if __name__ == "__main__":
    sys.exit(main())
