"""`characterbox rolebench`: build benchmarks of roles, and score what models answer to the questions of one."""

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from annotations.errors import Undefined
from characterbox.commands.exits import say
from characterbox.errors import CharacterBoxError
from characterbox.rolebench.scoring import ROLE_ANSWERS, Asked, Score, score_files
from characterbox.rolebench.statistics import table_of


def run(options: argparse.Namespace) -> int:
    """Do what `options.action` says."""
    return _ACTIONS[options.action](options)


def _score(options: argparse.Namespace) -> int:
    """Print the score with its evidence; what limits it goes to standard error."""
    if options.plain is not None and options.part == "spe":
        raise CharacterBoxError("--plain is for general instructions; role-specific answers have no plain one")
    asked = Asked(options.part, options.language, options.policy, options.plain, partial=options.partial)
    score = score_files(options.predictions, options.references, asked, processes=os.cpu_count() or 1)
    told = _as_json(score)
    if options.json:
        print(json.dumps(told, ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join(f"{key}: {_in_text(value)}" for key, value in told.items()))
    for note in _notes(options, score):
        say(note)
    return 0


def _notes(options: argparse.Namespace, score: Score) -> Iterator[str]:
    """What whoever reads the score should know, and may have to mend."""
    if score.several:
        rows = f"{score.several:,} of {score.mean.n:,} rows"
        yield f"{options.predictions}: {rows} have several texts, of which only the first is scored"
    if score.doubtful:
        most = f"no row has more than the {ROLE_ANSWERS} texts that a role gives"
        taken = "the first text of each row is taken for the plain answer"
        yield f"{options.references}: {taken}, though {most}; if all are the role's, give --plain none"


def _as_json(score: Score) -> dict[str, Any]:
    mean, interval = score.mean, score.mean.interval
    low, high = (None, None) if isinstance(interval, Undefined) else (interval.low, interval.high)
    return {
        "rougeL": mean.estimate,
        "low": low,
        "high": high,
        "n": mean.n,
        "tokenizer": score.tokenizer,
        "references": score.references,
        "part": score.asked.part,
        "language": score.asked.language,
        "plain": score.plain,
        "roles": score.roles,
        "questions": score.questions,
        "interval": f"none: {interval.reason}" if isinstance(interval, Undefined) else f"95 %, {interval.way}",
        "missing": score.missing,
    }


def _in_text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _statistics(options: argparse.Namespace) -> int:
    lines = table_of(options.folder)
    if options.json:
        print(json.dumps([asdict(one) for one in lines], ensure_ascii=False))
        return 0
    for one in lines:
        figures = [one.samples] if one.instructions is None else [one.samples, one.instructions]
        told = " / ".join("-" if each is None else f"{each:,.2f}" if each % 1 else f"{each:,.0f}" for each in figures)
        print(f"{'  ' * one.depth}{one.name}: {told}")
    return 0


def _generate(options: argparse.Namespace) -> int:
    from characterbox.commands.roles import generating  # noqa: PLC0415 - half a second that no score needs

    return generating.instruct(options) if options.action == "instruct" else generating.build(options)


def _answers(options: argparse.Namespace) -> int:
    from characterbox.commands.roles import answers  # noqa: PLC0415 - as above

    return answers.ACTIONS[options.action](options)


_ACTIONS = {
    "score": _score,
    "instruct": _generate,
    "build": _generate,
    "statistics": _statistics,
    **dict.fromkeys(("answer", "experiment", "dataset"), _answers),
}
