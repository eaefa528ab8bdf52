"""`characterbox dataset`: write a dataset to train a narrator, a judge or characters with."""

import argparse
import sys

from pydantic import ValidationError

from annotations.i18n.messages import wrong_with
from annotations.i18n.translation import say_count
from characterbox.commands.database import open_store
from characterbox.errors import TrainingError
from characterbox.training.datasets.example import WHY
from characterbox.training.datasets.recipe import WHY_NOT_CHOSEN, DatasetRecipe
from characterbox.training.datasets.report import DatasetReport
from characterbox.training.datasets.writing import write_dataset

_EVERY = 100
"""Stories between two lines that tell how far it is."""


def run(options: argparse.Namespace) -> int:
    """Write the dataset, and tell what is in it."""
    fields = {name: getattr(options, name) for name in DatasetRecipe.model_fields if name in options}
    try:
        recipe = DatasetRecipe(**{name: value for name, value in fields.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        reason = wrong_with(first)
        if not field:
            raise TrainingError("dataset: {reason}", reason=reason) from None
        raise TrainingError("dataset: {field}: {reason}", field=field, reason=reason) from None
    with open_store(options) as store:
        report = write_dataset(store, recipe, options.out, _told)
    print("\n".join(as_text(report)))
    return 0


def _told(done: int, whole: int) -> None:
    if done % _EVERY == 0:
        print(f"{done:,} of {whole:,} stories", file=sys.stderr, flush=True)


def as_text(report: DatasetReport) -> list[str]:
    """What is in a dataset, a line each."""
    lines = [
        f"{split}: {say_count('{count:,} example', '{count:,} examples', told.examples)}, about {told.tokens:,} tokens,"
        f" {say_count('{count:,} scene', '{count:,} scenes', len(report.scenes[split]))}"
        for split, told in report.splits.items()
    ]
    lines += [f"left out: {count:,}, {WHY[why]}" for why, count in report.left_out.items()]
    lines += [f"stories left out: {count:,}, {WHY_NOT_CHOSEN[why]}" for why, count in report.not_chosen.items()]
    if report.over_cutoff:
        lines.append(f"over {report.recipe.cutoff:,} tokens: {report.over_cutoff:,} (over-cutoff.jsonl)")
    if report.improvised:
        lines.append("Contains demo output (no language model); do not report results of it")
    return lines
