"""`characterbox ratings`: write the ratings to a file, and import ratings from elsewhere."""

import argparse
from pathlib import Path

from annotations.errors import RatingError
from annotations.exchange.intake import dry_run, lines_of, rows_refused
from annotations.rubrics.rubric import Rubric
from characterbox.accounts.account import COMMAND_LINE
from characterbox.atomic_file import check_new, new_file
from characterbox.campaigns.export import Export, exported
from characterbox.commands.database import open_store
from characterbox.store import Store


def run(options: argparse.Namespace) -> int:
    """Do what `options.action` says."""
    with open_store(options) as store:
        if options.action == "export":
            _export(store, options)
        else:
            _import(store, options)
    return 0


def _export(store: Store, options: argparse.Namespace) -> None:
    """Write a file that is there when it is whole."""
    out: Path = options.out
    check_new(out)
    export = Export(options.format, pseudonyms=options.pseudonyms, repeats=options.repeats)
    pieces = exported(store, options.campaign, export)
    with new_file(out) as file:
        file.writelines(pieces)
    store.audit.add(COMMAND_LINE, "ratings.exported", options.campaign or "", {"form": options.format})
    print(f"{out}: {out.stat().st_size:,} bytes")


def _import(store: Store, options: argparse.Namespace) -> None:
    """Print the dry run; store its ratings if that is wanted, and nothing is left out unasked."""
    file: Path = options.file
    try:
        trial = dry_run(file, _rubric(store, options.rubric), options.encoding)
    except RatingError as error:
        raise RatingError(f"{file}: {error}") from None
    for line in lines_of(trial):
        print(line)
    if not options.commit:
        print("nothing is stored yet; give --commit to store what can be taken")
        return
    if trial.refused and not options.leave_out:
        raise RatingError(
            f"{file}: {rows_refused(trial)}, so nothing is stored; mend them, or give --leave-out to store the others"
        )
    dataset = store.datasets.add(file.stem if options.name is None else options.name, trial, COMMAND_LINE)
    print(f"dataset {dataset.name!r} ({dataset.id}): {dataset.ratings:,} ratings are stored; {rows_refused(trial)}")


def _rubric(store: Store, text: str) -> Rubric:
    """The rubric called NAME@VERSION; without a version, the bundled one, or the version that was added last."""
    name, at, version = text.partition("@")
    if not at:
        known = store.rubrics.names()
        version = next((version for one, version in known if one == name), "")
        if not version:
            raise RatingError(f"there is no rubric {name!r}; there are: {', '.join(sorted({one for one, _ in known}))}")
    return store.rubrics.rubric(name, version)
