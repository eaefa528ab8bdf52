"""Whether two narrators decide alike, by Cohen's kappa.

Cohen's kappa (1960) is (observed - chance) / (1 - chance), where by chance both would keep how often they gave each
category, on things dealt out at random. Where things come in strata that have categories of their own, such as the
names of different casts, chance deals them out within each stratum: else names that cannot be mixed up would count as
names that were kept apart. With one stratum this is Cohen's kappa as it was published.

The first narrator's decisions made the story; the second was asked the very same prompts. Whom an action touches is a
choice among names, or of nobody; its importance is a number from 1 to 10; what comes of it is free text, of which only
the wording is compared. Decisions of one scene resemble each other, so that intervals take scenes as drawn
(see `annotations.resampling.jackknife`).
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import Message, to_say
from annotations.reliability.agreement import RatedItems
from annotations.reliability.intraclass import IntraclassCorrelation, intraclass
from annotations.resampling.estimates import Estimate, enough_cases, estimates
from annotations.resampling.jackknife import CORRELATION, SHARE, USUAL, Drawn, Figures, Floats

KAPPA = to_say(
    "Cohen's kappa (1960): agreement beyond chance, as a proportion of the maximum possible agreement beyond chance"
)

_TINY = 1e-9


@dataclass(frozen=True)
class Nominal:
    """How two raters agree on categories."""

    share: Estimate
    """Of things that both put into the same category."""
    by_chance: float
    """The share that chance alone would give."""
    kappa: Estimate | Undefined
    n: int
    """Things."""


def nominal_agreement(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    places: pd.DataFrame,
    *,
    strata: Sequence[Hashable] | None = None,
    drawn: Drawn = USUAL,
) -> Nominal:
    """How two raters agree on the things at these `places` (columns scene and model), in their order.

    `strata` tells of each thing to which it belongs; None where all have the same categories. Raises UndefinedStatistic
    where there are no things.
    """
    n = len(first)
    if n == 0:
        raise UndefinedStatistic("the two narrators have no decisions in common")
    figures = _figures(first, second, strata or [0] * n)
    share, chance, kappa = estimates(places, figures, drawn, [SHARE, SHARE, CORRELATION])
    alike = Undefined(
        Message("both narrators always gave the same answer: by chance alone they would agree on all {n:,}", n=n)
    )
    share = replace(share, interval=enough_cases(share.interval, n))
    return Nominal(share, chance.estimate, alike if np.isnan(kappa.estimate) else kappa, n)


def _figures(first: Sequence[Hashable], second: Sequence[Hashable], strata: Sequence[Hashable]) -> Figures:
    """The share of equal categories, the one by chance, and kappa."""
    codes, _ = pd.factorize(np.array([*map(repr, first), *map(repr, second)]))
    one, other = np.split(codes, 2)
    known = np.eye(codes.max() + 1)
    equal = (one == other).astype(float)
    stratum, _ = pd.factorize(np.array([*map(repr, strata)]))
    members = [np.flatnonzero(stratum == number) for number in range(stratum.max() + 1)]

    def figures(counts: Floats) -> Floats:
        n, agreed = counts.sum(axis=1), counts @ equal
        chance = np.zeros(len(counts))
        for within in members:
            drawn = counts[:, within]
            times = (drawn @ known[one[within]] * (drawn @ known[other[within]])).sum(axis=1)
            there = drawn.sum(axis=1)
            chance += np.divide(times, there, out=np.zeros(len(counts)), where=there > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            kappa = np.where(n - chance > _TINY * n, (agreed - chance) / (n - chance), np.nan)
            return np.stack([agreed / n, chance / n, kappa])

    return figures


COLUMNS = (
    *("story", "scene", "language", "path", "step"),
    *("first", "second", "first_importance", "second_importance", "first_text", "second_text"),
)
"""Of a table of decisions, one a row, those of a story in order. `step` is influence or result; `first` and `second`
are who is affected, None for nobody; of a result, it is given."""

AFFECTED = to_say("chance agreement is computed within each scene, because casts have different names")
WORDING = to_say(
    "mean Dice coefficient (1945) of character bigrams (Chinese) or character trigrams (English): compares wording,"
    " not meaning"
)
_GRAM = {"en": 3, "zh": 2}


@dataclass(frozen=True)
class Somebody:
    """Whether an action touches anybody at all, as counts of actions."""

    both: int
    first_only: int
    second_only: int
    neither: int
    agreement: Nominal


@dataclass(frozen=True)
class Wording:
    """How near the texts of both are in wording (`WORDING`), from 0 to 1."""

    similarity: Estimate
    of_others: float | None
    """The same between the first one's text and the second one's for the next action: what texts of a story have in
    common anyhow; None where no story has two."""
    n: int


@dataclass(frozen=True)
class CrossCheck:
    """How far two narrators agree."""

    affected: Nominal | Undefined
    """On who is affected, or nobody."""
    somebody: Somebody | Undefined
    importance: Mapping[str, IntraclassCorrelation | Undefined]
    """ICC(A,1) by step."""
    wording: Mapping[str, Wording | Undefined]
    """By step; of influences those where both name the same one, or nobody."""
    stories: int
    scenes: int


def cross_check(frame: pd.DataFrame, drawn: Drawn = USUAL) -> CrossCheck:
    """The agreement in a table of decisions (`COLUMNS`) that both narrators have made."""
    influences, results = (frame[frame["step"] == step] for step in ("influence", "result"))
    same = influences[
        [_name(one) == _name(other) for one, other in zip(influences["first"], influences["second"], strict=True)]
    ]
    return CrossCheck(
        affected=or_undefined(_affected, influences, drawn),
        somebody=or_undefined(_somebody, influences, drawn),
        importance={
            "influence": or_undefined(_importance, influences, drawn),
            "result": or_undefined(_importance, results, drawn),
        },
        wording={"influence": _wording(same, drawn), "result": _wording(results, drawn)},
        stories=frame["story"].nunique(),
        scenes=frame["scene"].nunique(),
    )


def _places(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"scene": rows["scene"].to_numpy(), "model": "second"})


def _affected(rows: pd.DataFrame, drawn: Drawn) -> Nominal:
    first, second = ([_name(name) for name in rows[side]] for side in ("first", "second"))
    return nominal_agreement(first, second, _places(rows), strata=list(rows["scene"]), drawn=drawn)


def _somebody(rows: pd.DataFrame, drawn: Drawn) -> Somebody:
    first, second = ([_name(name) is not None for name in rows[side]] for side in ("first", "second"))
    found = nominal_agreement(first, second, _places(rows), drawn=drawn)
    met = Counter(zip(first, second, strict=True))
    return Somebody(met[True, True], met[True, False], met[False, True], met[False, False], found)


def _name(value: object) -> str | None:
    """None stands as NaN in a column of a table that has nothing else."""
    return value if isinstance(value, str) else None


def _importance(rows: pd.DataFrame, drawn: Drawn) -> IntraclassCorrelation:
    scores = rows[["first_importance", "second_importance"]].astype(float)
    scores.index = pd.Index(rows["story"] + "/" + rows["path"])
    return intraclass(RatedItems("importance", scores, _places(rows)), "ICC(A,1)", drawn)


def _wording(rows: pd.DataFrame, drawn: Drawn) -> Wording | Undefined:
    if rows.empty:
        return Undefined(Message("the two narrators have no decisions in common"))
    grams = [
        tuple(_grams(str(text), _GRAM[str(row.language)]) for text in (row.first_text, row.second_text))
        for row in rows.itertuples()
    ]
    near = np.array([_dice(one, other) for one, other in grams])

    def figures(counts: Floats) -> Floats:
        return np.asarray((counts @ near / counts.sum(axis=1))[None], dtype=float)

    [similarity] = estimates(_places(rows), figures, drawn, [SHARE])
    stories = list(rows["story"])
    others = [
        _dice(grams[at][0], grams[next_at][1])
        for at, next_at in pairwise(range(len(grams)))
        if stories[at] == stories[next_at]
    ]
    return Wording(similarity, float(np.mean(others)) if others else None, len(near))


def _grams(text: str, length: int) -> Counter[str]:
    """How often each run of so many characters is in the text, whatever its case and blanks."""
    plain = " ".join(text.casefold().split())
    return Counter(plain[at : at + length] for at in range(max(1, len(plain) - length + 1)))


def _dice(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / (one.total() + other.total())
