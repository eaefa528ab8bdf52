"""Ratings as files. A file of scores holds every score that stands, also of items that are not submitted yet.

CSV, Parquet and Label Studio hold what was rated for the first time, or else only the hidden repeats: two scores of one
person for one thing would be a contradiction there. Practice and attention checks are in JSONL only, which has it all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from typing import Literal

from annotations.errors import RatingError
from annotations.exchange.label_studio import labeling_config, task_of, tasks_of
from annotations.exchange.record import LongRow, Record, Verdict, csv_of, json_line, parquet_of, rows_of
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.blinded_item import Shown, reading_of, shown_assignment, texts_of
from characterbox.errors import CampaignError, StoryError
from characterbox.judging.provenance import provenance
from characterbox.processes.limited import run_limited
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign

Format = Literal["csv", "parquet", "jsonl", "label-studio", "label-studio-config"]

_PORTION = 500
"""Rows of which it is looked up together what was improvised."""


@dataclass(frozen=True)
class _File:
    ending: str
    media_type: str


_FILES: Mapping[Format, _File] = {
    "csv": _File(".csv", "text/csv; charset=utf-8"),
    "parquet": _File(".parquet", "application/vnd.apache.parquet"),
    "jsonl": _File(".jsonl", "application/jsonl; charset=utf-8"),
    "label-studio": _File("-label-studio.json", "application/json"),
    "label-studio-config": _File("-label-studio.xml", "application/xml"),
}
FORMATS: tuple[Format, ...] = tuple(_FILES)


@dataclass(frozen=True)
class Export:
    """What is to be in a file, and in which form.

    With `pseudonyms`, experts are rater-1 to rater-n, in the order of their first marks, and adjudicators have no name;
    what people have written stays as it is. With `repeats`, only the hidden repeats are in it.
    """

    format: Format
    pseudonyms: bool
    repeats: bool = False

    @property
    def media_type(self) -> str:
        """As HTTP calls it."""
        return _FILES[self.format].media_type

    def file_name(self, campaign: str | None) -> str:
        """How the file of a campaign, or of all, is called; plain ASCII, as headers want it."""
        return f"ratings-{campaign or 'all'}{'-repeats' if self.repeats else ''}{_FILES[self.format].ending}"


def saved_ratings(db: str, campaign: str, export: Export) -> bytes:
    """The file, made in a process under limits, where others' pages do not wait for it.

    Raises as `exported`, and TooHeavy if it takes more than it may.
    """
    return run_limited(_joined, db, campaign, export)


def _joined(db: str, campaign: str, export: Export) -> bytes:
    return b"".join(exported(Store(db), campaign, export))


def exported(store: Store, campaign: str | None, export: Export) -> Iterator[bytes]:
    """The file, piece by piece; without a campaign, with the scores of all.

    Raises CampaignError, at once, for an unknown campaign and for a format that can't hold what is asked for; and
    StoryError or CampaignError, while the file is made, if Label Studio is to get what can't be read any more.
    """
    if export.repeats and export.format in ("jsonl", "label-studio-config"):
        raise CampaignError(
            "{format}: hidden repeats cannot be exported separately; remove this option", format=export.format
        )
    if export.format in ("csv", "parquet"):
        chosen = store.campaigns.all()[::-1] if campaign is None else [store.campaigns.campaign(campaign)]
        rows = _marked(store, _rows(store, export, chosen, campaign))
        return csv_of(rows) if export.format == "csv" else iter([parquet_of(rows)])
    if campaign is None:
        raise CampaignError("{format}: a file holds one campaign; name the campaign", format=export.format)
    one = store.campaigns.campaign(campaign)
    rubric = store.rubrics.rubric(one.settings.rubric, one.settings.rubric_version)
    if export.format == "jsonl":
        return _lines(store, export, campaign, rubric)
    if export.format == "label-studio":
        return tasks_of(_tasks(store, export, campaign, rubric))
    languages = {item.language for item in store.campaigns.items(campaign)}
    return iter([labeling_config(rubric, "zh" if languages == {"zh"} else "en")])


def _rows(store: Store, export: Export, chosen: Sequence[Campaign], campaign: str | None) -> Iterator[LongRow]:
    records = chain.from_iterable(store.records.records(one.id) for one in chosen)
    for record in _first_or_repeats(_named(records, store, export, campaign), export):
        yield from rows_of(record)
    if not export.repeats:
        yield from store.records.judged(campaign)


def _marked(store: Store, rows: Iterator[LongRow]) -> Iterator[LongRow]:
    """The rows with what the rehearsal improvised of each, looked up for a portion at a time."""
    while portion := list(islice(rows, _PORTION)):
        known = store.ratings.labelled({row.item for row in portion})
        told = provenance(store, {item.owner for item in known.values() if item.kind != "scene"})
        for row in portion:
            made = told(known[row.item], row.rater, row.kind, row.model) if row.item in known else ""
            yield row._replace(improvised=made)


def _lines(store: Store, export: Export, campaign: str, rubric: Rubric) -> Iterator[bytes]:
    agreed = _agreed(store, export, campaign)
    records = _named(store.records.records(campaign, history=True), store, export, campaign)
    for item, of_item in groupby(records, key=lambda record: record.item):
        first = next(of_item)
        steps = _steps(store, first, rubric)
        for record in chain([first], of_item):
            yield json_line(record, steps, agreed.get(item, {}))


def _tasks(store: Store, export: Export, campaign: str, rubric: Rubric) -> Iterator[bytes]:
    records = _named(store.records.records(campaign, history=True), store, export, campaign)
    for _, of_item in groupby(_first_or_repeats(records, export), key=lambda record: record.item):
        together = list(of_item)
        yield task_of(reading_of(_shown(store, together[0], rubric)), together)


def _agreed(store: Store, export: Export, campaign: str) -> dict[str, dict[str, Verdict]]:
    """The consensus that stands, by item and metric."""
    agreed: dict[str, dict[str, Verdict]] = {}
    for one in store.verdicts.of_campaign(campaign):
        if one.score is not None:
            adjudicator = None if export.pseudonyms else one.adjudicator
            agreed.setdefault(one.item, {})[one.metric] = Verdict(one.score, one.reason, adjudicator, one.at)
    return agreed


def _first_or_repeats(records: Iterator[Record], export: Export) -> Iterator[Record]:
    return (record for record in records if record.purpose == "rate" and (record.take > 0) == export.repeats)


def _named(records: Iterator[Record], store: Store, export: Export, campaign: str | None) -> Iterator[Record]:
    """The records with the names of their raters, or what stands for them."""
    if not export.pseudonyms:
        yield from records
        return
    numbers = {name: number for number, name in enumerate(store.records.raters(campaign), 1)}
    for record in records:
        number = numbers.setdefault(record.rater, len(numbers) + 1)  # somebody may have come in meanwhile
        yield replace(record, rater=f"rater-{number}")


def _steps(store: Store, record: Record, rubric: Rubric) -> list[str]:
    """The texts that evidence refers to; none where the item is not there to be read any more."""
    try:
        return texts_of(_shown(store, record, rubric))
    except (CampaignError, RatingError, StoryError):
        return []


def _shown(store: Store, record: Record, rubric: Rubric) -> Shown:
    return shown_assignment(store, store.campaigns.assignment(record.assignment), rubric)
