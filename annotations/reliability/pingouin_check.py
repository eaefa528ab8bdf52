"""The estimates that are shown: those of pingouin, where they are the same as those of our own formulas.

Alpha, the intraclass correlations and Pearson's r are computed twice, by a package that others know and check, and by
the formulas that are used in resampling. Two that differ are not shown: one of them is wrong. pingouin takes seconds to
import, so that only processes that work out figures and do nothing else take them from there: the one beside the app,
and commands. Elsewhere the estimates are our own.

pingouin leaves out incomplete rows in ways of its own, and gives values for scores that do not vary: it is asked about
complete tables of scores that vary.
"""

import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annotations.errors import UndefinedStatistic
from annotations.resampling.jackknife import Floats

NEAR = 1e-9
"""How far apart the two may be, relative to them if they are greater than 1: they add up in another order."""
_DECIMALS = 15
"""Of r in the tables of pingouin."""
_taken = threading.Event()


def take_from_pingouin() -> None:
    """Have this process take its estimates from pingouin, which it imports when it needs it first."""
    _taken.set()


def confirmed_alpha(own: float, scores: Floats) -> float:
    """Cronbach's alpha of scores (rows x columns), given our own; where there are gaps (NaN), of pairs of scores.

    Raises UndefinedStatistic, with both values, where pingouin's is another; so do the others.
    """
    if not _taken.is_set():
        return own
    with _quiet():
        return confirmed("alpha", own, float(_pingouin().cronbach_alpha(pd.DataFrame(scores))[0]))


def confirmed_pearson(own: float, first: Floats, second: Floats) -> float:
    """Pearson's r of two columns of scores that vary, given our own."""
    return float(confirmed_correlations(np.array([[1, own], [own, 1]]), np.column_stack([first, second]))[0, 1])


def confirmed_correlations(own: Floats, scores: Floats) -> Floats:
    """Pearson's r of each two columns of `scores` (rows x columns) that vary, given our own (columns x columns).

    All come from one table, as pingouin works out much beside each r that it is asked for by itself.
    """
    if not _taken.is_set():
        return own
    centred = np.ascontiguousarray(scores - scores.mean(axis=0))  # squares of large scores round
    table, found = _correlations(centred.tobytes(), scores.shape), own.copy()
    for lower in zip(*np.tril_indices(len(own), -1), strict=True):
        found[lower] = found[lower[::-1]] = confirmed("r", float(own[lower]), float(table[lower]))
    return found


def confirmed_intraclass(own: float, scores: Floats, name: str) -> float:
    """The intraclass correlation `name` of complete scores (items x raters), given our own."""
    if not _taken.is_set():
        return own
    return confirmed(name, own, _intraclass(scores.tobytes(), scores.shape)[name])


def confirmed(figure: str, own: float, theirs: float) -> float:
    """Theirs, if it is near our own. Raises UndefinedStatistic if it is not."""
    if not abs(own - theirs) <= NEAR * max(1.0, abs(own)):
        raise UndefinedStatistic(
            "{figure} is not shown because pingouin gives {theirs} and our own formula gives {own}; please report this",
            figure=figure,
            theirs=repr(theirs),
            own=repr(own),
        )
    return theirs


@lru_cache(maxsize=8)
def _correlations(scores: bytes, shape: tuple[int, int]) -> NDArray[np.object_]:
    """r below the diagonal, as a text. Several figures rest on r of the same judge and experts."""
    table = pd.DataFrame(np.frombuffer(scores).reshape(shape))
    return np.asarray(_pingouin().rcorr(table, upper="n", decimals=_DECIMALS), dtype=object)


@lru_cache(maxsize=4)
def _intraclass(scores: bytes, shape: tuple[int, int]) -> Mapping[str, float]:
    """All six correlations of a table: they come together, and are asked for one after the other."""
    items, raters = (each.ravel() for each in np.indices(shape))
    table = pd.DataFrame({"item": items, "rater": raters, "score": np.frombuffer(scores)})
    with _quiet():
        found = _pingouin().intraclass_corr(table, targets="item", raters="rater", ratings="score")
    return dict(zip(found["Type"], map(float, found["ICC"]), strict=True))


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out its warnings: of intervals of few or equal scores, which are not taken, and of how it uses pandas."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _pingouin() -> Any:
    return import_module("pingouin")
