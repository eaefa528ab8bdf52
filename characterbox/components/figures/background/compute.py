"""What the page shows, worked out of a table of ratings. All of it is called in the process beside the app (`process`).

The tables stay there, a few at a time; what comes back is small.
"""

import hashlib
import pickle  # nosec B403 # between processes of ours
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import pandas as pd

from annotations.errors import RatingError
from annotations.exchange.intake import OPTIONAL
from annotations.i18n.translation import say
from annotations.marking.rating import check_frame, improvised_items
from annotations.report.all_figures import all_of, figures_of_raters, usable_ratings
from annotations.report.caveat import Caveat
from annotations.report.figure import Figure
from annotations.report.judge_figures import figures_of_judge, figures_of_two_judges
from annotations.report.judge_report import across_judges
from annotations.report.per_metric import report_caveats
from annotations.report.report import Design, Report, design_of, scale_of, statistics
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_expert_correlation import OVERALL, Correlation, paired_means
from characterbox.components.figures.background.process import Cache, open_figure_process
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.tables.captions import dropped_list, improvised_notice, summary
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import rated
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.ratings.ratings import Newest

KEPT = 4
"""Tables that are kept."""
REPORTS = 16
"""Reports that are kept of each."""
LISTS = 2
"""Lists of all figures that are kept of each."""


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


@dataclass(frozen=True)
class Imported:
    """The ratings of a dataset in a database; they never change."""

    url: str
    dataset: str


Source = Stored | Uploaded | Imported


@dataclass(frozen=True)
class Overview:
    """Which ratings there are."""

    count: int
    languages: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True)
class Figures:
    """The statistics of ratings."""

    report: Report
    """Without the lists of what was left out: they can be as long as the ratings."""
    summary: str
    """Which ratings they are of, as HTML."""
    dropped: int
    """How much was left out of one statistic or another."""
    dropped_list: str
    """The same in short, as HTML."""
    caveats: tuple[Caveat, ...]
    """What limits the figures of whole raters."""
    selection: Selection
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
    improvised_judge: bool
    """Whether it gave some of the judge's scores."""
    selection: Selection


class Table:
    """A table of ratings, and its statistics, each worked out once."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
        self.digest = hashlib.sha256("\n".join(frame.columns).encode() + rows.tobytes()).hexdigest()
        self._reports: Cache[Selection, Report] = Cache(REPORTS)
        self._figures: Cache[Selection, tuple[Figure, ...]] = Cache(LISTS)

    def part(self, selection: Selection) -> pd.DataFrame:
        """The selected ratings. Raises RatingError if there are none."""
        part = selection.of(self.frame)
        if part.empty:
            raise RatingError(say("there are no ratings for this language and these models; choose others"))
        return part

    def usable(self, selection: Selection) -> pd.DataFrame:
        """The selected ratings without what the statistics leave out: those without a score, or off the scale."""
        frame = self.part(selection)
        usable = usable_ratings(frame, scale_of(frame))
        if usable.empty:
            raise RatingError(say("none of the selected ratings has a score on the scale"))
        return usable

    def report(self, selection: Selection) -> Report:
        """The statistics of the selected ratings. Raises AnnotationError if there can be none."""
        if (known := self._reports.find(selection)) is None:
            frame = self.part(selection)
            known = statistics(frame, load_rubric(), scale_of(frame), selection.drawn, selection.gaps)
            self._reports.keep(selection, known)
        return known

    def every_figure(self, selection: Selection) -> tuple[Figure, ...]:
        """All figures of the selected ratings. Raises AnnotationError if there can be none."""
        if (known := self._figures.find(selection)) is None:
            usable = self.usable(selection)
            of_judges = _Shared(usable, self._design(selection))
            of_raters = tuple(figures_of_raters(usable, self.report(selection)))
            known = all_of(of_raters, of_judges.result())
            self._figures.keep(selection, known)
        return known

    def _design(self, selection: Selection) -> Design:
        """As in the report, which takes longer."""
        frame = self.part(selection)
        return design_of(frame, load_rubric(), scale_of(frame), selection.drawn, selection.gaps)


_tables: Cache[Source, Table] = Cache(KEPT)


def take_file(source: Uploaded, ratings: bytes) -> None:
    """Have the ratings of a file at hand, which were read elsewhere (`packed_ratings`)."""
    _keep(source, pickle.loads(ratings))  # noqa: S301 # nosec B301 # from a process of ours


def overview(source: Source) -> Overview:
    """Which ratings there are; those in a database are read. Raises Gone for a file that was not taken."""
    frame = at_hand_or_read(source).frame
    languages = frame["language"].dropna().unique() if "language" in frame else ()
    return Overview(len(frame), tuple(sorted(languages)), tuple(sorted(frame["model"].unique())))


def figures_of(source: Source, selection: Selection) -> Figures:
    """The statistics of the selected ratings. Raises Gone, and AnnotationError if there can be none."""
    table = at_hand(source)
    frame, usable, report = table.part(selection), table.usable(selection), table.report(selection)
    return Figures(
        report=_without_dropped(report),
        summary=summary(frame) + improvised_notice(frame),
        dropped=len(report.dropped),
        dropped_list=dropped_list(report.left_out()),
        caveats=tuple(report_caveats(frame, usable, report)),
        selection=selection,
        improvised_judges=report.design.improvised,
        improvised_items=bool(improvised_items(frame)),
    )


def points_of(source: Source, selection: Selection, judge: str, metric: str) -> Points:
    """What a judge and the experts gave on one metric. Raises Gone, and AnnotationError if there are no statistics."""
    table = at_hand(source)
    frame, report = selection.of(table.frame), table.report(selection)
    points = pairs(table.usable(selection), report.design, judge, metric)
    judged = judge in report.design.improvised
    improvised = judged or bool(improvised_items(frame) & set(points["item"]))
    return Points(points, improvised, judged, selection)


def place_of(source: Source, item: str) -> dict[str, str] | None:
    """The story of an item and the step at which its character first acts, as Playback takes them; None where the item
    is of no story in the app."""
    if not isinstance(source, Stored):
        return None
    store = store_of(source.url)
    if (known := store.ratings.labelled([item]).get(item)) is None or known.kind != "character":
        return None
    acts = (slug_of(getattr(event, "character", "")) == known.slug for event in store.stories.events(known.owner))
    first = next((at for at, own in enumerate(acts, 1) if own), None)
    return None if first is None else {"story": known.owner, "at": str(first)}


def pairs(frame: pd.DataFrame, design: Design, judge: str, metric: str) -> pd.DataFrame:
    """The points: item, scene, model, expert, judge. For `overall` as the report that has this design defines it."""
    metrics = design.overall if metric == OVERALL and design.overall else (metric,)
    return paired_means(frame, judge, metrics)


def at_hand(source: Source) -> Table:
    """The table of a source that has been read. Raises Gone if it is not there any more."""
    if (table := _tables.find(source)) is None:
        if isinstance(source, Imported):
            return _keep(source, _imported(source))
        if isinstance(source, Uploaded):
            raise Gone(say("the ratings from this file are no longer loaded; reload the page"))
        raise Gone(say("the ratings in the app are no longer loaded; reload the page"))
    return table


def at_hand_or_read(source: Source) -> Table:
    """The table of a source; where that of a database is gone, its ratings as they are now. Raises Gone for a file."""
    if not isinstance(source, Stored) or _tables.find(source) is not None:
        return at_hand(source)
    store = store_of(source.url)
    now = Stored(source.url, store.newest())
    return _keep(now, rated(store))


def _imported(source: Imported) -> pd.DataFrame:
    """The ratings without the columns that tell nothing. Raises RatingError if they contradict themselves."""
    frame = store_of(source.url).datasets.frame(source.dataset)
    frame = frame.drop(columns=[name for name in OPTIONAL if frame[name].isna().all()])
    check_frame(frame)
    return frame


def _keep(source: Source, frame: pd.DataFrame) -> Table:
    """Most marks change no rating that counts: the same ratings keep their statistics."""
    table = Table(frame)
    table = next((other for other in _tables.all() if other.digest == table.digest), table)
    _tables.keep(source, table)
    return table


@lru_cache(maxsize=1)
def store_of(url: str) -> Store:
    """The store of stored ratings."""
    return Store(url)


class _Shared:
    """The figures of judges, part by part: the process beside this one begins with the first, and this one, as soon as
    it waits for them, with the last."""

    def __init__(self, usable: pd.DataFrame, design: Design) -> None:
        across = across_judges(usable, design)
        parts = [partial(figures_of_judge, usable, judge, design, across) for judge in design.judges]
        parts.append(partial(figures_of_two_judges, usable, design))
        self._asked = [(part, open_figure_process().ask(_listed, part)) for part in parts]

    def result(self) -> list[Figure]:
        found = [_listed(part) if asked.cancel() else asked.result() for part, asked in reversed(self._asked)]
        return [figure for part in reversed(found) for figure in part]


def _listed(figures: Callable[[], Iterator[Figure]]) -> tuple[Figure, ...]:
    return tuple(figures())


def _without_dropped(report: Report) -> Report:
    validity = {
        judge: {name: replace(r, dropped=()) if isinstance(r, Correlation) else r for name, r in found.items()}
        for judge, found in report.validity.items()
    }
    return replace(report, validity=validity, dropped=())
