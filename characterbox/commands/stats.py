"""`characterbox stats`: reliability and validity of a table of ratings."""

import argparse
import json

from annotations.errors import AnnotationError
from annotations.rating import read_ratings
from annotations.report import statistics
from annotations.rubric import load_rubric


def run(options: argparse.Namespace) -> int:
    """Print the statistics of the file."""
    try:
        report = statistics(read_ratings(options.file), load_rubric(), options.scale)
    except AnnotationError as error:
        raise AnnotationError(f"{options.file}: {error}") from None
    if options.json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(report.as_text())
    return 0
