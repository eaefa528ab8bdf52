"""Ratings from elsewhere: a dry run says which rows would be taken, and why others are refused.

An empty score is a missing rating, and is taken as such. Where the file says of items whether they were `submitted` or
`skipped`, as our own exports do, the scores of those that were not, or were, are refused: they do not count. Nor do
those of hidden repeats, which have a `take` above 0: they tell of the rater, and not of the item once more.
"""

import pickle  # nosec B403 # between processes of ours
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from annotations.exchange.csv_file import guarded
from annotations.exchange.decoding import Encoding
from annotations.exchange.rating_file import Refusal, Table, Unit, read_table
from annotations.i18n.messages import OR, Message, Readable, joined, listed, to_say
from annotations.marking.rating import COLUMNS, KINDS
from annotations.rubrics.rubric import NOT_A_NUMBER, Rubric

TAKEN = ("item", "scene", "model", "language", "metric", "rater", "kind", "score", "reason", "improvised")
"""The columns of what is taken; the last tells what no language model made, where our own exports say so."""
OPTIONAL = ("language", "reason", "improvised")
"""Those of them that a rating may lack."""
_PORTION = 2_000
"""Refusals."""
_UNFIT = r"[\x00\ud800-\udfff]"
"""Characters that no database keeps: NUL, and halves of surrogate pairs."""
_WITHHELD = {
    "submitted": ("false", to_say("means that the item is not submitted yet: its scores do not count yet")),
    "skipped": ("true", to_say("means that the item was skipped: its scores do not count")),
}
_REPEAT = to_say("marks a hidden repeat: it measures the rater's stability and does not count as a rating")
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DryRun:
    """What a file of ratings comes to under a rubric."""

    rubric: Rubric
    taken: pd.DataFrame
    """The ratings that would be taken, with the columns `TAKEN`: text, and the score as float; NaN where there is
    none. The index holds the line of each."""
    refused: tuple[Refusal, ...]
    """What is wrong with the others, in the order of the file; a row can have several faults."""
    refused_rows: int
    unit: Unit
    """What `Refusal.line` and the index of `taken` count."""

    def __getstate__(self) -> dict[str, Any]:
        """In portions what can be a refusal for each row: to unpickle a million at once takes seconds in which Python
        does nothing else."""
        portions = range(0, len(self.refused), _PORTION)
        packed = [pickle.dumps(self.refused[start : start + _PORTION]) for start in portions]
        return {**self.__dict__, "refused": packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        refused = tuple(one for packed in state["refused"] for one in pickle.loads(packed))  # noqa: S301 # nosec B301
        self.__dict__.update({**state, "refused": refused})

    @property
    def missing(self) -> int:
        """How many of the ratings that would be taken have no score."""
        return int(self.taken["score"].isna().sum())

    def counts(self, column: str) -> dict[str, int]:
        """How many ratings would be taken for each metric, rater or kind, by name."""
        counted = self.taken[column].value_counts().sort_index()
        return {str(name): int(count) for name, count in counted.items()}


def dry_run(file: Path | bytes, rubric: Rubric, encoding: Encoding | None = None) -> DryRun:
    """Read CSV, Parquet or the annotated tasks of Label Studio, and try every row against the rubric.

    Raises RatingError for what is no such file as a whole: see `read_table`.
    """
    table = read_table(file, encoding)
    trial = _Trial(table, rubric)
    trial.cells()
    trial.contradictions()
    return trial.outcome()


class _Trial:
    """Tries the rows of a table, rule by rule."""

    def __init__(self, table: Table, rubric: Rubric) -> None:
        self._table = table
        self._rubric = rubric
        self._cells = table.cells
        self._lines = table.cells.index.to_numpy()
        self._scores = pd.to_numeric(table.cells["score"], errors="coerce").astype(float).to_numpy()
        self._good = np.ones(len(table.cells), dtype=bool)
        self._found: list[tuple[int, Refusal]] = []
        """With the place of each in the table."""

    def cells(self) -> None:
        """Every cell by itself."""
        for column in COLUMNS:
            text = self._cells[column]
            if column != "score":
                empty = text.str.strip() == ""
                self._refuse(empty, column, Message("is empty"), Message("fill it in, or remove the row"))
        for column in dict.fromkeys((*COLUMNS, *TAKEN)):
            if column in self._cells:
                texts = self._cells[column]
                known = texts.drop_duplicates()  # a tenth, and pandas looks at each text in Python
                fault = Message("contains a character that cannot be stored")
                self._refuse(
                    texts.isin(known[known.str.contains(_UNFIT, regex=True)]),
                    column,
                    fault,
                    Message("remove the character"),
                )
        keys, metric, kind = self._rubric.keys, self._cells["metric"], self._cells["kind"]
        named = Message("the metrics of the rubric {rubric} are {known}", rubric=self._rubric.name, known=listed(keys))
        self._refuse(~metric.isin(["", *keys]), "metric", Message("is not a metric of the rubric"), named)
        kinds = Message("use {kinds}", kinds=joined(KINDS, OR))
        self._refuse(~kind.isin(["", *KINDS]), "kind", Message("is unknown"), kinds)
        self._check_scores()
        for column, (said, why) in _WITHHELD.items():
            if column in self._cells:
                said_so = self._cells[column].str.lower() == said
                self._refuse(
                    said_so, column, Message(why), Message("remove the row, or submit or restore the item first")
                )
        if "take" in self._cells:
            again = pd.to_numeric(self._cells["take"], errors="coerce") > 0
            self._refuse(again, "take", Message(_REPEAT), Message("remove the row"))

    def contradictions(self) -> None:
        """Rows that disagree with an earlier one, among those with nothing wrong in themselves."""
        for owner in ("scene", "model"):
            rows = self._standing()
            first = rows.drop_duplicates("item").set_index("item")
            other = rows[owner] != rows["item"].map(first[owner])
            lines = rows["item"].map(first["line"])[other]
            remedies = [
                Message("see {place}, and give each item one {column}", place=self._table.place(line), column=owner)
                for line in lines
            ]
            reason = Message("differs from the {column} given for this item earlier", column=owner)
            self._refuse_some(rows.index[other], owner, reason, remedies)
        rows = self._standing()
        cell = ["item", "metric", "rater"]
        second = rows.duplicated(cell)
        lines = rows.groupby(cell)["line"].transform("first")[second]
        remedies = [
            Message("keep one of the two; the other is in {place}", place=self._table.place(line)) for line in lines
        ]
        reason = Message("is this rater's second score for the same metric and item")
        self._refuse_some(rows.index[second], "score", reason, remedies)

    def outcome(self) -> DryRun:
        """What has come of it."""
        texts = self._cells.reindex(columns=[*TAKEN], fill_value="")[self._good]
        optional = {column: texts[column].where(texts[column] != "") for column in OPTIONAL}
        taken = texts.assign(**optional, score=self._scores[self._good])
        found = [*self._found, *((-1, refusal) for refusal in self._table.refused)]
        found.sort(key=lambda one: (one[1].line, one[0]))
        rows = int((~self._good).sum()) + len(self._table.refused)
        return DryRun(self._rubric, taken, tuple(refusal for _, refusal in found), rows, self._table.unit)

    def _check_scores(self) -> None:
        scale, text = self._rubric.scale, self._cells["score"]
        remedy = Message("{remedy}; leave it empty if the rating is missing", remedy=scale.wanted)
        unread = np.isnan(self._scores) & (text.str.strip() != "").to_numpy()
        self._refuse(unread, "score", Message(NOT_A_NUMBER), remedy)
        known = pd.Series(self._scores)
        faults = known.map({score: scale.fault(float(score)) for score in known.dropna().unique()})
        for fault in faults.dropna().unique():
            self._refuse((faults == fault).to_numpy(), "score", fault, remedy)

    def _standing(self) -> pd.DataFrame:
        """The rows with nothing wrong so far, by their places, with the line of each."""
        rows = self._cells[[*COLUMNS]].assign(line=self._lines)
        return rows.set_index(np.arange(len(rows)))[self._good]

    def _refuse(self, faulty: pd.Series | Mask, column: str, reason: Readable, remedy: Readable) -> None:
        self._refuse_some(np.flatnonzero(np.asarray(faulty, dtype=bool)), column, reason, repeat(remedy))

    def _refuse_some(self, places: Iterable[int], column: str, reason: Readable, remedies: Iterable[Readable]) -> None:
        values = self._cells[column].to_numpy()
        for place, remedy in zip(places, remedies, strict=False):
            refusal = Refusal(int(self._lines[place]), column, str(values[place]), reason, remedy)
            self._found.append((int(place), refusal))
            self._good[place] = False


_UNITS: Mapping[Unit, str] = {"line": to_say("line"), "row": to_say("row"), "task": to_say("task")}


def refusal_columns(unit: Unit) -> list[str]:
    """What the columns of such a table are called, in English; the first counts what `unit` says."""
    return [_UNITS[unit], to_say("column"), to_say("value"), to_say("reason"), to_say("what to do")]


def refusal_table(refused: Sequence[Refusal], unit: Unit, told: Callable[[Readable], str]) -> pd.DataFrame:
    """A row for each refusal, its reason and remedy as they are `told` to the reader."""
    rows = [(one.line, one.column, one.value, told(one.reason), told(one.remedy)) for one in refused]
    return pd.DataFrame(rows, columns=refusal_columns(unit))


def refused_csv(content: bytes, rubric: Rubric, told: Callable[[Readable], str]) -> bytes:
    """All that is refused of a file under a rubric, as it is told to the reader, as a CSV file in which no spreadsheet
    finds a formula."""
    trial = dry_run(content, rubric)
    return refusal_table(trial.refused, trial.unit, told).map(_cell).to_csv(index=False).encode()


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) else value


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
    return f"{where}: {refusal.value!r} {refusal.reason}; {_printable(str(refusal.remedy))}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
