"""Tables of ratings from rows, for tests."""

from collections.abc import Iterable, Mapping

import pandas as pd

from annotations.marking.rating import check_frame


def rating(**changes: object) -> dict[str, object]:
    """A row of a table of ratings."""
    row = {"item": "1", "scene": "s", "model": "m", "metric": "KA", "rater": "gpt", "kind": "judge", "score": 4}
    return row | changes


def frame_of(rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """The rows as a long table."""
    frame = pd.DataFrame([dict(row) for row in rows]).astype({"score": float})
    check_frame(frame)
    return frame
