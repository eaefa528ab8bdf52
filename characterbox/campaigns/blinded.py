"""What raters believed the models to be, and whether they could tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from annotations.blinding import COLUMNS, Blinding, blinding
from annotations.errors import AnnotationError
from annotations.undefined import Undefined
from characterbox.campaigns.row import Row
from characterbox.store.campaign import CampaignItem


@dataclass(frozen=True)
class Blinded:
    """How well the models of a campaign were hidden."""

    blinding: Blinding | Undefined
    unasked: int
    """Items that are done, and about which nothing was answered."""
    strange: int
    """Answers that name no model of the campaign; they are left out."""


def blinded(rows: Iterable[Row], items: Mapping[str, CampaignItem]) -> Blinded:
    """The answers about the items that are done, each rater's first time at an item; practice and checks are left out.

    The models to choose from are those of the campaign's items, as the raters were offered them.
    """
    models = sorted({item.model for item in items.values()})
    done = [row for row in rows if row.assignment.purpose == "rate" and row.assignment.take == 0 and row.sheet.counts]
    answered = [(row.assignment, row.sheet.guess.model) for row in done if row.sheet.guess is not None]
    known = [(one, guess) for one, guess in answered if guess is None or guess in models]
    answers = [(one.rater, items[one.item].model, guess) for one, guess in known]
    table = pd.DataFrame(answers, columns=list(COLUMNS), dtype=object)
    return Blinded(_blinding(table, models), len(done) - len(answered), len(answered) - len(known))


def _blinding(answers: pd.DataFrame, models: list[str]) -> Blinding | Undefined:
    try:
        return blinding(answers, models)
    except AnnotationError as error:
        return Undefined(str(error))
