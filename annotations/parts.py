"""Parts of a table of ratings: one language, or one model, by itself."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Part:
    """Which ratings a figure is of: all, those of one language, or those of one model."""

    language: str | None = None
    model: str | None = None


WHOLE = Part()


def parts_of(frame: pd.DataFrame) -> Mapping[Part, pd.DataFrame]:
    """All ratings, then those of each language, then those of each model; what there is only one of is no part."""
    found = {WHOLE: frame}
    if "language" in frame and frame["language"].nunique() > 1:
        found |= {Part(language=str(name)): own for name, own in frame.groupby("language", sort=True)}
    if frame["model"].nunique() > 1:
        found |= {Part(model=str(name)): own for name, own in frame.groupby("model", sort=True)}
    return found
