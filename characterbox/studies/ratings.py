"""The ratings that a study is analysed by: of its campaign and its judges alone, without what was to be left out, and
without names of people."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from annotations.errors import RatingError, Undefined
from annotations.report.all_figures import usable_ratings
from annotations.report.report import Design, Report, design_of, scale_of, statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.oversight import overseer_of
from characterbox.components.figures.background.selection import Selection
from characterbox.judging.provenance import described
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.studies.folder import Study
from characterbox.sweeps.progress import known_of
from characterbox.sweeps.sweep import Sweep, cells_of


@dataclass(frozen=True)
class Excluded:
    """What was left out by one rule."""

    rule: str
    """In a sentence's part, such as `experts who failed more than 1 attention check`."""
    found: int
    """Stories, experts, or rated items that the rule met."""
    ratings: int
    """Which that took away."""


@dataclass(frozen=True, eq=False)
class Analysed:
    """The ratings of a study, as they are analysed."""

    frame: pd.DataFrame
    """In long form, with pseudonyms for experts (see `annotations.marking.rating`)."""
    selection: Selection
    """The part that is analysed, and how intervals are made."""
    excluded: tuple[Excluded, ...]
    judges: Mapping[str, str]
    """By the name of each judge in the study, how its version is called among the ratings."""

    @cached_property
    def part(self) -> pd.DataFrame:
        """The ratings that are analysed."""
        return self.selection.of(self.frame)

    @cached_property
    def design(self) -> Design:
        """What statistics of them are computed from."""
        of = self.selection
        return design_of(self.part, load_rubric(), scale_of(self.part), of.drawn, of.gaps)

    @cached_property
    def report(self) -> Report:
        """Their statistics."""
        of = self.selection
        return statistics(self.part, load_rubric(), self.design.scale, of.drawn, of.gaps)

    @cached_property
    def usable(self) -> pd.DataFrame:
        """Those that have a score on the scale."""
        return usable_ratings(self.part, self.design.scale)


def analysed_ratings(study: Study, store: Store, sweep: Sweep, campaign: Campaign) -> Analysed:
    """The ratings that a study is analysed by. Raises RatingError if there are none."""
    judges = {judge.name: judge.rater for judge in known_of(store, sweep)}
    analysis, wanted = study.analysis, study.analysis.judges
    raters = [rater for name, rater in judges.items() if not wanted or name in wanted]
    stories = [cell.id for cell in cells_of(sweep)]
    every, given = store.ratings.frame(), store.ratings.frame(campaign=campaign.id)
    judged = every[(every["kind"] == "judge") & every["owner"].isin(stories) & every["rater"].isin(raters)]
    frame = pd.concat([judged, given[given["kind"] == "expert"]], ignore_index=True)
    if analysis.metrics:
        frame = frame[frame["metric"].isin(analysis.metrics)].reset_index(drop=True)
    excluded = []
    for rule, found, which in _rules(study, store, campaign, frame):
        excluded.append(Excluded(rule, found, int(which.sum())))
        frame = frame[~which.reindex(frame.index, fill_value=False)]
    if frame.empty:
        raise RatingError("no ratings are left to analyse; look at the exclusions in analysis.toml")
    pseudonyms = {name: f"rater-{number}" for number, name in enumerate(store.records.raters(campaign.id), 1)}
    expert = frame["kind"] == "expert"
    frame = frame.assign(rater=frame["rater"].where(~expert, frame["rater"].map(pseudonyms)))
    models = tuple(study.model(name) for name in analysis.models)
    selection = Selection(analysis.language, models, analysis.drawn, analysis.gaps)
    return Analysed(described(store, frame.reset_index(drop=True)), selection, tuple(excluded), judges)


def _rules(
    study: Study, store: Store, campaign: Campaign, frame: pd.DataFrame
) -> list[tuple[str, int, "pd.Series[bool]"]]:
    """The rules that leave something out, each with how much it met, and the rows of `frame` that it leaves out."""
    rules, found = study.analysis.exclusions, []
    oversight = overseer_of(store).of(campaign)
    names = {account.id: account.name for account in store.accounts.all()}
    expert = frame["kind"] == "expert"
    if (most := rules.unread_replies) is not None:
        degraded = store.sweeps.degraded(sorted(set(frame["owner"])))
        stories = {story for story, count in degraded.items() if count > most}
        rule = f"stories in which more than {most} replies could not be read"
        found.append((rule, len(stories), frame["owner"].isin(stories)))
    if (most := rules.failed_checks) is not None:
        inattentive = {
            names[one.line.rater]
            for one in oversight.standings
            if not isinstance(one.checks, Undefined) and one.checks.n - one.checks.passed > most
        }
        rule = f"experts who failed more than {most} attention checks"
        found.append((rule, len(inattentive), expert & frame["rater"].isin(inattentive)))
    if (least := rules.fastest_seconds) is not None:
        hasty = {
            (names[row.assignment.rater], row.assignment.item)
            for row in oversight.rows
            if row.assignment.purpose == "rate" and row.assignment.take == 0 and row.sheet.counts
            if row.sheet.reading < 1000 * least
        }
        pairs = pd.Series([*zip(frame["rater"], frame["item"], strict=True)], index=frame.index, dtype=object)
        rule = f"items that an expert rated in less than {least:g} seconds of reading"
        found.append((rule, len(hasty), expert & pairs.isin(hasty)))
    return found
