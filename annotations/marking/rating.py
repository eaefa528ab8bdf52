"""Ratings: who gave which score to what, and which of it no language model made.

In bulk, ratings are a long table (pandas DataFrame) with one row per rating and the columns `COLUMNS`, all text but
`score` (float, NaN when missing); `language` and `reason` may follow, and any further columns are kept and not used.

The rehearsal plays, and judges, by the protocol of whatever model it stands for. A table tells so in its column
`improvised`; one without the column has nothing of the rehearsal. A judge keeps its name as an identifier; where people
read of it, it is called as `judge_called` says.
"""

import csv
import pickle  # nosec B403 # between processes of ours
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from annotations.errors import RatingError
from annotations.exchange.csv_file import Cells, csv_lines
from annotations.exchange.decoding import Encoding, decode
from annotations.i18n.messages import Message, Readable, listed, to_say

MOST = 1e6
"""The largest magnitude of a score: beyond it, squares and sums lose the digits that statistics rest on."""
COLUMNS = ("item", "scene", "model", "metric", "rater", "kind", "score")
KINDS = ("expert", "judge")
LENGTH = "length"
"""A column that ratings may have: the number of characters of the text that was rated."""
_EMPTY = to_say("{place}, column {column}: {value!r} is empty{more}; fill it in or remove the line")
_NO_KIND = to_say("{place}, column {column}: {value!r} is unknown{more}; use expert or judge")
_NO_NUMBER = to_say(
    "{place}, column {column}: {value!r} is not a number{more}; enter a number, or leave it empty if the rating"
    " is missing"
)
_NO_LENGTH = to_say(
    "{place}, column {column}: {value!r} is not a length{more}; enter the number of characters of the rated text"
)
_TOO_MUCH = to_say(
    "{place}, column {column}: {value!r} is beyond one million{more}; correct it, or leave it empty if it is missing"
)
_TWICE = to_say("{first} and {second}: {what} is rated twice; keep one of the two")
_TWO_SCENES = to_say("{first} and {second}: {what} belongs to two scenes; give each item its own identifier")
_TWO_MODELS = to_say("{first} and {second}: {what} belongs to two models; give each item its own identifier")
_TWO_KINDS = to_say("{first} and {second}: {what} is used for an expert and a judge; give them different names")


@dataclass(frozen=True)
class Dropped:
    """What a statistic could not use, and why. None stands for 'all'."""

    item: str
    metric: str | None
    """A metric, or the `overall` that needs several; None also where a dimension does."""
    rater: Readable | None
    reason: Message
    """The rule that left it out; the same text for all that fell to it."""
    detail: Readable
    """What it was in this case."""
    dimension: str | None = None
    """The dimension whose metrics are needed together."""


def read_ratings(source: Path | str | bytes, encoding: Encoding | None = None) -> pd.DataFrame:
    """Ratings from CSV: a file (Path), its text (str) or its content as uploaded (bytes), whose encoding may be named.

    The header names the columns `COLUMNS`, and possibly `language` and `length`, the number of characters of the rated
    text. Scores are taken as they stand, up to the magnitude `MOST`; an empty score is a missing rating. The index of
    the table, `line`, holds each row's last line in the file.
    Raises RatingError, with line, column and remedy, for what is no such CSV.
    """
    frame = _text_frame(_text_of(source, encoding))
    for column in COLUMNS:
        if column != "score":
            _refuse(frame, frame[column].str.strip() == "", column, _EMPTY)
    _refuse(frame, ~frame["kind"].isin(KINDS), "kind", _NO_KIND)
    score = pd.to_numeric(frame["score"], errors="coerce").astype(float)
    faulty = (score.isna() & (frame["score"] != "")) | np.isinf(score)
    _refuse(frame, faulty, "score", _NO_NUMBER)
    _refuse(frame, score.abs() > MOST, "score", _TOO_MUCH)
    frame["score"] = score
    if "language" in frame:
        frame["language"] = frame["language"].where(frame["language"] != "", None)
    if LENGTH in frame:
        length = pd.to_numeric(frame[LENGTH], errors="coerce").astype(float)
        _refuse(frame, length.isna() | np.isinf(length) | (length < 0), LENGTH, _NO_LENGTH)
        frame[LENGTH] = length
    check_frame(frame)
    return frame


def packed_ratings(content: bytes) -> bytes:
    """As `read_ratings`, pickled: for who hands the table on, and does not look into it."""
    return pickle.dumps(read_ratings(content), protocol=5)


def check_frame(frame: pd.DataFrame) -> None:
    """Raises RatingError unless `frame` is a table of ratings as this module describes it, without contradictions.

    A contradiction is a second rating of one metric of one item by one rater, an item with two scenes or models, or a
    rater who is an expert and a judge.
    """
    missing = [column for column in COLUMNS if column not in frame]
    if missing:
        raise RatingError(
            "ratings: column {missing} is missing; the columns must be {columns}",
            missing=listed(missing),
            columns=",".join(COLUMNS),
        )
    if not pd.api.types.is_float_dtype(frame["score"]) or np.isinf(frame["score"]).any():
        raise RatingError("ratings: column score must contain finite floats, or NaN for a missing score")
    if frame.empty:
        raise RatingError("ratings: the table has no rows")
    _refuse_second(frame, ["item", "metric", "rater"], [], _TWICE)
    _refuse_second(frame, ["item"], ["scene"], _TWO_SCENES)
    _refuse_second(frame, ["item"], ["model"], _TWO_MODELS)
    _refuse_second(frame, ["rater"], ["kind"], _TWO_KINDS)


def places_of(frame: pd.DataFrame) -> pd.DataFrame:
    """The scene and the model of each item, sorted by item, and its language and length where there are such columns;
    all but the length as categories, which are quick to group by."""
    first = np.flatnonzero(~frame["item"].duplicated().to_numpy())
    first = first[frame["item"].array[first].argsort()]
    told = [column for column in ("scene", "model", "language") if column in frame]
    places = {column: pd.Categorical(frame[column].array[first]) for column in told}
    items = pd.Index(frame["item"].array[first], dtype=frame["item"].dtype, name="item")
    lengths = {LENGTH: frame[LENGTH].array[first]} if LENGTH in frame else {}
    return pd.DataFrame({**places, **lengths}, index=items)


def leave_out_of_scale(frame: pd.DataFrame, low: float, high: float) -> tuple[pd.DataFrame, tuple[Dropped, ...]]:
    """The ratings on the scale from `low` to `high` (both included) or missing, and a list of the others."""
    outside = (frame["score"] < low) | (frame["score"] > high)
    rows = frame.loc[outside, ["item", "metric", "rater", "score"]].itertuples(index=False, name=None)
    reason = Message("outside the scale {low:g} to {high:g}", low=low, high=high)
    dropped = tuple(
        Dropped(str(item), str(metric), str(rater), reason, Message("score {score:g}", score=score))
        for item, metric, rater, score in rows
    )
    return frame[~outside], dropped


def leave_out_missing(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Dropped, ...]]:
    """The ratings that have a score, and a list of the others with their reasons."""
    missing = frame["score"].isna()
    rows = frame[missing]
    reasons = rows["reason"] if "reason" in rows else pd.Series(index=rows.index, dtype=object)
    reasons = reasons.where(reasons.notna() & (reasons != ""), Message("no reason given"))
    cells = zip(rows["item"], rows["metric"], rows["rater"], reasons, strict=True)
    no_score = Message("no score")
    return frame[~missing], tuple(
        Dropped(str(item), str(metric), str(rater), no_score, reason if isinstance(reason, Message) else str(reason))
        for item, metric, rater, reason in cells
    )


def _text_of(source: Path | str | bytes, encoding: Encoding | None) -> str:
    if isinstance(source, str):
        return source.removeprefix("\ufeff")
    try:
        content = source.read_bytes() if isinstance(source, Path) else source
    except OSError as error:
        raise RatingError("the file cannot be read: {error}", error=error.strerror) from error
    return decode(content, encoding)[0]


def _text_frame(text: str) -> pd.DataFrame:
    """The cells as the texts that they hold (see `exchange.csv_file`), indexed by line. Blank lines are passed over."""
    reader = csv.reader(csv_lines(text), strict=True)
    text_of = Cells()
    header: list[str] = []
    texts: list[str] = []
    lines: list[int] = []
    try:
        for cells in reader:
            row = [*map(text_of.__getitem__, cells)]
            if not any(map(str.strip, row)):
                continue
            if not header:
                header = _checked_header([*map(str.strip, row)], reader.line_num)
            elif len(row) != len(header):
                raise RatingError(
                    "line {line}: {cells} cells, but the header has {names}; put text that contains a comma in"
                    " double quotes",
                    line=reader.line_num,
                    cells=len(row),
                    names=len(header),
                )
            else:
                texts += row
                lines.append(reader.line_num)
    except csv.Error as error:
        raise RatingError(
            "line {line}: this is not valid CSV ({error}); save the table as CSV", line=reader.line_num, error=error
        ) from error
    if not lines:
        raise RatingError(
            "the file contains no ratings; add one line per rating below the header {columns}",
            columns=",".join(COLUMNS),
        )
    columns = {name: texts[place :: len(header)] for place, name in enumerate(header)}
    return pd.DataFrame(columns, index=pd.Index(lines, name="line"), dtype="str")


def _checked_header(names: list[str], line: int) -> list[str]:
    missing = [column for column in COLUMNS if column not in names]
    if missing:
        raise RatingError(
            "line {line}: the header has no column {missing}; it must list {columns}, separated by commas",
            line=line,
            missing=listed(missing),
            columns=",".join(COLUMNS),
        )
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise RatingError(
            "line {line}: the header has {names} more than once; rename or remove one",
            line=line,
            names=listed(twice),
        )
    return names


def _refuse(frame: pd.DataFrame, faulty: pd.Series, column: str, message: str) -> None:
    """Raises RatingError with the message for the first faulty cell of `column`, if there is one."""
    if not faulty.any():
        return
    cells = frame.loc[faulty, column]
    more = Message(" (and {more} more)", more=len(cells) - 1) if len(cells) > 1 else ""
    place = _place(frame, cells.index[0])
    raise RatingError(message, place=place, column=column, value=cells.iloc[0], more=more)


def _refuse_second(frame: pd.DataFrame, key: list[str], value: list[str], message: str) -> None:
    """Raises RatingError with the message when two rows agree in `key` and have, or differ in, `value`."""
    rows = frame[[*key, *value]]
    if value:
        rows = rows.drop_duplicates()
    second = rows.duplicated(key)
    if not second.any():
        return
    position = int(np.argmax(second.to_numpy()))
    same = (rows[key] == rows[key].iloc[position]).all(axis=1).to_numpy()
    first = rows.index[int(np.argmax(same))]
    what = listed(f"{column} {rows[column].iloc[position]!r}" for column in key)
    second_place = _place(frame, rows.index[position])
    raise RatingError(message, first=_place(frame, first), second=second_place, what=what)


def _place(frame: pd.DataFrame, label: object) -> Message:
    return Message("line {line}", line=label) if frame.index.name == "line" else Message("row {row}", row=label)


IMPROVISED = "improvised"
"""The column of a table of ratings that tells what the rehearsal improvised: "", or one of the three below."""
STORY, JUDGE, BOTH = "story", "judge", "story and judge"


def judge_called(judge: str, improvised: bool) -> Readable:
    """Who judged, as people read it: the judge's name, or, where the rehearsal gave some of its ratings, that it was
    the rehearsal, which judges by the protocol of that name."""
    return Message("Rehearsal judge, {judge} protocol", judge=judge) if improvised else judge


def raters_called(frame: pd.DataFrame) -> Callable[[str], Readable]:
    """What each rater of a table of ratings is called where people read of it."""
    improvised = improvised_judges(frame)
    return lambda rater: judge_called(rater, rater in improvised)


def improvised_part(story: bool, judge: bool) -> str:
    """What of a rating no language model made: the value in the column `improvised`."""
    if story and judge:
        return BOTH
    return STORY if story else JUDGE if judge else ""


def improvised_judges(frame: pd.DataFrame) -> frozenset[str]:
    """The judges of whose ratings the rehearsal gave at least one."""
    if IMPROVISED not in frame:
        return frozenset()
    return frozenset(frame.loc[(frame["kind"] == "judge") & frame[IMPROVISED].isin([JUDGE, BOTH]), "rater"])


def improvised_items(frame: pd.DataFrame) -> frozenset[str]:
    """The items that the rehearsal had a part in: it played in the story, or crafted the scene that is rated."""
    if IMPROVISED not in frame:
        return frozenset()
    return frozenset(frame.loc[frame[IMPROVISED].isin([STORY, BOTH]), "item"])


def any_improvised(frame: pd.DataFrame, judges: Iterable[str] | None = None) -> bool:
    """Whether the rehearsal had a part in any of the items, or gave any ratings of these judges; None for all judges
    that are among the ratings."""
    gave = improvised_judges(frame)
    return bool(improvised_items(frame) or (gave if judges is None else gave.intersection(judges)))
