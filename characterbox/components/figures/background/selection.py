"""Which ratings the figures are of, how their intervals are made, and what is done about gaps: what the reader of the
page chose."""

from dataclasses import dataclass

import pandas as pd

from annotations.reliability.pairwise import USUAL_GAPS, Gaps
from annotations.resampling.jackknife import USUAL, Drawn


@dataclass(frozen=True)
class Selection:
    """A part of the ratings, and a way to make intervals."""

    language: str | None = None
    """None for all."""
    models: tuple[str, ...] = ()
    """None of them for all."""
    drawn: Drawn = USUAL
    gaps: Gaps = USUAL_GAPS

    @property
    def short(self) -> str:
        """The part in a few letters, as for the name of a file; "" for all ratings."""
        return "-".join(filter(None, (self.language, "+".join(self.models))))

    def of(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The ratings that are selected."""
        if self.language is not None:
            frame = frame[frame["language"] == self.language]
        return frame[frame["model"].isin(self.models)] if self.models else frame
