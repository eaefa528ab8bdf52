"""Ratings of items that cross scenes with models, for tests."""

from collections.abc import Mapping, Sequence

import pandas as pd

from annotations.validity.judge_expert_correlation import Sides, sides_of
from tests.annotations.tables import frame_of, rating

Scores = Mapping[str, Sequence[float | None]]
"""By rater, a score for each item; None where the rater did not score it."""


def crossed(experts: Scores, judges: Scores, *, scenes: int = 6, metric: str = "KA") -> pd.DataFrame:
    """Item i belongs to scene i % scenes and model i // scenes."""
    return frame_of(
        rating(
            item=f"i{i:03}",
            scene=f"s{i % scenes:02}",
            model=f"m{i // scenes}",
            metric=metric,
            rater=rater,
            kind=kind,
            score=score,
        )
        for kind, raters in (("expert", experts), ("judge", judges))
        for rater, scores in raters.items()
        for i, score in enumerate(scores)
        if score is not None
    )


def beside(frame: pd.DataFrame, judge: str = "gpt") -> Sides:
    """The experts and one judge."""
    return sides_of(frame, [judge])[judge]
