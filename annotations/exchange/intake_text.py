"""A dry run as text for a terminal: a line for each fault, then what would be taken."""

from collections.abc import Iterator

from annotations.exchange.intake import DryRun
from annotations.exchange.table import Refusal


def lines_of(trial: DryRun) -> Iterator[str]:
    """The lines, with no control characters from the file in them."""
    for refusal in trial.refused:
        yield f"refused: {_told(refusal, trial)}"
    taken = f"{len(trial.taken):,} ratings can be taken under the rubric {trial.rubric.name} {trial.rubric.version}"
    yield f"{taken}{f', {trial.missing:,} of them without a score' if trial.missing else ''}"
    for column, name in (("kind", "kinds"), ("rater", "raters"), ("metric", "metrics")):
        counts = ", ".join(f"{_printable(key)} {count:,}" for key, count in trial.counts(column).items())
        yield f"  by {name}: {counts or 'none'}"
    yield rows_refused(trial)


def rows_refused(trial: DryRun) -> str:
    """How many rows are refused, as a sentence without its end."""
    return f"{trial.refused_rows:,} {'row is' if trial.refused_rows == 1 else 'rows are'} refused"


def _told(refusal: Refusal, trial: DryRun) -> str:
    where = f"{trial.unit} {refusal.line}" + (f", column {refusal.column}" if refusal.column else "")
    return f"{where}: {refusal.value!r} {refusal.reason}; {_printable(refusal.remedy)}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
