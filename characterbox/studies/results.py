"""The results of a study: one folder with all that somebody needs who reads, doubts or repeats it, and the same as one
file. The same data make the same bytes.

The folder gets its name when it is whole. What is in it is known by its sums: an earlier one is replaced, but never one
that somebody has changed.
"""

import filecmp
import os
import shutil
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from annotations.report.all_figures import every_figure
from characterbox.atomic_file import not_written
from characterbox.campaigns.export import Export, exported
from characterbox.campaigns.oversight import overseer_of
from characterbox.components.figures.files.downloads import SUMS, bundled_files, sums_file, write_zip
from characterbox.components.figures.files.study_files import leaderboard_files, statistics_files, table_files
from characterbox.errors import StudyError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.studies.changes import changes_since, changes_text
from characterbox.studies.folder import Study, bytes_of
from characterbox.studies.hypotheses import outcomes
from characterbox.studies.ratings import analysed_ratings
from characterbox.studies.registration import REGISTERED, read_registration
from characterbox.studies.report import Reported, hypotheses_csv, hypotheses_table, methods_text, readme_text
from characterbox.sweeps.folder import write_folder
from characterbox.sweeps.sweep import Sweep, cells_of

RESULTS, BUNDLE = "results", "bundle.zip"
_SWEEP = "sweep"
_RECOMPUTED = "recompute/recomputed.csv"


def reported(study: Study, store: Store, sweep: Sweep, campaign: Campaign) -> Reported:
    """What the results tell of. Raises RatingError if there are no ratings."""
    found = analysed_ratings(study, store, sweep, campaign)
    registered = read_registration(study.folder)
    changes = None if registered is None else changes_since(registered, study, store, sweep, campaign)
    return Reported(
        study,
        sweep,
        campaign,
        found,
        outcomes(study, found),
        registered,
        changes,
        board=overseer_of(store).of(campaign).board,
        unread=sum(store.sweeps.degraded([cell.id for cell in cells_of(sweep)]).values()),
    )


def write_results(of: Reported, store: Store) -> bool:
    """Write the folder and the file; whether anything in them is new.

    Raises StudyError where files of the folder were changed by hand, and FileError where it can't be written.
    """
    folder = of.study.folder / RESULTS
    bundle = of.study.folder / BUNDLE
    part, old = folder.with_name(f".{RESULTS}.part"), folder.with_name(f".{RESULTS}.old")
    packed = bundle.with_name(f".{BUNDLE}.part")
    try:
        if old.exists() and not folder.exists():  # broken off between the two moves below
            old.rename(folder)
        _check_untouched(folder)
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
        part.mkdir()
        _fill(part, of, store)
        sums = sums_file({name: _digest(file) for name, file in _files_in(part)})
        (part / SUMS).write_bytes(sums)
        with packed.open("wb") as out:
            write_zip(out, ((name, file.read_bytes()) for name, file in _files_in(part)))
        new = not (folder / SUMS).is_file() or (folder / SUMS).read_bytes() != sums
        if new:
            if folder.exists():
                folder.rename(old)
            part.rename(folder)
            shutil.rmtree(old, ignore_errors=True)
        if not bundle.is_file() or not filecmp.cmp(packed, bundle, shallow=False):
            os.replace(packed, bundle)
            new = True
    except OSError as error:
        raise not_written(folder, error) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
        packed.unlink(missing_ok=True)
    return new


def _files_in(folder: Path) -> list[tuple[str, Path]]:
    """The files of a folder, each with its name there, in the order of the names."""
    return sorted((file.relative_to(folder).as_posix(), file) for file in folder.rglob("*") if file.is_file())


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def _check_untouched(folder: Path) -> None:
    """Raises StudyError if there is anything in a folder of results that was not written there, but for what its script
    leaves behind, and hidden files of desktops."""
    if not folder.exists():
        return
    sums = (folder / SUMS).read_bytes() if (folder / SUMS).is_file() else b""
    own = [(name, file) for name, file in _files_in(folder) if name not in (SUMS, _RECOMPUTED) and not _is_hidden(name)]
    if (now := sums_file({name: _digest(file) for name, file in own})) != sums:
        changed = sorted(_names(sums, now) | _names(now, sums))
        raise StudyError(
            "{folder}: changed since it was written ({file}); keep your own files elsewhere, move this folder away, and"
            " run the study again",
            folder=folder,
            file=changed[0] if changed else SUMS,
        )


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _names(sums: bytes, other: bytes) -> set[str]:
    """The files whose sums are in one list, and not in the other."""
    lines = {*sums.decode("utf-8", "replace").splitlines()} - {*other.decode("utf-8", "replace").splitlines()}
    return {line.partition("  ")[2] for line in lines}


def _fill(part: Path, of: Reported, store: Store) -> None:
    for name, content in _files(of, store):
        file = part / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    write_folder(store, of.sweep, part / _SWEEP)


def _files(of: Reported, store: Store) -> Iterator[tuple[str, bytes]]:
    study, found = of.study, of.found
    yield "README.md", readme_text(of).encode()
    yield "methods.md", methods_text(of).encode()
    yield "changes.md", changes_text(of.registered, of.changes).encode()
    if of.registered is not None:
        for name, content in of.registered.copies:
            yield f"{REGISTERED}/{name}", content
    for name in study.design_files:
        yield f"design/{name}", bytes_of(study.folder, name)
    if of.outcomes:
        yield from table_files("hypotheses", hypotheses_table(of))
        yield "tables/hypotheses.csv", hypotheses_csv(of)
    figures = every_figure(found.part, found.report)
    yield from statistics_files(found.part, found.report, figures, found.selection)
    yield from leaderboard_files(found.part, found.report, of.sweep.name)
    for name, content in bundled_files(found.frame, found.report, figures, found.selection).items():
        yield f"recompute/{name}", content
    yield "ratings.jsonl", b"".join(exported(store, of.campaign.id, Export("jsonl", pseudonyms=True)))
