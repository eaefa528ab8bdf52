"""The table of `docs/en/reference/statistics.md`: how often each interval holds, from what `python -m bench.coverage`
has stored.

python -m bench.coverage.table
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binom

from bench.coverage.designs import (
    AGAIN,
    CAUTION,
    HOLDS,
    MISSING,
    MODELS,
    RATERS,
    SCENES,
    STORE,
    designs_of,
    outside,
    shares_of,
)

PAGE = Path("docs/en/reference/statistics.md")
BEFORE = Path("docs/coverage-bootstrap.csv")
"""The same studies with the percentile bootstrap over scenes, 2,000 draws, which made the intervals up to commit
ce45b43e."""
BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"
SAME = ["scenes", "models", "raters", "missing", "figure"]
WIDTHS_OF = (5, 10, 20, 60)
_TINY = 1e-9


def table() -> str:
    """Markdown: intervals and tests, then cautions."""
    rows = shares_of(STORE)
    cautions = rows["figure"].str.startswith(CAUTION)
    runs, seed = int(rows["runs"].max()), int(rows["seed"].iloc[0])
    every = len([*product(SCENES, MODELS, RATERS, MISSING)])
    head = (
        f"{len(designs_of(rows))} of {every} designs with {runs:,} runs each (seed {seed}): {_several(SCENES)} scenes x"
        f" {_several(MODELS)} models x {_several(RATERS)} raters, both languages mixed, none and 10 % of the scores"
        " missing, on a scale from 1 to 5 with a ceiling; the effects of models, scenes and raters and of each two of"
        " them are those of hanna.csv. With 1,000 runs, the share of an interval that holds in exactly 95 % lies"
        " between .936 and .964 in 95 of 100 designs. A design counts for a figure that has an interval in at least"
        " half of its runs. `docs/coverage.csv` has every design."
    )
    told, beyond = rows[rows["judged"]], outside(rows)
    chance = sum(_outside_by_chance(int(n)) for n in told["shown"])
    head += (
        f" Of {len(told):,} shares, {len(beyond)} lie outside {HOLDS[0]} to {HOLDS[1]}; if each interval held in"
        f" exactly 95 % (and each test rejected in 5 %), {chance:.0f} would by chance."
    )
    if AGAIN.exists() and len(beyond):
        head += _again(beyond)
    parts = (_intervals(rows[~cautions]), _beside(rows), _cautions(rows[cautions]))
    return "\n\n".join([head, *("\n".join(part) for part in parts)])


def _again(beyond: pd.DataFrame) -> str:
    """What became of the shares that lie outside when their designs were made with another seed."""
    again = shares_of(AGAIN)
    both = beyond.merge(again, on=SAME, suffixes=("", "_again"))
    inside = int(both["share_again"].between(*HOLDS).sum())
    together = (both["held"] + both["held_again"]) / (both["shown"] + both["shown_again"])
    left = both[~together.between(*HOLDS)].assign(together=together)
    told = [
        f"{one.figure} {one.together:.3f} ({one.scenes} x {one.models} x {one.raters},"
        f" {'10 %' if one.missing else 'none'} missing)"
        for one in left.itertuples()
    ]
    made, asked = len(designs_of(beyond) & designs_of(again)), len(designs_of(beyond))
    return (
        f" {made} of the {asked} designs that they are of were made once more with another seed"
        f" (`docs/coverage-again.csv`): {inside} of {len(both)} lie inside then. Still outside over the runs of both"
        f" seeds: {'; '.join(told) or 'none'}."
    )


def _outside_by_chance(n: int) -> float:
    """The chance that of `n` intervals, each of which holds in 95 %, another share than that of `HOLDS` does."""
    low, high = (np.ceil(n * HOLDS[0] - _TINY) - 1, np.floor(n * HOLDS[1] + _TINY))
    return float(binom.cdf(low, n, 0.95) + binom.sf(high, n, 0.95))


def _several(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def _intervals(rows: pd.DataFrame) -> Iterator[str]:
    widths = " | ".join(f"width, {scenes} scenes" for scenes in WIDTHS_OF)
    yield f"| figure | designs | holds in | least | most | in {HOLDS[0]} to {HOLDS[1]} | {widths} |"
    yield f"| --- | --- | --- | --- | --- | --- |{' --- |' * len(WIDTHS_OF)}"
    for name, of in rows.groupby("figure", sort=False):
        judged = of[of["judged"]]
        if judged.empty:
            yield f"| {name} | 0 | not shown |{' |' * (3 + len(WIDTHS_OF))}"
            continue
        share = judged["share"]
        inside = share.between(*HOLDS).mean()
        told = (f"{share.mean():.3f}", f"{share.min():.3f}", f"{share.max():.3f}", f"{inside:.0%}")
        width = (judged.loc[judged["scenes"] == scenes, "width"].mean() for scenes in WIDTHS_OF)
        of_widths = ("" if str(name).startswith("p of") or pd.isna(one) else f"{one:.2f}" for one in width)
        yield f"| {name} | {len(judged)} | {' | '.join([*told, *of_widths])} |"


def _beside(rows: pd.DataFrame) -> Iterator[str]:
    """Share that holds and mean width of the bootstrap of before, and of the jackknife, of the same studies."""
    before = pd.read_csv(BEFORE)
    before["share"] = before["held"] / before["shown"]
    both = before.merge(rows, on=SAME, suffixes=("_before", "_after"))
    scenes = sorted({int(each) for each in both["scenes"]})
    yield "The percentile bootstrap over scenes, which CharacterBox used before, on the same studies of 4 models and 3"
    yield "raters without missing scores (`docs/coverage-bootstrap.csv`): how often it holds, and how often the"
    yield "jackknife does, with the mean widths in brackets."
    yield ""
    heads = [f"{each} scenes, {way}" for each in scenes for way in ("bootstrap", "jackknife")]
    yield f"| figure | {' | '.join(heads)} |"
    yield f"| --- |{' --- |' * len(heads)}"
    columns = [f"{figure}_{when}" for when in ("before", "after") for figure in ("share", "width")]
    for name, of in both.groupby("figure", sort=False):
        cells = [
            f"{share:.3f} ({width:.2f})"
            for row in of.sort_values("scenes")[columns].to_numpy(dtype=float)
            for share, width in row.reshape(2, 2)
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def _cautions(rows: pd.DataFrame) -> Iterator[str]:
    yield "Cautions that are told where the true values of a world give no reason for them. The excess of two judges is"
    yield "rarely 0 or less in these worlds: for that caution, see how often its interval holds. A restricted range is"
    yield "told most often where the truth lies near its threshold: of two models that hardly differ, the mean of five"
    yield "raters varies about 0.65 times as much as a judge. Selection looks at both sides, each at 5 %. The most"
    yield "of a design rests on 10 to 200 studies: chance is in it."
    yield ""
    yield "| caution | told in | most, of a design |"
    yield "| --- | --- | --- |"
    for name, of in rows.groupby("figure", sort=False):
        false = 1 - of["share"]
        yield f"| {str(name).removeprefix(CAUTION)} | {false.mean():.1%} | {false.max():.1%} |"


def main() -> int:
    """The page with the table as the stored runs have it."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[-1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
