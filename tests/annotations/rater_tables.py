"""Ratings of one metric from tables of items x raters, for tests."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from annotations.reliability.agreement import RatedItems, rated_items


def long_table(scores: Sequence[Sequence[float]] | np.ndarray, scenes: int) -> pd.DataFrame:
    """Item i is of scene i % scenes and model i // scenes; scores[i][j] is rater j's, and NaN leaves it out."""
    table = np.asarray(scores, dtype=float)
    item, rater = np.nonzero(~np.isnan(table))
    return pd.DataFrame(
        {
            "item": [f"i{i:04}" for i in item],
            "scene": [f"s{i % scenes}" for i in item],
            "model": [f"m{i // scenes}" for i in item],
            "metric": "KA",
            "rater": [f"r{j}" for j in rater],
            "kind": "expert",
            "score": table[item, rater],
        }
    )


def rated_table(scores: Sequence[Sequence[float]] | np.ndarray, scenes: int) -> RatedItems:
    """The same as what agreement is read from."""
    return rated_items(long_table(scores, scenes))
