"""`characterbox stats`: reliability and validity of a table of ratings."""

import argparse
import json
from importlib import import_module

from annotations.errors import AnnotationError
from annotations.marking.rating import improvised_items, read_ratings
from annotations.report.report import statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.commands.exits import say


def run(options: argparse.Namespace) -> int:
    """Print the statistics of the file."""
    try:
        ratings = read_ratings(options.file, options.encoding)
        report = statistics(ratings, load_rubric(), options.scale)
    except AnnotationError as error:
        raise AnnotationError(f"{options.file}: {error}") from None
    if options.json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(report.as_text())
    if report.design.improvised or improvised_items(ratings):
        note = import_module("characterbox.judging.provenance").DEMO_NOTE  # with the database, which takes a second
        say(f"{options.file}: {note}")
    return 0
