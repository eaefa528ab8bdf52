"""Bias-corrected percentiles (Efron, 1981), written out."""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np


def bias_corrected(estimate: float, drawn: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of an estimate from what it came to in each draw."""
    tied = [abs(value - estimate) < 1e-9 for value in drawn]
    below = sum(0.5 if tie else float(value < estimate) for value, tie in zip(drawn, tied, strict=True)) / len(drawn)
    normal = NormalDist()
    z = normal.inv_cdf(min(max(below, 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    low, high = np.quantile(drawn, [normal.cdf(2 * z - 1.959963984540054), normal.cdf(2 * z + 1.959963984540054)])
    return float(low), float(high)
