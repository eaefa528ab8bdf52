"""`characterbox study`: a study in one folder, from its hypotheses to its results.

`run` does what comes next, and stops with one line where it can't go on by itself: the budget is spent, endpoints are
down, or people have to rate. The same command goes on from there.
"""

import argparse
import asyncio
from collections import Counter

from annotations.design.plan import Plan
from annotations.i18n.translation import speaking
from characterbox.accounts.credentials import HERE
from characterbox.addresses import address_of
from characterbox.campaigns.rater_statistics import Count
from characterbox.commands.database import open_store
from characterbox.commands.exits import AWAITS_PEOPLE, ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.commands.sweep import in_words, perform, tell_plan
from characterbox.scenes.library import brought_along
from characterbox.settings import settings
from characterbox.stage.client import open_client
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.studies.changes import changes_since
from characterbox.studies.folder import Study, read_study
from characterbox.studies.new_study import make_study
from characterbox.studies.progress import Started, note_started, started_in, sweep_of
from characterbox.studies.rating import campaign_of, check_accounts, left, planned, rated_items, start_campaign
from characterbox.studies.registration import read_registration, register, told_date
from characterbox.sweeps.progress import Progress, failures_of, plan, standing
from characterbox.sweeps.sweep import Sweep, cells_of

_MOST_TOLD = 5
"""Reasons for which something failed that are told."""


def run(options: argparse.Namespace) -> int:
    """Do what `options.action` says."""
    if options.action == "init":
        make_study(options.folder, options.preset or "first")
        print(f"{options.folder}: made; read its README.md, edit its files, then: characterbox study run --plan")
        return 0
    study = read_study(options.folder)
    with open_store(options) as store:
        sweep = sweep_of(study, store)
        if options.action == "register":
            return _register(study, store, sweep)
        return _run(study, store, sweep, only_plan=options.plan)


def _register(study: Study, store: Store, sweep: Sweep) -> int:
    planned(study, sweep)
    made = register(study, store, _campaign(study, store, sweep))
    print(f"registered {told_date(made.content.registered_at)}, SHA-256 {made.hash}: {study.file.title}")
    say(f"{made.folder}: written; the date is of this computer's clock: send the line above to a third party")
    return 0


def _campaign(study: Study, store: Store, sweep: Sweep) -> Campaign | None:
    started = started_in(study.folder)
    return campaign_of(study, store, sweep, None if started is None else started.campaign)


def _run(study: Study, store: Store, sweep: Sweep, *, only_plan: bool) -> int:
    campaign = _campaign(study, store, sweep)
    for repair in study.sweep_file.repairs:
        say(f"repaired: {repair}")
    _tell_registration(study, store, sweep, campaign)
    client = open_client(store, for_owner=True, prices=study.sweep_file.cast.prices)
    tell_plan(sweep, plan(store, client, sweep))
    if campaign is None or campaign.status == "draft":
        _tell_rating(study, sweep, planned(study, sweep))
        check_accounts(study, store)
    if only_plan:
        return 0
    progress = standing(store, sweep, [*cells_of(sweep)])
    if not progress.done or store.sweeps.find(sweep.name) is None:  # another sweep may have played all of it
        note_started(study.folder, Started(sweep=sweep.name, campaign=None if campaign is None else campaign.id))
        store.scenes.add(brought_along(sweep.scenes))
        try:
            progress = asyncio.run(perform(store, client, sweep))
        except (KeyboardInterrupt, asyncio.CancelledError):
            say("interrupted; run the same command again to continue")
            return INTERRUPTED
        say(in_words(progress))
        if not progress.done:
            return _not_played(store, sweep)
        sweep = sweep_of(study, store)
    return _rate_and_report(study, store, sweep, progress)


def _tell_registration(study: Study, store: Store, sweep: Sweep, campaign: Campaign | None) -> None:
    registered = read_registration(study.folder)
    if registered is None:
        say("not registered: the results will say so; to register the study, run characterbox study register first")
        return
    when = f"registered {told_date(registered.content.registered_at)}, SHA-256 {registered.hash}"
    changes = changes_since(registered, study, store, sweep, campaign).sentences
    say(f"{when}; changed since then, which the results will say, too:" if changes else when)
    for change in changes:
        say(f"changed: {change}")


def _tell_rating(study: Study, sweep: Sweep, found: Plan) -> None:
    loads = Counter(one.rater for one in found.assignments)
    minutes = study.campaign.minutes
    told = "; ".join(
        f"{name}: {count} items, {count * minutes / 60:.1f} hours" for name, count in sorted(loads.items())
    )
    print(f"rated by people: {len(rated_items(study, sweep)):,} trajectories; {told}", flush=True)
    for warning in found.warnings:
        print(f"rating: {warning}", flush=True)


def _not_played(store: Store, sweep: Sweep) -> int:
    reasons = Counter(str(one.reason) for one in failures_of(store, sweep, cells_of(sweep)))
    for reason, count in reasons.most_common(_MOST_TOLD):
        say(f"failed: {count:,} of the stories and judgements: {reason}")
    heading = store.sweeps.find(sweep.name)
    why, ways = "", "the same command goes on with what is missing"
    if heading is not None and heading.reason is not None:
        why, ways = f": {heading.reason}", "with another budget in sweep.toml it goes on"
    say(f"not all of it is played and judged{why}; {ways}")
    return ENDPOINT_FAILED


def _rate_and_report(study: Study, store: Store, sweep: Sweep, progress: Progress) -> int:
    campaign = start_campaign(study, store, sweep, _campaign(study, store, sweep))
    if progress.unread:
        say(f"{progress.unread:,} judgements have scores missing (unreadable replies), which the figures leave out")
    if waiting := left(store, campaign):
        where = (settings().url or HERE) + address_of("annotate", campaign=campaign.id)
        paused = "; the campaign is paused" if campaign.status == "paused" else ""
        told = ", ".join(f"{one.name} {_done(one.count)}{' (failed the practice set)' * one.failed}" for one in waiting)
        say(f"people have to rate: {told}{paused}; they rate at {where} (characterbox app serves it)")
        say("once they have rated all, or the campaign is closed on the Campaigns page, run the same command again")
        return AWAITS_PEOPLE
    return _report(study, store, sweep, campaign)


def _report(study: Study, store: Store, sweep: Sweep, campaign: Campaign) -> int:
    from characterbox.studies.results import BUNDLE, RESULTS, reported, write_results  # noqa: PLC0415 - charts: seconds

    with speaking("en"):
        of = reported(study, store, sweep, campaign)
        new = write_results(of, store)
    for number, one in enumerate(of.outcomes, 1):
        print(f"{number}. {one.verdict}: {one.hypothesis.says}{f' ({one.why})' if one.why else ''}")
    files = f"{study.folder / RESULTS} and {study.folder / BUNDLE}"
    print(f"{files}: written" if new else f"{files}: as they were; nothing is new")
    return 0


def _done(count: Count) -> str:
    return f"{count.done + count.skipped} of {count.total}"
