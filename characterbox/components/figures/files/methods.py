"""A methods section in Markdown: what was rated and left out, what each statistic is, how its interval was made, with
which versions, and of which data.
"""

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import chain, groupby

import pandas as pd

from annotations.marking.rating import improvised_items
from annotations.reliability.agreement import CHANCE
from annotations.reliability.cronbach_alpha import ACROSS_METRICS, BETWEEN_RATERS
from annotations.reliability.pairwise import ALPHA_RESTS_ON, Gaps
from annotations.report.all_figures import MEAN_R, NEAR, NEEDED, OF_ALL, PRESENT, RATIO, usable_ratings
from annotations.report.judge_figures import (
    ACROSS,
    BESIDE,
    BESIDE_ALL,
    BETWEEN,
    CELLS,
    CONVERGENCE,
    DISCRIMINATION,
    SAME_MODELS,
    WIDTH,
    WITHIN,
)
from annotations.report.report import Report
from annotations.resampling.estimates import FEWEST_OF_SHARE
from annotations.resampling.jackknife import FEWEST_CLUSTERS, FEWEST_EXPERTS, FEWEST_ITEMS, FEWEST_MODELS, Drawn
from annotations.validity.alternative_annotator import EPSILON
from annotations.validity.baselines import TOLD as BASELINES
from annotations.validity.ceiling import CEILING, DISATTENUATED, RELIABILITY, SINGLE_EXPERT
from annotations.validity.compare_judges import DIFFERENCE, P_OF_DIFFERENCE
from annotations.validity.concordance import BIAS, LIMITS, LIN, MAE, SPEARMAN
from annotations.validity.holm import HOLM, P_OF_R
from annotations.validity.levels import (
    ITEMS,
    MODEL_MEAN_OVERALL,
    MODELS,
    POOLED_OVERALL,
    ROW_MEAN_OVERALL,
    WITHIN_SCENES,
)
from annotations.validity.parts import WITHIN_LANGUAGES
from annotations.validity.shared_teacher import EXCESS, EXPLAINED
from characterbox import __version__
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.tables.text import counted, language_name, overall_in_words
from characterbox.judging.provenance import NOT_A_RESULT

RELIABILITY_OF_RATINGS = (
    f"Cronbach's alpha (1951) of a dimension: {ACROSS_METRICS}",
    f"Cronbach's alpha of a metric: {BETWEEN_RATERS}",
    "Cronbach's alpha without a metric: that of the dimension's other metrics, over the same rows",
    "Cronbach's alpha, Feldt's interval: the alpha of a dimension, with Feldt's interval whatever way is chosen",
    "Spearman-Brown coefficient, of a dimension of two metrics: 2 r / (1 + r) (Eisinga, te Grotenhuis & Pelzer, 2013);"
    " where items are taken as independent, its interval comes from both ends of Fisher's interval of r, put into the"
    " same formula",
    "Pearson's r between metrics: over rated trajectories with a score for every metric of the dimension",
    f"mean r between metrics: {MEAN_R}",
    f"Pearson's r between metrics, of all: {OF_ALL}",
    "ICC(A,1), ICC(A,k): absolute agreement of a single rater, and of the mean of all k, two-way (McGraw & Wong, 1996),"
    " over items that all of them scored",
    "Krippendorff's alpha, ordinal (Krippendorff, 2019): over items with at least two scores, whoever gave them",
    "share of pairs within one point, share of pairs equal: of all pairs of scores of an item",
    f"share of pairs {CHANCE} (Cohen, 1960)",
    "severity: mean of the rater's score minus the mean of the others (on the same metric of the same item)",
    "standard deviation of the scores: of a rater's scores on all metrics, over n - 1",
    f"ratio of standard deviations: {RATIO}",
    "Pearson's r with the mean of the others: over the scores that a rater shares with others",
    f"share within one point of others: {NEAR}",
    "share of variance, from variance components: random effects of model, scene and rater, of each two of them"
    " together, and a residual (Brennan, 2001), estimated from symmetric differences (Koch, 1968)",
    f"generalizability of the present design: {PRESENT}",
    f"scenes for a generalizability of so much, with so many experts: {NEEDED}",
)
VALIDITY_OF_JUDGES = (
    "a pair of scores: the judge's score of an item and the mean of the experts' scores of that item",
    f"Pearson's r, {ITEMS}",
    f"Pearson's r, {WITHIN_SCENES}",
    f"Pearson's r, {MODELS}",
    SPEARMAN,
    *(BIAS, MAE),
    f"concordance, Lin's concordance correlation: {LIN}",
    f"lower limit of agreement, upper limit of agreement: {LIMITS}",
    RELIABILITY,
    f"ceiling of r: {CEILING}",
    "Pearson's r below the ceiling: of the items that all experts and the judge scored",
    f"r corrected for attenuation: {DISATTENUATED}",
    f"r of a single expert, r beside a single expert: {SINGLE_EXPERT}",
    P_OF_R,
    f"p of r, Holm: {HOLM}; overall is none of them",
    f"Pearson's r, {WITHIN_LANGUAGES}; r of a language, or of a model: over its items",
    "judge's mean where experts scored minus elsewhere, experts' mean where the judge scored minus elsewhere:"
    f" {SAME_MODELS}",
    f"baseline: the same figures of judges that look at no item. {BASELINES}",
    f"multitrait-multimethod r (Campbell & Fiske, 1959): {CELLS}",
    f"multitrait-multimethod r, mean within the judge; multitrait-multimethod r, mean within the experts: {WITHIN}",
    f"multitrait-multimethod r, mean same metric; multitrait-multimethod r, mean different metrics: {ACROSS}",
    f"discrimination (halo): {DISCRIMINATION}",
    f"convergence: {CONVERGENCE}",
    f"expected width of the interval of r, as now; expected width of the interval of r, twice the scenes: {WIDTH}",
    "alternative annotator test, winning rate; alternative annotator test, average advantage:"
    f" Calderon et al. (2025), epsilon {EPSILON:g}; the share of experts whom the judge is not worse than, and the mean"
    " share of items on which it is at least as near to the other experts as the expert left out; scenes are taken as"
    " drawn, and p is adjusted after Benjamini & Yekutieli (2001) over experts and judges",
    "mean corrected by experts: prediction-powered mean of a model (Angelopoulos et al., 2023; the weight is that of"
    " Angelopoulos, Duchi & Zrnic, 2023)",
    "mean of the experts, mean of the judge: of a model, over the items that the side scored on every metric",
)
OVERALL_OF_LEVELS = (POOLED_OVERALL, ROW_MEAN_OVERALL, MODEL_MEAN_OVERALL)
JUDGES_COMPARED = (
    f"difference of r: {DIFFERENCE}",
    f"Pearson's r of the first judge, Pearson's r of the second judge: {BESIDE}",
    f"Pearson's r of two judges: {BETWEEN}",
    f"p of the difference of r: {P_OF_DIFFERENCE}",
    f"excess of r of two judges: {EXCESS}",
    f"r of two judges beside all experts: {BESIDE_ALL}",
    f"r of two judges that experts explain: {EXPLAINED}",
)
REFERENCES = (
    *("Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023)", "Angelopoulos, Duchi & Zrnic (2023)"),
    *(
        "Benjamini & Yekutieli (2001)",
        "Bland & Altman (1986)",
        "Bonett (2002)",
        "Brennan (2001)",
        "Calderon, Reichart & Dror (2025)",
        "Campbell & Fiske (1959)",
    ),
    *("Cohen (1960)", "Cronbach (1951)", "Eisinga, te Grotenhuis & Pelzer (2013)"),
    *("Feldt, Woodruff & Salih (1987)", "Fisher (1921)", "Holm (1979)", "Koch (1968)", "Krippendorff (2019)"),
    *("Lin (1989)", "McGraw & Wong (1996)", "Satterthwaite (1946)", "Spearman (1904)", "Tukey (1958)", "Zou (2013)"),
)

OF_GAPS: Mapping[Gaps, tuple[str, ...]] = {"complete rows": (), "pairs of scores": ("Little & Rubin (2019)",)}

PACKAGES = ("numpy", "pandas", "pydantic", "scipy")
"""What the statistics are computed with."""


def methods(frame: pd.DataFrame, report: Report, selection: Selection, digest: str) -> str:
    """The section for the statistics in `report`, which are of the part of `frame` that is selected.

    `report` must have its list of what was dropped; `digest` is the SHA-256 of these ratings as CSV (`ratings_csv`).
    Names are data: they stand in code spans, so that nothing in them is markup.
    """
    part, design = selection.of(frame), report.design
    dimensions = [f"{quoted(name)}: {_names(metrics)}" for name, metrics in design.dimensions.items()]
    definitions = [*RELIABILITY_OF_RATINGS, ALPHA_RESTS_ON[design.gaps]]
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
        " ".join(_intervals(design.drawn)),
        " ".join(_other_intervals()),
        "## Software and data",
        f"{_software()} The ratings, as CSV (`ratings.csv`), have the SHA-256 {digest}.",
        f"References: {'; '.join(sorted((*REFERENCES, *OF_GAPS[design.gaps])))}.",
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
    called = (str(design.called(judge)) for judge in design.judges)
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
        rehearsed_judges = _names(str(design.called(judge)) for judge in sorted(design.improvised))
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
    rows = Counter(str(line.reason) for line in report.dropped)
    for reason, sentence in _IN_SINGLE.items():
        if rows[reason]:
            yield sentence.format(rows[reason])


_IN_SINGLE = {
    "incomplete row for alpha": "Cronbach's alphas leave out {:,} rows with missing scores, each counted once for"
    " each alpha.",
    "not paired": "Correlations leave out items without a score from both sides: {:,}, counted once for each judge"
    " and metric, or once for a judge where all its correlations leave the item out.",
}


_OTHERS: Mapping[Drawn, tuple[str, str, str]] = {
    "scenes": ("the models and raters are", "", ""),
    "scenes and models": ("the raters are", "model", f" or {FEWEST_MODELS} models"),
    "scenes and experts": ("the models are", "expert", f" or {FEWEST_EXPERTS} experts"),
}
"""What is not taken as drawn, what else is left out, and how many of it there must be."""


_NOT_SEVERITY = ", but for those in points of three or four experts, which may be too narrow"


def _intervals(drawn: Drawn) -> Iterator[str]:
    if drawn == "independent items":
        yield (
            "Intervals are of 95 % and take the items, or the rows of an alpha, as independent: they are too narrow if"
            " items of one scene, or of one model, resemble each other. They have their formula where there is one:"
            " Fisher's z (1921) for Pearson's r of a judge over items and within scenes; Feldt's (Feldt, Woodruff &"
            " Salih, 1987) for Cronbach's alpha; F for intraclass correlations, which takes the raters as drawn. The"
            " others leave out each item once (jackknife; Tukey, 1958)."
        )
    else:
        kept, too, fewest = _OTHERS[drawn]
        yield f"Intervals are of 95 % and take the {drawn} as drawn, while {kept} those of this study."
        yield "Each scene is left out once (jackknife; Tukey, 1958), and the ends are Student's t."
        if too:
            yield (
                f"So is each {too}; both variances are added, with degrees of freedom after Satterthwaite (1946). This"
                f" makes intervals rather too wide{_NOT_SEVERITY if drawn == 'scenes and experts' else ''}."
            )
        yield f"There is none for fewer than {FEWEST_CLUSTERS} scenes{fewest},"
        yield f"and, but for means, none for fewer than {FEWEST_ITEMS} items."
    yield (
        "They are made on a scale on which the statistic is about normal: Fisher's z for correlations, intraclass"
        " correlations and Krippendorff's alpha, the logarithm of 1 - alpha for Cronbach's alpha and the Spearman-Brown"
        " coefficient (Bonett, 2002), the log odds for shares, and the logarithm for mean absolute errors and standard"
        " deviations. Those of the limits of agreement come from the intervals of bias and standard deviation (Zou,"
        " 2013)."
    )


def _other_intervals() -> Iterator[str]:
    yield (
        "By formula are the intervals of Cronbach's alpha that are called feldt (Feldt, Woodruff & Salih, 1987; rows as"
        " independent), and Fisher's (1921) of Pearson's r between models, which takes the models as drawn and the"
        " scenes as they are; below five models it has none."
    )
    yield "A statistic that is the same whatever is left out, or lies at the end of its range, has no interval."
    yield f"Nor has a share of fewer than {FEWEST_OF_SHARE} pairs of scores or items, which goes by large steps."
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
