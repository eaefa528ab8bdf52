# ruff: noqa: PLC0415, T201 - a script; it imports nothing from this folder before it has checked it
"""Compute every figure of this folder anew from its ratings, and compare them with those in figures.csv.

    uv run recompute.py [--anyway]

or `python recompute.py` where the packages above are installed. All files are first checked against SHA256SUMS; one
that was changed ends the script, unless it is to go on anyway. What is computed is left in recomputed.csv.

The exit status is 0 where all figures are equal, 1 where one is not, and 2 where a file was changed or cannot be used.
"""

import argparse
import csv
import hashlib
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
NUMBERS = ("estimate", "low", "high")
NEAR, NEAR_ZERO = 1e-9, 1e-12
"""How far apart two numbers may be, relative to them and at all: other processors add up in another order."""
OF = ("dimension", "metric", "other_metric")
BY = ("side", "expert", "judge", "other_judge", "baseline")
PART = ("language", "model")
NAMES = ("statistic", *OF, *BY, *PART)

Row = Mapping[str, str]


def main() -> int:
    """Check, recompute, compare; the exit status."""
    parser = argparse.ArgumentParser(description="Recompute every figure of this folder.")
    parser.add_argument("--anyway", action="store_true", help="go on although a file was changed")
    anyway = parser.parse_args().anyway
    if changed := [*changed_files()]:
        tell(*changed)
        if not anyway:
            tell("Nothing was recomputed. With --anyway it would have been, from the files as they are.")
            return 2
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(HERE))
    from annotations.errors import AnnotationError

    try:
        recompute()
        stored, recomputed = rows_of("figures.csv"), rows_of("recomputed.csv")
    except (AnnotationError, KeyError, OSError, ValueError) as error:
        tell(f"The figures cannot be recomputed: {error}")
        return 2
    different = [*differences(stored, recomputed)]
    tell(*different)
    outcome = f"; differences: {len(different):,}" if different else ": all equal"
    tell(f"{len(recomputed):,} figures recomputed{outcome}")
    return 1 if different else 0


def changed_files() -> Iterator[str]:
    """Each file that is not what SHA256SUMS says, in a sentence."""
    if not (HERE / "SHA256SUMS").is_file():
        yield "SHA256SUMS is missing: no file can be checked."
        return
    for line in (HERE / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        expected, _, name = line.partition("  ")
        if not (HERE / name).is_file():
            yield f"{name} is missing."
        elif (found := hashlib.sha256((HERE / name).read_bytes()).hexdigest()) != expected:
            yield f"{name} was changed: its SHA-256 is {found}, and was {expected}."


def recompute() -> None:
    """All figures of ratings.csv, as settings.json says, to recomputed.csv."""
    import pandas as pd

    from annotations.exchange.csv_file import csv_of
    from annotations.report.all_figures import every_figure
    from annotations.report.figure import COLUMNS
    from annotations.report.report import statistics
    from annotations.rubrics.rubric import load_rubric

    settings = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))
    frame = pd.DataFrame(rows_of("ratings.csv"), dtype="str")
    frame["score"] = [float(score or "nan") for score in frame["score"]]
    if "length" in frame:
        frame["length"] = frame["length"].astype(float)
    if "language" in frame:
        frame["language"] = frame["language"].where(frame["language"] != "", None)
    rubric = load_rubric(settings["rubric"]) if settings["rubric"] else None
    scale = tuple(settings["scale"]) if settings["scale"] else None
    figures = every_figure(frame, statistics(frame, rubric, scale, settings["drawn"], settings["gaps"]))
    (HERE / "recomputed.csv").write_bytes(csv_of(COLUMNS, (figure.row() for figure in figures)))


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file, with every text as it was before it was written."""
    from annotations.exchange.csv_file import unguarded

    with (HERE / name).open(encoding="utf-8-sig", newline="") as file:
        return [{column: unguarded(cell) for column, cell in row.items()} for row in csv.DictReader(file, strict=True)]


def differences(stored: Sequence[Row], recomputed: Sequence[Row]) -> Iterator[str]:
    """Each figure that is not the same in both, in a sentence; figures of the same names go by their order."""
    before, after = numbered(stored), numbered(recomputed)
    for key, figure in before.items():
        name = named(figure)
        if key not in after:
            yield f"{name}: in figures.csv only"
            continue
        for column, value in after[key].items():
            if not same(column, figure.get(column, ""), value):
                yield f"{name}: {column} is {figure.get(column) or 'empty'}, and recomputed {value or 'empty'}"
    yield from (f"{named(figure)}: not in figures.csv" for key, figure in after.items() if key not in before)


def numbered(rows: Sequence[Row]) -> dict[tuple[object, ...], Row]:
    """The figures by what they are of; those that share it are counted."""
    found: dict[tuple[object, ...], Row] = {}
    for row in rows:
        names, number = tuple(row[name] for name in NAMES), 0
        while (*names, number) in found:
            number += 1
        found[*names, number] = row
    return found


def named(row: Row) -> str:
    """What a figure is of, in words."""
    of, by, part = (", ".join(f"{name} {row[name]}" for name in names if row[name]) for names in (OF, BY, PART))
    return f"{row['statistic']} [{'; '.join(filter(None, (of, by, part)))}]"


def same(column: str, stored: str, recomputed: str) -> bool:
    """Texts must be equal, estimates and limits as good as equal."""
    if stored == recomputed or column not in NUMBERS:
        return stored == recomputed
    try:
        return math.isclose(float(stored), float(recomputed), rel_tol=NEAR, abs_tol=NEAR_ZERO)
    except ValueError:
        return False


def tell(*sentences: str) -> None:
    """Lines on the screen, with names as it can show them."""
    for sentence in sentences:
        shown = "".join(sign if sign.isprintable() else "\ufffd" for sign in sentence)
        coding = sys.stdout.encoding
        print(shown.encode(coding, "backslashreplace").decode(coding))


if __name__ == "__main__":
    sys.exit(main())
