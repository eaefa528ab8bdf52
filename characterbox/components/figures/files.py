"""The files to download, made of the newest ratings where those of the source are gone. All of this is called in the
process beside the app (see `aside`), on ratings that `reckoning` keeps there."""

from hashlib import sha256

from annotations.wording import Tongue, speaking
from characterbox.components.figures.bundle import bundle
from characterbox.components.figures.export import dropped_csv, figures_csv, ratings_csv
from characterbox.components.figures.methods import methods
from characterbox.components.figures.reckoning import Source, at_hand, at_hand_or_read
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.tables import latex_tables

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
