"""What all but the slowest one in twenty take."""

import math
from collections.abc import Iterable


def slowest_in_twenty_of(times: Iterable[float]) -> float:
    """The 95th percentile, by the nearest rank: of twenty the slowest but one."""
    ordered = sorted(times)
    return ordered[math.ceil(len(ordered) * 0.95) - 1]
