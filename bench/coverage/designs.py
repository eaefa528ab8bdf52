"""The designs of `make coverage`, and which of their figures count for the shares that intervals hold in."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

SCENES, MODELS, RATERS, MISSING = (5, 10, 20, 30, 60), (2, 4, 8, 12), (2, 3, 5), (0.0, 0.1)
SEED, OTHER_SEED = 20, 21
STORE, AGAIN = Path("docs/coverage.csv"), Path("docs/coverage-again.csv")
"""What each design came to; and what designs in which a share lay outside `HOLDS` came to with the other seed."""
HOLDS = (0.93, 0.97)
LEAST = 0.5
"""A figure that is shown in fewer of the runs of a design is not judged by it: what is left is a choice of runs."""
CAUTION = "no caution: "


@dataclass(frozen=True)
class Design:
    """The size of a study, and the share of scores that are missing."""

    scenes: int
    models: int
    raters: int
    missing: float


def shares_of(store: Path) -> pd.DataFrame:
    """What is stored, a row for each figure in each design, with the `share` of intervals that hold, and whether it is
    `judged`."""
    rows = pd.read_csv(store)
    rows["share"] = rows["held"] / rows["shown"].where(rows["shown"] > 0)
    rows["judged"] = (rows["shown"] >= LEAST * rows["runs"]) & ~rows["figure"].str.startswith(CAUTION)
    return rows


def outside(rows: pd.DataFrame) -> pd.DataFrame:
    """The shares that are judged and lie outside `HOLDS`."""
    return rows[rows["judged"] & ~rows["share"].between(*HOLDS)]


def designs_of(rows: pd.DataFrame) -> set[Design]:
    """The designs in some rows."""
    sizes = rows[["scenes", "models", "raters", "missing"]].drop_duplicates()
    return {Design(int(s), int(m), int(r), float(missing)) for s, m, r, missing in sizes.itertuples(index=False)}
