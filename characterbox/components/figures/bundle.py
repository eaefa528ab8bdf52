"""A bundle that recomputes every figure outside the app: the ratings, the figures, the code that computed them, and a
script that does so again. The same ratings and figures make the same bytes."""

import io
import json
import platform
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pandas as pd

from annotations.figure import Figure
from annotations.report import ALL_METRICS, Report
from annotations.rubric import load_rubric
from characterbox.components.figures.export import figures_csv, ratings_csv
from characterbox.components.figures.methods import PACKAGES, methods, versions
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.tables import latex_tables

NEEDED = ("babel", *PACKAGES)
"""What the script gets: besides what computes, what finds the words."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of all files in it: that of the making would change the bytes."""
README = """# Reliability and validity, to be recomputed

    uv run recompute.py

computes every figure in `figures.csv` anew from `ratings.csv`, compares the two, and says what differs. `uv` gets the
versions of the packages with which they were computed; where these are installed, `python recompute.py` does the same.

| File | What is in it |
| --- | --- |
| `ratings.csv` | The ratings that the figures are of, one a row |
| `figures.csv` | Every figure at full precision, one a row |
| `settings.json` | Rubric, scale, selection, how intervals are made, versions, SHA-256 of the ratings |
| `methods.md` | The same for a methods section, with the definition of each statistic |
| `tables.tex` | Cronbach's alpha and Pearson's r as LaTeX tables |
| `annotations/` | The code that computes the figures |
| `recompute.py` | The script |
| `SHA256SUMS` | The SHA-256 of each of these files, as `sha256sum -c SHA256SUMS` takes it |

The CSV files are in UTF-8. A text that a spreadsheet would take for a formula has one apostrophe before it, and so has
one that begins with an apostrophe, or begins or ends with a blank.
"""


def bundle(frame: pd.DataFrame, report: Report, figures: Sequence[Figure], selection: Selection) -> bytes:
    """The bundle, as a zip file, of the part of `frame` that is selected; `report` and `figures` are of that part.

    Raters, models and items go by their names in it.
    """
    part = selection.of(frame)
    ratings = ratings_csv(part)
    digest = sha256(ratings).hexdigest()
    content = {
        "README.md": README.encode(),
        "figures.csv": figures_csv(figures, report, part, selection),
        "methods.md": methods(part, report, selection, digest).encode(),
        "ratings.csv": ratings,
        "recompute.py": _script(),
        "settings.json": _settings(report, selection, digest).encode(),
        "tables.tex": latex_tables(part, report, selection).encode(),
        **dict(_code(files("annotations"), "annotations")),
    }
    sums = "".join(f"{sha256(content[name]).hexdigest()}  {name}\n" for name in sorted(content))
    return _zipped({**content, "SHA256SUMS": sums.encode()})


def _settings(report: Report, selection: Selection, digest: str) -> str:
    design = report.design
    settings = {
        "rubric": None if ALL_METRICS in design.dimensions else load_rubric().name,
        "scale": design.scale,
        "selection": {"language": selection.language, "models": selection.models},
        "drawing": {"by": design.drawing.by, "draws": design.drawing.draws, "seed": design.drawing.seed},
        "ratings_sha256": digest,
        "versions": versions(),
    }
    return json.dumps(settings, ensure_ascii=False, indent=2) + "\n"


def _script() -> bytes:
    """`recompute.py` with the versions that `uv run` is to get (PEP 723)."""
    major, minor, _ = platform.python_version_tuple()
    pins = "".join(f'#     "{name}=={version(name)}",\n' for name in NEEDED)
    head = f'# /// script\n# requires-python = "=={major}.{minor}.*"\n# dependencies = [\n{pins}# ]\n# ///\n'
    return head.encode() + (files(__package__) / "recompute.py").read_bytes()


def _code(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """All files of a package, by their path."""
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _code(entry, f"{path}/{entry.name}")
        elif entry.is_file():
            yield f"{path}/{entry.name}", entry.read_bytes()


def _zipped(content: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name in sorted(content):
            entry = ZipInfo(name, LONG_AGO)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
            archive.writestr(entry, content[name], compresslevel=9)
    return packed.getvalue()
