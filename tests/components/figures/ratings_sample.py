"""Ratings to draw: three experts, the judge GPT-4, and a judge whose every score is 3; and their statistics."""

from functools import cache
from itertools import count

import numpy as np
import pandas as pd

from annotations.marking.rating import packed_ratings, read_ratings
from annotations.report.report import Report, statistics
from annotations.resampling.jackknife import USUAL, Drawn
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.compute import Uploaded, take_file
from characterbox.components.figures.background.selection import Selection

RUBRIC = load_rubric()
KEYS = RUBRIC.keys
EVERYTHING = Selection()
_numbers = count()
_reports: dict[tuple[object, ...], Report] = {}
RATERS = {"ann": "expert", "bo": "expert", "cy": "expert", "GPT-4": "judge", "Same <b>": "judge"}


def campaign(languages: tuple[str, ...] = ("en", "zh"), scenes: int = 6) -> pd.DataFrame:
    """Each scene by two models, each item on the rubric's seven metrics by all raters."""
    return _campaign(languages, scenes).copy()


@cache
def _campaign(languages: tuple[str, ...], scenes: int) -> pd.DataFrame:
    random = np.random.default_rng(11)
    lines = ["item,scene,model,metric,rater,kind,score,language"]
    for language in languages:
        for scene in range(scenes):
            for model in ("m0", "m1"):
                truth = random.normal(3, 1)
                for rater, kind in RATERS.items():
                    scores = np.clip(np.round(truth + random.normal(0, 0.7, len(KEYS))), 1, 5)
                    given = np.full(len(KEYS), 3) if rater == "Same <b>" else scores
                    place = f"{language}-{scene}-{model},{language}-{scene},{model}"
                    lines += [
                        f"{place},{key},{rater},{kind},{score:g},{language}"
                        for key, score in zip(KEYS, given, strict=True)
                    ]
    return read_ratings("\n".join(lines))


def sent(frame: pd.DataFrame) -> Uploaded:
    """A file that no other test has sent."""
    source = Uploaded(f"file {next(_numbers)}")
    take_file(source, packed_ratings(frame.to_csv(index=False).encode()))
    return source


def reported(frame: pd.DataFrame, drawn: Drawn = USUAL, scale: tuple[int, int] | None = (1, 5)) -> Report:
    """Their statistics, which are worked out once for the same ratings: many tests show the same ones."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    key = (tuple(frame.columns), rows.tobytes(), drawn, scale)
    if key not in _reports:
        _reports[key] = statistics(frame, RUBRIC, scale, drawn)
    return _reports[key]
