"""The worked examples of the page about statistics: each is computed from `example-ratings.csv` beside it, or from the
numbers that its line names, by the functions that the app uses.

`python -m tests.docs.generated` writes them into the page; `test_reference.py` holds the page against them.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pandas as pd

from annotations.blinding.blinding_index import James
from annotations.errors import Undefined
from annotations.leaderboard.bradley_terry import COLUMNS, bradley_terry
from annotations.leaderboard.differences import model_differences
from annotations.leaderboard.paired_scenes import paired_scenes
from annotations.leaderboard.standings import leaderboard
from annotations.marking.rating import read_ratings
from annotations.reliability.narrator_agreement import nominal_agreement
from annotations.report.all_figures import every_figure
from annotations.report.report import scale_of, statistics
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric
from annotations.validity.holm import holm
from annotations.validity.judge_variations import steadiness, table_of
from annotations.validity.overlapping_correlations import williams, zou
from tests.docs.site import DOCS

TABLE = DOCS / "en/reference/example-ratings.csv"
MARK = "- **Example**: "
METRICS = ("BA", "KA")
VOTES = (("model-x", "model-y", 30, 14), ("model-y", "model-z", 28, 16), ("model-x", "model-z", 34, 10))
"""Two models, and how many votes each has won, spread over six scenes."""


@cache
def ratings() -> pd.DataFrame:
    """The table of the examples."""
    return read_ratings(TABLE)


@cache
def figures() -> dict[tuple[str, str, str], str]:
    """Every figure of all models, as the page has it: by statistic, metric or dimension, and whose it is."""
    found = {}
    report = statistics(ratings(), load_rubric(), scale_of(ratings()))
    for one in every_figure(ratings(), report):
        if one.model is None and one.estimate is not None:
            whose = one.by.baseline or one.by.expert or one.by.judge or "experts"
            interval = "" if one.low is None or one.high is None else f" [{one.low:.2f}, {one.high:.2f}]"
            found[one.statistic, one.of.dimension or one.of.metric, whose] = (
                f"{one.estimate:.2f}{interval}, n = {one.n}"
            )
    return found


def of(statistic: str, what: str = "BA", whose: str = "experts") -> str:
    """One of them, ready to stand in a line."""
    return f"`{figures()[statistic, what, whose]}`"


def judge(statistic: str, what: str = "BA", whose: str = "judge-a") -> str:
    return of(statistic, what, whose)


def experts_table() -> pd.DataFrame:
    """The experts' mean scores, as a leaderboard takes them."""
    rated = ratings()
    mean = rated[rated["kind"] == "expert"].groupby(["item", "scene", "model", "metric"], observed=True)["score"].mean()
    return mean.reset_index()


def means() -> str:
    best = next(one for one in leaderboard(experts_table(), METRICS) if one.metric == "overall" and one.rank == 1)
    return (
        f"By the experts' scores {best.model} has an overall mean of"
        f" `{best.mean:.2f} [{best.low:.2f}, {best.high:.2f}]`, SD over scenes"
        f" `{best.sd:.2f}`, `{best.scenes}` scenes, `{best.items}` items."
    )


def differences() -> str:
    wide = experts_table().pivot(index=["item", "scene", "model"], columns="metric", values="score").reset_index()
    one = model_differences(wide, METRICS).pairs[0]
    p = "below `.001`" if one.p < 0.001 else f"`{one.p:.3f}`"
    return (
        f"{one.better} lies above {one.other} by"
        f" `{one.difference:.2f} [{one.interval.low:.2f}, {one.interval.high:.2f}]` points overall,"
        f" p {p}, adjusted over three pairs."
    )


def gain() -> str:
    items = experts_table()
    wide = items.pivot(index=["scene", "model", "item"], columns="metric", values="score").mean(axis=1)
    found = paired_scenes(wide.rename("score").reset_index(), "model-x", "model-y")
    assert isinstance(found.difference.interval, Interval)
    assert not isinstance(found.percent, Undefined)
    low, high = found.difference.interval.low, found.difference.interval.high
    return (
        f"By the experts' scores model-x lies above model-y by `{found.difference.estimate:.2f} [{low:.2f},"
        f" {high:.2f}]` points, or `{found.percent.estimate:.1f} %`, in `{found.difference.n}` scenes."
    )


def overlapping() -> str:
    test, interval = williams(0.3, 0.4, 0.5, 100), zou(0.3, 0.4, 0.5, 100)
    return (
        "Two r of .3 and .4, the judges' r with each other .5, 100 items: Williams'"
        f" `t({test.df}) = {test.t:.4f}`, p `{test.p:.4f}`; Zou's interval of the difference"
        f" `[{interval.low:.3f}, {interval.high:.3f}]`."
    )


def ranks() -> str:
    best = next(one for one in leaderboard(experts_table(), METRICS) if one.metric == "overall" and one.rank == 1)
    return (
        f"{best.model} ranks first; in 95 % of the draws it has ranks `{best.best_rank} to {best.worst_rank}`, and"
        f" it is first in `{best.first:.0%}`."
    )


def strengths() -> str:
    votes = [
        (f"scene-{number % 6}", first, second, first if number < won else second)
        for first, second, won, lost in VOTES
        for number in range(won + lost)
    ]
    best = bradley_terry(pd.DataFrame(votes, columns=list(COLUMNS)))[0]
    told = "; ".join(f"{first} against {second} {won} to {lost}" for first, second, won, lost in VOTES)
    return f"Votes: {told}. {best.model} has a strength of `{best.strength:.2f}`, a win rate of `{best.win_rate:.2f}`."


def holms() -> str:
    adjusted = holm({"KA": 0.004, "BA": 0.03, "EE": 0.02})
    told = ", ".join(f"`{p:.3f}`" for p in adjusted.values())
    return f"Three p of .004, .03 and .02 are {told} after Holm."


def repeats() -> str:
    rated = ratings()
    times = [table_of(rated[rated["rater"] == name], METRICS) for name in ("Ann", "Bob")]
    places = rated.drop_duplicates("item").set_index("item")[["scene", "model"]]
    complete = [time.dropna() for time in times]
    found = steadiness(complete, places.loc[complete[0].index])["BA"]
    assert not isinstance(found, Undefined) and not isinstance(found.icc, Undefined)  # noqa: PT018
    return (
        "If the scores of Ann and Bob were two answers of one judge, BA had an SD of"
        f" `{found.sd.estimate:.2f}` per item, `{found.identical.estimate:.0%}` identical scores and"
        f" ICC(1,1) `{found.icc.estimate:.2f}`."
    )


def narrators() -> str:
    first, second = "aabbbaabba" * 5, "aabbbaabab" * 5
    places = pd.DataFrame({"scene": [f"s{at // 5}" for at in range(50)], "model": "m"})
    found = nominal_agreement(first, second, places)
    assert not isinstance(found.kappa, Undefined)
    return (
        f"Two narrators agree on `{found.share.estimate:.0%}` of 50 decisions between two characters, by chance on"
        f" `{found.by_chance:.0%}`: kappa is `{found.kappa.estimate:.2f}`."
    )


def blinding() -> str:
    table = np.array([[10.0, 6.0], [4.0, 8.0], [6.0, 6.0]])
    return (
        "Of 20 answers on items of each of two models, 10 and 8 name the right one, 4 and 6 the other, and 6 each are"
        f' "cannot tell": James\' index is `{float(James().values(table)):.2f}`.'
    )


EXAMPLES: dict[str, Callable[[], str]] = {
    "Cronbach's alpha across metrics": lambda: (
        f"The experts' alpha over BA and KA is {of(CRONBACH, 'all metrics')} rows; that of judge-a"
        f" {judge(CRONBACH, 'all metrics')}."
    ),
    "Cronbach's alpha between raters": lambda: f"Alpha of the three experts on BA is {of(CRONBACH)} items.",
    "Spearman-Brown coefficient": lambda: (
        f"Of BA and KA by experts: {of('Spearman-Brown coefficient', 'all metrics')}."
    ),
    "Intraclass correlations ICC(A,1), ICC(A,k), ICC(1,1)": lambda: (
        f"On BA, ICC(A,1) is {of('ICC(A,1)')} and ICC(A,3) {of('ICC(A,k)')}."
    ),
    "Krippendorff's alpha, ordinal": lambda: f"Of the experts on BA: {of(KRIPPENDORFF)}.",
    "Shares of equal scores and of scores within one point": lambda: (
        f"Of the experts on BA, equal: {of('share of pairs equal')} (by chance {of('share of pairs equal by chance')});"
        f" within one point: {of('share of pairs within one point')}."
    ),
    "Severity and spread of a rater": lambda: (
        f"Ann's severity is {of('severity', '', 'Ann')}, her SD {of('standard deviation of the scores', '', 'Ann')}."
    ),
    "Pearson's r of a rater with the others": lambda: f"Ann: {of(WITH_OTHERS, '', 'Ann')}.",
    "Variance components and generalizability": lambda: (
        f"On BA, models account for a share of {of('share of variance, model')}; the present design has"
        f" `G = {of('generalizability of the present design')[1:5]}`."
    ),
    "Pearson's r over items": lambda: f"Of judge-a on BA: {judge(ITEMS)}.",
    "Pearson's r within scenes, within languages, and by part": lambda: (
        f"Of judge-a on BA, within scenes: {judge(WITHIN)}."
    ),
    "Pearson's r between models": lambda: f"Of judge-a on BA: {judge(MODELS)} models; no interval for so few.",
    "Pearson's r overall: pooled, row mean, model mean": lambda: (
        f"Of judge-a, pooled: {judge(f'{ITEMS}, pooled', 'overall')} pairs; row mean: {judge(ITEMS, 'overall')} items;"
        f" model mean: {judge(f'{MODELS}, model mean', 'overall')} models."
    ),
    "Spearman's rho": lambda: f"Of judge-a on BA: {judge(RHO)}.",
    "Bias, mean absolute error, limits of agreement, Lin's coefficient": lambda: (
        f"Of judge-a on BA: bias {judge('bias')}; MAE {judge('mean absolute error')}; limits"
        f" {judge('lower limit of agreement')} and {judge('upper limit of agreement')}; Lin {judge(LIN)}."
    ),
    "Ceiling, and r corrected for attenuation": lambda: (
        f"On BA the experts' reliability is {judge('reliability of the experts')}, the ceiling {judge('ceiling of r')};"
        f" judge-a has {judge(BELOW)}, corrected {judge('r corrected for attenuation')}."
    ),
    "Single expert": lambda: (
        f"On BA a single expert has {judge('r of a single expert')}, judge-a {judge('r beside a single expert')}."
    ),
    "Halo: discrimination and convergence": lambda: (
        f"judge-a: discrimination {judge('discrimination', '')}, convergence {judge('convergence', '')}."
    ),
    "Alternative annotator test": lambda: (
        f"judge-a: winning rate {judge(f'{ALTERNATIVE}, winning rate', 'overall')} items, average advantage"
        f" {judge(f'{ALTERNATIVE}, average advantage', 'overall')}."
    ),
    "Baselines": lambda: f"The text's length reaches an overall r of {of(ITEMS, 'overall', 'length')}.",
    "Selective rating": lambda: (
        f"Items that experts scored have of judge-a, within models, {judge(SELECTED, 'overall')} points more than"
        " others."
    ),
    "Difference of two judges' r": lambda: (
        f"judge-a minus judge-b, overall: {judge('difference of r', 'overall')}, p"
        f" {judge('p of the difference of r', 'overall')}."
    ),
    "Williams' test and Zou's interval": overlapping,
    "Shared teacher: excess": lambda: f"Of judge-a and judge-b: {judge('excess of r of two judges', 'overall')}.",
    "Variations and repeats of a judge": repeats,
    "Means": means,
    "Differences of models": differences,
    "Gain in the same scenes": gain,
    "Ranks": ranks,
    "Prediction-powered corrected means": lambda: f"By judge-a and the experts, model-x: {corrected()}.",
    "Bradley-Terry strengths": strengths,
    "Narrators": narrators,
    "p of r, and Holm's adjustment": holms,
    "Blinding indices": blinding,
}
"""By the heading of its section, what an example says."""
CRONBACH, KRIPPENDORFF = "Cronbach's alpha", "Krippendorff's alpha, ordinal"
WITH_OTHERS = "Pearson's r with the mean of the others"
ITEMS, WITHIN, MODELS = "Pearson's r, items", "Pearson's r, within scenes", "Pearson's r, models"
RHO, LIN, BELOW = "Spearman's rho", "Lin's concordance correlation", "Pearson's r below the ceiling"
ALTERNATIVE, SELECTED = "alternative annotator test", "judge's mean where experts scored minus elsewhere"


def corrected() -> str:
    """The corrected mean of a model, which is a figure of one model alone."""
    report = statistics(ratings(), load_rubric(), scale_of(ratings()))
    for one in every_figure(ratings(), report):
        wanted = ("mean corrected by experts", "overall", "judge-a", "model-x")
        if (one.statistic, one.of.metric, one.by.judge, one.model) == wanted:
            return f"`{one.estimate:.2f} [{one.low:.2f}, {one.high:.2f}]`, n = {one.n}"
    raise LookupError("there is no corrected mean of model-x")


def with_examples(text: str) -> str:
    """The page with its examples computed anew: each stands last in its section."""
    return "".join(_sections(re.sub(rf"^{re.escape(MARK)}(?:.*\n(?:  .*\n)*)", "", text, flags=re.MULTILINE)))


def _sections(text: str) -> Iterator[str]:
    parts = re.split(r"^(?=### )", text, flags=re.MULTILINE)
    for part in parts:
        heading = part.partition("\n")[0].removeprefix("### ")
        if heading not in EXAMPLES:
            yield part
            continue
        body = re.search(r"(?s)^(.*?^- \*\*Report\*\*:.*?\n)(?=\n)", part, re.MULTILINE)
        assert body is not None, f"{heading}: there is no line **Report**"
        yield f"{body.group(1)}{MARK}{EXAMPLES[heading]()}\n{part[body.end() :]}"
