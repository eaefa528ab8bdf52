"""Fisher's interval of a correlation (1921), which takes the pairs of scores as independent."""

import numpy as np

from annotations.resampling import Interval

FISHER = "fisher"
_HALF_WIDTH = 1.959963984540054


def fisher_interval(pearson: float, n: int) -> Interval:
    """The 95 % interval of r over `n` independent pairs, by Fisher's z; with three pairs or fewer it is [-1, 1]."""
    if n <= 3:
        return Interval(-1.0, 1.0, FISHER)
    if abs(pearson) >= 1:
        return Interval(pearson, pearson, FISHER)
    half = _HALF_WIDTH / np.sqrt(n - 3)
    low, high = np.tanh(np.arctanh(pearson) + np.array([-half, half]))
    return Interval(float(low), float(high), FISHER)
