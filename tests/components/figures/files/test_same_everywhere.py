"""One file of ratings has the same figures in the command line, in Python, in the page and in the files to download."""

import csv
import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pytest

from annotations.exchange.csv_file import unguarded
from annotations.marking.rating import packed_ratings, read_ratings
from annotations.reliability.cronbach_alpha import Alpha
from annotations.report.all_figures import every_figure
from annotations.report.figure import COLUMNS, Figure
from annotations.report.report import Report, scale_of, statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.cli import main
from characterbox.components.figures.background.compute import Uploaded, at_hand, figures_of, take_file
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.downloads import bundle_file, figures_file
from characterbox.settings import settings
from tests.annotations.figures_sample import KEYS, ratings
from tests.fakes.databases import database_in
from tests.fakes.pingouin_estimates import take_from_pingouin_in

pytestmark = [pytest.mark.slow, pytest.mark.process]

Told = dict[str, Any]
EVERYTHING = Selection()
STRAY = 55.0


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two experts and a judge on all metrics of the rubric; one of the judge's scores is a slip."""
    frame = ratings(KEYS, 9)
    frame = frame[frame["rater"].isin(["expert-ann", "expert-bo", "gpt"]) & (frame["model"] < "m3")].copy()
    frame.loc[frame[frame["rater"] == "gpt"].index[0], "score"] = STRAY
    written = tmp_path_factory.mktemp("ratings") / "ratings.csv"
    frame.to_csv(written, index=False)
    return written


@pytest.fixture(scope="module")
def frame(file: Path) -> pd.DataFrame:
    return read_ratings(file.read_bytes())


@pytest.fixture(scope="module")
def report(frame: pd.DataFrame) -> Report:
    return statistics(frame, load_rubric(), scale_of(frame))


@pytest.fixture(scope="module")
def figures(frame: pd.DataFrame, report: Report) -> tuple[Figure, ...]:
    """Those of the functions in Python."""
    return every_figure(frame, report)


@pytest.fixture(scope="module")
def told(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What `characterbox stats FILE --json` says."""
    database = tmp_path_factory.mktemp("cli") / "cli.db"
    database_in(database)
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(io.StringIO()) as out:
        for name in [name for name in os.environ if name.startswith("CHARACTERBOX_")]:
            patched.delenv(name)
        patched.setenv("CHARACTERBOX_DB", str(database))
        patched.setattr(sys, "argv", ["characterbox"])
        settings.cache_clear()
        with pytest.raises(SystemExit) as ended:
            main(["stats", str(file), "--json"])
    settings.cache_clear()
    assert ended.value.code == 0
    return dict(json.loads(out.getvalue()))


def page_of(file: Path) -> Uploaded:
    source = Uploaded("the same everywhere")
    take_file(source, packed_ratings(file.read_bytes()))
    return source


def rows_of(made: bytes) -> list[tuple[str, ...]]:
    """The figures in a CSV file, without what the file says of the selection."""
    lines = csv.DictReader(io.StringIO(made.decode("utf-8-sig")))
    return [tuple(unguarded(line[column]) for column in COLUMNS) for line in lines]


def cells(figure: Figure) -> tuple[str, ...]:
    """A figure as a CSV file has it: every number with all its digits."""
    return tuple("" if value is None else str(value) for value in figure.row())


def flat(one: Told) -> tuple[Any, ...]:
    """A figure of the JSON, in the order of `COLUMNS`."""
    parts = [[*value.values()] if isinstance(value, dict) else [value] for value in one.values()]
    return tuple(value for part in parts for value in part)


def close(rows: Sequence[tuple[Any, ...]], others: Sequence[tuple[Any, ...]]) -> None:
    """All cells are equal, and numbers as far as they add up in one order or another."""
    assert len(rows) == len(others)
    for row, other in zip(rows, others, strict=True):
        assert [value for value in row if not isinstance(value, float)] == [
            value for value in other if not isinstance(value, float)
        ]
        numbers = [value for value in row if isinstance(value, float)]
        assert numbers == pytest.approx([value for value in other if isinstance(value, float)], rel=1e-9, abs=1e-12), (
            row
        )


def test_the_command_line_has_the_figures_of_python(told: Told, figures: tuple[Figure, ...]) -> None:
    assert [flat(one) for one in told["figures"]] == [figure.row() for figure in figures]
    assert len(figures) > 500
    assert sum(figure.estimate is not None for figure in figures) > 400


def test_the_page_and_its_files_have_the_figures_of_python(
    file: Path, figures: tuple[Figure, ...], report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the page some estimates are pingouin's, which adds up in another order."""
    take_from_pingouin_in(monkeypatch)
    page = page_of(file)
    in_page = at_hand(page).every_figure(EVERYTHING)
    close([figure.row() for figure in in_page], [figure.row() for figure in figures])
    with ZipFile(io.BytesIO(bundle_file(page, EVERYTHING))) as bundle:
        in_bundle = bundle.read("figures.csv")
        assert json.loads(bundle.read("settings.json"))["scale"] == [1, 5]
    assert in_bundle == figures_file(page, EVERYTHING)
    assert rows_of(in_bundle) == [cells(figure) for figure in in_page]
    shown = figures_of(page, EVERYTHING).report
    for of, alpha in report.reliability.items():
        assert isinstance(alpha, Alpha)
        other = shown.reliability[of]
        assert isinstance(other, Alpha)
        assert (other.estimate, other.n) == (pytest.approx(alpha.estimate, abs=1e-12), alpha.n)
        assert other.interval == alpha.interval


def test_the_stray_score_is_off_the_rubric_s_scale_everywhere(
    told: Told, file: Path, frame: pd.DataFrame, report: Report
) -> None:
    assert report.design.scale == (1, 5)
    assert told["scale"] == [1, 5]
    assert told["drawn"] == report.design.drawn == EVERYTHING.drawn
    caveats = figures_of(page_of(file), EVERYTHING).caveats
    assert [(one["kind"], one["of"], one["sentence"]) for one in told["cautions"]] == [
        (one.kind, str(one.of), str(one.sentence)) for one in caveats
    ]
    assert [(one.kind, one.numbers.get("dropped", one.numbers.get("outside"))) for one in caveats] == [
        ("dropped", 1),
        ("off the scale", 1),
    ]
    assert frame["score"].max() == STRAY
    without = frame[frame["score"] != STRAY]
    kept = statistics(without, load_rubric(), scale_of(without))
    assert {**kept.as_json(), "dropped": []} == {**report.as_json(), "dropped": []}
