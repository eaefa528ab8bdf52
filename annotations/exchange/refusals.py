"""What is refused of a file of ratings, as a table and as a file."""

from collections.abc import Mapping, Sequence

import pandas as pd

from annotations.exchange.cells import guarded
from annotations.exchange.intake import dry_run
from annotations.exchange.table import Refusal, Unit
from annotations.rubric import Rubric
from annotations.wording import to_say

_UNITS: Mapping[Unit, str] = {"line": to_say("line"), "row": to_say("row"), "task": to_say("task")}


def refusal_columns(unit: Unit) -> list[str]:
    """What the columns of such a table are called, in English; the first counts what `unit` says."""
    return [_UNITS[unit], to_say("column"), to_say("value"), to_say("reason"), to_say("what to do")]


def refusal_table(refused: Sequence[Refusal], unit: Unit) -> pd.DataFrame:
    """A row for each refusal."""
    rows = [(one.line, one.column, one.value, one.reason, one.remedy) for one in refused]
    return pd.DataFrame(rows, columns=refusal_columns(unit))


def refused_csv(content: bytes, rubric: Rubric) -> bytes:
    """All that is refused of a file under a rubric, as a CSV file in which no spreadsheet finds a formula."""
    trial = dry_run(content, rubric)
    return refusal_table(trial.refused, trial.unit).map(_cell).to_csv(index=False).encode()


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) else value
