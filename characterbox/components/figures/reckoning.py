"""What the page shows, worked out of a table of ratings. All of this is called in the process beside the app (`aside`).

The tables stay there, a few at a time; what comes back is small.
"""

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache

import pandas as pd

from annotations.rating import leave_out_missing, leave_out_of_scale, read_ratings
from annotations.report import Design, Report, statistics
from annotations.rubric import load_rubric
from annotations.validity import OVERALL, Correlation, paired_means
from characterbox.components.figures.export import dropped_csv, figures_csv, ratings_csv
from characterbox.components.figures.kept import Kept
from characterbox.components.figures.prose import dropped_list, improvised_notice, summary
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import improvised_items, improvised_judges, rated
from characterbox.store import Store
from characterbox.store.newest import Newest

KEPT = 4
"""Tables that are kept."""


class Gone(CharacterBoxError):
    """The ratings are not at hand, or not any more; the message says whose."""


@dataclass(frozen=True)
class Stored:
    """The ratings in a database, as they are while nothing newer is stored."""

    url: str
    newest: Newest


@dataclass(frozen=True)
class Uploaded:
    """The ratings in a file."""

    digest: str


Source = Stored | Uploaded


@dataclass(frozen=True)
class Overview:
    """Which ratings there are."""

    count: int
    summary: str
    """HTML."""


@dataclass(frozen=True)
class Figures:
    """The statistics of ratings."""

    report: Report
    """Without the lists of what was left out: they can be as long as the ratings."""
    dropped: int
    """How much was left out."""
    dropped_list: str
    """The same in short, as HTML."""
    improvised_judges: frozenset[str]
    improvised_items: bool
    """Whether the rehearsal played a part of what was rated."""


@dataclass(frozen=True, eq=False)
class Points:
    """What a scatter plot shows."""

    table: pd.DataFrame
    """One row an item: item, scene, model, expert, judge."""
    improvised: bool
    """Whether the rehearsal gave a part of it."""


class Table:
    """A table of ratings, and its statistics, each worked out once."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
        self.digest = hashlib.sha256("\n".join(frame.columns).encode() + rows.tobytes()).hexdigest()
        self._reports: dict[str | None, Report] = {}

    def of_language(self, language: str | None) -> pd.DataFrame:
        """The ratings of one language, or all."""
        return self.frame if language is None else self.frame[self.frame["language"] == language]

    def usable(self, language: str | None) -> pd.DataFrame:
        """The same without what the statistics leave out: ratings without a score, or off the scale."""
        frame = self.of_language(language)
        scale, scored = scale_of(frame), leave_out_missing(frame)[0]
        return scored if scale is None else leave_out_of_scale(scored, *scale)[0]

    def report(self, language: str | None) -> Report:
        """The statistics of one language, or of all ratings. Raises AnnotationError if there can be none."""
        if language not in self._reports:
            frame = self.of_language(language)
            self._reports[language] = statistics(frame, load_rubric(), scale_of(frame))
        return self._reports[language]


_tables: Kept[Source, Table] = Kept(KEPT)


def take_file(source: Uploaded, content: bytes) -> None:
    """Read a file that was uploaded. Raises RatingError if its ratings cannot be used."""
    _keep(source, read_ratings(content))


def overview(source: Source) -> Overview:
    """Which ratings there are; those in a database are read. Raises Gone for a file that was not taken."""
    frame = _at_hand_or_read(source).frame
    return Overview(len(frame), summary(frame) + improvised_notice(frame))


def figures_of(source: Source, language: str | None) -> Figures:
    """The statistics of the ratings in one language, or all. Raises Gone, and AnnotationError if there can be none."""
    table = at_hand(source)
    frame, report = table.of_language(language), table.report(language)
    return Figures(
        report=_without_dropped(report),
        dropped=len(report.dropped),
        dropped_list=dropped_list(report.dropped),
        improvised_judges=improvised_judges(frame),
        improvised_items=bool(improvised_items(frame)),
    )


def points_of(source: Source, language: str | None, judge: str, metric: str) -> Points:
    """What a judge and the experts gave on one metric. Raises Gone, and AnnotationError if there are no statistics."""
    table = at_hand(source)
    frame, report = table.of_language(language), table.report(language)
    scale = scale_of(frame)
    on_scale = leave_out_of_scale(frame, *scale)[0] if scale else frame
    points = pairs(on_scale, report.design, judge, metric)
    improvised = judge in improvised_judges(frame) or bool(improvised_items(frame) & set(points["item"]))
    return Points(points, improvised)


def ratings_file(source: Source) -> bytes:
    """The ratings as CSV. This, and the files below, are of the newest ratings where those of the source are gone."""
    return ratings_csv(_at_hand_or_read(source).frame)


def figures_file(source: Source, language: str | None) -> bytes:
    """All figures as CSV: the alphas of all ratings, the correlations of one language or all."""
    table = _at_hand_or_read(source)
    return figures_csv(table.report(None), table.report(language), language, table.frame)


def dropped_file(source: Source, language: str | None) -> bytes:
    """What was left out, as CSV."""
    return dropped_csv(_at_hand_or_read(source).report(language).dropped)


def pairs(frame: pd.DataFrame, design: Design, judge: str, metric: str) -> pd.DataFrame:
    """The points: item, scene, model, expert, judge. For `overall` as the report that has this design defines it."""
    metrics = design.overall if metric == OVERALL and design.overall else (metric,)
    return paired_means(frame, judge, metrics)


def scale_of(frame: pd.DataFrame) -> tuple[int, int] | None:
    """The scale that scores must be on: the rubric's where its metrics were rated, else any."""
    rubric = load_rubric()
    return (rubric.scale.low, rubric.scale.high) if set(frame["metric"]) >= set(rubric.keys) else None


def at_hand(source: Source) -> Table:
    """The table of a source that has been read. Raises Gone if it is not there any more."""
    if (table := _tables.find(source)) is None:
        whose = "in this file" if isinstance(source, Uploaded) else "in the app"
        raise Gone(f"the ratings {whose} are not at hand any more; load the page again")
    return table


def _at_hand_or_read(source: Source) -> Table:
    if isinstance(source, Uploaded) or _tables.find(source) is not None:
        return at_hand(source)
    return _keep(source, rated(_store(source.url)))


def _keep(source: Source, frame: pd.DataFrame) -> Table:
    """Most marks change no rating that counts: the same ratings keep their statistics."""
    table = Table(frame)
    table = next((other for other in _tables.all() if other.digest == table.digest), table)
    _tables.keep(source, table)
    return table


@lru_cache(maxsize=1)
def _store(url: str) -> Store:
    return Store(url)


def _without_dropped(report: Report) -> Report:
    validity = {
        judge: {name: replace(r, dropped=()) if isinstance(r, Correlation) else r for name, r in found.items()}
        for judge, found in report.validity.items()
    }
    return replace(report, validity=validity, dropped=())
