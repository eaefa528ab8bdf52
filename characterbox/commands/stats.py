"""`characterbox stats`: reliability and validity of a table of ratings, as the page shows them."""

import argparse
import json
from dataclasses import asdict
from importlib import import_module
from typing import Any

import pandas as pd

from annotations.errors import AnnotationError
from annotations.marking.rating import any_improvised, read_ratings
from annotations.report.all_figures import every_figure, usable_ratings
from annotations.report.caveat import Caveat
from annotations.report.per_metric import report_caveats
from annotations.report.report import Report, scale_of, statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.commands.exits import say


def run(options: argparse.Namespace) -> int:
    """Print the statistics of the file, and what limits them."""
    try:
        ratings = read_ratings(options.file, options.encoding)
        report = statistics(ratings, load_rubric(), options.scale or scale_of(ratings))
    except AnnotationError as error:
        raise AnnotationError(f"{options.file}: {error}") from None
    caveats = report_caveats(ratings, usable_ratings(ratings, report.design.scale), report)
    if options.json:
        print(json.dumps(_as_json(ratings, report, caveats), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(report.as_text([caveat.sentence for caveat in caveats]))
    if any_improvised(ratings):
        note = import_module("characterbox.judging.provenance").DEMO_NOTE  # with the database, which takes a second
        say(f"{options.file}: {note}")
    return 0


def _as_json(ratings: pd.DataFrame, report: Report, caveats: tuple[Caveat, ...]) -> dict[str, Any]:
    """The report, with every figure and what limits them."""
    told = [{"kind": one.kind, "of": str(one.of), "sentence": str(one.sentence), **one.numbers} for one in caveats]
    return {
        "scale": report.design.scale,
        "drawn": report.design.drawn,
        "gaps": report.design.gaps,
        "cautions": told,
        **report.as_json(),
        "figures": [asdict(figure) for figure in every_figure(ratings, report)],
    }
