"""The options of `characterbox rolebench`."""

import argparse
from pathlib import Path

from characterbox.rolebench.duplicates import ALIKE
from characterbox.roles.prompting import STRATEGIES

CUSTOMISATIONS = ("system", "retrieval")
EXPERIMENTS = ("strategy", "customisation", "mix")


def add_rolebench(rolebench: argparse.ArgumentParser) -> None:
    """Each of its actions."""
    actions = rolebench.add_subparsers(required=True, metavar="ACTION", dest="action", parser_class=type(rolebench))
    _add_score(actions.add_parser("score", help="Rouge-L of a model's answers against the released ones"))
    _add_instruct(actions.add_parser("instruct", help="have a model write questions to roles, with their answers"))
    _add_build(actions.add_parser("build", help="build a benchmark of roles, in the released form"))
    _add_answer(actions.add_parser("answer", help="have a model answer the questions of a benchmark, and score it"))
    _add_experiment(actions.add_parser("experiment", help="compare strategies, customisations, or mixes of data"))
    _add_dataset(actions.add_parser("dataset", help="write a dataset of roles to train on (RoCIT)"))
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


def _add_answer(answer: argparse.ArgumentParser) -> None:
    _add_questions(answer)
    answer.add_argument("--model", metavar="URL#MODEL", help="the model that answers (rehearsal)")
    way = answer.add_mutually_exclusive_group()
    way.add_argument("--strategy", choices=STRATEGIES, default="fsd", help="how roles are shown examples (fsd)")
    way.add_argument(
        "--customisation",
        choices=CUSTOMISATIONS,
        help="how a trained model is told its role: by system instruction (as zsp), or with retrieval (as fsd)",
    )
    answer.add_argument("--out", metavar="PREDICTIONS.jsonl", type=Path, help="a new file for the answers")


def _add_experiment(experiment: argparse.ArgumentParser) -> None:
    experiment.add_argument("of", nargs="?", choices=EXPERIMENTS, metavar="EXPERIMENT", help=", ".join(EXPERIMENTS))
    _add_questions(experiment)
    experiment.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME=URL#MODEL",
        help="a model: one for strategy, one or two for customisation; for mix general=, specific= and both=",
    )
    experiment.add_argument("--yes", action="store_true", help="do not ask whether to run what is planned")


def _add_questions(questions: argparse.ArgumentParser) -> None:
    """What is common to all in which models answer."""
    questions.add_argument("folder", nargs="?", metavar="FOLDER", type=Path, help="of one split, with test.jsonl")
    questions.add_argument("--roles", action="append", default=[], metavar="ROLES", help="bundled:ID, or a JSON file")
    questions.add_argument("--limit", metavar="N", type=_count, help="so many questions of each kind, drawn (all)")
    questions.add_argument("--plain", choices=["first", "none"], help="as for score")
    questions.add_argument("--policy", choices=["best", "mean"], default="best", help="as for score (best)")
    questions.add_argument("--name", metavar="NAME", help="of the benchmark (that of the folder)")
    questions.add_argument("--temperature", metavar="T", type=float, help="of the answers, 0 to 2 (0.7, as RoleGPT's)")
    questions.add_argument("--json", action="store_true", help="print JSON")
    _add_run(questions)


def _add_dataset(dataset: argparse.ArgumentParser) -> None:
    dataset.add_argument("folder", metavar="FOLDER", type=Path, help="of one split, with train.jsonl and test.jsonl")
    dataset.add_argument("--roles", action="append", required=True, metavar="ROLES", help="bundled:ID, or a JSON file")
    dataset.add_argument("--mix", choices=["general", "specific", "both"], default="both", help="what is learnt (both)")
    dataset.add_argument("--customisation", choices=CUSTOMISATIONS, default="system", help="as for answer (system)")
    dataset.add_argument("--plain", choices=["first", "none"], help="as for score")
    dataset.add_argument("--out", required=True, metavar="FOLDER", type=Path, help="a new folder")


def _count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("it must be a whole number from 1")
    return int(text)


def _add_generation(generation: argparse.ArgumentParser) -> None:
    """What is common to all in which models write."""
    generation.add_argument("roles", nargs="*", metavar="ROLE", help="bundled:ID, or a JSON file of roles")
    generation.add_argument("--model", metavar="URL#MODEL", help="the model that writes (rehearsal)")
    generation.add_argument(
        "--alike",
        metavar="SHARE",
        type=float,
        default=ALIKE,
        help=f"the similarity, up to 1, from which on a question is a duplicate ({ALIKE})",
    )
    _add_run(generation)


def _add_run(run: argparse.ArgumentParser) -> None:
    """What is common to all that models are asked over a journal."""
    run.add_argument("--budget", metavar="USD", type=float, help="what may be spent on it, in US dollars")
    run.add_argument("--seed", metavar="N", type=int, default=0, help="what is drawn by chance (0)")
    run.add_argument("--resume", metavar="ID", help="go on with what was broken off")
    run.add_argument(
        "--on-mismatch",
        choices=["stop", "keep", "ask"],
        default="stop",
        help="what to do with recorded replies to other prompts than today's (stop)",
    )
    run.add_argument("--db", metavar="URL", help="the database (CHARACTERBOX_DB)")
