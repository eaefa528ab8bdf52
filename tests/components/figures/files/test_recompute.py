"""The bundle: one command recomputes every figure outside the app, and notices whatever was changed."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from itertools import islice
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

from annotations.report.all_figures import every_figure, figures_of_raters, usable_ratings
from annotations.report.figure import Figure
from annotations.report.report import Report, statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files import downloads, recompute
from characterbox.components.figures.files.downloads import NEEDED, bundle
from characterbox.components.figures.files.methods import methods
from tests.components.figures.ratings_sample import campaign

pytestmark = pytest.mark.slow

SELECTION = Selection("en", ("=m0", "m1"), "independent items")
Made = tuple[pd.DataFrame, Report, tuple[Figure, ...]]
ALONE = """
import runpy, sys
try:
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    ours = sorted(name for name in sys.modules if name.partition(".")[0] in ("characterbox", "streamlit", "plotly"))
    assert not ours, ours
"""


@pytest.fixture(scope="module")
def reported() -> tuple[pd.DataFrame, Report]:
    """Names that a spreadsheet would run, and that reading could shorten; a score off the scale, one missing."""
    frame = campaign(scenes=5).replace({"model": {"m0": "=m0"}, "rater": {"Same <b>": "'@评委 ", "cy": " \r\n-cy"}})
    frame.loc[frame.index[0], "score"] = 9
    frame.loc[frame.index[1], "score"] = None
    return frame, statistics(SELECTION.of(frame), load_rubric(), (1, 5), SELECTION.drawn)


@pytest.fixture(scope="module")
def made(reported: tuple[pd.DataFrame, Report]) -> Made:
    """With all figures."""
    frame, report = reported
    return frame, report, every_figure(SELECTION.of(frame), report)


@pytest.fixture(scope="module")
def some(reported: tuple[pd.DataFrame, Report]) -> Made:
    """With the first figures: the others take long."""
    frame, report = reported
    figures = figures_of_raters(usable_ratings(SELECTION.of(frame), (1, 5)), report)
    return frame, report, tuple(islice(figures, 30))


@pytest.fixture(scope="module")
def packed(some: Made) -> bytes:
    return bundle(*some, SELECTION)


@pytest.fixture
def opened(packed: bytes, tmp_path: Path) -> Path:
    """The bundle of the first figures."""
    ZipFile(BytesIO(packed)).extractall(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def packed_in_full(made: Made) -> bytes:
    return bundle(*made, SELECTION)


@pytest.fixture
def folder(packed_in_full: bytes, tmp_path: Path) -> Path:
    """The bundle of all figures."""
    ZipFile(BytesIO(packed_in_full)).extractall(tmp_path)
    return tmp_path


def run(folder: Path, *options: str) -> tuple[int, list[str]]:
    """The script by itself: with nothing on the path but installed packages, of which it may take none of the app."""
    command = [sys.executable, "-I", "-c", ALONE, str(folder / "recompute.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def resign(folder: Path, name: str) -> None:
    """Make the sums right again after a change."""
    sums = folder / "SHA256SUMS"
    digest = sha256((folder / name).read_bytes()).hexdigest()
    sums.write_text(re.sub(rf"\w+(?=  {re.escape(name)}\n)", digest, sums.read_text()))


@pytest.mark.process
def test_every_figure_is_recomputed_and_equal(folder: Path, made: Made) -> None:
    assert run(folder) == (0, [f"{len(made[2]):,} figures recomputed: all equal"])
    stored, recomputed = ((folder / name).read_bytes() for name in ("figures.csv", "recomputed.csv"))
    assert len(stored.splitlines()) == len(recomputed.splitlines())
    assert not [*folder.rglob("__pycache__")]


@pytest.mark.process
def test_a_changed_score_is_noticed(folder: Path) -> None:
    ratings = folder / "ratings.csv"
    ratings.write_bytes(ratings.read_bytes().replace(b"GPT-4,judge,3.0", b"GPT-4,judge,4.0", 1))
    status, told = run(folder)
    assert status == 2
    assert told[0].startswith("ratings.csv was changed: its SHA-256 is ")
    assert told[1].startswith("Nothing was recomputed.")
    assert len(told) == 2
    assert not (folder / "recomputed.csv").exists()
    status, told = run(folder, "--anyway")
    assert status == 1
    assert any(
        line.startswith("Pearson's r, items [metric overall; side judge, judge GPT-4]: estimate is ") for line in told
    )
    assert re.fullmatch(r"[\d,]+ figures recomputed; differences: \d+", told[-1])


@pytest.mark.process
def test_a_changed_figure_is_noticed(folder: Path, made: Made) -> None:
    figures = folder / "figures.csv"
    first = made[2][0]
    figures.write_bytes(figures.read_bytes().replace(str(first.estimate).encode(), b"0.5", 1))
    resign(folder, "figures.csv")
    status, told = run(folder)
    assert status == 1
    name = "Cronbach's alpha [dimension Character Fidelity; side experts]"
    assert told == [
        f"{name}: estimate is 0.5, and recomputed {first.estimate}",
        f"{len(made[2]):,} figures recomputed; differences: 1",
    ]


@pytest.mark.process
def test_its_own_code_is_what_runs_and_a_change_in_it_is_noticed(folder: Path) -> None:
    code = folder / "annotations" / "reliability" / "cronbach_alpha.py"
    code.write_text(code.read_text(encoding="utf-8").replace("0.975", "0.995"), encoding="utf-8")
    status, told = run(folder)
    assert (status, told[0].partition(":")[0]) == (2, "annotations/reliability/cronbach_alpha.py was changed")
    status, told = run(folder, "--anyway")
    assert status == 1
    assert any("low is" in line for line in told)


@pytest.mark.process
def test_ratings_that_are_none_are_told_in_a_sentence(folder: Path) -> None:
    ratings = folder / "ratings.csv"
    ratings.write_bytes(ratings.read_bytes().replace(b"judge,3.0", b"judge,three"))
    status, told = run(folder, "--anyway")
    assert status == 2
    assert told[-1] == "The figures cannot be recomputed: could not convert string to float: 'three'"


@pytest.mark.process
def test_files_that_are_missing_are_named(opened: Path) -> None:
    (opened / "figures.csv").unlink()
    status, told = run(opened)
    assert (status, told[0]) == (2, "figures.csv is missing.")
    (opened / "SHA256SUMS").unlink()
    status, told = run(opened)
    assert (status, told[0]) == (2, "SHA256SUMS is missing: no file can be checked.")
    assert not (opened / "recomputed.csv").exists()


def test_the_same_ratings_make_the_same_bytes(packed: bytes, some: Made) -> None:
    frame, report, figures = some
    assert bundle(frame.copy(), report, list(figures), SELECTION) == packed
    assert bundle(SELECTION.of(frame), report, figures, SELECTION) == packed


def test_it_holds_the_selected_part_under_fixed_names(packed: bytes, some: Made) -> None:
    archive = ZipFile(BytesIO(packed))
    own = {name for name in archive.namelist() if not name.startswith("annotations/")}
    assert own == {
        *("README.md", "SHA256SUMS", "figures.csv", "methods.md", "ratings.csv"),
        *("recompute.py", "settings.json", "tables.tex"),
    }
    part = SELECTION.of(some[0])
    assert archive.read("ratings.csv") == downloads.ratings_csv(part)
    settings = json.loads(archive.read("settings.json"))
    digest = sha256(archive.read("ratings.csv")).hexdigest()
    assert settings["ratings_sha256"] == digest
    assert settings["selection"] == {"language": "en", "models": ["=m0", "m1"]}
    assert settings["drawn"] == "independent items"
    assert archive.read("methods.md").decode() == methods(part, some[1], SELECTION, digest)


@pytest.mark.process
def test_ratings_that_follow_no_rubric_are_recomputed_too(tmp_path: Path) -> None:
    frame = campaign(("en",), scenes=5).drop(columns="language")
    frame = frame[frame["metric"].isin(["KA", "BA"])]
    report = statistics(frame)
    figures = every_figure(frame, report)
    ZipFile(BytesIO(bundle(frame, report, figures, Selection()))).extractall(tmp_path)
    assert run(tmp_path) == (0, [f"{len(figures):,} figures recomputed: all equal"])


def imported(folder: Path, module: str, seen: set[str]) -> set[str]:
    """The packages that a module of the bundle imports, and those that the modules do which it imports."""
    path = folder / (module.replace(".", "/") + ".py")
    if module in seen or not path.is_file():
        return set()
    seen.add(module)
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            own = name.partition(".")[0] == "annotations"
            found |= imported(folder, name, seen) if own else {name.partition(".")[0]}
    return found


def test_the_versions_of_all_that_it_imports_are_pinned(opened: Path) -> None:
    needed = imported(opened, "recompute", set()) - sys.stdlib_module_names
    assert needed <= {*NEEDED, "pydantic_core"}
    assert needed >= {"numpy", "pandas", "scipy", "pydantic"}
    script = (opened / "recompute.py").read_text(encoding="utf-8")
    pins = re.search(r"(?m)^# /// script\n((?:# .*\n)+)# ///$", script)
    assert pins
    assert re.findall(r'"(.+)==(.+)",', pins[1]) == [(name, version(name)) for name in NEEDED]


def test_it_holds_all_of_annotations_and_nothing_of_the_app(opened: Path) -> None:
    source = Path(importlib.util.find_spec("annotations").origin).parent
    code = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {path.relative_to(opened / "annotations") for path in (opened / "annotations").rglob("*.*")} == code
    assert not any("import characterbox" in path.read_text(encoding="utf-8") for path in opened.rglob("*.py"))
    assert not any("from characterbox" in path.read_text(encoding="utf-8") for path in opened.rglob("*.py"))


def test_numbers_may_differ_in_their_last_digits_and_texts_may_not() -> None:
    assert recompute.same("estimate", "0.5", "0.5000000001")
    assert recompute.same("low", "0.0", "1e-16")
    assert not recompute.same("estimate", "0.5", "0.500000001")
    assert not recompute.same("estimate", "0.5", "")
    assert not recompute.same("n", "24", "24.0")
    row = dict.fromkeys(recompute.NAMES, "") | {
        "statistic": "s",
        "metric": "o",
        "side": "b",
        "model": "m",
        "estimate": "1",
    }
    assert [*recompute.differences([row, row], [row, {**row, "estimate": "2"}])] == [
        "s [metric o; side b; model m]: estimate is 1, and recomputed 2"
    ]
    assert [*recompute.differences([row, row], [row])] == ["s [metric o; side b; model m]: in figures.csv only"]
    assert [*recompute.differences([], [row])] == ["s [metric o; side b; model m]: not in figures.csv"]
