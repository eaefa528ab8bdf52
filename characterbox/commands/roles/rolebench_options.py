"""The options of `characterbox rolebench`."""

import argparse
from pathlib import Path


def add_rolebench(rolebench: argparse.ArgumentParser) -> None:
    """Each of its actions."""
    actions = rolebench.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=type(rolebench))
    _add_score(actions.add_parser("score", help="Rouge-L of a model's answers against the released ones"))


def _add_score(score: argparse.ArgumentParser) -> None:
    score.add_argument("predictions", metavar="PREDICTIONS.jsonl", type=Path, help="rows with a model's answers")
    score.add_argument(
        "--references", required=True, metavar="FILE.jsonl", type=Path, help="rows with the released answers"
    )
    score.add_argument(
        "--part",
        required=True,
        choices=["raw", "cus", "spe"],
        help="against the plain answer, those in the role's manner, or the one to a question about the role",
    )
    score.add_argument("--language", required=True, choices=["en", "zh"], help="of the answers; decides the tokenizer")
    score.add_argument(
        "--policy",
        choices=["best", "mean"],
        default="best",
        help="of several references, the best score or the mean (best)",
    )
    score.add_argument(
        "--plain",
        choices=["first", "none"],
        help="whether the first text of a reference is the plain answer, for raw and cus"
        " (first in English files with several texts, else none)",
    )
    score.add_argument("--partial", action="store_true", help="score although references lack predictions; count them")
    score.add_argument("--json", action="store_true", help="print JSON")
