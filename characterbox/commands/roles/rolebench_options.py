"""The options of `characterbox rolebench`."""

import argparse
from pathlib import Path

from characterbox.rolebench.duplicates import ALIKE
from characterbox.roles.prompting import STRATEGIES


def add_rolebench(rolebench: argparse.ArgumentParser) -> None:
    """Each of its actions."""
    actions = rolebench.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=type(rolebench))
    _add_score(actions.add_parser("score", help="Rouge-L of a model's answers against the released ones"))
    _add_instruct(actions.add_parser("instruct", help="have a model write questions to roles, with their answers"))
    _add_build(actions.add_parser("build", help="build a benchmark of roles, in the released form"))
    statistics = actions.add_parser("statistics", help="what a folder of RoleBench holds")
    statistics.add_argument("folder", metavar="FOLDER", type=Path, help="with files in the released form")
    statistics.add_argument("--json", action="store_true", help="print JSON")


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


def _add_instruct(instruct: argparse.ArgumentParser) -> None:
    _add_generation(instruct)
    instruct.add_argument("--json", action="store_true", help="print each question, and what was rejected, as JSON")


def _add_build(build: argparse.ArgumentParser) -> None:
    _add_generation(build)
    build.add_argument(
        "--instructions",
        metavar="FILE",
        type=Path,
        help="general instructions: a line each (.txt), JSON Lines (.jsonl) or a JSON list (.json)",
    )
    build.add_argument("--strategy", choices=STRATEGIES, default="fsd", help="how roles are shown examples (fsd)")
    build.add_argument("--out", required=True, metavar="FOLDER", type=Path, help="a new folder for the benchmark")


def _add_generation(generation: argparse.ArgumentParser) -> None:
    """What is common to all in which models write."""
    generation.add_argument("roles", nargs="*", metavar="ROLE", help="bundled:ID, or a JSON file of roles")
    generation.add_argument("--model", metavar="URL#MODEL", help="the model that writes (rehearsal)")
    generation.add_argument("--budget", metavar="USD", type=float, help="what may be spent on it, in US dollars")
    generation.add_argument("--seed", metavar="N", type=int, default=0, help="what is drawn by chance (0)")
    generation.add_argument(
        "--alike",
        metavar="SHARE",
        type=float,
        default=ALIKE,
        help=f"the similarity, up to 1, from which on a question is a duplicate ({ALIKE})",
    )
    generation.add_argument("--resume", metavar="ID", help="go on with what was broken off")
    generation.add_argument(
        "--on-mismatch",
        choices=["stop", "keep", "ask"],
        default="stop",
        help="what to do with recorded replies to other prompts than today's (stop)",
    )
    generation.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")
