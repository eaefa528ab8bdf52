"""A methods section in Markdown: what was rated and left out, what each statistic is, how its interval was made, with
which versions, and of which data."""

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from itertools import chain, groupby

import pandas as pd

from annotations.every_figure import usable_ratings
from annotations.improvised import improvised_items
from annotations.report import Report
from annotations.resampling import FEWEST_CLUSTERS, MOST_UNDEFINED_DRAWS, Drawing
from characterbox import __version__
from characterbox.components.figures.definitions import (
    JUDGES_COMPARED,
    OVERALL_OF_LEVELS,
    REFERENCES,
    RELIABILITY_OF_RATINGS,
    TOO_WIDE,
    VALIDITY_OF_JUDGES,
)
from characterbox.components.figures.selection import Selection
from characterbox.components.figures.words import counted, language_name, overall_in_words
from characterbox.judging.provenance import NOT_A_RESULT

PACKAGES = ("numpy", "pandas", "pydantic", "scipy")
"""What the statistics are computed with."""


def methods(frame: pd.DataFrame, report: Report, selection: Selection, digest: str) -> str:
    """The section for the statistics in `report`, which are of the part of `frame` that is selected.

    `report` must have its list of what was dropped; `digest` is the SHA-256 of these ratings as CSV (`ratings_csv`).
    Names are data: they stand in code spans, so that nothing in them is markup.
    """
    part, design = selection.of(frame), report.design
    dimensions = [f"{quoted(name)}: {_names(metrics)}" for name, metrics in design.dimensions.items()]
    definitions = [*RELIABILITY_OF_RATINGS]
    if design.judges:
        definitions += [*VALIDITY_OF_JUDGES, overall_in_words(report), *(OVERALL_OF_LEVELS if design.overall else ())]
    definitions += JUDGES_COMPARED if len(design.judges) > 1 else ()
    paragraphs = (
        "# Methods",
        " ".join([*_rated(part, report, selection), *rehearsed(part)]),
        " ".join(_left_out(part, report)),
        "## Dimensions and their metrics",
        _listed(dimensions),
        "## Definitions",
        _listed(definitions),
        "## Intervals and tests",
        " ".join(_intervals(design.drawing)),
        " ".join(_other_intervals()),
        "## Software and data",
        f"{_software()} The ratings, as CSV (`ratings.csv`), have the SHA-256 {digest}.",
        f"References: {'; '.join(REFERENCES)}.",
    )
    return "\n\n".join(paragraphs) + "\n"


def versions() -> dict[str, str]:
    """What the figures are computed with, and its version."""
    own = {"CharacterBox": __version__, "Python": platform.python_version()}
    return own | {name: version(name) for name in PACKAGES}


def rehearsed(frame: pd.DataFrame) -> Iterator[str]:
    """The sentence that must stand by figures of stories that no language model played; nothing if there are none."""
    improvised, items = len(improvised_items(frame)), frame["item"].nunique()
    if improvised:
        share = "All" if improvised == items else f"{improvised:,} of the {items:,}"
        yield f"{share} rated items are {NOT_A_RESULT}."


def selected(selection: Selection, written: Callable[[str], str] = str) -> Iterator[str]:
    """The sentence that says of which part of the ratings the figures are, names as `written`; nothing for all."""
    language, models = selection.language, ", ".join(map(written, selection.models))
    parts = []
    if language is not None:
        name = language_name(language)
        parts.append(f"the language {written(language) if name == language else name}")
    if models:
        parts.append(f"the models {models}")
    if parts:
        yield f"Only ratings of {' and of '.join(parts)} were selected from a larger set."


def quoted(name: str) -> str:
    """A name on one line, in a code span that nothing in it ends."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    longest = max((len([*run]) for sign, run in groupby(line) if sign == "`"), default=0)
    fence, blank = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def _rated(part: pd.DataFrame, report: Report, selection: Selection) -> Iterator[str]:
    design = report.design
    experts = sorted(part.loc[part["kind"] == "expert", "rater"].unique())
    called = map(design.called, design.judges)
    raters = [f"{counted(len(experts), 'expert')} ({_names(experts)})"] if experts else []
    raters += [f"{counted(len(design.judges), 'judge')} ({_names(called)})"] if design.judges else []
    scenes, models = part["scene"].nunique(), sorted(part["model"].unique())
    yield (
        f"{' and '.join(raters)} rated {counted(part['item'].nunique(), 'item')}, from {counted(scenes, 'scene')} and"
        f" {counted(len(models), 'model')} ({_names(models)}), on {counted(len(design.metrics), 'metric')}"
        f" ({_names(design.metrics)}): {counted(len(part), 'rating')}."
    )
    if design.languages:
        yield f"The scenes are in {' and '.join(_language(name) for name in design.languages)}."
    yield from selected(selection, quoted)
    if design.improvised:
        rehearsed_judges = _names(map(design.called, sorted(design.improvised)))
        yield f"Ratings of {rehearsed_judges} are, at least in part, {NOT_A_RESULT}."
    if design.scale is None:
        yield "Scores were taken as they stand, on no fixed scale."
    else:
        yield f"Scores are on a scale from {design.scale[0]:g} to {design.scale[1]:g}."


def _left_out(part: pd.DataFrame, report: Report) -> Iterator[str]:
    usable = len(usable_ratings(part, report.design.scale))
    missing = int(part["score"].isna().sum())
    reasons = {"without a score": missing, "with a score off the scale": len(part) - usable - missing}
    told = [f"{number:,} {reason}" for reason, number in reasons.items() if number]
    left_out = f"{counted(len(part) - usable, 'rating')} ({', '.join(told)})" if told else "no rating"
    yield f"All statistics leave out {left_out}."
    rows = Counter(line.reason for line in report.dropped if line.reason in _IN_SINGLE)
    for reason, sentence in _IN_SINGLE.items():
        if rows[reason]:
            yield sentence.format(rows[reason])


_IN_SINGLE = {
    "incomplete row of an alpha": "Cronbach's alphas leave out {:,} incomplete rows, each counted once for each alpha.",
    "not paired": "Correlations leave out items without a score from both sides: {:,}, counted once for each judge"
    " and metric, or once for a judge where all its correlations leave the item out.",
}


def _intervals(drawing: Drawing) -> Iterator[str]:
    if drawing.by == "independent items":
        yield (
            "Intervals are of 95 % and take the items, or the rows of an alpha, as independent: they are too narrow if"
            " items of one scene, or of one model, resemble each other. They have their formula where there is one:"
            " Fisher's z (1921) for Pearson's r of a judge over items, within scenes and over models; Feldt's (Feldt,"
            " Woodruff & Salih, 1987) for Cronbach's alpha; F for intraclass correlations, which takes the raters as"
            " drawn. The others come from draws of items with replacement."
        )
        yield _draws(drawing)
        return
    yield f"Intervals are of 95 %, by resampling: {drawing.by} are drawn anew with replacement."
    if drawing.by == "scenes and models":
        yield "An item counts as often as its scene was drawn times its model was drawn (Owen, 2007)."
        yield TOO_WIDE
        kept = f"Of fewer than {FEWEST_CLUSTERS} scenes, or models, none are drawn: they stay as they are"
        yield f"{kept}, and the interval is called one-way; with fewer of both there is none by resampling."
    else:
        yield f"With fewer than {FEWEST_CLUSTERS} of them there is no interval by resampling."
    yield _draws(drawing)
    yield (
        "Where there is none by resampling, Cronbach's alpha has Feldt's (Feldt, Woodruff & Salih, 1987), and in the"
        " table of Pearson's r stands Fisher's (1921)."
    )


def _draws(drawing: Drawing) -> str:
    return (
        f"There are {drawing.draws:,} draws (seed {drawing.seed}), the same for all statistics of the same items."
        " Limits are bias-corrected percentiles (Efron, 1981). Draws that leave a statistic undefined are left out;"
        f" where they are more than {MOST_UNDEFINED_DRAWS:.0%} of all, there is none. No draw changes the raters."
    )


def _other_intervals() -> Iterator[str]:
    yield (
        "By formula are: the intervals of Cronbach's alpha that are called feldt (Feldt, Woodruff & Salih, 1987; rows"
        " as independent); those of a rater's severity and correlation with the others (Liang & Zeger, 1986; items as"
        " clusters); those of a model's means (Student's t, scenes as clusters); and Zou's."
    )
    yield "The p of a correlation rests on its draws."
    yield "A statistic that the ratings do not determine is given as undefined, with the reason."


def _software() -> str:
    names = {"numpy": "NumPy", "scipy": "SciPy", "pydantic": "Pydantic"}
    told = [f"{names.get(name, name)} {number}" for name, number in versions().items()]
    return f"Computed with {', '.join(told)}."


def _language(language: str) -> str:
    name = language_name(language)
    return quoted(language) if name == language else name


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))


def _listed(sentences: Iterable[str]) -> str:
    return "\n".join(chain.from_iterable((f"- {sentence}.",) for sentence in sentences))
