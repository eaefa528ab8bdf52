"""What all but the slowest one in twenty take."""

from collections.abc import Iterable


def slowest_in_twenty_of(times: Iterable[float]) -> float:
    """The 95th percentile."""
    ordered = sorted(times)
    return ordered[int(len(ordered) * 0.95)]
