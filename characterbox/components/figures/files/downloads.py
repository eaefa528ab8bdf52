"""The files to download: ratings, figures, and a bundle that recomputes every figure outside the app: the ratings, the
figures, the code that computed them, and a script that does so again. The same ratings and figures make the same bytes.

They are made in the process beside the app (see `background.process`), on ratings that `compute` keeps there.
"""

import io
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pandas as pd

from annotations.exchange.csv_file import csv_of
from annotations.i18n.translation import Tongue, speaking
from annotations.marking.rating import COLUMNS, IMPROVISED, LENGTH, Dropped, improvised_items, improvised_judges
from annotations.report.figure import COLUMNS as COLUMNS_OF_FIGURES
from annotations.report.figure import By, Figure, Of
from annotations.report.report import ALL_METRICS, Report
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.compute import Source, at_hand, at_hand_or_read
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.methods import PACKAGES, methods, selected, versions
from characterbox.components.figures.tables.captions import follows_paper, published_alpha, published_pearson
from characterbox.components.figures.tables.reliability_validity import latex_tables

FIGURES = (*COLUMNS_OF_FIGURES, "paper", "improvised", "selection")
"""The columns of the figures: what a figure has, the paper's value for it, what the rehearsal gave of it, and of which
part of the ratings all of them are."""


def ratings_csv(frame: pd.DataFrame) -> bytes:
    """The ratings in long form, as `read_ratings` takes them, texts guarded as `exchange.csv_file` tells."""
    optional = [name for name in ("language", "reason", LENGTH, IMPROVISED) if name in frame]
    columns = [*COLUMNS, *optional]
    return csv_of(columns, frame[columns].itertuples(index=False, name=None))


def figures_csv(figures: Sequence[Figure], report: Report, frame: pd.DataFrame, selection: Selection) -> bytes:
    """All figures at full precision, one a row; an undefined one has its reason instead.

    `report` and `frame` are what they were made of, the ratings of a `selection`.
    """
    part = "".join(selected(selection))
    stories, judges = bool(improvised_items(frame)), improvised_judges(frame)
    papers = follows_paper(report)

    def row(figure: Figure) -> tuple[object, ...]:
        parts = (("story", stories), ("judge", not judges.isdisjoint({figure.by.judge, figure.by.other_judge})))
        improvised = " and ".join(part for part, true in parts if true)
        return (*figure.row(), _paper(figure) if papers else None, improvised, part)

    return csv_of(FIGURES, map(row, figures))


def dropped_csv(dropped: Sequence[Dropped]) -> bytes:
    """What the statistics could not use, one a row."""
    names = ("item", "dimension", "metric", "rater", "reason", "detail")
    return csv_of(names, ([getattr(line, name) for name in names] for line in dropped))


def _paper(figure: Figure) -> float | None:
    """The paper's value for what this figure is of."""
    match figure:
        case Figure(statistic="Cronbach's alpha", by=By("experts" | "judge"), of=Of(dimension), language=str(language)):
            return published_alpha(dimension, language)
        case Figure(
            statistic="Pearson's r, items", by=By("judge", judge=judge), of=Of(metric=metric), language=None, model=None
        ):
            return published_pearson(judge, metric)
    return None


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
    return zipped(bundled_files(frame, report, figures, selection))


def bundled_files(
    frame: pd.DataFrame, report: Report, figures: Sequence[Figure], selection: Selection
) -> dict[str, bytes]:
    """The files of the bundle by their names."""
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
    return {**content, SUMS: sums_file({name: sha256(raw).hexdigest() for name, raw in content.items()})}


SUMS = "SHA256SUMS"


def sums_file(digests: Mapping[str, str]) -> bytes:
    """The SHA-256 of each file by its name, as `sha256sum -c` takes it."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def _settings(report: Report, selection: Selection, digest: str) -> str:
    design = report.design
    settings = {
        "rubric": None if ALL_METRICS in design.dimensions else load_rubric().name,
        "scale": design.scale,
        "selection": {"language": selection.language, "models": selection.models},
        "drawn": design.drawn,
        "gaps": design.gaps,
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


def zipped(content: Mapping[str, bytes]) -> bytes:
    """Files by their names as one archive, the same byte for byte where they are."""
    packed = io.BytesIO()
    write_zip(packed, sorted(content.items()))
    return packed.getvalue()


def write_zip(out: IO[bytes], content: Iterable[tuple[str, bytes]]) -> None:
    """Write files to an archive one by one, as they come, the same byte for byte where they are."""
    with ZipFile(out, "w") as archive:
        for name, raw in content:
            entry = ZipInfo(name, LONG_AGO)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
            archive.writestr(entry, raw, compresslevel=9)


LANGUAGE: Tongue = "en"
"""All of them are in English, as papers are."""


def ratings_file(source: Source, selection: Selection) -> bytes:
    """The selected ratings as CSV."""
    return ratings_csv(selection.of(at_hand_or_read(source).frame))


def figures_file(source: Source, selection: Selection) -> bytes:
    """Every figure of the selected ratings as CSV. Raises AnnotationError if there can be none, as those below."""
    table = at_hand_or_read(source)
    with speaking(LANGUAGE):
        figures, report = table.every_figure(selection), table.report(selection)
        return figures_csv(figures, report, selection.of(table.frame), selection)


def dropped_file(source: Source, selection: Selection) -> bytes:
    """What was left out, as CSV."""
    table = at_hand_or_read(source)
    with speaking(LANGUAGE):
        return dropped_csv(table.report(selection).dropped)


def tables_file(source: Source, selection: Selection) -> bytes:
    """The two tables after the paper's, as LaTeX."""
    table = at_hand_or_read(source)
    with speaking(LANGUAGE):
        return latex_tables(selection.of(table.frame), table.report(selection), selection).encode()


def bundle_file(source: Source, selection: Selection) -> bytes:
    """Ratings, figures and what recomputes them, as one archive."""
    table = at_hand_or_read(source)
    with speaking(LANGUAGE):
        return bundle(table.frame, table.report(selection), table.every_figure(selection), selection)


def methods_of(source: Source, selection: Selection) -> str:
    """The methods section for the figures of the selected ratings. Raises Gone, and AnnotationError."""
    table = at_hand(source)
    digest = sha256(ratings_csv(selection.of(table.frame))).hexdigest()
    with speaking(LANGUAGE):
        return methods(table.frame, table.report(selection), selection, digest)
