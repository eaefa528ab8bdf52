"""The methods section: what was rated, every definition as it is, intervals, versions and data."""

import platform
import re
from dataclasses import replace
from functools import reduce
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest

from annotations.reliability.pairwise import Gaps
from annotations.report.all_figures import every_figure
from annotations.report.report import Report
from annotations.resampling.jackknife import Drawn
from annotations.validity.judge_expert_correlation import RATED_OVERALL, ROW_MEAN_OVERALL
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.methods import REFERENCES, methods, quoted, versions
from tests.components.figures.ratings_sample import EVERYTHING, campaign, reported

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    frame = campaign()
    frame.loc[frame.index[:3], "score"] = 9
    frame.loc[frame.index[-2:], "score"] = np.nan
    return frame


@pytest.fixture(scope="module")
def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Without languages, each of which would have statistics of its own."""
    return frame.drop(columns="language")


@pytest.fixture(scope="module")
def report(frame: pd.DataFrame) -> Report:
    return reported(frame)


def test_what_was_rated_and_left_out_is_counted(frame: pd.DataFrame, report: Report) -> None:
    text = methods(frame, report, EVERYTHING, "0f")
    assert "3 experts (`ann`, `bo`, `cy`) and 2 judges (`GPT-4`, `Same <b>`) rated 24 items, from 12 scenes" in text
    assert "2 models (`m0`, `m1`), on 7 metrics (`KA`, `BA`, `EE`, `PT`, `IM`, `AD`, `BC`): 840 ratings." in text
    assert "The scenes are in English and Chinese. Scores are on a scale from 1 to 5." in text
    assert "All statistics leave out 5 ratings (2 without a score, 3 with a score off the scale)." in text
    rows = sum(str(line.reason) == "incomplete row for alpha" for line in report.dropped)
    assert f"leave out {rows} rows with missing scores" in text
    unpaired = sum(str(line.reason) == "not paired" for line in report.dropped)
    assert unpaired
    assert f"a score from both sides: {unpaired}, counted" in text
    assert "SHA-256 0f." in text
    assert "selected" not in text


def test_only_the_selected_part_is_told(frame: pd.DataFrame) -> None:
    selection = Selection("zh", ("m1",))
    text = methods(frame, reported(selection.of(frame)), selection, "0f")
    assert "rated 6 items, from 6 scenes and 1 model (`m1`)" in text
    assert "Only ratings of the language Chinese and of the models `m1` were selected from a larger set." in text
    assert "The scenes are in Chinese." in text


PARAMETERS = (
    (r", pooled|(?<=models), model mean", ""),
    (r"share of variance, .*", "share of variance"),
    (r"share of pairs .* by chance", "share of pairs by chance"),
    (r"generalizability of [\d.]+, \d+ experts?", "generalizability of so much, with so many experts"),
)
"""What differs between statistics that share a definition, and how the definition puts it."""


def told_of(statistic: str, parameter: tuple[str, str]) -> str:
    return re.sub(*parameter, statistic)


def test_every_statistic_is_defined_in_the_words_of_the_figures() -> None:
    frame = campaign(("en",), scenes=18).drop(columns="language")
    second = frame[frame["rater"] == "bo"].assign(rater="second", kind="judge")
    frame = pd.concat([frame, second], ignore_index=True)
    report = reported(frame)
    text = methods(frame, report, EVERYTHING, "0f").casefold()
    section = text.partition("## definitions")[2].partition("\n## ")[0]
    defined = [line.partition(": ")[0] for line in section.splitlines()]
    figures = every_figure(frame, report)
    for statistic in {figure.statistic for figure in figures}:
        name = reduce(told_of, PARAMETERS, statistic)
        assert any(name.casefold() in line for line in defined), name
    for definition in {figure.definition for figure in figures}:
        for part in definition.split("; overall, "):
            assert part.partition("; the best single expert is ")[0].casefold() in section
    # of two pairs of judges, one can be compared: each statistic that there is has an estimate somewhere
    found = {figure.statistic for figure in figures if figure.estimate is not None}
    assert {"excess of r of two judges", "alternative annotator test, average advantage"} <= found


def test_overall_is_defined_as_it_is_in_the_report(frame: pd.DataFrame, report: Report) -> None:
    assert ROW_MEAN_OVERALL in methods(frame, report, EVERYTHING, "0f")
    rated = frame.replace({"metric": {"BC": "overall"}})
    text = methods(rated, reported(rated), EVERYTHING, "0f")
    assert RATED_OVERALL in text
    assert "row mean" not in text
    assert "`all metrics`" in text


@pytest.mark.parametrize(
    ("drawn", "told", "untold"),
    [
        (
            "scenes",
            [
                "take the scenes as drawn, while the models and raters are those of this study. Each scene is left out"
                " once (jackknife; Tukey, 1958), and the ends are Student's t. There is none for fewer than 5 scenes,"
                " and, but for means, none for fewer than 12 items.",
            ],
            ["too narrow", "too wide", "So is each model", "8 models"],
        ),
        (
            "scenes and models",
            [
                "take the scenes and models as drawn, while the raters are those of this study. Each scene is left out",
                "So is each model; both variances are added, with degrees of freedom after Satterthwaite (1946)."
                " This makes intervals rather too wide. There is none for fewer than 5 scenes or 8 models,"
                " and, but for means, none for fewer than 12 items.",
            ],
            ["too narrow"],
        ),
        (
            "independent items",
            [
                "take the items, or the rows of an alpha, as independent: they are too narrow if items of one scene",
                "The others leave out each item once (jackknife; Tukey, 1958).",
            ],
            ["too wide", "fewer than 5 scenes"],
        ),
    ],
)
def test_how_intervals_are_made(plain: pd.DataFrame, drawn: Drawn, told: list[str], untold: list[str]) -> None:
    text = methods(plain, reported(plain, drawn), Selection(drawn=drawn), "0f")
    assert [sentence for sentence in told if sentence not in text] == []
    assert [sentence for sentence in untold if sentence in text] == []
    assert "Fisher's z for correlations" in text
    assert "Fisher's (1921) of Pearson's r between models, which takes the models as drawn" in text
    assert "seed" not in text


@pytest.mark.parametrize(("gaps", "told"), [("complete rows", False), ("pairs of scores", True)])
def test_sources_are_those_of_what_was_used(plain: pd.DataFrame, gaps: Gaps, told: bool) -> None:
    report = reported(plain)
    used = replace(report, design=replace(report.design, gaps=gaps))
    text = methods(plain, used, Selection(gaps=gaps), "0f")
    assert ("Little & Rubin (2019)" in text.partition("References: ")[2]) == told
    assert "share of fewer than 40" in text


def test_experts_alone_are_told_nothing_of_judges(frame: pd.DataFrame) -> None:
    experts = frame[frame["kind"] == "expert"]
    text = methods(experts, reported(experts), EVERYTHING, "0f")
    assert text.startswith("# Methods\n\n3 experts (`ann`, `bo`, `cy`) rated 24 items")
    assert "p of the difference of r" not in text
    assert "Spearman's rho" not in text


def test_the_rehearsal_is_told(frame: pd.DataFrame, report: Report) -> None:
    story = frame.assign(improvised=["story" if item == "en-0-m0" else "" for item in frame["item"]])
    assert "1 of the 24 rated items are demo output" in methods(story, report, EVERYTHING, "0f")
    judge = frame.assign(improvised=["judge" if rater == "GPT-4" else "" for rater in frame["rater"]])
    told = "`Rehearsal judge, GPT-4 protocol` are, at least in part, made without a language model: not a result."
    assert told in methods(judge, reported(judge), EVERYTHING, "0f")
    assert "improvised" not in methods(frame, report, EVERYTHING, "0f")


def test_versions_are_those_that_ran(frame: pd.DataFrame, report: Report) -> None:
    text = methods(frame, report, EVERYTHING, "0f")
    assert f"Python {platform.python_version()}, NumPy {version('numpy')}, pandas {version('pandas')}" in text
    assert versions()["scipy"] == version("scipy")
    assert all(reference in text for reference in REFERENCES)


def test_names_are_data() -> None:
    assert quoted("# [a](b) <i>*") == "`# [a](b) <i>*`"
    assert quoted("a`b``c") == "``` a`b``c ```"
    assert quoted("评委\n\n# Results\x1b") == "`评委 # Results`"
