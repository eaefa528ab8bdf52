"""What is said of two judges beside the same experts, as figures."""

from collections.abc import Iterator
from dataclasses import replace

from annotations.ceiling import RELIABILITY
from annotations.comparing import DIFFERENCE, WILLIAMS, ZOU, Comparison, Williams
from annotations.figure import By, Figure, Of, figured, valued
from annotations.judge_report import Judges
from annotations.resampling import Interval
from annotations.shared_teacher import EXCESS, EXPLAINED, Shared
from annotations.undefined import Undefined
from annotations.validity import OVERALL

OF_OVERALL = Of(metric=OVERALL)
BESIDE = "with the experts' means, on the items that the experts and both judges scored"
BETWEEN = "of their scores of the same items"
BESIDE_ALL = "of their scores of the items that all experts and both judges scored"


def figures_of_pair(found: Judges, by: By) -> Iterator[Figure]:
    """How two judges, whose scores are `by`, differ, and what they share."""
    yield from _comparison(found.comparison, by)
    yield from _shared(found.pair.shared, by)


def _comparison(one: Comparison | Undefined, by: By) -> Iterator[Figure]:
    base = Figure("difference of r", OF_OVERALL, by, definition=DIFFERENCE)
    if not isinstance(one, Comparison):
        yield replace(base, undefined=one.reason)
        return
    yield figured(Figure("Pearson's r of the first judge", OF_OVERALL, by, definition=BESIDE), one.first_r, "items")
    yield figured(Figure("Pearson's r of the second judge", OF_OVERALL, by, definition=BESIDE), one.second_r, "items")
    yield figured(base, one.difference, "items")
    yield valued(
        Figure("Pearson's r of two judges", OF_OVERALL, by, definition=BETWEEN), one.between, None, (one.n, "items")
    )
    yield from _williams(one, by)
    zou = Figure("difference of r, Zou's interval", OF_OVERALL, by, definition=ZOU)
    yield (
        valued(zou, one.difference.estimate, one.zou, (one.n, "items"))
        if isinstance(one.zou, Interval)
        else replace(zou, undefined=one.zou.reason)
    )


def _williams(one: Comparison, by: By) -> Iterator[Figure]:
    found = one.williams
    for name in ("t of the difference, Williams", "p of the difference, Williams"):
        base = Figure(name, OF_OVERALL, by, definition=WILLIAMS)
        if isinstance(found, Williams):
            value = found.t if name.startswith("t ") else found.p
            yield valued(base, value, None, (one.n, f"items, {found.df} degrees of freedom"))
        else:
            yield replace(base, undefined=found.reason)


def _shared(found: Shared | Undefined, by: By) -> Iterator[Figure]:
    excess = Figure("excess of r of two judges", OF_OVERALL, by, definition=EXCESS)
    if isinstance(found, Undefined):
        yield replace(excess, undefined=found.reason)
        return
    counts = f"items, {found.experts} experts"
    yield figured(excess, found.excess, counts)
    yield figured(
        Figure("r of two judges beside all experts", OF_OVERALL, by, definition=BESIDE_ALL), found.between, counts
    )
    explained = Figure("r of two judges that experts explain", OF_OVERALL, by, definition=EXPLAINED)
    yield figured(explained, found.explained, counts)
    reliability = Figure("reliability of the experts", OF_OVERALL, replace(by, side="experts"), definition=RELIABILITY)
    yield figured(reliability, found.reliability, counts)
