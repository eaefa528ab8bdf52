"""Ratings of all metrics by three experts and two judges, and the figures of them."""

from typing import Any

import numpy as np
import pandas as pd

from annotations.report.all_figures import every_figure
from annotations.report.figure import By, Figure, Of
from annotations.report.report import statistics
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from tests.annotations.tables import frame_of, rating

RUBRIC = load_rubric()
KEYS = RUBRIC.keys
RATERS = {"expert-ann": "expert", "expert-bo": "expert", "expert-cy": "expert", "gpt": "judge", "glm": "judge"}
Evidence = tuple[float, float | None, float | None, int]


def ratings(metrics: tuple[str, ...], scenes: int) -> pd.DataFrame:
    """Six models in each scene; of the last three scenes the experts know nothing. Half of the scenes are English."""
    random = np.random.default_rng(5)
    rows = []
    for scene in range(scenes):
        for model in range(6):
            truth = random.normal(3, 1, len(metrics)) + model / 4
            for name, kind in RATERS.items():
                scores = np.clip(np.round(truth + random.normal(0, 0.7, len(metrics))), 1, 5)
                if kind == "expert" and scene >= scenes - 3:
                    continue
                place = {"item": f"i{scene}-{model}", "scene": f"s{scene}", "model": f"m{model}", "kind": kind}
                language = "zh" if scene % 2 else "en"
                rows += [
                    {**rating(**place, rater=name, metric=metric, score=score), "language": language}
                    for metric, score in zip(metrics, scores, strict=True)
                ]
    return frame_of(rows)


def figures_of(frame: pd.DataFrame) -> tuple[Figure, ...]:
    return every_figure(frame, statistics(frame, RUBRIC, (1, 5)))


def found(figures: tuple[Figure, ...], statistic: str, of: Of, by: By, **more: str) -> Figure:
    """The one figure of this place; `more` tells the language, the model or the definition, where it is not all."""
    part = {"language": None, "model": None} | more
    (only,) = {
        figure
        for figure in figures
        if (figure.statistic, figure.of, figure.by) == (statistic, of, by)
        and all(getattr(figure, name) == value for name, value in part.items())
    }
    return only


def evidence(figure: Figure) -> tuple[float | None, float | None, float | None, int | None]:
    return figure.estimate, figure.low, figure.high, figure.n


def given_by(one: Any, *, value: str = "estimate") -> Evidence:
    """What a result with an interval holds."""
    assert isinstance(one.interval, Interval)
    return getattr(one, value), one.interval.low, one.interval.high, one.n
