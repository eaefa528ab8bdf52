"""`characterbox stats`: reliability and validity of a table of ratings."""

import argparse
import json

from annotations.rating import read_ratings
from annotations.report import statistics
from annotations.rubric import load_rubric


def run(options: argparse.Namespace) -> int:
    """Print the statistics of the file."""
    report = statistics(read_ratings(options.file), load_rubric(), options.scale)
    print(json.dumps(report.as_json(), ensure_ascii=False, indent=1) if options.json else report.as_text())
    return 0
