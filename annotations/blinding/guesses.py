"""Blinding: can raters tell which model they are reading?

After an item the rater names one of k models, or says that it can't be told. `annotations.blinding.blinding_index`
tells how the answers are summed up, and what the figures mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from annotations.blinding.blinding_index import Bang, IndexEstimate, James, Right, ToldApart, drawn_tables, estimate
from annotations.errors import RatingError, Undefined, UndefinedStatistic, or_undefined
from annotations.resampling.draws import USUAL_DRAWS, Draws
from annotations.resampling.jackknife import Floats
from annotations.rubrics.rubric import Wording

Reading = Literal["recognised", "mistaken", "as by chance", "undecided"]

GUESS_COLUMNS = ("rater", "model", "guess")
CLOSE = 0.2
"""Bang's index from -0.2 to 0.2 is usually taken to mean that blinding held (as in the manual of the R package BI)."""

READINGS: Mapping[Reading, Wording] = {
    "recognised": Wording(
        en="The right model is named more often than guessing explains: it was not hidden from all raters.",
        zh="说中模型的次数多于猜测所能解释的次数：模型未能对所有评分者隐藏。",
    ),
    "mistaken": Wording(
        en="A wrong model is named more often than guessing explains: raters follow a sign, and it misleads them.",
        zh="说错模型的次数多于猜测所能解释的次数：评分者在依据某种线索判断，而这线索误导了他们。",
    ),
    "as by chance": Wording(
        en="The raters do about as well as by guessing: there is no sign that the blinding failed.",
        zh="评分者说中的次数与猜测相差无几：没有迹象表明盲法失效。",
    ),
    "undecided": Wording(
        en="These answers do not decide whether the raters do better than by guessing.",
        zh="现有回答不足以判断评分者是否比猜测更准。",
    ),
}


@dataclass(frozen=True)
class ModelBlinding:
    """What raters answered about the items of one model."""

    model: str
    right: int
    wrong: int
    cannot_tell: int
    bang: IndexEstimate | Undefined
    """Where raters name the model by habit, this is above 0 without their recognising anything."""
    told_apart: IndexEstimate | Undefined
    """The share of the answers about the model that name it, less that share of the answers about other models: from
    -1 to 1, 0 as by chance, whatever the raters like to name. The reading follows it."""
    reading: Reading


@dataclass(frozen=True)
class Blinding:
    """How well the models were hidden from the raters."""

    james: IndexEstimate | Undefined
    bang: IndexEstimate | Undefined
    """The mean of Bang's index over the models; a habit of naming one of them cancels out in it."""
    right: IndexEstimate | Undefined
    """Share of right names among the names given, to be held against `chance`."""
    chance: float
    """1 / k: the share to be expected of raters who name any model as readily as any other."""
    n: int
    """Answers, "cannot tell" among them."""
    cannot_tell: int
    raters: int
    by_model: tuple[ModelBlinding, ...]
    reading: Reading
    """Follows the mean of Bang's index."""


def blinding(answers: pd.DataFrame, models: Sequence[str], *, draws: Draws = USUAL_DRAWS) -> Blinding:
    """How well raters name the model, from one row per answer: the rater, the true model, and the guess, None where
    the rater cannot tell. `models` are those that raters could choose from.

    Raises RatingError for a model, or a guess, that is not among them, and UndefinedStatistic without an answer.
    """
    counts = _counted(answers, models)
    table, k = counts.sum(axis=0), len(models)
    drawn = drawn_tables(counts, draws)
    james, right = (or_undefined(estimate, index, table, drawn) for index in (James(), Right()))
    bang = or_undefined(estimate, Bang(tuple(range(k)), -1 / (k - 1)), table, drawn)
    return Blinding(
        james=james,
        bang=bang,
        right=right,
        chance=1 / k,
        n=int(table.sum()),
        cannot_tell=int(table[-1].sum()),
        raters=len(counts),
        by_model=tuple(_of_model(model, code, table, drawn) for code, model in enumerate(models)),
        reading=reading_of(bang),
    )


def reading_of(index: IndexEstimate | Undefined) -> Reading:
    """What an index that is 0 by chance allows to say; `READINGS` has the words.

    One interval in forty lies above 0 by chance alone: among many models a single "recognised" is weak evidence.
    """
    if isinstance(index, Undefined):
        return "undecided"
    low, high = index.interval.low, index.interval.high
    if low > 0:
        return "recognised"
    if high < 0:
        return "mistaken"
    return "as by chance" if low >= -CLOSE and high <= CLOSE else "undecided"


def _counted(answers: pd.DataFrame, models: Sequence[str]) -> Floats:
    """One table of answers per rater (see `annotations.blinding.blinding_index`)."""
    if missing := [column for column in GUESS_COLUMNS if column not in answers]:
        raise RatingError(f"answers: no column {', '.join(missing)}; the columns must be {','.join(GUESS_COLUMNS)}")
    if len(models) < 2 or len(set(models)) < len(models):
        raise RatingError("the blinding analysis needs at least two models to choose from, each listed once")
    if answers.empty:
        raise UndefinedStatistic("no rater was asked to guess the model")
    place = {model: code for code, model in enumerate(models)}
    guess = answers["guess"].map(place).where(answers["guess"].notna(), len(models))
    model = answers["model"].map(place)
    for column, codes in (("guess", guess), ("model", model)):
        if codes.isna().any():
            strange = answers.loc[codes.isna(), column].iloc[0]
            raise RatingError(f"answers: {column} {strange!r} is none of the models to choose from")
    rater, raters = pd.factorize(answers["rater"])
    counts = np.zeros((len(raters), len(models) + 1, len(models)))
    np.add.at(counts, (rater, guess.to_numpy(dtype=int), model.to_numpy(dtype=int)), 1)
    return counts


def _of_model(model: str, code: int, table: Floats, drawn: Floats | None) -> ModelBlinding:
    right, answers, cannot_tell = int(table[code, code]), int(table[:, code].sum()), int(table[-1, code])
    told_apart = or_undefined(estimate, ToldApart(code), table, drawn)
    return ModelBlinding(
        model=model,
        right=right,
        wrong=answers - right - cannot_tell,
        cannot_tell=cannot_tell,
        bang=or_undefined(estimate, Bang((code,), -1 / (table.shape[1] - 1)), table, drawn),
        told_apart=told_apart,
        reading=reading_of(told_apart),
    )
